"""Find where the user said that the agent had done wrong, in their own words.

Only what the person typed counts (`own_words`). A sentence must object, each cue being strong
enough alone, and there must be something to object to: work of the agent before it, edits where it
says that something fails. The same words describe a product ("the button does not work"), so a cue
speaks of what was just done ("that", "you", "still") or names a check. "No" after a question is an
answer, and a new wish, however curt, blames nobody.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Literal, NamedTuple

from memoria.agents.claude_code.user_words import Utterance, list_utterances, own_words
from memoria.agents.transcript import AssistantText, Call, Interrupt, Step, Transcript
from memoria.capture.extract.user.gists import build_gist, find_gist_words
from memoria.text.lazy_patterns import lazy_pattern

Kind = Literal[
    "correction",  # told to be wrong, or refused with a "no" or "don't"
    "correction:failing",  # told that what it made does not work, or that a check fails on it
    "correction:revert",  # told to take back what it did
]
Objection = Literal[
    "revert",  # what was done is to be taken back
    "wrong",  # the agent is told that it did, said or understood something wrong
    "failing",  # what it made does not work, or a check fails on it
    "no",  # "no, ..." and "don't ...": an objection only where no question was asked
]
Place = tuple[int, int]  # a turn and a step of it


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction: its kind, the user's sentence, what it is about, and how it ended.

    `words` are the sentence's content words, stemmed, sorted and joined, so that it is the same in
    any order, tense and politeness; where the sentence has fewer than two ("that is wrong"), those
    of the request that it follows are added after "re". `turn` and `step` are where it was said
    (step 0: as the prompt). `call` is the id of the call that was refused with it, "" for none.
    `work` are the agent's calls from there until the user said something that is no correction,
    `ended` when that work was done; None where the user said nothing more, or had stopped it.
    """

    kind: Kind
    line: str
    words: str
    turn: int
    step: int
    at: datetime
    call: str = ""
    work: tuple[Call, ...] = ()
    ended: datetime | None = None


def find_corrections(transcript: Transcript) -> tuple[Correction, ...]:
    """Find the corrections of a transcript in the order of time, at most one an utterance."""
    sayings = tuple(map(_build_saying, list_utterances(transcript)))
    edits = (place for place, step in _list_steps(transcript) if _is_edit(step))
    first_edit = next(edits, _NEVER)
    corrections = [
        _find_correction(transcript, sayings[:count], first_edit)
        for count in range(1, len(sayings) + 1)
    ]
    pairs = list(zip(sayings, corrections, strict=True))
    others = [saying for saying, correction in pairs if correction is None]
    results = []
    for saying, correction in pairs:
        if correction:
            following = (other for other in others if other.place > saying.place)
            results.append(_add_follow_up(correction, transcript, next(following, None)))
    return tuple(results)


# -- What was said, and when ----------------------------------------------------------------------

_NEVER: Place = (1 << 40, 0)  # behind all places


class _Saying(NamedTuple):
    """An utterance and the user's own words in it ("": a command)."""

    utterance: Utterance
    own: str

    @property
    def place(self) -> Place:
        """The step that comes after it, 0 for a prompt."""
        return self.utterance.turn, self.utterance.step


def _build_saying(utterance: Utterance) -> _Saying:
    return _Saying(utterance, "" if utterance.ask.is_command else own_words(utterance).strip())


def _list_steps(transcript: Transcript) -> Iterator[tuple[Place, Step]]:
    for number, turn in enumerate(transcript.turns):
        yield from (((number, index), step) for index, step in enumerate(turn.steps))


def _list_earlier_steps(transcript: Transcript, saying: _Saying) -> Iterator[Step]:
    """Yield what happened before an utterance, the latest first."""
    turn, step = saying.place
    # a refusal stands in the result of the call that it refused, which never happened
    step -= 1 if saying.utterance.how == "refusal" else 0
    yield from reversed(transcript.turns[turn].steps[:step])
    for number in range(turn - 1, -1, -1):
        yield from reversed(transcript.turns[number].steps)


def _is_edit(step: Step) -> bool:
    return isinstance(step, Call) and step.kind == "edit" and not step.is_error


def _add_follow_up(slip: Correction, transcript: Transcript, after: _Saying | None) -> Correction:
    """Add what the agent did until the user went on to something else."""
    end = after.place if after else _NEVER
    steps = [step for at, step in _list_steps(transcript) if (slip.turn, slip.step) <= at < end]
    ended = None
    if after and not any(isinstance(step, Interrupt) for step in steps):
        utterance = after.utterance
        is_prompt = utterance.how == "prompt" and utterance.turn
        ended = transcript.turns[utterance.turn - 1].until if is_prompt else utterance.at
    return replace(slip, work=tuple(step for step in steps if isinstance(step, Call)), ended=ended)


