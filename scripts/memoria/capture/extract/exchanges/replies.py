"""The texts of a turn -> the reply to what was asked: a sentence, or a few items joined.

The assistant's last text holds the answer, but which part depends on the ask: "is it so?" wants
the yes, "why?" the cause, "review this" the verdict, and an order wants to know what was changed.
The traps: a closing text is often only a status ("all tests pass") and the finding stands before
it; a recapitulation repeats what was answered an hour ago.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.extract.exchanges.reply_lines import (
    VERDICT,
    Wanted,
    completed,
    digest,
    is_aside,
    is_change,
    is_recap,
    is_thin,
)
from memoria.capture.extract.sentences import Sentence, stems, tidy
from memoria.text.prose import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.capture.extract.sentences import Passage


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer in a line, and how good it is on the scale of `sentence`."""

    text: str
    score: float


_POLAR = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|isn't|aren't|doesn't|don't|should|would|will"
    r"|can(?:'t)?\s+(?!you\b)|but\b|still\b)|\bright\s?\?"
    r"|,?\s(?:right|or)\s?\W{0,2}$|\bor not\b|\bis (?:this|that|it)\b.{0,40}\b(?:issue|problem"
    r"|right|true|fine)\b",
    re.IGNORECASE,
)


def first_verb(text: str) -> str:
    """Give the first word without its ending: "Removed the" and "remove it" are the same."""
    word = re.match(r"\W{0,3}([A-Za-z]{2,20})", text)
    return re.sub(r"(?:ed|e|es|s|ing)$", "", word[1].lower()) if word else ""


_OPINION = re.compile(
    r"\b(?:what do you think|your (?:thoughts|opinion|view|take)|makes? sense|any ideas"
    r"|pros and cons"
    r"|recommend|is it (?:easier|better|worth)|worth|would you)\b",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:recommend|lean(?:ing)? towards?|suggest|prefer|i'd|i would|makes? (?:more )?sense"
    r"|better|easier|simpler"
    r"|worth)\b",
    re.IGNORECASE,
)


def asks_opinion(question: str) -> bool:
    """Whether a question wants the assistant's view."""
    return bool(_OPINION.search(question))


def is_polar(question: str) -> bool:
    """Whether a question wants a yes or no."""
    return bool(_POLAR.search(question.strip()))


_ENOUGH = 1.9  # below this the closing text was only a status: look at what was said before it
_AFTER = 0.8  # what was said after "commit" is about the commit
_DIGEST = 2.2  # the score of a summary of changes: no sentence of it says as much


def reply(want: Wanted, closing: Sequence[Passage], earlier: Sequence[Passage]) -> Reply:
    """Find the reply in the closing texts, else in earlier ones; Reply("", 0.0) if there is none.

    There are several closing texts where the user only said "continue" in between.
    """
    if want.order:
        digests = (digest(passage.units, want) for passage in reversed(closing))
        if told := next(filter(None, digests), ""):
            return Reply(told, _DIGEST)
    found = [one for passage in closing if (one := _best(want, passage))]
    found = found[:1] + [(one[0] - _AFTER, one[1], one[2]) for one in found[1:]]
    best = max(found, key=_by_score, default=None)
    if best is None or best[0] < _ENOUGH or not _is_about(want, best):
        found += _earlier(want, earlier)
        best = max(found, key=_by_score, default=None)
    if best is None:
        return Reply("", 0.0)
    score, sentence, passage = best
    return Reply(completed(sentence, passage.units), score)


_Found = tuple[float, Sentence, "Passage"]


def _earlier(want: Wanted, earlier: Sequence[Passage]) -> Iterator[_Found]:
    """Yield the best of each earlier text that explains something, the later ones less reduced."""
    for place, passage in enumerate(earlier):
        if found := _best(want, passage, explaining=True):
            yield found[0] - _EARLY * (1.5 - place / len(earlier)), found[1], found[2]


def _is_about(want: Wanted, found: _Found) -> bool:
    """Whether a reply shares a word with the question; an order's need not."""
    return want.order or not want.words or bool(want.words & stems(found[1].text))


def _by_score(found: _Found) -> float:
    return found[0]


def _best(want: Wanted, passage: Passage, *, explaining: bool = False) -> _Found | None:
    """Find the best sentence of one text, among those that explain if only they are wanted."""
    rated = [
        (_rate(want, sentence, order, passage), sentence, passage)
        for order, sentence in enumerate(passage.sentences)
        if not explaining or (_EXPLAINING & sentence.cues and not _WEAK & sentence.cues)
    ]
    if not explaining and not want.order:
        rated += [(score, sentence, passage) for score, sentence in _leads(want, passage)]
    rated.sort(key=_by_score, reverse=True)
    near = [one for one in rated[:_TRIED] if one[0] > rated[0][0] - _NEAR]
    fresh = (one for one in near if not is_recap(stems(one[1].text), want))
    return next(fresh, rated[0] if rated else None)


