"""Read the occasions on which a coin gave or kept back a rule from injections and judgements.

Whether an occasion came up, and how it went, was judged when the session was captured, of given and
withheld rules alike (kind "judged"); the chance with which each was given stands in its injection.
A person's word counts nothing here, since nobody can praise a rule that was kept from them; a rule
that was withheld at the start and given later was neither.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.evidence.experiment import chance
from memoria.evidence.session_arms import ids
from memoria.evidence.withholding.by_rule import Occasion
from memoria.learning.rewards import rewards
from memoria.text.dates import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from memoria.vault.storage.history import History

    _Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Offer:
    """What the coin said of a rule in a session; `p` None where it said two things."""

    injected: bool
    p: float | None
    at: datetime
    project: str


def occasions(history: History, heirs: _Names, families: _Names) -> tuple[Occasion, ...]:
    """Give the occasions in the order of the ledger.

    `heirs` leads from a rule that became part of another one to that one, `families` from a rule to
    its family; a rule that it does not name is its own.
    """
    went = _went(history, heirs)
    found = (
        occasion(history, key, offer, families, came_back=not went[key])
        for key, offer in offers(history, heirs).items()
        if key in went
    )
    return tuple(one for one in found if one)


def occasion(
    history: History, key: tuple[str, str], offer: Offer, families: _Names, *, came_back: bool
) -> Occasion | None:
    """Make the occasion of a session and a rule; None where the coin said two things."""
    if offer.p is None:
        return None
    session, rule = key
    stay = history.stays.get(session)
    return Occasion(
        session=session,
        at=stay.began if stay else offer.at,
        project=stay.project if stay else offer.project,
        rule=rule,
        family=families.get(rule, rule),
        injected=offer.injected,
        p=offer.p,
        came_back=came_back,
    )


def shown(history: History, heirs: _Names) -> Mapping[str, int]:
    """Count the sessions into which each rule was injected."""
    counts: dict[str, int] = {}
    for (_, name), offer in offers(history, heirs).items():
        counts[name] = counts.get(name, 0) + offer.injected
    return counts


def _went(history: History, heirs: _Names) -> dict[tuple[str, str], bool]:
    """Say how each occasion went; of several judgements of a session the worst counts."""
    went: dict[tuple[str, str], bool] = {}
    for reward in rewards(history.of("judged")):
        key = (reward.session, heirs.get(reward.id, reward.id))
        went[key] = went.get(key, True) and reward.value > 0
    return went


def offers(history: History, heirs: _Names) -> dict[tuple[str, str], Offer]:
    """Say of each session and rule whether it was given or withheld, and by which chance."""
    by_key: dict[tuple[str, str], Offer] = {}
    for record in history.of("injection"):
        session = str(record.get("session") or "")
        for name, offer in _rows(record):
            key = (session, heirs.get(name, name))
            known = by_key.get(key)
            if known is None:
                by_key[key] = offer
            elif known.injected != offer.injected:
                by_key[key] = replace(known, injected=True, p=None)
    return by_key


def _rows(record: Mapping[str, Any]) -> Iterator[tuple[str, Offer]]:
    at = moment(record.get("at"))
    if at is None:
        return
    project = str(record.get("project") or "")
    for field, injected in (("slate", True), ("withheld", False)):
        rows = record.get(field)
        chances = {
            str(one.get("id")): chance(one.get("p"), -1.0)
            for one in (rows if isinstance(rows, list) else [])
            if isinstance(one, dict)
        }
        for name in ids(record, field):
            p = chances[name]
            # a rule that is never given cannot be given, one always given cannot be withheld
            sound = (p > 0) if injected else (0 <= p < 1)
            yield name, Offer(injected, p if sound else None, at, project)
