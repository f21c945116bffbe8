"""Read the occasions on which a coin gave or kept back a rule from injections and judgements.

How an occasion went was judged at capture, of given and withheld rules alike (kind "judged"). A
person's word counts nothing here, since nobody can praise a rule that was kept from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.evidence.experiment import chance
from memoria.evidence.session_arms import rows_of
from memoria.evidence.withholding.by_rule import Occasion
from memoria.learning.rewards import rewards
from memoria.text.dates import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from memoria.vault.storage.history import History

    # of a session and a rule
    _Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Offer:
    """What the coin said of a rule in a session; `p` None where it said two things."""

    injected: bool
    p: float | None
    at: datetime
    project: str


def offers(history: History, heirs: Mapping[str, str]) -> dict[_Key, Offer]:
    """Say of each session and rule whether it was given or withheld, and by which chance.

    `heirs` leads from a rule that became part of another one to that one.
    """
    by_key: dict[_Key, Offer] = {}
    for record in history.of("injection"):
        session = str(record.get("session") or "")
        for name, offer in _rows(record):
            key = (session, heirs.get(name, name))
            known = by_key.setdefault(key, offer)
            if known.injected != offer.injected:
                by_key[key] = replace(known, injected=True, p=None)
    return by_key


def _rows(record: Mapping[str, Any]) -> Iterator[tuple[str, Offer]]:
    at = moment(record.get("at"))
    if at is None:
        return
    project = str(record.get("project") or "")
    for field, injected in (("slate", True), ("withheld", False)):
        for row in rows_of(record, field):
            p = chance(row.get("p"), -1.0)
            # a rule that is never given cannot be given, one always given cannot be withheld
            sound = (p > 0) if injected else (0 <= p < 1)
            yield str(row.get("id")), Offer(injected, p if sound else None, at, project)


def occasions(history: History, heirs: Mapping[str, str]) -> tuple[Occasion, ...]:
    """Give the occasions in the order of the ledger; of several judgements the worst counts."""
    went: dict[_Key, bool] = {}
    for reward in rewards(history.of("judged")):
        key = (reward.session, heirs.get(reward.id, reward.id))
        went[key] = went.get(key, True) and reward.value > 0
    return drawn(history, offers(history, heirs), went)


def drawn(
    history: History, offered: Mapping[_Key, Offer], went: Mapping[_Key, bool]
) -> tuple[Occasion, ...]:
    """Make the occasions that went well or not of what the coin offered there."""
    found = []
    for (session, rule), offer in offered.items():
        if (session, rule) in went and offer.p is not None:
            stay = history.stays.get(session)
            at, project = (stay.began, stay.project) if stay else (offer.at, offer.project)
            came_back = not went[session, rule]
            found.append(Occasion(session, at, project, rule, offer.injected, offer.p, came_back))
    return tuple(found)
