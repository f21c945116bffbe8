"""Judge which rules earn their place, by the occasions on which a coin withheld them.

On a rule's occasions (its topic came up) the mistake it speaks of came back or did not; with and
without the rule, by chance alone, that compares it with itself. Many rules are judged at once, so
the lists are cut by e-BH (Wang and Ramdas 2022): of the rules on a list at most one in ten is there
by chance, whenever one looks and however the rules depend on each other. An occasion must be seen
in what was asked, not in the mistake, or a rule that prevents the mistake loses its occasions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from memoria.capture.repeats import Unit, table
from memoria.evidence.cluster_intervals import LEVEL, Interval, difference, wilson
from memoria.evidence.e_values import sided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from memoria.capture.repeats import Floats, Table

# A list's share of chance finds. One in ten, not one in twenty: it proposes, a person decides.
FALSE_FINDS = 0.1
# Withheld (and injected) occasions that a statement needs: with four the interval is never narrower
# than .5, which nobody can act on. From two on it covers the truth in .92 and more (counted
# exactly).
LEAST = 5
# Shown in so many sessions without one occasion: then it comes in fewer than 6 of 100 (rule of
# three)
_IDLE = 50

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
    family: str
    injected: bool
    p: float
    came_back: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a rule or a family from withholding it.

    The counts are occasions and those of them on which the mistake came back; `difference` is the
    share that came back with it minus without it, over strata, for one look. `helps` and `harms`
    are e-values: chance makes one as large as x in at most one of x rules that do nothing.
    `unpaired` counts the occasions on which nothing was left to chance.
    """

    name: str
    injected: int
    injected_back: int
    withheld: int
    withheld_back: int
    unpaired: int
    difference: Interval | None
    helps: float
    harms: float
    state: State = "open"


def by_rule(occasions: Iterable[Occasion]) -> tuple[Standing, ...]:
    """Judge each rule; the surest first."""
    return _judge(occasions, lambda occasion: occasion.rule)


def by_family(occasions: Iterable[Occasion]) -> tuple[Standing, ...]:
    """Judge each family: it was injected if any of its rules was, withheld if all of them were."""
    return _judge(occasions, lambda occasion: occasion.family)


def earned(standings: Iterable[Standing]) -> tuple[str, ...]:
    """Name those that earned their place."""
    return tuple(standing.name for standing in standings if standing.state == "earned")


def to_retire(standings: Iterable[Standing]) -> tuple[str, ...]:
    """Name those that do harm: a proposal, nothing is removed by itself."""
    return tuple(standing.name for standing in standings if standing.state == "retire")


def idle(shown: Mapping[str, int], occasions: Iterable[Occasion]) -> tuple[str, ...]:
    """Name the rules that were shown in fifty and more sessions and had no occasion in any.

    `shown` counts the sessions a rule was injected into. Such a rule takes room from others.
    """
    needed = {occasion.rule for occasion in occasions}
    return tuple(sorted(r for r, count in shown.items() if count >= _IDLE and r not in needed))


def _judge(occasions: Iterable[Occasion], key: Callable[[Occasion], str]) -> tuple[Standing, ...]:
    groups: dict[str, dict[str, list[Occasion]]] = {}
    for occasion in sorted(
        occasions, key=lambda occasion: (occasion.at, occasion.session, occasion.rule)
    ):
        groups.setdefault(key(occasion), {}).setdefault(occasion.session, []).append(occasion)
    standings = [
        _standing(name, [_session(same) for same in sessions.values()])
        for name, sessions in groups.items()
    ]
    return tuple(
        sorted(
            _lists(standings),
            key=lambda standing: (-max(standing.helps, standing.harms), standing.name),
        )
    )


def _session(same: Sequence[Occasion]) -> Unit:
    """Join the occasions of one session: the coins of several rules are one of a higher chance."""
    injected = any(occasion.injected for occasion in same)
    withheld = float(np.prod([1 - occasion.p for occasion in same]))
    return Unit(
        session=same[0].session,
        at=same[0].at,
        project=same[0].project,
        treated=injected,
        p=1 - withheld,
        mistakes=1,
        repeats=int(any(occasion.came_back for occasion in same)),
    )


def _standing(name: str, units: Sequence[Unit]) -> Standing:
    tossed = [unit for unit in units if unit.is_tossed]
    data = table(tossed)
    helps, harms = sided(data)
    sizes = int(data.treated.sum()), int(data.control.sum())
    enough = min(sizes) >= LEAST
    state: State = "open" if enough else "too few" if tossed else "no comparison"
    return Standing(
        name,
        injected=sizes[0],
        injected_back=int(data.repeats[data.treated].sum()),
        withheld=sizes[1],
        withheld_back=int(data.repeats[data.control].sum()),
        unpaired=len(units) - len(tossed),
        difference=_difference(data) if enough else None,
        helps=exp(min(helps, _LARGEST)),
        harms=exp(min(harms, _LARGEST)),
        state=state,
    )


def _difference(data: Table) -> Interval | None:
    """Compare within strata and add up (Mantel-Haenszel weights), with Newcombe's interval."""
    weights, shares = [], []
    for stratum in np.unique(data.strata):
        here = data.strata == stratum
        arms = here & data.treated, here & data.control
        sizes = [int(arm.sum()) for arm in arms]
        if min(sizes):
            weights.append(sizes[0] * sizes[1] / sum(sizes))
            shares.append(
                [(float(data.repeats[a].mean()), n) for a, n in zip(arms, sizes, strict=True)]
            )
    if not weights:
        return None
    parts: Floats = np.array(weights) / sum(weights)
    columns = np.array(shares)  # stratum, arm, (share, size)
    quantile = NormalDist().inv_cdf((1 + LEVEL) / 2)
    both = (
        wilson(
            float(parts @ columns[:, arm, 0]),
            float(1 / (parts**2 @ (1 / columns[:, arm, 1]))),
            quantile,
        )
        for arm in (0, 1)
    )
    return difference(*both)


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
