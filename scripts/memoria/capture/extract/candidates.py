"""Gather the sentences of a session that could stand in its log entry, each with where it stood.

Nothing is judged here. What was said, planned and committed all comes in, because the same fact
stands in several of these places and the weights (weights.py) choose among the copies. A sentence
that begins with "this" comes with the one before it or not at all. What was pasted is others' words
and stays out, and so does a plan that was refused.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, NamedTuple

from memoria.agents.claude_code.user_words import parse_ask
from memoria.capture.extract.features import CUES
from memoria.capture.extract.observing.observations import (
    ObservedSession,
    ObservedText,
    Sentence,
    parse_sentences,
)
from memoria.capture.extract.user.asks import is_question
from memoria.text.prose import Form, capitalise, strip_markdown
from memoria.text.word_overlap import stems

SHORTEST = 45  # characters: what is shorter is a label or says nothing alone
LONGEST = 300  # characters: what is longer is not read in a list
_LABEL_CHARS = 20  # a shorter sentence names nothing that "it" could be
# A sentence with its neighbours: readers kept .76 of lines from 240 characters on, .48 of those
# below 160. More than three sentences are a text.
PASSAGE_CHARS, _MAX_NEIGHBOURS = 380, 2
Source = Literal["user", "plan", "subject", "body", "closing", "narration"]
"""Where a sentence is from: `subject` and `body` are a commit's, `closing` a turn's last text."""
# "Wait, actually ..." takes back what it just said: of 50 such sentences four were worth keeping
_THINKS_ALOUD = re.compile(
    r"(?i)(?:^|[.!?\n\u2014-]\s*)(?:but |oh )?(?:wait|hmm|actually|hold on|on second thought)\b"
)
# "This fails ...", "Both are ...", "If not, ...": needs the sentence before it; not "The token ..."
NEEDS_BEFORE = re.compile(
    r"(?i)(?:this|these|that|those|it|its|they|he|she|which|but|so|such|otherwise|instead"
    r"|as a result|then|later|both|here|there|from (?:this|that)|in (?:this|that) (?:case|way)"
    r"|the (?:same|other|second|former|latter)"
    r"|(?:when|if|once|after|since|because|why) (?:this|that|it|they|not)|if (?:not|so)"
    r"|now (?:all|both|these|it|this|that)|the main (?:trade-?off|difference|change|issue))\b"
    r"|at,"
)
# "Next looking at x", "I'll run the tests": what the agent is about to do is nothing found out
_ANNOUNCES = re.compile(
    r"(?i)^(?:now |next |first |so |also |then |ok(?:ay)?,? )*(?:we need to look|looking)\b"
    r"|\b(?:let me|let's|i'll|i'm|i am|i will|i need|i should|i can|if you want)\b"
)
_MENDS = re.compile(r"(?i)(?:the |this |my )?(?:fix|solution|change)\b")  # "Fix: x", "The fix is"
_POINTS_BACK = re.compile(r"(?i)(?:this|these|it)\b")
# who speaks or is spoken to
_SPEAKS = re.compile(r"(?i)\b(?:i|i'm|i'll|i've|let me|let's|my|you|your|consider)\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that can stand alone, and where it stood.

    `step` is the index of its step in the turn. `place` is its number among the sentences of its
    text, of which there are `of`. `leans` says that it means nothing without the question that it
    answers. `stems` are its content words. `passage` are the sentences that are shown with it.
    `is_led`: it stands in a list under a line that ends in ":".
    """

    text: str
    source: Source
    turn: int
    step: int
    place: int = 0
    of: int = 1
    form: Form = "paragraph"
    heading: str = ""
    stems: frozenset[str] = frozenset()
    leans: bool = False
    passage: tuple[str, ...] = ()
    is_led: bool = False

    @property
    def whole(self) -> str:
        """The passage as one text."""
        return join_sentences(self.passage)

    @property
    def at(self) -> tuple[int, int]:
        """The turn and the step."""
        return self.turn, self.step


