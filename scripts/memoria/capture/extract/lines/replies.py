"""Read what a user answered an agent: a choice, an agreement, a statement, and what it is about.

"b", "yes" and "20, not 15" mean nothing alone. So an answer is read beside the text that it
answers: the option that it names, the proposal that it agrees to, the question that it settles. The
trap: "good, now run the tests" agrees to what was said and orders a step; the order decides nothing
that lasts.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CUES
from memoria.capture.extract.sentences import LONGEST, stems, tidy
from memoria.text.prose import capital, clipped, plain, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.capture.extract.observing.values import Text

NAMES = 2  # content words: a question with fewer names nothing
_FULL = 4  # content words of a statement that needs nothing before it
_STATED = 400  # characters: who writes more tells a story

_AGREES = re.compile(
    r"""(?:(?:yes|yeah|yep|yup|ok(?:ay)?|k|right|exactly|perfect|good|great|fine|by\ me|agreed|sure
    |correct|confirmed|(?:sounds|looks|that'?s)\ (?:good|right|ok(?:ay)?|fine|it|perfect)|with\ me
    |makes\ sense|deal|works|please|thanks?|thx|lgtm|go(?:\ ahead|\ for\ it|\ on)?|cool|nice
    |(?:do|ship|write)\ (?:it|that|so|this)|all|both|as\ you\ (?:say|propose\w*|suggest\w*))
    (?:\b[\s,.!:;)\u2013\u2014-]*|$))+""",
    re.IGNORECASE | re.VERBOSE,
)
# It thanks for what was done, as often as it agrees to what may be done.
_PRAISES = re.compile(
    r"(?:(?:ok(?:ay)?|good|great|fine|perfect|cool|nice|thanks?|thx|lgtm|works)\b[\s,.!]*)+",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\b(?:i'd|would|should|could|shall|might|let'?s|we can|suggest\w*|propos\w*|recommend\w*"
    r"|options?|either|better|instead|then|so that|unless|at most|at least|per|never|always)\b",
    re.IGNORECASE,
)
# It asks, or thinks aloud.
_ASKS = re.compile(
    r"\?\W*$|\b(?:no idea|not sure|i(?:'m| am)? (?:wonder|imagin|guess|thought|recall|remember"
    r"|often|forg[eo]t)\w*|my bet|that is all|that's all|bye)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"(?:no\W+)?(?:it|that|this|those|these|they|such|neither)\b", re.IGNORECASE)
_REFUSES = re.compile(r"(?:no(?:t|pe)?|neither|wrong|absolutely not)\b", re.IGNORECASE)
_ACCEPTS = re.compile(
    r"(?:then )?(?:do|try|use|take|make|switch|put|add|enable|build|implement)\b.{0,9}\b"
    r"(?:it|that|this)\b",
    re.IGNORECASE,
)
# A step that the agent is to take now, or that ends the talk.
_ORDERS = re.compile(
    r"(?:(?:now|please|and|then|so|can you|could you)\W+)*(?:make the change|run|ship|commit|push"
    r"|merge|go ahead|do (?:it|these|this|those)|thanks?|recap|continue|rename|leave it|open"
    r"|show|check|look|tell|lunch|write it|(?:do|give|make|write) me|(?:let's )?summari[sz]e"
    r"|(?:i )?have to|btw|by the way|oh)\b",
    re.IGNORECASE,
)
# What only asks whether to go on, or is the tail of such a question; what is answered to it decides
# nothing that lasts (of 13 in real sessions none did).
_OFFERS = re.compile(
    r"^or\b|\b(?:(?P<either>should (?:i|we just)"
    r"|shall (?:i|we))|want me to|would you (?:like|prefer)|do you (?:want|know)|may i|can i"
    r"|help you|let me know|were you|(?:ready|okay|ok) to|proceed|else)\b",
    re.IGNORECASE,
)
# It sets something: a figure, a limit, a choice, or says what is not so.
_SETS = re.compile(r"\d|^(?:always|never|only|use|keep|take|make|set|go with)\b", re.IGNORECASE)
_OPTION = re.compile(
    r"(?:(?:option|choice|number|variant|let'?s (?:do|go with)|go with|take)\s+)?"
    r"\(?(?P<mark>[a-h]|\d{1,2})\b\)?(?:\W|please|then|it is)*$",
    re.IGNORECASE,
)
_ALL = re.compile(r"(?:yes\W+|ok\W+)?(?:all|both)\b", re.IGNORECASE)
_ORDINAL = re.compile(
    r"(?:take |go with |let'?s do )?(?:the )?(?P<mark>first|second|third|last|latter|former)\b"
    r"(?: (?:one|option|variant|way))?(?:\W|please|then)*$",
    re.IGNORECASE,
)
_ORDINALS = {"first": 0, "former": 0, "second": 1, "third": 2, "last": -1, "latter": -1}
_MARKED = re.compile(
    r"(?:^|(?<=\s))(?:[-*]\s+)?(?:\*\*)?(?:option\s+|\()?(?P<mark>[a-h]|\d{1,2})[).:](?:\*\*)?\s+",
    re.IGNORECASE | re.MULTILINE,
)


def stated(said: Text) -> str:
    """Give what a user stated in a message: not its questions, orders and bare agreement."""
    sentences = [plain(each) for line in said.text.splitlines() for each in split(line)]
    kept = [_without_agreement(each) for each in sentences if not _ASKS.search(each)]
    kept = [each for each in kept if each and not _ORDERS.match(each)]
    if sum(map(len, kept)) > LONGEST:
        kept = [each for each in kept if sets(each)]
    return " ".join(_fitting(kept))


def _fitting(sentences: Sequence[str]) -> Iterator[str]:
    """Give the first sentences that have room in a line."""
    room = _STATED
    for sentence in sentences:
        room -= len(sentence) + 1
        if room < 0:
            break
        yield sentence


def _without_agreement(sentence: str) -> str:
    """Take "yes, good." off the front, but leave the answer that is nothing else."""
    agreed = _AGREES.match(sentence)
    return sentence[agreed.end() :] if agreed else sentence


def agrees(said: Text) -> bool:
    """Whether a message begins by agreeing, or orders what was proposed."""
    text = said.text.strip()
    return bool(_AGREES.match(text) or _ACCEPTS.match(text))


def accepts(said: Text, heard: Text) -> bool:
    """Whether a message agrees to what a reply proposes; praise alone accepts no report."""
    agreed = _AGREES.match(said.text.strip())
    is_praise = agreed is not None and _PRAISES.fullmatch(agreed[0])
    return agrees(said) and not (is_praise and not _PROPOSES.search(heard.text))


def refuses(said: Text) -> bool:
    """Whether a message begins by declining."""
    return bool(_REFUSES.match(said.text.strip()))


def assent(said: Text) -> str:
    """Give the agreement with which a message begins, "" for none."""
    agreed = _AGREES.match(said.text.strip())
    return agreed[0].strip(" ,.;:") if agreed else ""


def sets(text: str) -> bool:
    """Whether a statement sets something."""
    return bool(_SETS.search(text)) or any(
        CUES[cue].search(text) for cue in ("choice", "limits", "denies")
    )


def stands(text: str) -> bool:
    """Whether a statement names what it is about."""
    return len(stems(text)) >= _FULL and not _POINTS.match(text)


def chosen(said: Text, heard: Text) -> str:
    """Give the option of a text that a message names by letter, number or place; of all none."""
    if _ALL.match(said.text.strip()):
        return ""
    answer = _without_agreement(said.text.strip()) or said.text.strip()
    found = _options(heard.text)
    if match := _OPTION.match(answer):
        return found.get(match["mark"].lower(), "")
    match = _ORDINAL.match(answer)
    place = _ORDINALS[match["mark"].lower()] if match else len(found)
    return list(found.values())[place] if found and place < len(found) else ""


def options(text: str) -> list[str]:
    """Give the options of a text that are marked by letters or numbers; none of a single one."""
    return list(_options(text).values())


def _options(text: str) -> dict[str, str]:
    """Give the options of a text by the letters or numbers before them; none of a single one."""
    marks = [(match.start(), match.end(), match["mark"]) for match in _MARKED.finditer(text)]
    found = {
        mark.lower(): _option(text[end:after])
        for (_, end, mark), (after, *_) in pairwise([*marks, (len(text), 0, "")])
    }
    return found if len(found) > 1 else {}


def _option(text: str) -> str:
    """Give an option without what stands below it."""
    return clipped(plain(" ".join(text.partition("\n\n")[0].split())), LONGEST)


def question(text: Text | None, least: int = NAMES) -> str:
    """Give the question with which a text ends, "" for none that names something.

    It names something by `least` content words.

    A remark after it belongs to it, and so does what it points at before it.
    """
    parts = [part for one in text.sentences for part in split(one.text)] if text else []
    last = next((at for at in (1, 2) if at <= len(parts) and parts[-at].endswith("?")), 0)
    parts = [tidy(part) for part in parts]
    if not last:
        return ""
    leans = len(parts) > last and bool(_LEANS.match(parts[-last]))
    asked = " ".join(parts[len(parts) - last - leans :])
    return asked if len(asked) <= LONGEST and len(stems(asked)) >= least else ""


_LEANS = re.compile(
    r"(?:what|how) about\b|(?:is|are|does|do) (?:that|this|it|they)\b", re.IGNORECASE
)


def is_offer(asked: str) -> bool:
    """Whether a question only offers a next step, and no choice between two things."""
    match = _OFFERS.search(asked)
    return match is not None and not (match["either"] and " or " in asked)


_CHATS = re.compile(
    r"(?:let me|i'll|i will|i'm going to|i've|i have|i can)\b|(?:that|this|it|you|yes|good|great)"
    r"\b.{0,45}$",  # a short one praises, or points at what is not told
    re.IGNORECASE,
)
# that a step was done, which decides nothing
_REPORTS = re.compile(
    r"^(?:done|committed|pushed|merged|renamed|removed|written|in|set in|\w+ added)\b[^:]*$"
    r"|\b(?:tests|suite|linter|checks?)\b.{0,30}\b(?:pass|green|clean|quiet|happy)",
    re.IGNORECASE,
)
_LEAST = 10  # characters of a clause that says something


def clauses(text: Text) -> list[str]:
    """Give what a text tells, by clauses that are short enough to be read in a list."""
    return [
        capital(clause)
        for one in text.sentences
        if one.form in ("paragraph", "item")
        for clause in _clauses(tidy(one.text))
    ]


def passages(text: Text) -> list[str]:
    """Give what a text tells: as one passage where that is short enough for a list."""
    told = clauses(text)
    whole = " ".join(told)
    return [whole] if told and len(whole) <= LONGEST else told


def _clauses(text: str) -> list[str]:
    if len(text) < _LEAST or text[-1] in ":?" or _CHATS.match(text) or _REPORTS.search(text):
        return []
    if len(text) <= LONGEST:
        return [text]
    clauses = [""]
    for part in text.split("; "):
        if clauses[-1] and len(clauses[-1]) + len(part) > LONGEST:
            clauses.append(part)
        else:
            clauses[-1] = f"{clauses[-1]}; {part}" if clauses[-1] else part
    return clauses