# -- Whether it is one ----------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
# An objection stands at the beginning; further down the text describes what is wanted instead.
_MAX_SENTENCES, _MAX_CHARS = 5, 600
_MIN_TELLING_WORDS = 3  # content words
_LINE_CHARS = 500  # of the sentence that are kept
_MEETS_ERROR = re.compile(  # "I'm getting this:" above a log that was pasted
    r"(?i)^\W*(?:\w+\W+){0,3}(?:i|i'm|i am|we|we're|we are|it|still|now) (?:\w+ )?"
    r"(?:get|got|getting|see|seeing|saw|gives?|giving|throws?|shows?)\b"
)
_STOPS = re.compile(r"(?i)\W*(?:no|nope|nah|stop|wait|hey)\b")
_TAIL_CHARS = 300  # at the end of an answer, in which a question to the user stands


def _find_correction(
    transcript: Transcript, sayings: Sequence[_Saying], first_edit: Place
) -> Correction | None:
    """Read the last of what was told as a correction; `first_edit` is where the first edit was."""
    saying, utterance = sayings[-1], sayings[-1].utterance
    has_past = transcript.start > 0 or any(_list_earlier_steps(transcript, saying))
    has_edited = first_edit < saying.place
    verdict = saying.own and has_past and _judge_saying(transcript, saying, has_edited=has_edited)
    if not verdict:
        return None
    kind, line = verdict
    prompts = [earlier.own for earlier in sayings[:-1] if earlier.utterance.how == "prompt"]
    # of what fails its name is enough: "the build is broken"
    fewest = 1 if kind == "correction:failing" else 2
    request = _find_first_telling(prompts[-1]) if prompts else ""
    words = build_gist(line, request or _find_last_edited_file(transcript, saying), fewest=fewest)
    call = utterance.call.id if utterance.call else ""
    line = " ".join(line.split())[:_LINE_CHARS]
    return Correction(kind, line, words, *saying.place, utterance.at, call)


def _judge_saying(
    transcript: Transcript, saying: _Saying, *, has_edited: bool
) -> tuple[Kind, str] | None:
    """Give the kind of correction and the sentence that is one, None where it is none."""
    for sentence in _split_sentences(saying.own):
        objection = find_objection(sentence)
        if kind := _judge_objection(objection, transcript, saying, has_edited=has_edited):
            return kind, sentence
    is_handed_on = saying.utterance.ask.trace or saying.own != saying.utterance.ask.text.strip()
    if is_handed_on and has_edited and _MEETS_ERROR.search(saying.own):
        return "correction:failing", _find_first_telling(saying.own)
    return None


def _split_sentences(text: str) -> Iterator[str]:
    parts = (part.strip(" -*>\t") for part in _SENTENCE.split(text[:_MAX_CHARS]))
    return islice((part for part in parts if part), _MAX_SENTENCES)


def _find_first_telling(text: str) -> str:
    """Give the first sentence that says what it is about ("really? can't we ...")."""
    parts = tuple(_split_sentences(text))
    telling_parts = (part for part in parts if len(find_gist_words(part)) >= _MIN_TELLING_WORDS)
    return next(telling_parts, parts[0] if parts else text)


def _judge_objection(
    objection: Objection | None, transcript: Transcript, saying: _Saying, *, has_edited: bool
) -> Kind | None:
    """Say what an objection is where it was said: there must be something to object to."""
    how = saying.utterance.how
    if objection == "wrong":
        return "correction"
    if objection == "failing" and how != "answer" and has_edited:
        return "correction:failing"
    if objection in {None, "failing"} or _was_asked(transcript, saying):
        return None
    if objection == "revert":
        return "correction:revert" if has_edited else None
    # "don't" in a prompt instructs; in the face of a call, or after "no" or "stop", it corrects
    is_stopping = how in ("refusal", "steer") or bool(_STOPS.match(saying.own))
    return "correction" if is_stopping else None


def _find_last_edited_file(transcript: Transcript, saying: _Saying) -> str:
    """Name the file that the agent had edited last, "" for none."""
    calls = (step for step in _list_earlier_steps(transcript, saying) if isinstance(step, Call))
    edit = next(filter(_is_edit, calls), None)
    return (re.split(r"[/\\]", edit.path)[-1] or edit.name) if edit else ""