def gather_candidates(session: ObservedSession) -> tuple[Candidate, ...]:
    """Gather all sentences of a session that could stand in its entry, in the order of time."""
    refused = {call.call.id for call in session.calls if call.call.is_refused}
    question_turns = find_question_turns(session)
    candidates: list[Candidate] = []
    for text in session.texts:
        source, is_question = _find_source(text), text.turn in question_turns
        # what is only asked states nothing
        if source and text.call not in refused and not (source == "user" and is_question):
            is_answer, place = source == "closing" and is_question, (text.turn, text.step)
            candidates += _build_candidates(text.sentences, source, *place, answers=is_answer)
    for commit in session.kept:
        place = commit.turn, commit.step
        if not commit.is_housekeeping:
            name = strip_markdown(commit.subject)
            words = stems(name)
            candidates.append(Candidate(name, "subject", *place, stems=words, passage=(name,)))
        candidates += _build_candidates(parse_sentences(commit.body), "body", *place)
    return tuple(sorted(candidates, key=lambda candidate: (*candidate.at, candidate.place)))


def find_question_turns(session: ObservedSession) -> frozenset[int]:
    """Name the turns in which the user only asked and the agent only answered."""
    return frozenset(
        turn.index
        for turn in session.turns
        if turn.index not in session.busy and is_question(parse_ask(turn.turn.prompt))
    )


def _find_source(text: ObservedText) -> Source | None:
    """Say where a text's sentences are from, None where none of them may be taken."""
    if text.speaker == "plan":
        return "plan"
    if text.speaker == "user" and text.place in ("prompt", "steer") and not text.is_trivial:
        return "user"
    if text.speaker == "assistant":
        if text.place == "closing":
            return "closing"
        return None if _THINKS_ALOUD.search(text.text) else "narration"
    return None


class _Neighbours(NamedTuple):
    """A sentence, its tidied text, and that of the one before it."""

    sentence: Sentence
    text: str
    before: str

    @property
    def leans(self) -> bool:
        """Whether it needs the sentence before it."""
        return bool(NEEDS_BEFORE.match(self.text))

    @property
    def whole(self) -> str:
        """Its text, with the sentence before it where it needs that."""
        return join_sentences(
            (self.before, self.text) if self.leans and self.before else [self.text]
        )

    @property
    def is_announcement(self) -> bool:
        """Whether it tells what the agent is about to do."""
        return bool(_ANNOUNCES.search(f"{self.before} {self.text}" if self.leans else self.text))


def _build_candidates(
    sentences: Sequence[Sentence], source: Source, turn: int, step: int, *, answers: bool = False
) -> Iterator[Candidate]:
    """Give the sentences of a text that can stand alone, or with the question that it `answers`."""
    is_agents = source in ("closing", "narration")
    pairs = list(_pair_neighbours(sentences))
    standing = [
        index
        for index, pair in enumerate(pairs)
        if _can_stand(pair, answers=answers) and not (is_agents and pair.is_announcement)
    ]
    for place, index in enumerate(standing):
        pair = pairs[index]
        yield Candidate(
            pair.whole,
            source,
            turn,
            step,
            place,
            len(standing),
            pair.sentence.form,
            pair.sentence.heading,
            stems(pair.whole),
            leans=pair.leans and not pair.before,
            passage=_build_passage(pairs, index),
            is_led=_is_led(pair.sentence),
        )


def _is_led(sentence: Sentence) -> bool:
    """Whether a sentence goes on with the line above its list: "This allows:"."""
    is_part = sentence.form == "item" and sentence.text[-1] not in ".!"
    return bool(sentence.lead) or (is_part and bool(_POINTS_BACK.match(sentence.heading)))


def _pair_neighbours(sentences: Sequence[Sentence]) -> Iterator[_Neighbours]:
    """Give the sentences of paragraphs and items, each with the one before it."""
    previous: Sentence | None = None
    for sentence in sentences:
        if sentence.form in ("paragraph", "item"):
            is_same_unit = previous is not None and sentence.unit == previous.unit
            is_next = previous and (is_same_unit or sentence.form == previous.form == "paragraph")
            lead = tidy(previous.text) if previous and is_next else ""
            yield _Neighbours(sentence, tidy(sentence.text), lead)
        previous = sentence


def _can_stand(pair: _Neighbours, *, answers: bool) -> bool:
    """Whether a sentence can stand alone, or with the one before it or the question it answers."""
    if pair.leans and pair.before:
        # a label or a fragment says nothing of what "it" is
        is_telling = len(pair.before) >= _LABEL_CHARS and pair.before[-1] in ".!"
        if not is_telling or NEEDS_BEFORE.match(pair.before):
            return False
    elif pair.leans and not answers:
        return False
    return SHORTEST <= len(pair.whole) <= LONGEST and pair.text[-1:] not in (":", "?")


