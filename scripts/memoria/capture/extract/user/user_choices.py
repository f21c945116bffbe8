"""Find what the user chose during a session, by the form in which it was said.

A refusal with its reason, an answer to a question of the agent and a sentence that says "we
decided" or "X over Y" are the user's own and outlast the session, so they stand in the entry
whatever they weigh. "I'll do it myself", "pull first", "let's keep going" and "should we use X?"
choose nothing that lasts.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from memoria.agents.claude_code.user_words import list_utterances, own_words
from memoria.agents.transcript import Call
from memoria.capture.extract.candidates import LONGEST
from memoria.capture.extract.features import CUES
from memoria.capture.extract.observed import ObservedSession
from memoria.capture.extract.observing.values import ObservedText
from memoria.capture.extract.selection import SAME, EntryLine
from memoria.capture.extract.user.clauses import split_clauses
from memoria.text.prose import clip_text, split_sentences, strip_markdown
from memoria.text.shell.actions import describe_action
from memoria.text.word_overlap import containment, stems

CERTAIN = 1.0  # what a choice of the user's is worth: nothing has to be guessed of it
_HANDS_OFF = re.compile(
    r"(?:i'?ll|i will|let me|leave it|never ?mind|i can|i got|hold on|wait|stop|sorry|oh|i think"
    r"|also it seems)\b",
    re.IGNORECASE,
)
_PROCESS = re.compile(
    r"\b(?:ready to|proceed|continue|next\??$|do next|start (?:work|implement)|push|commit(?:ted)?"
    r"|merge|open (?:a )?pr|run (?:it|the tests)|looks? (?:good|right)|approve)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(?:don'?t|do not|never|not now|no need|without|too)\b", re.IGNORECASE)
_ASKS = re.compile(r"(?:is|are|can|could|do|does|what|why|how|which|where)\b", re.IGNORECASE)
# an option of a reply by the letter or number before it; words that name one and say nothing else
_MARK = re.compile(
    r"(?:^|(?<=\s))(?:[-*] +)?(?:\*\*)?(?:option +|\()?([a-h]|\d{1,2})[).:](?:\*\*)?\s+",
    re.IGNORECASE | re.MULTILINE,
)
_PICKED = re.compile(
    r"(?:(?:yes|ok(?:ay)?|let'?s (?:do|go with)|go with|take|option|choice|number|the)\W+)*"
    r"\(?([a-h]|\d{1,2}|first|second|third|last)\b(?:\W|one\b|option\b|please\b|then\b)*",
    re.IGNORECASE,
)
_PLACES = ("first", "second", "third")
_AROUND = 60  # characters that name what was refused


def find_user_choices(session: ObservedSession) -> tuple[EntryLine, ...]:
    """Find the user's choices in the order of time, each once."""
    calls = {call.call.id: call.call for call in session.calls}
    lines = [
        EntryLine("decision", text, "user", CERTAIN, passage.turn, passage.step)
        for passage in session.texts
        if passage.speaker == "user" and passage.call in calls
        for text in _format_choice(passage, calls[passage.call])
    ]
    for call in session.calls:
        lines += [
            EntryLine("decision", text, "user", CERTAIN, call.turn, call.step)
            for text in _format_chosen_labels(call.call)
        ]
    lines += _find_picked_options(session)
    lines += [
        EntryLine(
            "decision", f"User: {' '.join(sentence.split())}", "user", CERTAIN, utterance.turn
        )
        for utterance in list_utterances(session.transcript)
        for sentence in dict.fromkeys(
            clause.sentence for clause in split_clauses(own_words(utterance))
        )
        if is_decision(sentence)
    ]
    return _drop_repeats(sorted(lines, key=lambda line: line.at))


def _drop_repeats(lines: Iterable[EntryLine]) -> tuple[EntryLine, ...]:
    """Keep the first of lines that say the same."""
    rows: list[tuple[EntryLine, frozenset[str]]] = []
    for line in lines:
        own = stems(line.text)
        if not any(line.text == row.text or containment(own, words) > SAME for row, words in rows):
            rows.append((line, own))
    return tuple(row for row, _ in rows)


def _format_choice(passage: ObservedText, call: Call) -> Iterator[str]:
    """Word a refusal with what was refused, and an answer of the user's own words."""
    text = strip_markdown(passage.text.split("\n")[0].removeprefix("- "))
    if text.endswith("?") or _HANDS_OFF.match(passage.text):
        return
    if passage.place == "refusal" and _lasts(text, call):
        yield f"User, {_format_refused_call(call)}: {clip_text(text, LONGEST - _AROUND)}"
    elif passage.place == "answer":
        yield f"User: {clip_text(text, LONGEST - _AROUND)}"


def _lasts(text: str, call: Call) -> bool:
    """Whether a refusal says more than what to do first: about a plan it does, or with a reason."""
    cues = ("limits", "cause", "choice")
    has_cue = _FORBIDS.search(text) or any(CUES[cue].search(text) for cue in cues)
    is_telling = call.kind == "plan" or not text.isascii() or bool(has_cue)
    return is_telling and not _ASKS.match(text)