def _leads(want: Wanted, passage: Passage) -> Iterator[tuple[float, Sentence]]:
    """Yield headings that take up the question and have a list right under them."""
    for number, unit in enumerate(passage.units):
        shared = len(want.words & stems(unit.text)) if unit.form == "heading" else 0
        if shared >= _TAKEN_UP and not _TESTS.search(unit.text) and run(passage.units, number + 1):
            text = f"{tidy(unit.text)}:"
            lead = Sentence(text, "heading", "", number, frozenset({"open"}), 0.0)
            yield _LEADS + _OVERLAP * min(_MOST_WORDS, shared) + _HEADING, lead


_TESTS = re.compile(r"\btests?\b", re.IGNORECASE)
_TAKEN_UP = 2  # content words that heading and question share
_HEADING = 0.5  # as much as a plain sentence that stands second
_NEAR = 1.2  # a repeated answer is better than one that is worse by more than this
_TRIED = 6  # the best of a text that are compared with what was said before: it costs
_EXPLAINING = frozenset({"cause", "diagnosis", "fix", "decision"})
_WEAK = frozenset(
    {"dangling", "hedge", "hypothesis", "intent", "first-person", "question", "passing"}
)
_EARLY = (
    0.9  # what was said in the middle of a turn may have been overtaken, the earlier the likelier
)


_RESULT = re.compile(
    r"verdict|conclusion|summary|tl;?dr|recommend|bottom line|answer|root cause|the (?:fix"
    r"|problem|issue|difference)"
    r"|key (?:finding|difference|insight)|result|what (?:changed|happens|was)|why\b",
    re.IGNORECASE,
)
# How much each trait of a sentence adds to half of its own score.
_OWN = 0.6
_OWN_POLAR = 0.3  # "is it so?" is answered by what stands in front, however plain
_PLACE = {0: 1.2, 1: 0.7, 2: 0.3}  # an answer stands at the front of a text, or right behind it
_OVERLAP, _MOST_WORDS = 0.3, 3  # for each content word of the question, three at most
_CAUSE = 0.5  # to a question: a reason answers more than a statement
_DONE = 0.7  # to an order: what was changed, and not how it was before
_VIEW = 2.2  # to "what do you think?": makes up for the first person and the conditional
_YES_OR_NO = 1.5  # to "is it so?"
_UNDER = 0.6  # under a heading that announces the result, or an aside
_LEADS = 0.8  # a colon with items behind it is as good as a sentence, one without is nothing
_TO_CODE = 0.3  # a colon with code or a table behind it
_RECAP = 1.5
_THIN = 1.2


def _rate(want: Wanted, sentence: Sentence, order: int, passage: Passage) -> float:
    cues = sentence.cues
    score = sentence.score * (_OWN_POLAR if want.polar else _OWN) + _PLACE.get(order, 0.0)
    score += _shared(want, stems(sentence.text))
    if want.order:
        score += _DONE if is_change(sentence.text) else 0.0
        score -= _DONE if "before" in cues else 0.0
    else:
        score += _CAUSE if "cause" in cues and not want.polar else 0.0
    score += _VIEW if want.opinion and _HOLDS.search(sentence.text) else 0.0
    verdict = "concession" in cues or VERDICT.match(sentence.text)
    score += _YES_OR_NO if want.polar and verdict else 0.0
    score += _DONE if want.order and first_verb(sentence.text) == want.verb else 0.0
    score += _UNDER if "result" in cues or _RESULT.search(sentence.heading) else 0.0
    score -= _UNDER if is_aside(sentence.heading, want) else 0.0
    if "open" in cues:
        leads = bool(run(passage.units, sentence.unit + 1))
        score += _LEADS if leads else 0.0 if "fix" in cues else -_TO_CODE
    score -= _RECAP if sentence.text in want.said else 0.0
    return score - (_THIN if is_thin(sentence.text) else 0.0)


def _shared(want: Wanted, words: frozenset[str]) -> float:
    if want.borrowed:
        return -_RECAP if len(words & want.words) > _RESTATED * len(words) else 0.0
    return _OVERLAP * min(_MOST_WORDS, len(words & want.words))


_RESTATED = 0.6  # of a sentence's words: so many shared with a pasted finding, it repeats it