def _was_asked(transcript: Transcript, saying: _Saying) -> bool:
    """Whether the agent had asked the user something: what was said is the answer."""
    call, how = saying.utterance.call, saying.utterance.how
    if how != "prompt":
        return call is not None and call.kind == "question"
    steps = _list_earlier_steps(transcript, saying)
    last = next((step for step in steps if isinstance(step, AssistantText | Interrupt)), None)
    return isinstance(last, AssistantText) and "?" in last.text[-_TAIL_CHARS:]


# -- Cues of an objection -------------------------------------------------------------------------

# what the sentence names is not what it says: the word of an error may stand in quotes
_NAMED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d")


def find_objection(sentence: str) -> Objection | None:
    """Say how a sentence objects to what the agent did, None where it does not.

    Of several kinds the first in the order of their definition.
    """
    unquoted = _NAMED.sub("X", sentence.replace("\u2019", "'"))
    # what is longer describes something
    text = " ".join(unquoted.split())[:_MAX_CHARS]
    if _MILD.search(text):
        return None
    for kind, cue in _CUES:
        if cue.search(text) and not (kind in {"wrong", "failing"} and _OTHERWISE.search(text)):
            return kind
    return None


def _build_pattern(text: str) -> re.Pattern[str]:
    """Make a pattern in which a comment, a line's end and its indentation stand for nothing."""
    return lazy_pattern(re.sub(r"(?:\s+# .*)?\n\s*", "", text), re.IGNORECASE)


_VERY = r"(?:(?:just|simply|completely|still|also|so|clearly|again|really|already|explicitly) )*"
_IT = r"(?:that|this|it|these|those|which)(?:'s|'re| is| was| are| were)?"
_DOES_NOT = r"(?:(?:does|did|do|is|are|wo) ?n[o']t|won't|doesnt|didnt|isnt)"
_POLITE = (
    r"^\W*(?:(?:please|pls|no|nope|ok|okay|and|but|wait|now|just|can you|could you|you should"
    r"|you need to|hey|actually|sorry|stop|claude|let's|so|then)\W+)*"
)
_WRONG = _build_pattern(rf"""
    \b{_IT} ?{_VERY}(?:wrong\b(?! with)|incorrect\b|false\b)  # "that's just wrong"
    |\b{_IT} ?(?:not|n't) (?:\w+ly )?{_VERY}(?:right|correct|true|accurate)\b
    |(?:not|n't) {_VERY}(?:what|how|the way|where) (?:i|we)\b  # "not what i asked"
    |^\W*(?:no\W+)?(?:wrong|incorrect|not (?:right|correct|true))(?= *(?:[.,!:]|$))
    |^\W*(?:no\W+)?wrong (?:file|branch|place|folder|repo\w*|one|way|version|path|project)\b
    |^\W*(?:no\W+)?not (?:that|this|like (?:that|this)|there|here|again)\b  # "no, not like this"
    |\byou(?:'re| are) {_VERY}(?:in the )?(?:wrong|mistaken|hallucinating|guessing)\b
    |\b(?:you|have you) (?:just |have )?(?:made?|making) (?:it|that|this) up\b
    |\byou made a mistake\b
    |\bi {_VERY}(?:did ?not|didn't|never|haven't) (?:ask|say|said|tell|told|want|mean|request)\b
    |\bi(?:'ve| have)? {_VERY}(?:told|asked) you\b(?! about)  # not "i told you about x"
    |\bi(?:'ve| have)? already (?:said|asked)\b
    |\b(?:as|like) i(?:'ve| have)? (?:already )?(?:said|told|asked)\b|\bi keep (?:telling|saying)
    |\bhow (?:many times|often)\b
    # "you broke the build"; not "what if you broke it"
    |(?<!if )(?<!case )(?<!what )\byou(?:'ve| have)? {_VERY}(?:forgot|missed|ignored|broke
     |overlooked|misunderstood|misread|skipped|failed to|invented|overwrote|lost|deleted my)\b
    |(?<!if )(?<!what )\byou {_VERY}(?:did|have) ?(?:not|n't) \w+\b(?!.*\?)
    |\byou should(?: ?not|n't)? have (?!received|access|gotten)\w+(?:ed|n|ne|t)\b
    |\byou were (?:not )?(?:supposed|told|asked) to\b|\byou (?:always|constantly|keep) \w+ing\b
    |\bwhy did(?: you not|n't you)\b|\bwhy (?:is|are) (?:it|this|that) still\b
    |\bwhy (?:did|do|are|have) you\b.*(?:!|\?\?)  # "why did you delete it??"
    |{_POLITE}stop (?!sending)\w+ing\b|\b(?:do (?:that|this|it)|not) again\b|\bwtf\b
    |\bare you (?:kidding|serious)\b|^\W*what are you doing\W*$""")
