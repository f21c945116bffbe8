"""Lay plays out as a table of what happened, and which weights may explain each row.

Three kinds of rows: a session went without a repeated mistake or did not; the occasion of one rule
came and went well or did not, with the rule in the session or without; a person said that a rule
helped. Old plays weigh less, and rules that were reworded since carry half of what they showed. A
session's two neighbourhoods name one weight each, and a family shown by two wordings counts once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from memoria.learning.logistic import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
# sessions after which half of the habituation to a rule is gone
_REST = 10.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each weight stands: what all share first, then a block for each family.

    Shared: the baseline, one for each neighbourhood, fit, share, a rule as such, rest, ease. Block:
    the family everywhere, where it fits, its ease, and in each neighbourhood.
    """

    places: int
    families: int

    @property
    def fit(self) -> int:
        """The first of the five weights that are the same for all families."""
        return 1 + self.places

    @property
    def ease(self) -> int:
        """The weight of how often an occasion goes well without help."""
        return self.fit + 4

    @property
    def block(self) -> int:
        """The length of a family's block."""
        return 3 + self.places

    @property
    def start(self) -> int:
        """The first weight of the first family."""
        return self.ease + 1

    @property
    def size(self) -> int:
        """How many weights there are."""
        return self.start + self.families * self.block


@dataclass(frozen=True, slots=True)
class Promises:
    """What texts promise, by family and neighbourhood, and what every line costs in log-odds."""

    fits: Floats
    shares: Floats
    cost: float


@dataclass(slots=True)
class Events:
    """What happened, in columns: rows with their play, and the families that may explain each.

    `easy` are families whose occasion it was, -1 for a session as a whole, -2 for a person's word.
    `rows`, `owners`, `scales` and `rests` are one entry for each row and family shown.
    """

    plays: list[int] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    easy: list[int] = field(default_factory=list)
    lines: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    scales: list[float] = field(default_factory=list)
    rests: list[float] = field(default_factory=list)

    def add(self, play: int, answer: float, easy: int, lines: float) -> int:
        """Add a row and give its number."""
        self.plays.append(play)
        self.answers.append(answer)
        self.easy.append(easy)
        self.lines.append(lines)
        return len(self.plays) - 1

    def explain(self, row: int, owner: int, scale: float, rest: float) -> None:
        """Add a family that was shown to a row."""
        self.rows.append(row)
        self.owners.append(owner)
        self.scales.append(scale)
        self.rests.append(rest)


SESSION, WORD = -1, -2


def rest(gap: int | None) -> float:
    """Say how rested a rule is that was last shown so many sessions ago (None: never), 0 to 1."""
    return 1.0 if gap is None else 1.0 - 0.5 ** (gap / _REST)


def events(
    plays: Sequence[Play], owner: Mapping[str, int], digests: Mapping[str, str]
) -> tuple[Events, dict[int, int]]:
    """Turn plays, in order, into events; also the play in which each family was last shown.

    `owner` gives the family of a rule's id, `digests` the hash of its text now.
    """
    happened, last = Events(), dict[int, int]()
    for at, play in enumerate(plays):
        shown: dict[int, float] = {}
        for name, digest in play.shown.items():
            now = digests.get(name, "")
            scale = _REWORDED if digest and now and digest != now else 1.0
            shown[owner[name]] = max(scale, shown.get(owner[name], 0.0))
        rests = {family: rest(at - last[family] if family in last else None) for family in shown}
        if play.outcome is not None:
            row = happened.add(at, play.outcome, SESSION, max(play.lines, len(play.shown)))
            for family, scale in shown.items():
                happened.explain(row, family, scale, rests[family])
        _add_single_rules(happened, at, play, owner, shown)
        last.update(dict.fromkeys(shown, at))
    return happened, last


def _add_single_rules(
    happened: Events, at: int, play: Play, owner: Mapping[str, int], shown: Mapping[int, float]
) -> None:
    """Add what was seen or said of single rules."""
    for name, well in play.judged.items():
        family = owner[name]
        row = happened.add(at, float(well), family, 0.0)
        if family in shown:
            happened.explain(row, family, _OCCASION * shown[family], 0.0)
    for name, reward in play.rewards.items():
        if reward in _ANSWERS:
            row = happened.add(at, _ANSWERS[reward], WORD, 0.0)
            happened.explain(row, owner[name], _REWARD * shown.get(owner[name], 1.0), 0.0)


def table(
    happened: Events, layout: Layout, homes: Membership, weights: Floats, promised: Promises
) -> Table:
    """Lay events out for the regression; `homes` and `weights` are by play."""
    plays, easy = np.array(happened.plays, np.intp), np.array(happened.easy, np.intp)
    rows, owners = np.array(happened.rows, np.intp), np.array(happened.owners, np.intp)
    scales = np.array(happened.scales)
    where = homes.places[plays[rows]], homes.weights[plays[rows]]
    blocks = layout.start + owners * layout.block
    fitting, sharing = (
        scales * (by[owners[:, None], where[0]] * where[1]).sum(axis=1)
        for by in (promised.fits, promised.shares)
    )
    shared = (fitting, sharing, scales, scales * np.array(happened.rests))
    count = len(plays)
    sums = [np.asarray(np.bincount(rows, values, count), float) for values in shared]
    every = np.arange(count)
    causes: list[Cause] = [
        (every, np.full(count, layout.fit + at), sums[at]) for at in range(len(sums))
    ]
    causes += [(rows, blocks, scales), (rows, blocks + 1, sharing)]
    causes += [
        (rows, blocks + 3 + where[0][:, side], scales * where[1][:, side]) for side in (0, 1)
    ]
    causes += _grounds(layout, plays, easy, homes)
    return Table(
        np.array(happened.answers),
        weights[plays],
        -promised.cost * np.array(happened.lines),
        *_flat(causes),
    )


def _grounds(layout: Layout, plays: Ints, easy: Ints, homes: Membership) -> list[Cause]:
    """Give each row what it stands on without any rule: a baseline, or its occasion's ease."""
    whole, single = np.flatnonzero(easy == SESSION), np.flatnonzero(easy >= 0)
    places, parts = homes.places[plays[whole]], homes.weights[plays[whole]]
    one, other = np.ones(len(whole)), np.ones(len(single))
    return [
        (whole, np.zeros(len(whole), np.intp), one),
        *((whole, 1 + places[:, side], parts[:, side]) for side in (0, 1)),
        (single, np.full(len(single), layout.ease), other),
        (single, layout.start + easy[single] * layout.block + 2, other),
    ]


def _flat(causes: Iterable[Cause]) -> tuple[Ints, Ints, Floats]:
    rows, columns, values = zip(*causes, strict=True)
    kept = np.concatenate(values)
    some = kept != 0.0
    return np.concatenate(rows)[some], np.concatenate(columns)[some], kept[some]
