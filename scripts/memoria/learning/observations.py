"""Lay plays out as a table of what happened, and which weights may explain each row.

Three kinds of rows: how a session went, how the occasion of one rule went, what a person said of a
rule. Old plays weigh less, and rules that were reworded since carry half of what they showed. A
session's two neighbourhoods name one weight each, and a family shown by two wordings counts once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memoria.learning.logistic import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memoria.learning.neighbourhoods import Membership
    from memoria.learning.play import Play

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]
    # rows, the weight that may explain each, and how much of it
    Cause = tuple[Ints, Ints, Floats]

# what a reworded rule's old evidence is worth: it is the same intent in other words
_REWORDED = 0.5
# an occasion shows a rule's own effect, which a session's outcome, one of many causes, dilutes
_OCCASION = 2.0
# a person who says "helped" is right about .75 log-odds in 19 of 20 cases: logistic(4 x .75) = .95
_REWARD = 4.0
_ANSWERS = {1: 1.0, 0: 0.5, -1: 0.0}
# what a row is about, where it is about no single family's occasion
SESSION, WORD = -1, -2


class Layout(NamedTuple):
    """Where each weight stands: what all share first, then a block for each family.

    Shared: the baseline, one for each neighbourhood, `fit` and share, a rule as such, `ease` (of
    how often an occasion goes well without help). Each `block` from `start` on: the family
    everywhere, where it fits, its ease, and in each neighbourhood.
    """

    places: int
    families: int
    fit: int
    ease: int
    start: int
    block: int
    size: int


def laid_out(places: int, families: int) -> Layout:
    """Lay out the weights for so many neighbourhoods and families."""
    fit, block = 1 + places, 3 + places
    start = fit + 4
    return Layout(places, families, fit, fit + 3, start, block, start + families * block)


class Promises(NamedTuple):
    """What texts promise, by family and neighbourhood, and what every line costs in log-odds."""

    fits: Floats
    shares: Floats
    cost: float


@dataclass(slots=True)
class Events:
    """What happened, and the families that may explain it.

    A row is (play, answer, about, lines): `about` is the family whose occasion it was, SESSION for
    a session as a whole, WORD for a person's word. A cause is (row, family, scale).
    """

    rows: list[tuple[int, float, int, float]] = field(default_factory=list)
    causes: list[tuple[int, int, float]] = field(default_factory=list)

    def add(
        self, play: int, answer: float, about: int, shown: Mapping[int, float], lines: float = 0.0
    ) -> None:
        """Add a row, explained by the families shown."""
        self.causes += [(len(self.rows), family, scale) for family, scale in shown.items()]
        self.rows.append((play, answer, about, lines))


def events(
    plays: Sequence[Play], owner: Mapping[str, int], digests: Mapping[str, str]
) -> Events:
    """Turn plays, in order, into events.

    `owner` gives the family of a rule's id, `digests` the hash of its text now.
    """
    happened = Events()
    for at, play in enumerate(plays):
        shown: dict[int, float] = {}
        for name, digest in play.shown.items():
            now = digests.get(name, "")
            scale = _REWORDED if digest and now and digest != now else 1.0
            shown[owner[name]] = max(scale, shown.get(owner[name], 0.0))
        if play.outcome is not None:
            lines = max(play.lines, len(play.shown))
            happened.add(at, play.outcome, SESSION, shown, lines)
        for name, well in play.judged.items():
            family = owner[name]
            own = {family: _OCCASION * shown[family]} if family in shown else {}
            happened.add(at, float(well), family, own)
        for name, reward in play.rewards.items():
            if reward in _ANSWERS:
                family = owner[name]
                happened.add(at, _ANSWERS[reward], WORD, {family: _REWARD * shown.get(family, 1.0)})
    return happened


def table(
    happened: Events, layout: Layout, homes: Membership, weights: Floats, promised: Promises
) -> Table:
    """Lay events out for the regression; `homes` and `weights` are by play."""
    played, answers, about, lines = np.array(happened.rows, float).reshape(-1, 4).T
    explained, families, scales = np.array(happened.causes, float).reshape(-1, 3).T
    plays, about = played.astype(np.intp), about.astype(np.intp)
    rows, owners = explained.astype(np.intp), families.astype(np.intp)
    places, parts = homes.places[plays[rows]], homes.weights[plays[rows]]
    blocks = layout.start + owners * layout.block
    fitting, sharing = (
        scales * (by[owners[:, None], places] * parts).sum(axis=1)
        for by in (promised.fits, promised.shares)
    )
    shared = (fitting, sharing, scales)
    count = len(plays)
    every = np.arange(count)
    causes: list[Cause] = [
        (every, np.full(count, layout.fit + at), np.asarray(np.bincount(rows, values, count)))
        for at, values in enumerate(shared)
    ]
    causes += [(rows, blocks, scales), (rows, blocks + 1, sharing)]
    causes += [(rows, blocks + 3 + places[:, side], scales * parts[:, side]) for side in (0, 1)]
    causes += _grounds(layout, plays, about, homes)
    at_rows, columns, values = (np.concatenate(parts) for parts in zip(*causes, strict=True))
    some = values != 0.0
    offsets = -promised.cost * lines
    return Table(answers, weights[plays], offsets, at_rows[some], columns[some], values[some])


def _grounds(layout: Layout, plays: Ints, about: Ints, homes: Membership) -> list[Cause]:
    """Give each row what it stands on without any rule: a baseline, or its occasion's ease."""
    whole, single = np.flatnonzero(about == SESSION), np.flatnonzero(about >= 0)
    places, parts = homes.places[plays[whole]], homes.weights[plays[whole]]
    one, other = np.ones(len(whole)), np.ones(len(single))
    return [
        (whole, np.zeros(len(whole), np.intp), one),
        *((whole, 1 + places[:, side], parts[:, side]) for side in (0, 1)),
        (single, np.full(len(single), layout.ease), other),
        (single, layout.start + about[single] * layout.block + 2, other),
    ]
