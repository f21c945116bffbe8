"""Fit a logistic regression with a normal prior of its own for each weight.

Newton steps by conjugate gradients: each pass costs as much as there are numbers in the table, so
ten thousand weights are no obstacle. Sums through BLAS differ from machine to machine, so here they
are loops in a fixed order.

Plays are laid out as three kinds of rows: how a session went, how the occasion of one rule went,
and rewards that were given. Old plays weigh less, and rules that were reworded since carry half of
what they showed. A family shown by two wordings counts once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.learning.play import Play

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
# rows, the weight that may explain each, and how much of it
Cause = tuple[Ints, Ints, Floats]

# Newton doubles the digits with each step: more than this is a table without a solution
_MAX_STEPS = 25
# conjugate gradients: enough for the worst of 10,000 sessions, which took 60
_MAX_PASSES = 300
# the gradient's part that is left in a step, and the gain in log-likelihood that is none
_LEFT, _GAIN = 1e-9, 1e-9
# a step that makes it worse is halved, down to this
_MIN_STEP = 1e-3


@dataclass(frozen=True, slots=True)
class Table:
    """Observations: `answers` in [0, 1] with `weights`, known parts `offsets`, and sparse causes.

    `rows`, `columns` and `values` name the causes: observation, weight, how much. Where one
    observation names a weight twice, both count, but they belong added up.
    """

    answers: Floats
    weights: Floats
    offsets: Floats
    rows: Ints
    columns: Ints
    values: Floats


@dataclass(frozen=True, slots=True)
class Solution:
    """The most likely weights and their variances, each as if the others were known."""

    weights: Floats
    variances: Floats


def solve(table: Table, means: Floats, variances: Floats) -> Solution:
    """Find the weights that are most likely under the table and normal priors."""
    problem = _Problem(table, means, 1.0 / variances)
    weights = means.copy()
    scores = problem.scores(weights) + table.offsets
    loss = problem.loss(weights, scores)
    for _ in range(_MAX_STEPS):
        step = problem.step(weights, scores)
        step_scores = problem.scores(step)
        size, new_loss = 1.0, problem.loss(weights + step, scores + step_scores)
        while new_loss > loss and size > _MIN_STEP:
            size /= 2.0
            new_loss = problem.loss(weights + size * step, scores + size * step_scores)
        if new_loss > loss:
            break  # the last step was exact to rounding
        weights, scores = weights + size * step, scores + size * step_scores
        gain, loss = loss - new_loss, new_loss
        if gain < _GAIN:
            break
    return Solution(weights, 1.0 / problem.curvature(problem.slopes(scores)))


def chance(scores: Floats) -> Floats:
    """Turn log-odds into probabilities."""
    return np.asarray(1.0 / (1.0 + np.exp(-scores)))


class _Problem:
    """A table with its priors: the loss of weights, and its derivatives."""

    def __init__(self, table: Table, means: Floats, precisions: Floats) -> None:
        self.table, self.means, self.precisions = table, means, precisions

    def scores(self, weights: Floats) -> Floats:
        table = self.table
        summed = table.values * weights[table.columns]
        return np.asarray(np.bincount(table.rows, summed, len(table.answers)), float)

    def back(self, residuals: Floats) -> Floats:
        table = self.table
        products = table.values * residuals[table.rows]
        return np.asarray(np.bincount(table.columns, products, len(self.means)), float)

    def loss(self, weights: Floats, scores: Floats) -> float:
        table, offsets = self.table, weights - self.means
        losses = table.weights * (np.logaddexp(0.0, scores) - table.answers * scores)
        return float(losses.sum() + 0.5 * (self.precisions * offsets * offsets).sum())

    def slopes(self, scores: Floats) -> Floats:
        likely = chance(scores)
        return np.asarray(self.table.weights * likely * (1.0 - likely))

    def curvature(self, slopes: Floats) -> Floats:
        """Give the diagonal of the second derivative."""
        table = self.table
        summed = table.values * table.values * slopes[table.rows]
        return self.precisions + np.bincount(table.columns, summed, minlength=len(self.means))

    def step(self, weights: Floats, scores: Floats) -> Floats:
        """Solve for Newton's step by conjugate gradients, scaled by the diagonal."""
        table = self.table
        slopes = self.slopes(scores)
        scale = 1.0 / self.curvature(slopes)
        gradient = self.back(table.weights * (table.answers - chance(scores)))
        residual = gradient - self.precisions * (weights - self.means)
        step = np.zeros_like(residual)
        direction = scale * residual
        product = first = _dot(residual, direction)
        for _ in range(_MAX_PASSES):
            if product <= _LEFT * first or product <= 0.0:
                break
            curved = self.back(slopes * self.scores(direction)) + self.precisions * direction
            length = product / _dot(direction, curved)
            step += length * direction
            residual -= length * curved
            scaled = scale * residual
            old_product, product = product, _dot(residual, scaled)
            direction = scaled + (product / old_product) * direction
        return step


