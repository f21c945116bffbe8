"""The texts of a turn -> the reply to what was asked: a sentence, or a few items joined.

The assistant's last text holds the answer, but which part depends on the ask: "is it so?" wants the
yes, "why?" the cause, "review this" the verdict, and an order wants to know what was changed. The
traps: a closing text is often only a status ("all tests pass") and the finding stands before it; a
recapitulation repeats what was answered an hour ago.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages.prose import clipped, split
from memoria.stages.sentence import is_chat, stems, tidy, weigh

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from memoria.stages.prose import Unit
    from memoria.stages.sentence import Passage, Sentence

LENGTH = 240  # characters: two short sentences, or a list of three


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer in a line, and how good it is on the scale of `sentence`."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reply is measured by: the words of the question, and the kind of ask.

    `order`: something was to be done. `polar`: a yes or no was asked. `said` holds the sentences of
    earlier turns.
    """

    words: frozenset[str]
    order: bool
    polar: bool
    said: Container[str]


_POLAR = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|isn't|aren't|doesn't|don't|should|would|will|can(?:'t)?\s+(?!you\b)|but\b|still\b)"
    r"|,?\s(?:right|or)\s?\W{0,2}$|\bor not\b",
    re.IGNORECASE,
)


def wanted(question: str, said: Container[str], *, order: bool, borrowed: bool) -> Wanted:
    """Say what a reply to a question has to hold.

    In a `borrowed` text (a pasted finding) the words describe the fault, and the reply that
    repeats them is none.
    """
    words = frozenset[str]() if borrowed else stems(question)
    return Wanted(words, order, not order and bool(_POLAR.search(question.strip())), said)


_ENOUGH = 1.9  # below this the closing text was only a status: look at what was said before it


def reply(want: Wanted, passages: Sequence[Passage]) -> Reply:
    """Find the reply in the texts of a turn, the last one first; Reply("", 0.0) if there is none."""
    if not passages:
        return Reply("", 0.0)
    if want.order and (digest := _digest(passages[-1].units, want)):
        return Reply(digest, _ENOUGH + 0.3)
    best = _best(want, passages[-1])
    if best is None or best[0] < _ENOUGH:
        earlier = [found for passage in passages[:-1] if (found := _best(want, passage, late=False))]
        best = max([*([best] if best else []), *earlier], key=_by_score, default=None)
    if best is None:
        return Reply("", 0.0)
    score, sentence, passage = best
    return Reply(_completed(sentence, passage.units), score)


_Found = tuple[float, "Sentence", "Passage"]


def _by_score(found: _Found) -> float:
    return found[0]


def _best(want: Wanted, passage: Passage, *, late: bool = True) -> _Found | None:
    """Find the best sentence of one text; of an earlier text only one that explains."""
    rated = [
        (_rate(want, sentence, order, passage), sentence, passage)
        for order, sentence in enumerate(passage.sentences)
        if late or (_EXPLAINING & sentence.cues and not _WEAK & sentence.cues)
    ]
    best = max(rated, key=_by_score, default=None)
    return best if best is None or late else (best[0] - _EARLY, *best[1:])


_EXPLAINING = frozenset({"cause", "diagnosis", "fix", "decision"})
_WEAK = frozenset({"dangling", "hedge", "hypothesis", "intent", "first-person", "question", "passing"})
_EARLY = 0.9  # what was said in the middle of a turn may have been overtaken

_VERDICT = re.compile(
    r"(?:yes|no|not really|correct|exactly|neither|both|partly|partially|it depends|true|false)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"verdict|conclusion|summary|tl;?dr|recommend|bottom line|answer|root cause|the (?:fix|problem|issue|difference)"
    r"|key (?:finding|difference|insight)|result|what (?:changed|happens|was)|why\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"question|alternativ|option|next step|test|verif|files? (?:changed|modified)|example|before|usage|strength|docs?\b|documentation",
    re.IGNORECASE,
)
# How much each trait of a sentence adds to half of its own score.
_OWN = 0.6
_PLACE = {0: 1.2, 1: 0.7, 2: 0.3}  # an answer stands at the front of a text, or right behind it
_OVERLAP, _MOST_WORDS = 0.3, 3  # for each content word of the question, three at most
_CAUSE = 0.5  # to a question: a reason answers more than a statement
_DONE = 0.7  # to an order: what was changed, and not how it was before
_YES_OR_NO = 1.5  # to "is it so?"
_UNDER = 0.6  # under a heading that announces the result, or an aside
_LEADS = 0.8  # a colon with items behind it is as good as a sentence, one without is nothing
_RECAP = 1.5
_THIN = 1.2

_CHANGED = re.compile(
    r"(?:`[^`]+`\s*[:—–-]\s*)?(?:the (?:fix|change|update)|(?:added|changed|fixed|removed|replaced|renamed|created|updated|moved|extracted|made|implemented|rewrote|converted|switched|resolved|introduced|refactored|merged|set|bumped|deleted|reverted|split|consolidated)\b)"
    r"|\b(?:now|has been|have been|is now|are now|was|were) (?:\w+ed|use[sd]?|returns?|takes?|read|set|made|built)\b",
    re.IGNORECASE,
)