# "please undo that", "put it back", "bring back the tests you removed"
_REVERT = _build_pattern(rf"""
    {_POLITE}(?:revert|undo|roll ?back|discard)\W*(?:(?:that|this|it|them|everything|all|both
     |your?|what you|(?:my|the) (?:last|latest|previous|changes?|edits?|commits?))\b|$)
    |{_POLITE}(?:change|put|switch|bring|roll) (?:that|this|it|them|all) back\b
    |{_POLITE}(?:go|get|change|switch|return)\b.{{0,30}} ?back to (?:how|what|the (?:previous|old))
    |\b(?:bring|put|add) back (?:the|what) .{{0,40}}\byou (?:removed|deleted|dropped|changed)""")
_CHECK = (  # "tests", "npm run lint", "test_login"
    r"(?:tests?|specs?|lint\w*|builds?|ci|checks?|type-?check\w*|pipeline|workflow|mise run \S+|x"
    r"|(?:npm|pnpm|yarn|bun|make|cargo|go|just) (?:run )?[\w:.-]+|pytest|mypy|ruff|test[A-Z_]\w+)"
)
_FAILING = _build_pattern(rf"""
    (?<!will )\b(?:still|again) {_VERY}(?:\w+ )?(?:fail|broken|break|wrong|crash|not\b
     |doesn't|isn't|don't|can't|the same  # "it still doesn't build"
     |errors?\b|get(?:ting)?\b|see(?:ing)?\b|hav(?:e|ing)\b|shows?\b|there\b)
    |\bnow (?:it|this|that|everything|the \w+) (?:is |just )?(?:crash|fail|broken|break|hangs?)
    |\b{_IT} {_VERY}(?:not|{_DOES_NOT}) {_VERY}(?:seem to )?(?:work|fix|help|compil|build|run|pass)
    |^\W*(?:no |but )?same (?:error|issue|problem)\b
    |^\W*(?:(?:ok|no|but|and|well|now|the|our|all|your|unit|integration|i|we|it's)\b\W*)*
     (?:{_DOES_NOT}|not) work|^\W*(?:(?:ok|no|but|and|now|the|our|all|your|unit)\b\W*)*{_CHECK}
     (?: \w+)?(?: (?:is|are|still|now|just|also))* (?:fail|broken|broke|red\b)  # "now ci is red"
    |^\W*(?:you|we)? ?(?:fail|broke|break) (?:the )?(?:build|ci|lint|tests?|checks?)\b""")
_NO = _build_pattern(r"""
    ^\W*(?:no+|nope|nah|wait no)(?:\W*[,.!:;\u2013\u2014-]+\W*\S|\s+(?:i|you|not|don't|do|it
     |that|this|the|we|use|keep|stop|just|wait|leave|only|put|make|should)\b)
    # "please don't push"; not "don't worry"
    |^\W*(?:please|and|but|hey|wait|claude)?\W*(?:do not|don't|dont|never)\b
     (?! (?:forget|you|worry|know|think|mind|hesitate|need|see|get)\b)""")
# agrees ("no problem"), takes the fault on the user ("my bad"), changes the user's mind, or names a
# condition ("if it fails, ...")
_MILD = _build_pattern(r"""
    ^\W*(?:no+|nope|nah)\W+(?:problem|worr|need|idea|thank|rush|matter|more\b|longer|all good
     |looks? good|leave it|you can|(?:please )?(?:continue|proceed|go ahead)
     |(?:that|it|this)(?:'s| is| looks) (?:fine|ok|good|great|perfect|enough))
    |\bmy (?:bad|mistake|fault)\b|\bi (?:was wrong|forgot|misread|changed my mind|broke)\b
    |^\W*(?:on second thoughts?|thinking again|actually,? i)\b
    |^\W*(?:if|when|whenever|unless|in case|once|after|before|until|make sure|ensure)\b""")
# a question ("does it fail?"), or what a failure is said to be for: it is wanted, feared or told of
# the program ("it should fail on a bad token")
_OTHERWISE = _build_pattern(r"""
    ^\W*(?!what are you doing)(?:is|are|was|does|do|did|has|have|can|could|would|should|will
     |what|which|where|when|who|how)\b(?!.*[?!]{2})(?!.*\bmade? (?:it|that|this) up).*\?\W*$
    |\b(?:if|when|unless|until|should|would|could|might|must|in case|because|since|expect|ensure
     |make sure|what happens)\b[^,.;:!?]{0,60}\b(?:fail|break|broken|crash|error|work|again)""")
_CUES: tuple[tuple[Objection, re.Pattern[str]], ...] = (
    ("revert", _REVERT),
    ("wrong", _WRONG),
    ("failing", _FAILING),
    ("no", _NO),
)
