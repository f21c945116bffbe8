"""Find what the user chose during a session, by the form in which it was said.

A refusal with its reason, an answer to a question of the agent and a sentence that says "we
decided" or "X over Y" are the user's own and outlast the session, so they stand in the entry
whatever they weigh. "I'll do it myself", "pull first", "let's keep going" and "should we use X?"
choose nothing that lasts.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from memoria.agents.claude_code.user_words import list_utterances, own_words
from memoria.agents.transcript import Call
from memoria.capture.extract.candidates import LONGEST
from memoria.capture.extract.features import CUES
from memoria.capture.extract.observing.observations import ObservedSession
from memoria.capture.extract.selection import SAME, EntryLine
from memoria.capture.extract.user.clauses import split_clauses
from memoria.text.prose import clip_text, split_sentences, strip_markdown
from memoria.text.shell.actions import describe_action
from memoria.text.word_overlap import containment, stems

CERTAIN = 1.0  # what a choice of the user's is worth: nothing has to be guessed of it
_Choice = tuple[int, int, str]  # a turn, a step and the words of a choice
_HANDS_OFF = re.compile(  # "hold on, i'll do it myself"
    r"(?i)(?:i'?ll|i will|let me|leave it|never ?mind|i can|i got|hold on|wait|stop|sorry|oh"
    r"|i think|also it seems)\b"
)
_GOING_ON = re.compile(  # "ready to commit?", "what next" ask of the way and not of the work
    r"(?i)\b(?:ready to|proceed|continue|next\??$|do next|start (?:work|implement)|push"
    r"|commit(?:ted)?|merge|open (?:a )?pr|run (?:it|the tests)|looks? (?:good|right)|approve)\b"
)
_FORBIDS = re.compile(r"(?i)\b(?:don'?t|do not|never|not now|no need|without|too)\b")
_QUESTION = re.compile(r"(?i)(?:is|are|can|could|do|does|what|why|how|which|where)\b")
_OPTION_MARK = re.compile(  # "a) ", "**2.** ", "option b: ": before an option of a reply
    r"(?im)(?:^|(?<=\s))(?:[-*] +)?(?:\*\*)?(?:option +|\()?([a-h]|\d{1,2})[).:](?:\*\*)?\s+"
)
_PICK = re.compile(  # "ok, let's go with option b please": names one and says nothing else
    r"(?i)(?:(?:yes|ok(?:ay)?|let'?s (?:do|go with)|go with|take|option|choice|number|the)\W+)*"
    r"\(?([a-h]|\d{1,2}|first|second|third|last)\b(?:\W|one\b|option\b|please\b|then\b)*"
)
_PLACES = ("first", "second", "third")
_FRAME_CHARS = 60  # that name what was refused


def find_user_choices(session: ObservedSession) -> tuple[EntryLine, ...]:
    """Find the user's choices in the order of time, each once."""
    kinds = (_find_replies, _find_chosen_labels, _find_picked_options, _find_stated_decisions)
    lines = [
        EntryLine("decision", text, "user", CERTAIN, turn, step)
        for turn, step, text in chain.from_iterable(find(session) for find in kinds)
    ]
    return _drop_repeats(sorted(lines, key=lambda line: line.at))


def _drop_repeats(lines: Iterable[EntryLine]) -> tuple[EntryLine, ...]:
    """Keep the first of lines that say the same."""
    kept: list[tuple[EntryLine, frozenset[str]]] = []
    for line in lines:
        words = stems(line.text)
        if not any(line.text == row.text or containment(words, same) > SAME for row, same in kept):
            kept.append((line, words))
    return tuple(line for line, _ in kept)


def _find_replies(session: ObservedSession) -> Iterator[_Choice]:
    """Word each refusal with what was refused, and each answer of the user's own words."""
    calls = {call.call.id: call.call for call in session.calls}
    passages = (text for text in session.texts if text.speaker == "user" and text.call in calls)
    for passage in passages:
        text = strip_markdown(passage.text.split("\n")[0].removeprefix("- "))
        if text.endswith("?") or _HANDS_OFF.match(passage.text):
            continue
        call, clipped = calls[passage.call], clip_text(text, LONGEST - _FRAME_CHARS)
        if passage.place == "refusal" and _lasts(text, call):
            refused = _format_refused_call(call)
            yield passage.turn, passage.step, f"User, {refused}: {clipped}"
        elif passage.place == "answer":
            yield passage.turn, passage.step, f"User: {clipped}"


def _lasts(text: str, call: Call) -> bool:
    """Whether a refusal says more than what to do first: about a plan it does, or with a reason."""
    cues = ("limits", "cause", "choice")
    has_cue = _FORBIDS.search(text) or any(CUES[cue].search(text) for cue in cues)
    is_telling = call.kind == "plan" or not text.isascii() or bool(has_cue)
    return is_telling and not _QUESTION.match(text)


def _format_refused_call(call: Call) -> str:
    if call.kind == "plan":
        return "on the plan"
    if call.kind == "edit" and (file := call.path.replace("\\", "/").rsplit("/", 1)[-1]):
        return f"refusing an edit of `{file}`"
    action = describe_action(call.command).replace("`", "")
    return f"refusing `{action}`" if action else "refusing a step"


