"""A line of an article, a log or a rule -> the entry and the turn of a session that it comes from.

An article's line names a day, not an entry, because a person reads days; which entry of that day
said it is found again by its words: the same words first, then those that hold most of them, and
how sure that is, is said. The trap: a line that a model wrote has words of its own, and a line that
stands in two entries comes from the first of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memoria.capture.extract.sentences import stems
from memoria.rules.model import normal
from memoria.text.markdown import mark
from memoria.text.prose import split
from memoria.vault.citations import Quote, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.vault.daily import Block
    from memoria.vault.entry import Extract

Sure = Literal["exact", "likely", "unsure"]
NO_TURN = -1
_ORDER = ("unsure", "likely", "exact")
# shares of a line's words that its source has too; measured on the lines of compiled samples, where
# the next best line of the same day has .4 on average
_LIKELY, _UNSURE = 0.8, 0.5
_LEAST = 3  # content words: two stand together anywhere


@dataclass(frozen=True, slots=True)
class Told:
    """An entry of a log with what was found in its session: `extract` None where that is gone."""

    block: Block
    extract: Extract | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a line comes from.

    `words` are the source's own. `turn` is the index of the turn within the entry's part of the
    session, NO_TURN where it is not known; `origin` says whose words they were (user, assistant,
    tool), "" likewise. `share` is the share of the line's words that stand in the source (1 =
    all).
    """

    block: Block
    words: str
    sure: Sure
    share: float
    turn: int = NO_TURN
    origin: str = ""


def trace(line: str, told: Iterable[Told]) -> Trace | None:
    """Find the entry and the turn that a line comes from; None where nothing is like it."""
    wanted, among = words(line), list(told)
    best = _found(wanted, among)
    parts = [] if best and best.sure == "exact" else split(wanted)
    for part in parts if len(parts) > 1 else ():
        one = _found(part, among)
        # a lead says several things; what holds for one of its sentences is likely for all
        if one and one.sure == "exact":
            one = replace(one, sure="likely")
        best = _better(best, one)
    return best


def _found(wanted: str, told: Iterable[Told]) -> Trace | None:
    known, content = mark(wanted), stems(wanted)
    best: Trace | None = None
    for one in told:
        for text, turn, origin in _lines(one):
            marked = mark(text)
            share = 1.0 if marked == known else _share(content, text)
            sure = _sure(known, marked, share)
            if sure:
                found = Trace(one.block, text, sure, round(share, 2), turn, origin)
                best = _better(best, found)
    return best


def _better(one: Trace | None, other: Trace | None) -> Trace | None:
    """Give the surer of two traces, the first of equals."""
    if one is None or other is None:
        return one or other
    return other if _key(other) > _key(one) else one


def said(quoted: Quote, told: Sequence[Told], sessions: Iterable[str]) -> Trace | None:
    """Find the entry in whose session the user said something.

    `sessions` are the beginnings of the ids of sessions that are known to have seen it; without
    the words themselves they tell the entry, but not the turn.
    """
    known = normal(quoted.words)
    for one in told:
        for statement in one.extract.statements if one.extract else ():
            if known and known in normal(statement.quote):
                return Trace(one.block, statement.quote, "exact", 1.0, _turn(known, one), "user")
    found = trace(quoted.words, told)
    if found is None:
        starts = tuple(one for one in sessions if one)
        for one in told:
            entry = one.block.entry
            if starts and (entry.session.startswith(starts) or entry.id in starts):
                return Trace(one.block, quoted.words, "likely", 0.0, NO_TURN, "user")
    return found


def _turn(known: str, one: Told) -> int:
    """Give the turn of the user's words, where a fact has them, too."""
    facts = one.extract.facts if one.extract else ()
    return next((fact.turn for fact in facts if known in normal(fact.text)), NO_TURN)


def _lines(one: Told) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of an entry: what was found in the session first, it knows the turns."""
    for fact in one.extract.facts if one.extract else ():
        yield fact.text, fact.turn, fact.origin
    for statement in one.extract.statements if one.extract else ():
        yield statement.quote, NO_TURN, "user"
    drafts = [one.block.entry.draft]
    if one.extract and one.extract.draft != drafts[0]:
        drafts.append(one.extract.draft)
    for draft in drafts:
        for lines in (draft.exchanges, draft.decisions, draft.lessons, draft.actions):
            yield from ((line, NO_TURN, "") for line in lines)
        yield draft.context, NO_TURN, ""
        yield draft.title, NO_TURN, ""


def _share(content: frozenset[str], text: str) -> float:
    """Give the share of a line's content words that a text holds."""
    found = stems(text)
    if len(content) < _LEAST or not found:
        return 0.0
    return len(content & found) / len(content)


def _sure(known: str, marked: str, share: float) -> Sure | None:
    if not known:
        return None
    whole = known == marked or known.count(" ") >= _LEAST
    if whole and f" {known} " in f" {marked} ":
        return "exact"
    if share >= _LIKELY:
        return "likely"
    return "unsure" if share >= _UNSURE else None


def _key(found: Trace) -> tuple[int, float, bool]:
    """Order sources: how sure, how much, and whether the turn is known."""
    return _ORDER.index(found.sure), found.share, found.turn != NO_TURN