def _rate(want: Wanted, sentence: Sentence, order: int, passage: Passage) -> float:
    cues = sentence.cues
    score = sentence.score * _OWN + _PLACE.get(order, 0.0)
    score += _OVERLAP * min(_MOST_WORDS, len(want.words & stems(sentence.text)))
    if want.order:
        score += _DONE if _CHANGED.search(sentence.text) else 0.0
        score -= _DONE if "before" in cues else 0.0
    else:
        score += _CAUSE if "cause" in cues else 0.0
    score += _YES_OR_NO if want.polar and _VERDICT.match(sentence.text) else 0.0
    score += _UNDER if _RESULT.search(sentence.heading) else 0.0
    score -= _UNDER if _ASIDE.search(sentence.heading) else 0.0
    if "open" in cues:
        score += _LEADS if _run(passage.units, sentence.unit + 1) else -_LEADS
    score -= _RECAP if sentence.text in want.said else 0.0
    return score - (_THIN if _is_thin(sentence.text) else 0.0)


_LEAST_PROSE = 3  # words besides the code: "Files: `a.go`" says nothing
_SHORT = 30  # characters: a label, or half an answer


def _is_thin(text: str) -> bool:
    words = re.sub(r"`[^`]*`", "", text).split()
    return len(words) < _LEAST_PROSE or (len(text) < _SHORT and not _VERDICT.match(text))


# -- What stands around the sentence --------------------------------------------------------------


def _completed(sentence: Sentence, found: Sequence[Unit]) -> str:
    """Complete a reply: the items behind a colon, the siblings of a short item, the next sentence."""
    text = sentence.text
    if text.endswith(":"):
        return clipped(_listed(text, _run(found, sentence.unit + 1)).rstrip(":"), LENGTH)
    if len(text) >= LENGTH // 2 or sentence.form == "heading":
        return clipped(text, LENGTH)
    if sentence.form == "item":
        return clipped(_listed("", _run(found, sentence.unit)), LENGTH)
    longer = f"{text} {_following(text, found[sentence.unit])}".strip()
    return longer if len(longer) <= LENGTH else text


_TAIL = 40  # characters by which a sentence is found again in its paragraph


def _following(chosen: str, unit: Unit) -> str:
    """Give the sentence that follows the chosen one in its paragraph, if it goes on with it."""
    parts = split(unit.text)
    place = next((at for at, part in enumerate(parts) if part.endswith(chosen[-_TAIL:])), len(parts))
    after = parts[place + 1] if place + 1 < len(parts) else ""
    if not after or after.endswith((":", "?")) or is_chat(after):
        return ""
    return "" if {"status", "assurance", "intent", "passing", "hypothesis"} & weigh(after)[0] else tidy(after)


def _run(found: Sequence[Unit], start: int) -> tuple[Unit, ...]:
    """Give the items that stand in one list from `start` on."""
    end = start
    while end < len(found) and found[end].form == "item":
        end += 1
    return tuple(found[start:end])


def _listed(lead: str, items: Sequence[Unit]) -> str:
    """Join a lead and items by semicolons, as many as fit whole."""
    text = lead
    for unit in items:
        item = tidy(split(unit.text)[0] if len(unit.text) > LENGTH // 2 else unit.text).rstrip(".;,")
        if not item or is_chat(item) or (item.endswith(":") and text != lead):
            continue
        longer = f"{text}{'; ' if text and text != lead else ' ' if lead else ''}{item.rstrip(':')}"
        if len(longer) > LENGTH and text != lead:
            break
        text = longer
    return text


# -- A summary of changes -------------------------------------------------------------------------

_A_CHANGE = 120  # characters of one change in a digest: three of them fit


def _digest(found: Sequence[Unit], want: Wanted) -> str:
    """Join the first change under each heading of a summary, "" where there is no such summary."""
    firsts = [change for group in _groups(found) if (change := _first_change(group, want))]
    if len(firsts) < 2:  # noqa: PLR2004 - one group is a list, and the best sentence leads it
        return ""
    text = firsts[0]
    for change in firsts[1:]:
        longer = f"{text}; {change}"
        text = longer if len(longer) <= LENGTH else text
    return text


def _groups(found: Sequence[Unit]) -> Iterator[tuple[Unit, ...]]:
    """Yield the lists that stand right under a heading which is no aside."""
    for place, unit in enumerate(found):
        if unit.form == "heading" and not _ASIDE.search(unit.text):
            items = _run(found, place + 1)
            if items:
                yield items


def _first_change(items: Sequence[Unit], want: Wanted) -> str:
    for unit in items:
        text = tidy(split(unit.text)[0]).rstrip(".;:,")
        changes = _CHANGED.search(text) and not _is_thin(text) and unit.text not in want.said
        if changes and not is_chat(text) and "testing" not in weigh(text)[0]:
            return clipped(text, _A_CHANGE)
    return ""