def _format_refused_call(call: Call) -> str:
    if call.kind == "plan":
        return "on the plan"
    if call.kind == "edit" and (file := call.path.replace("\\", "/").rsplit("/", 1)[-1]):
        return f"refusing an edit of `{file}`"
    action = describe_action(call.command).replace("`", "")
    return f"refusing `{action}`" if action else "refusing a step"


def _format_chosen_labels(call: Call) -> Iterator[str]:
    """Word the answers that the user chose among the agent's own."""
    for answer in call.answers:
        sentences = split_sentences(answer.question)
        if sentences and not answer.free and not _PROCESS.search(answer.question):
            question = clip_text(strip_markdown(sentences[-1]), LONGEST // 2)
            yield f"{question} -> {strip_markdown(answer.text.split(chr(10))[0])}"


def _find_picked_options(session: ObservedSession) -> Iterator[EntryLine]:
    """Word the options of a reply that the user picked by letter, number or place."""
    for previous, turn in pairwise(session.turns):
        prompts = [text for text in turn.texts if text.speaker == "user" and text.place == "prompt"]
        picked = _PICKED.fullmatch(prompts[0].text.strip()) if len(prompts) == 1 else None
        closings = [text.text for text in previous.texts if text.place == "closing"]
        parts = _MARK.split(closings[-1])[1:] if picked and closings else []
        options = {mark.lower(): text for mark, text in zip(parts[::2], parts[1::2], strict=True)}
        if picked and len(options) > 1:
            options |= dict(zip(_PLACES, parts[1::2], strict=False)) | {"last": parts[-1]}
            words = options.get(picked[1].lower(), "").partition("\n\n")[0].split()
            if option := strip_markdown(" ".join(words)):
                text = f"User chose: {clip_text(option, LONGEST)}"
                yield EntryLine("decision", text, "user", CERTAIN, turn.index)


# -- Decisions in so many words --------------------------------------------------------------------

_LONGEST_DECISION = 300  # characters: a longer sentence describes more than a choice
_FEWEST = 2  # content words: "let's use it" names nothing that was chosen
_MEANS = r"(?:use|go\ with|stay\ (?:on|with)|stick\ (?:to|with)|switch\ (?:over\ )?to|adopt)"
_DECIDES = re.compile(
    rf"""\b(?:we|i|the\ team)(?:'ve|\ have)?\ (?:(?:just|already|now|finally|both|all)\ )?
      (?:decided|agreed|settled\ on|chose|opted|picked|went\ with)\b
    |\b(?:it\ (?:is|was)|it's)\ decided\b|\b(?:the|our|my)\ decision\ (?:is|was)\b|^decision\s?:
    |\b(?:we|i)(?:'ll|\ will|(?:'re|'m|\ are|\ am)\ (?:now\ )?going\ to)\ {_MEANS}\b
    |\b(?:we|i)(?:'re|'m|\ are|\ am)\ (?:now\ )?(?:going\ with|staying\ (?:on|with)
      |sticking\ (?:to|with)|switching\ (?:to|from)|moving\ (?:to|from)\ |migrating|adopting)\b
    |^(?:(?:ok(?:ay)?|so|yes|no|then|well)\W+)*(?:let'?s|lets)\ {_MEANS}\b
    |^(?:(?:ok(?:ay)?|so|yes|no|then|well)\W+)*(?:go\ with|stay\ (?:on|with)|stick\ (?:to|with))\b
    |^(?:use|take|choose|pick|keep)\ .{{2,120}}\b(?:because|since|rather\ than|instead\ of|over)\b
    |^use\ (?!the\b|this\b|that\b|it\b)\S+(?:\ \S+)?\ (?:for|as)\b
    |\b(?:we|i)\ want\ .{{2,120}}\b(?:because|since|rather\ than|instead\ of)\b
    |\b(?:wir\ (?:nehmen|verwenden|nutzen|benutzen|bleiben|haben\ (?:uns|entschieden|beschlossen))
      |nous\ (?:utilisons|avons\ (?:décidé|choisi))|on\ (?:a\ (?:décidé|choisi)|utilisera)
      |(?:hemos|he)\ (?:decidido|elegido)|usaremos|decidimos|escolhemos
      |abbiamo\ (?:deciso|scelto))\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPEN = re.compile(
    r"\?|\b(?:maybe|perhaps|might|could|should\ we|whether|if\ we|what\ if|not\ sure|i\ think"
    r"|wonder\w*|(?:not|n't|never|haven't) (?:yet )?(?:decided|agreed|settled|chosen))\b",
    re.IGNORECASE,
)


def is_decision(sentence: str) -> bool:
    """Whether a sentence states a decision, and names what was decided."""
    text = sentence.replace("\u2019", "'")
    is_stated = len(text) <= _LONGEST_DECISION and _DECIDES.search(text) and not _OPEN.search(text)
    return bool(is_stated) and len(stems(text)) >= _FEWEST
