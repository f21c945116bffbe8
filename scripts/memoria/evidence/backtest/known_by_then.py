"""Rules and the mistakes of a history -> Knowns: which rule would have spoken of which mistake.

A rule speaks of a mistake by the measure of learning/occasions.py, most of its telling words
standing
in the mistake's line, so that the backtest and the rewards mean the same by it. The trap: a note
says on which day a rule was seen first, not at which hour; so it counts from the end of that day,
or the mistake that taught it would seem to have been foreseen.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from memoria.evidence.backtest.replay import Known
from memoria.learning.occasions import doing, occasions
from memoria.text.dates import moment
from memoria.text.word_overlap import covered, index, rarity, shares, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date
    from typing import Any

    from memoria.rules.model import Rule
    from memoria.vault.storage.history import Seen

# lines of one signature that are looked at: they differ in names and numbers alone
_LINES = 5
# characters of a line that are: a rule's words stand at its beginning or nowhere
_LONGEST = 500


def knowns(
    rules: Sequence[Rule],
    seen: Iterable[Seen],
    decisions: Iterable[Mapping[str, Any]],
    local: Callable[[datetime], datetime],
) -> tuple[Known, ...]:
    """Give the rules with the time since which each existed, and the mistakes that it speaks of.

    `decisions` are the ledger's records of kind "rule"; `local` reads a moment without a zone as
    the person's clock shows it. A rule without a date that can be read has existed from no time on
    and is left out, and so is one that speaks of nothing.
    """
    decided: dict[str, datetime] = {}
    for record in decisions:
        at = moment(record.get("at"))
        if at is not None and record.get("status") in {"approved", "pinned"}:
            decided.setdefault(str(record.get("id")), at)
    about = spoken({one.id: one.text for one in rules}, seen)
    found = []
    for one in rules:
        since = _since(one.created, decided.get(one.id), local)
        if since is not None and about.get(one.id):
            scope = one.scope[0] if len(one.scope) == 1 else ""
            found.append(Known(one.id, since, frozenset(about[one.id]), scope))
    return tuple(found)


def _since(
    created: str, decided: datetime | None, local: Callable[[datetime], datetime]
) -> datetime | None:
    try:
        day: date = datetime.fromisoformat(created[:10]).date()
    except ValueError:
        return decided
    end = local(datetime.combine(day + timedelta(days=1), time()))
    return min(end, decided) if decided else end


def spoken(texts: Mapping[str, str], seen: Iterable[Seen]) -> dict[str, set[str]]:
    """Give for each rule (id -> text) the signatures that it speaks of."""
    names = list(texts)
    words = [terms(texts[name]) for name in names]
    weights = rarity(words)
    # of a thousand rules only those that share a word with the line are looked at closely
    rows = index(shares(one, weights) for one in words)
    found: dict[str, set[str]] = {}
    for mark, lines in _lines(seen).items():
        for line in lines:
            near = {names[at]: texts[names[at]] for at in covered(rows, terms(line))}
            for name in occasions(near, doing((), (line,)), weights):
                found.setdefault(name, set()).add(mark)
    return found


def _lines(seen: Iterable[Seen]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in seen:
        lines = found.setdefault(one.mistake.signature, [])
        line = one.mistake.line[:_LONGEST]
        if line not in lines and len(lines) < _LINES:
            lines.append(line)
    return found