def _dot(first: Floats, second: Floats) -> float:
    return float((first * second).sum())


# -- Plays as rows of the table --------------------------------------------------------------------

# what a reworded rule's old evidence is worth: it is the same intent in other words
_REWORDED_WEIGHT = 0.5
# an occasion shows a rule's own effect, which a session's outcome, one of many causes, dilutes
_OCCASION_WEIGHT = 2.0
# who says "helped" is right about .75 log-odds in 19 of 20 cases: logistic(4 x .75) = .95
_REWARD_WEIGHT = 4.0
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

    def split(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Give of each family (row) its effect everywhere, where it fits, and by neighbourhood."""
        blocks = weights[self.start :].reshape(self.families, self.block)
        return blocks[:, :1], blocks[:, 1:2], blocks[:, 3:]


def build_layout(places: int, families: int) -> Layout:
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
    a session as a whole, WORD for a given reward. A cause is (row, family, scale).
    """

    rows: list[tuple[int, float, int, float]] = field(default_factory=list)
    causes: list[tuple[int, int, float]] = field(default_factory=list)

    def add(
        self, play: int, answer: float, about: int, scales: Mapping[int, float], lines: float = 0.0
    ) -> None:
        """Add a row, explained by the families shown."""
        self.causes += [(len(self.rows), family, scale) for family, scale in scales.items()]
        self.rows.append((play, answer, about, lines))


def build_events(plays: Sequence[Play], owner: Mapping[str, int], now: Mapping[str, str]) -> Events:
    """Turn plays, in order, into events.

    `owner` gives the family of a rule's id, `now` the hash of its text.
    """
    events = Events()
    for at, play in enumerate(plays):
        scales: dict[int, float] = {}
        for name, digest in play.shown.items():
            new_digest = now.get(name, "")
            scale = _REWORDED_WEIGHT if digest and new_digest and digest != new_digest else 1.0
            scales[owner[name]] = max(scale, scales.get(owner[name], 0.0))
        if play.outcome is not None:
            lines = max(play.lines, len(play.shown))
            events.add(at, play.outcome, SESSION, scales, lines)
        for name, well in play.judged.items():
            family = owner[name]
            shown_families = {family: _OCCASION_WEIGHT * scales[family]} if family in scales else {}
            events.add(at, float(well), family, shown_families)
        for name, reward in play.rewards.items():
            if reward in _ANSWERS:
                scale = _REWARD_WEIGHT * scales.get(owner[name], 1.0)
                events.add(at, _ANSWERS[reward], WORD, {owner[name]: scale})
    return events


def build_table(
    events: Events, layout: Layout, homes: Ints, weights: Floats, promised: Promises
) -> Table:
    """Lay events out for the regression; `homes` and `weights` are by play."""
    played, answers, about, lines = np.array(events.rows, float).reshape(-1, 4).T
    explained, families, scales = np.array(events.causes, float).reshape(-1, 3).T
    plays, about = played.astype(np.intp), about.astype(np.intp)
    rows, owners = explained.astype(np.intp), families.astype(np.intp)
    places = homes[plays[rows]]
    blocks = layout.start + owners * layout.block
    fitting, sharing = (
        scales * (by[owners, places] if by.size else 0.0) for by in (promised.fits, promised.shares)
    )
    shared = (fitting, sharing, scales)
    count = len(plays)
    all_rows = np.arange(count)
    causes: list[Cause] = [
        (all_rows, np.full(count, layout.fit + at), np.asarray(np.bincount(rows, values, count)))
        for at, values in enumerate(shared)
    ]
    causes += [(rows, blocks, scales), (rows, blocks + 1, sharing)]
    causes.append((rows, blocks + 3 + places, scales))
    causes += _grounds(layout, plays, about, homes)
    at_rows, columns, values = (np.concatenate(parts) for parts in zip(*causes, strict=True))
    mask = values != 0.0
    offsets = -promised.cost * lines
    return Table(answers, weights[plays], offsets, at_rows[mask], columns[mask], values[mask])


def _grounds(layout: Layout, plays: Ints, about: Ints, homes: Ints) -> list[Cause]:
    """Give each row what it stands on without any rule: a baseline, or its occasion's ease."""
    session_rows, occasion_rows = np.flatnonzero(about == SESSION), np.flatnonzero(about >= 0)
    per_session, per_occasion = np.ones(len(session_rows)), np.ones(len(occasion_rows))
    return [
        (session_rows, np.zeros(len(session_rows), np.intp), per_session),
        (session_rows, 1 + homes[plays[session_rows]], per_session),
        (occasion_rows, np.full(len(occasion_rows), layout.ease), per_occasion),
        (occasion_rows, layout.start + about[occasion_rows] * layout.block + 2, per_occasion),
    ]