def _build_passage(pairs: Sequence[_Neighbours], index: int) -> tuple[str, ...]:
    """Give a sentence with its neighbours of the same paragraph or item, as many as fit."""
    first = last = index
    is_cause = bool(CUES["cause"].search(pairs[index].text))
    if pairs[index].leans and pairs[index].before:
        first -= 1

    def fits(place: int) -> bool:
        if not 0 <= place < len(pairs) or last - first >= _MAX_NEIGHBOURS:
            return False
        pair = pairs[place]
        size = sum(len(pair.text) + 1 for pair in pairs[first : last + 1]) + len(pair.text)
        is_beside = pair.sentence.unit == pairs[index].sentence.unit or bool(
            # a fault takes what mended it along from the next paragraph or item
            place > index and is_cause and _MENDS.match(pair.text)
        )
        return is_beside and size < PASSAGE_CHARS and _adds_information(pair.text)

    while fits(last + 1):
        last += 1
    while fits(first - 1):
        first -= 1
    while first < index and pairs[first].leans:
        first += 1
    return tuple(pair.text for pair in pairs[first : last + 1])


def _adds_information(text: str) -> bool:
    """Whether a neighbour tells something: no label, question, intention, guess or status."""
    if len(text) < SHORTEST or text[-1] not in ".!" or _ANNOUNCES.search(text):
        return False
    return not (CUES["hedges"].search(text) or CUES["status"].search(text) or _SPEAKS.search(text))


def join_sentences(texts: Iterable[str]) -> str:
    """Join sentences; one without a full stop gets it."""
    return reduce(lambda whole, text: f"{whole}{'' if whole[-1] in '.!?' else '.'} {text}", texts)


# -- One sentence ---------------------------------------------------------------------------------

_LEAD_IN = re.compile(r"""(?ix)  # openings that add nothing
    (?:
      (?: done|perfect|great|good|excellent|fixed|sure|ok(?:ay)?|right|correct|exactly|confirmed
        |got\ it|found\ it|understood|wait|i\ see|well|yeah|yep|absolutely|so\ you're\ right
        |you(?:'re|\ are)\ (?:absolutely\ |quite\ )?right
        |in\ (?:summary|other\ words)|summary|answer|note|important )
      (?:\s?[.!:,;]{1,3}|\s[\u2014\u2013-]{1,2}|$)\s{0,2}  # "Done. ", "Found it - "
    | (?:minor|low|medium|high|critical|issue|problem|impact|location)(?:-\d{1,3})?:\s{1,2}
    | (?:looking\ at|based\ on|from)\ (?:the\ (?:code|diff|output|above|logs?)|my\ (?:analysis
      |review))[^,]{0,40},\s{1,2}  # "Based on the diff of x, "
    | (?:so|now|also|but|however|therefore|thus|basically|actually|additionally|specifically
        |and|then|finally|overall|importantly|unfortunately),\s{1,2}
    | (?:so|now|and|then|but)\s(?=(?:the|when|if|an?|`|both|we)\b) | also\s(?=[a-z`])
    | (?:i\ can\ (?:now\ )?see|i\ (?:see|found|confirmed|verified|noticed?)|this\ (?:confirms|shows)
        |it\ (?:turns\ out|looks\ like)|note)\ that\s
    )+""")
_FIRST_PERSON = re.compile(  # "I've added X" says "Added X"; not "I tried X"
    r"(?i)(?:i|we)(?:'ve| have)? (?:(?:also|now|just|already|successfully|then) ){0,3}"
    r"(?P<did>(?!need|want|tri|us|look|check)[a-z]{2,}ed|set|made|wrote|kept|rewrote)\b"
)
# " (see lines 3-8)", " at line 12": line numbers are wrong after the next edit
_AT_LINE = re.compile(
    r"(?i)\s?\((?:see |at )?lines? \d[\d,\s\u2013-]*(?:(?:and|to) \d+)?\)"
    r"| (?:(?:at|on|in|around|from) )?lines? \d+(?:[-\u2013]\d+)?(?=[\s.,;:)])(?P<of> of\b)?"
)
# Codex types quotes and apostrophes as they are set in print; the cues know those of a keyboard.
_TYPESET = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def tidy(sentence: str) -> str:
    """Take chatter, the first person and line numbers out; "" if nothing is left."""
    text = sentence.translate(_TYPESET)
    if opening := _LEAD_IN.match(text):
        text = text[opening.end() :]
    if first_person := _FIRST_PERSON.match(text):
        text = text[first_person.start("did") :]
    if "line" in text:
        text = _AT_LINE.sub(lambda match: " in" if match["of"] else "", text)
    return capitalise(text.strip(" -\u2013\u2014;,"))