def _find_chosen_labels(session: ObservedSession) -> Iterator[_Choice]:
    """Word the answers that the user chose among the agent's own."""
    for call in session.calls:
        for answer in call.call.answers:
            sentences = split_sentences(answer.question)
            if sentences and not answer.free and not _GOING_ON.search(answer.question):
                question = clip_text(strip_markdown(sentences[-1]), LONGEST // 2)
                label = strip_markdown(answer.text.split("\n")[0])
                yield call.turn, call.step, f"{question} -> {label}"


def _find_picked_options(session: ObservedSession) -> Iterator[_Choice]:
    """Word the options of a reply that the user picked by letter, number or place."""
    for previous, turn in pairwise(session.turns):
        prompts = [text for text in turn.texts if text.speaker == "user" and text.place == "prompt"]
        picked = _PICK.fullmatch(prompts[0].text.strip()) if len(prompts) == 1 else None
        closings = [text.text for text in previous.texts if text.place == "closing"]
        if picked and closings:
            option = _parse_options(closings[-1]).get(picked[1].lower(), "").partition("\n\n")[0]
            if text := strip_markdown(" ".join(option.split())):
                yield turn.index, 0, f"User chose: {clip_text(text, LONGEST)}"


def _parse_options(reply: str) -> dict[str, str]:
    """Read the options of a reply by their letters or numbers and by their places; {} of one."""
    parts = _OPTION_MARK.split(reply)[1:]
    options = {mark.lower(): text for mark, text in zip(parts[::2], parts[1::2], strict=True)}
    by_place = dict(zip(_PLACES, parts[1::2], strict=False)) | {"last": "".join(parts[-1:])}
    return options | by_place if len(options) > 1 else {}


# -- Decisions in so many words --------------------------------------------------------------------

_MAX_DECISION_CHARS = 300  # a longer sentence describes more than a choice
_MIN_CONTENT_WORDS = 2  # "let's use it" names nothing that was chosen
_USE = r"(?:use|go\ with|stay\ (?:on|with)|stick\ (?:to|with)|switch\ (?:over\ )?to|adopt)"
_DECIDES = re.compile(rf"""(?ix)
    \b(?:we|i|the\ team)(?:'ve|\ have)?\ (?:(?:just|already|now|finally|both|all)\ )?
      (?:decided|agreed|settled\ on|chose|opted|picked|went\ with)\b  # "we've now settled on x"
    |\b(?:it\ (?:is|was)|it's)\ decided\b|\b(?:the|our|my)\ decision\ (?:is|was)\b|^decision\s?:
    |\b(?:we|i)(?:'ll|\ will|(?:'re|'m|\ are|\ am)\ (?:now\ )?going\ to)\ {_USE}\b  # "i'll use x"
    |\b(?:we|i)(?:'re|'m|\ are|\ am)\ (?:now\ )?(?:going\ with|staying\ (?:on|with)
      |sticking\ (?:to|with)|switching\ (?:to|from)|moving\ (?:to|from)\ |migrating|adopting)\b
    |^(?:(?:ok(?:ay)?|so|yes|no|then|well)\W+)*(?:let'?s|lets)\ {_USE}\b
    |^(?:(?:ok(?:ay)?|so|yes|no|then|well)\W+)*(?:go\ with|stay\ (?:on|with)|stick\ (?:to|with))\b
    |^(?:use|take|choose|pick|keep)\ .{{2,120}}\b(?:because|since|rather\ than|instead\ of|over)\b
    |^use\ (?!the\b|this\b|that\b|it\b)\S+(?:\ \S+)?\ (?:for|as)\b  # "use redis for locks"
    |\b(?:we|i)\ want\ .{{2,120}}\b(?:because|since|rather\ than|instead\ of)\b
    |\b(?:wir\ (?:nehmen|verwenden|nutzen|benutzen|bleiben|haben\ (?:uns|entschieden|beschlossen))
      |nous\ (?:utilisons|avons\ (?:décidé|choisi))|on\ (?:a\ (?:décidé|choisi)|utilisera)
      |(?:hemos|he)\ (?:decidido|elegido)|usaremos|decidimos|escolhemos
      |abbiamo\ (?:deciso|scelto))\b
    """)
_UNDECIDED = re.compile(  # "maybe we use x", "we have not yet agreed"
    r"(?i)\?|\b(?:maybe|perhaps|might|could|should\ we|whether|if\ we|what\ if|not\ sure|i\ think"
    r"|wonder\w*|(?:not|n't|never|haven't) (?:yet )?(?:decided|agreed|settled|chosen))\b"
)


def is_decision(sentence: str) -> bool:
    """Whether a sentence states a decision, and names what was decided."""
    text = sentence.replace("\u2019", "'")
    is_stated = (
        len(text) <= _MAX_DECISION_CHARS and _DECIDES.search(text) and not _UNDECIDED.search(text)
    )
    return bool(is_stated) and len(stems(text)) >= _MIN_CONTENT_WORDS


def _find_stated_decisions(session: ObservedSession) -> Iterator[_Choice]:
    """Quote the sentences of the user's own that state a decision."""
    for utterance in list_utterances(session.transcript):
        clauses = split_clauses(own_words(utterance))
        for sentence in dict.fromkeys(clause.sentence for clause in clauses):
            if is_decision(sentence):
                yield utterance.turn, 0, f"User: {' '.join(sentence.split())}"
