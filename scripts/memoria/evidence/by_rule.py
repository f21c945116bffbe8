"""Judge which rules earn their place, by the occasions on which a coin withheld them.

On a rule's occasions (its topic came up in what was asked) the mistake it speaks of came back or
not, with and without the rule. The lists are cut by e-BH (Wang and Ramdas 2022): of the rules on
one at most one in ten is there by chance, whenever one looks and however rules hang together. A
person's word counts nothing here: nobody can praise a rule that was kept from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import TYPE_CHECKING, Any, Literal

from memoria.capture.repeats import Unit, table
from memoria.evidence.e_values import sided
from memoria.evidence.experiment import chance
from memoria.evidence.study import rows_of
from memoria.learning.rewards import rewards
from memoria.text.dates import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.vault.storage.history import History

    # of a session and a rule
    _Key = tuple[str, str]

# A list's share of chance finds. One in ten, not one in twenty: it proposes, a person decides.
FALSE_FINDS = 0.1
# Withheld (and injected) occasions that a statement needs: with four the interval is never narrower
# than .5, which nobody can act on. From two on it covers the truth in .92 and more (counted
# exactly).
LEAST = 5
# exp() of more is no float
_LARGEST = 700.0

State = Literal["earned", "retire", "open", "too few", "no comparison"]


@dataclass(frozen=True, slots=True)
class Occasion:
    """An occasion of a rule in a session: was it injected, and did its mistake come back?

    `p` is the logged chance that it was injected, below 1 (a pinned rule is never withheld and
    allows no comparison).
    """

    session: str
    at: datetime
    project: str
    rule: str
    injected: bool
    p: float
    came_back: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a rule from withholding it.

    The counts are occasions and those of them on which the mistake came back. `helps` and `harms`
    are e-values: chance makes one as large as x in at most one of x rules that do nothing.
    """

    name: str
    injected: int
    injected_back: int
    withheld: int
    withheld_back: int
    helps: float
    harms: float
    state: State = "open"


def by_rule(occasions: Iterable[Occasion]) -> tuple[Standing, ...]:
    """Judge each rule; the surest first."""
    units: dict[str, list[Unit]] = {}
    for one in sorted(occasions, key=lambda one: (one.at, one.session, one.rule)):
        back = int(one.came_back)
        unit = Unit(one.session, one.at, one.project, one.injected, one.p, 1, back)
        units.setdefault(one.rule, []).append(unit)
    standings = _lists([_standing(name, mine) for name, mine in units.items()])
    return tuple(sorted(standings, key=lambda one: (-max(one.helps, one.harms), one.name)))


def _standing(name: str, units: Sequence[Unit]) -> Standing:
    tossed = [unit for unit in units if unit.is_tossed]
    data = table(tossed)
    helps, harms = (exp(min(value, _LARGEST)) for value in sided(data))
    sizes = int(data.treated.sum()), int(data.control.sum())
    enough = min(sizes) >= LEAST
    return Standing(
        name,
        injected=sizes[0],
        injected_back=int(data.repeats[data.treated].sum()),
        withheld=sizes[1],
        withheld_back=int(data.repeats[data.control].sum()),
        helps=helps,
        harms=harms,
        state="open" if enough else "too few" if tossed else "no comparison",
    )


def _lists(standings: Sequence[Standing]) -> list[Standing]:
    """Put on each list those whose e-value is high enough for so many rules.

    Those with too few occasions count among the many with an e-value of 0: leaving them out because
    of how their coins fell would be a choice by chance.
    """
    tried = [standing for standing in standings if standing.state != "no comparison"]
    good = _cut({standing.name: standing.helps * (standing.state == "open") for standing in tried})
    bad = _cut({standing.name: standing.harms * (standing.state == "open") for standing in tried})
    states: dict[str, State] = {**dict.fromkeys(bad, "retire"), **dict.fromkeys(good, "earned")}
    return [
        replace(standing, state=states.get(standing.name, standing.state)) for standing in standings
    ]


def _cut(values: Mapping[str, float]) -> set[str]:
    """Give the largest set whose k e-values are all at least K / (k * FALSE_FINDS): e-BH."""
    order = sorted(values, key=lambda name: -values[name])
    sizes = [
        place
        for place, name in enumerate(order, 1)
        if values[name] >= len(order) / (place * FALSE_FINDS)
    ]
    return set(order[: max(sizes, default=0)])


# -- Occasions from the ledger ---------------------------------------------------------------------


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
    found = []
    for (session, rule), offer in offers(history, heirs).items():
        if (session, rule) in went and offer.p is not None:
            stay = history.stays.get(session)
            at, project = (stay.began, stay.project) if stay else (offer.at, offer.project)
            came_back = not went[session, rule]
            found.append(Occasion(session, at, project, rule, offer.injected, offer.p, came_back))
    return tuple(found)
