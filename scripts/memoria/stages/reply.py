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

from memoria.stages.prose import capital, clipped, split
from memoria.stages.cue import is_chat, weigh
from memoria.stages.sentence import containment, stems, tidy

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from memoria.stages.prose import Unit
    from memoria.stages.sentence import Passage, Sentence

_NARROW = 25  # content words of an ask that a person typed
LENGTH = 240  # characters: two short sentences, or a list of three


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer in a line, and how good it is on the scale of `sentence`."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reply is measured by: the words of the question, its first one, and the kind of ask.

    `opinion`: the assistant's view was asked for, so that "I would" is an answer.

    `order`: something was to be done; `pointing` if it says only "this" or "yes". `polar`: a yes or no was asked. `borrowed`: the words are a
    pasted finding's, so that a sentence which repeats them says what was wrong and not what was
    done. `said` holds the sentences of earlier turns, `closed` the stems of those that closed them.
    """

    words: frozenset[str]
    verb: str
    opinion: bool
    order: bool
    pointing: bool
    polar: bool
    borrowed: bool
    said: Container[str]
    closed: Sequence[frozenset[str]]

    @property
    def is_narrow(self) -> bool:
        """Whether few things are asked for; a plan and a pasted finding speak of everything."""
        return len(self.words) <= _NARROW


_POLAR = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|isn't|aren't|doesn't|don't|should|would|will"
    r"|can(?:'t)?\s+(?!you\b)|but\b|still\b)"
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
        digests = (_digest(passage.units, want) for passage in reversed(closing))
        if digest := next(filter(None, digests), ""):
            return Reply(digest, _DIGEST)
    found = [one for passage in closing if (one := _best(want, passage))]
    found = found[:1] + [(score - _AFTER, *rest) for score, *rest in found[1:]]
    best = max(found, key=_by_score, default=None)
    if best is None or best[0] < _ENOUGH or not _is_about(want, best):
        found += _earlier(want, earlier)
        best = max(found, key=_by_score, default=None)
    if best is None:
        return Reply("", 0.0)
    score, sentence, passage = best
    return Reply(_completed(sentence, passage.units), score)


_Found = tuple[float, "Sentence", "Passage"]


def _earlier(want: Wanted, earlier: Sequence[Passage]) -> Iterator[_Found]:
    """Yield the best of each earlier text that explains something, the later ones less reduced."""
    for place, passage in enumerate(earlier):
        if found := _best(want, passage, explaining=True):
            yield found[0] - _EARLY * (1.5 - place / len(earlier)), *found[1:]


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
    rated.sort(key=_by_score, reverse=True)
    near = [one for one in rated[:_TRIED] if one[0] > rated[0][0] - _NEAR]
    fresh = (one for one in near if not _is_recap(stems(one[1].text), want))
    return next(fresh, rated[0] if rated else None)


_NEAR = 1.2  # a repeated answer is better than one that is worse by more than this
_TRIED = 6  # the best of a text that are compared with what was said before: it costs
_EXPLAINING = frozenset({"cause", "diagnosis", "fix", "decision"})
_WEAK = frozenset(
    {"dangling", "hedge", "hypothesis", "intent", "first-person", "question", "passing"}
)
_EARLY = (
    0.9  # what was said in the middle of a turn may have been overtaken, the earlier the likelier
)


def is_change(text: str) -> bool:
    """Whether a text says that something was changed."""
    return bool(_CHANGED.search(text))


_VERDICT = re.compile(
    r"(?:yes|no|not really|correct|exactly|neither|both|partly|partially|it depends|true|false"
    r"|not|verdict)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"verdict|conclusion|summary|tl;?dr|recommend|bottom line|answer|root cause|the (?:fix"
    r"|problem|issue|difference)"
    r"|key (?:finding|difference|insight)|result|what (?:changed|happens|was)|why\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"question|alternativ|option|next step|test|verif|files? (?:changed|modified)|example|before"
    r"|usage|strength|docs?\b|documentation",
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

_CHANGED = re.compile(
    r"""^(?:`[^`]{1,100}`\s?[:—\u2013-]\s)?(?:the\ (?:fix|change|update)|added|changed|fixed
        |removed|replaced|renamed
      |created|updated|moved|extracted|made|implemented|rewrote|converted|switched|resolved
        |introduced
      |refactored|merged|set|bumped|deleted|reverted|split|consolidated)\b
    |\b(?:changed|updated|switched|moved|renamed)\ (?:from|to)\b
    |\b(?:no\ longer|now|has\ been|have\ been|is\ now|are\ now)\ (?:\w{1,20}ed|uses?|returns?
      |takes?|reads?|set|made
      |built)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def _rate(want: Wanted, sentence: Sentence, order: int, passage: Passage) -> float:
    cues = sentence.cues
    score = sentence.score * (_OWN_POLAR if want.polar else _OWN) + _PLACE.get(order, 0.0)
    score += _shared(want, stems(sentence.text))
    if want.order:
        score += _DONE if _CHANGED.search(sentence.text) else 0.0
        score -= _DONE if "before" in cues else 0.0
    else:
        score += _CAUSE if "cause" in cues and not want.polar else 0.0
    score += _VIEW if want.opinion and _HOLDS.search(sentence.text) else 0.0
    verdict = "concession" in cues or _VERDICT.match(sentence.text)
    score += _YES_OR_NO if want.polar and verdict else 0.0
    score += _DONE if want.order and first_verb(sentence.text) == want.verb else 0.0
    score += _UNDER if _RESULT.search(sentence.heading) else 0.0
    score -= _UNDER if _is_aside(sentence.heading, want) else 0.0
    if "open" in cues:
        leads = bool(_run(passage.units, sentence.unit + 1))
        score += _LEADS if leads else 0.0 if "fix" in cues else -_TO_CODE
    score -= _RECAP if sentence.text in want.said else 0.0
    return score - (_THIN if _is_thin(sentence.text) else 0.0)


def _shared(want: Wanted, words: frozenset[str]) -> float:
    if want.borrowed:
        return -_RECAP if len(words & want.words) > _RESTATED * len(words) else 0.0
    return _OVERLAP * min(_MOST_WORDS, len(words & want.words))


_RESTATED = 0.6  # of a sentence's words: so many shared with a pasted finding, it repeats it


def _is_aside(heading: str, want: Wanted) -> bool:
    """Whether a heading stands over what was not asked for."""
    return bool(_ASIDE.search(heading)) and not (want.is_narrow and stems(heading) & want.words)


_LEAST_PROSE = 3  # words besides the code: "Files: `a.go`" says nothing
_SHORT = 30  # characters: a label, or half an answer


def _is_thin(text: str) -> bool:
    words = re.sub(r"`[^`]*`", "", text).split()
    return len(words) < _LEAST_PROSE or (len(text) < _SHORT and not _VERDICT.match(text))


# -- What stands around the sentence --------------------------------------------------------------


def _completed(sentence: Sentence, found: Sequence[Unit]) -> str:
    """Complete a reply: the items behind a colon, the siblings of a short item, the next "
    "sentence."""
    text = sentence.text
    if text.endswith(":"):
        items = _run(found, sentence.unit + 1)
        text = _listed(text, items).rstrip(":")
        # One item in the middle of a sentence: what follows it says what is with it.
        after = (
            found[sentence.unit + 2] if len(items) == 1 and len(found) > sentence.unit + 2 else None
        )
        if after and after.form == "paragraph" and len(text) + len(after.text) < LENGTH:
            text = f"{text}. {after.text}"
        return clipped(text, LENGTH)
    if len(text) >= LENGTH // 2:
        return clipped(text, LENGTH)
    if sentence.form == "heading":
        return _with_reason(text, found[sentence.unit + 1 :])
    if sentence.form == "item":
        lead = _DID.search(found[sentence.unit].lead)
        items = _run(found, sentence.unit)
        return clipped(_listed(f"{capital(lead[1])}:" if lead else "", items), LENGTH)
    longer = f"{text} {_following(text, found[sentence.unit])}".strip()
    return longer if len(longer) <= LENGTH else text


# "Here is what was removed:" over a list of names.
_DID = re.compile(r"\b(removed|added|deleted|renamed|extracted|moved)\b.{0,20}:$", re.IGNORECASE)


def _with_reason(verdict: str, after: Sequence[Unit]) -> str:
    """Put the first sentence under a heading behind what the heading says."""
    reason = tidy(split(after[0].text)[0]) if after and after[0].form != "heading" else ""
    longer = f"{verdict.rstrip('.')}. {reason}".strip()
    return longer if reason and not is_chat(reason) and len(longer) <= LENGTH else verdict


_TAIL = 40  # characters by which a sentence is found again in its paragraph


def _following(chosen: str, unit: Unit) -> str:
    """Give the sentence that follows the chosen one in its paragraph, if it goes on with it."""
    parts = split(unit.text)
    place = next(
        (at for at, part in enumerate(parts) if part.endswith(chosen[-_TAIL:])), len(parts)
    )
    after = parts[place + 1] if place + 1 < len(parts) else ""
    if not after or after.endswith((":", "?")) or is_chat(after):
        return ""
    return (
        ""
        if {"status", "assurance", "intent", "passing", "hypothesis"} & weigh(after)[0]
        else tidy(after)
    )


def _run(found: Sequence[Unit], start: int) -> tuple[Unit, ...]:
    """Give the items that stand in one list from `start` on."""
    end = start
    while end < len(found) and found[end].form in ("item", "row"):
        end += 1
    return tuple(found[start:end])


def _listed(lead: str, items: Sequence[Unit]) -> str:
    """Join a lead and items by semicolons, as many as fit whole."""
    text = lead
    for unit in items:
        item = tidy(split(unit.text)[0] if len(unit.text) > LENGTH // 2 else unit.text).rstrip(
            ".;,"
        )
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
    groups = [changes for group in _groups(found, want) if (changes := _changes(group, want))]
    asked = [
        group
        for group in groups
        if want.pointing or any(stems(change) & want.words for change in group)
    ]
    firsts = asked[0] if len(asked) == 1 else [changes[0] for changes in asked]
    if len(firsts) < 2:  # noqa: PLR2004 - the best sentence says more than one item
        return ""
    text = firsts[0]
    for change in firsts[1:]:
        longer = f"{text}; {change}"
        text = longer if len(longer) <= LENGTH else text
    return text


def _groups(found: Sequence[Unit], want: Wanted) -> Iterator[tuple[Unit, ...]]:
    """Yield the lists that stand right under a heading which is no aside."""
    for place, unit in enumerate(found):
        if unit.form == "heading" and not _is_aside(unit.text, want):
            items = _run(found, place + 1)
            if items:
                yield items


def _changes(items: Sequence[Unit], want: Wanted) -> list[str]:
    """Give the items that say what was changed now, but not those about tests."""
    kept = []
    for unit in items:
        text = tidy(split(unit.text)[0]).rstrip(".;:,")
        if not _CHANGED.search(text) or _is_thin(text) or is_chat(text):
            continue
        tests = "testing" in weigh(text)[0] and not (want.is_narrow and "test" in want.words)
        if not tests and not _is_recap(stems(text), want):
            kept.append(clipped(text, _A_CHANGE))
    return kept


_SAME = 0.75  # of the smaller one's content words: a change that was told before


_FEW_WORDS = 4  # content words: with fewer, two sentences are alike by chance


def _is_recap(words: frozenset[str], want: Wanted) -> bool:
    return len(words) >= _FEW_WORDS and any(containment(words, old) > _SAME for old in want.closed)
