"""Fit one model of what helps: effects of rules by family and neighbourhood.

It is one logistic regression: a session's success has a baseline where it took place plus the
effects of the families that were shown, so rules that were active together share the credit. An
effect is what the text promises, and what is special to the family, to the family where it fits,
and to it in one neighbourhood. Priors are narrow, since exploring too much is the main danger.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoria.capture.extract.session_context import SessionContext
from memoria.learning import arms, logistic
from memoria.learning.play import Play, sort_plays
from memoria.learning.sparse import Sparse, average_by_owner, build_vectors

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed before the first session, in log-odds: mean and deviation of each weight.

    `half` is the number of sessions after which evidence counts half, `half_lives` how many such
    half-lives are looked at. `cost` is what a line costs whatever it says.
    """

    base: tuple[float, float] = (0.5, 0.5)
    place: tuple[float, float] = (0.0, 0.5)
    fit: tuple[float, float] = (0.1, 0.15)
    share: tuple[float, float] = (0.3, 0.15)
    rule: tuple[float, float] = (0.06, 0.15)
    ease: tuple[float, float] = (0.5, 0.7)
    family: float = 0.12
    family_fit: float = 0.4
    family_place: float = 0.25
    family_ease: float = 0.7
    cost: float = 0.03
    half: float = 1000.0
    half_lives: float = 4.0


PRIOR = Prior()


@dataclass(frozen=True, slots=True)
class Joint:
    """The fitted model.

    `owner` gives each rule's family by number, `names` the families, `words` the words of each.
    `overlaps` and what is `promised` are by family and neighbourhood; `solution` has all weights,
    where `layout` says.
    """

    prior: Prior
    layout: logistic.Layout
    owner: Mapping[str, int]
    names: tuple[str, ...]
    words: Sparse
    places: arms.Neighbourhoods
    overlaps: Floats
    promised: logistic.Promises
    solution: logistic.Solution


def fit(rules: Sequence[arms.Arm], plays: Iterable[Play], prior: Prior = PRIOR) -> Joint:
    """Learn from plays, whatever order they come in.

    What is older than `prior.half_lives` is not looked at, so that a hundred thousand plays take no
    longer than a few thousand.
    """
    ordered = sort_plays(plays)[-int(prior.half * prior.half_lives) :]
    owner, names = _number_families(rules, ordered)
    columns = {word: at for at, word in enumerate(sorted({w for arm in rules for w in arm.words}))}
    rows = build_vectors((arm.words for arm in rules), columns)
    words = average_by_owner(rows, [owner[arm.id] for arm in rules], len(names))
    places = arms.gather([play.context for play in ordered], columns)
    overlaps = arms.measure_overlap(words, places.words)
    fits, shares = arms.promise_fit(overlaps), arms.promise_share(overlaps, overlaps)
    promised = logistic.Promises(fits, shares, prior.cost)
    layout = logistic.build_layout(places.size, len(names))
    events = logistic.build_events(ordered, owner, {arm.id: arm.digest for arm in rules})
    homes, _ = arms.find_homes(places, [play.context for play in ordered])
    ages = np.arange(len(ordered) - 1, -1, -1)
    recency = np.asarray(0.5 ** (ages / prior.half))
    observed = logistic.build_table(events, layout, homes, recency, promised)
    solution = logistic.solve(observed, *_build_priors(layout, prior))
    return Joint(prior, layout, owner, names, words, places, overlaps, promised, solution)


def _number_families(
    rules: Sequence[arms.Arm], plays: Iterable[Play]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Number the families: those of the arms, then each rule of old plays that is none of them."""
    family_of = {arm.id: arm.family or arm.id for arm in rules}
    names = {name: at for at, name in enumerate(dict.fromkeys(family_of.values()))}
    owners = {name: names[family] for name, family in family_of.items()}
    for play in plays:
        for name in (*play.shown, *play.withheld, *play.judged, *play.rewards):
            if name not in owners:
                owners[name] = names.setdefault(name, len(names))
    return owners, tuple(names)


def _build_priors(layout: logistic.Layout, prior: Prior) -> tuple[Floats, Floats]:
    """Give the mean and the variance of each weight."""
    text_priors = (prior.fit, prior.share, prior.rule, prior.ease)
    shared = (prior.base, *[prior.place] * layout.places, *text_priors)
    family_priors = (prior.family, prior.family_fit, prior.family_ease)
    block = (*family_priors, *[prior.family_place] * layout.places)
    means = np.zeros(layout.size)
    means[: layout.start] = [mean for mean, _ in shared]
    spreads = np.array([*(spread for _, spread in shared), *block * layout.families])
    return means, spreads**2


def predict(model: Joint, contexts: Sequence[SessionContext]) -> tuple[Floats, Floats]:
    """Give mean and deviation of each family's effect (rows) in each context (columns).

    The cost of a line is not taken off, and the deviation is that of the family alone.
    """
    homes, nearest = arms.find_homes(model.places, contexts)
    foreign = nearest < arms.MIN_COSINE
    parts = np.zeros((model.places.size, len(contexts)))
    if model.places.size:
        parts[homes, np.arange(len(contexts))] = 1.0
    parts[:, foreign] = 0.0
    fits, shares = model.promised.fits @ parts, model.promised.shares @ parts
    if foreign.any():
        new_words = [context.words for context, new in zip(contexts, foreign, strict=True) if new]
        vectors = build_vectors(new_words, model.places.columns)
        overlaps = arms.measure_overlap(model.words, vectors.to_dense(len(model.places.columns)))
        fits[:, foreign] = arms.promise_fit(overlaps)
        shares[:, foreign] = arms.promise_share(overlaps, model.overlaps, new=True)
    means, variances = _weigh(model, fits, shares, parts)
    return means, np.sqrt(variances + foreign * model.prior.family_place**2)


def predict_everywhere(model: Joint) -> tuple[Floats, Floats]:
    """Give mean and deviation of each family's effect everywhere, by the size of places."""
    parts = (model.places.counts / max(1.0, float(model.places.counts.sum())))[:, None]
    fits, shares = model.promised.fits @ parts, model.promised.shares @ parts
    means, variances = _weigh(model, fits, shares, parts)
    return means[:, 0], np.sqrt(variances[:, 0])


def _weigh(model: Joint, fits: Floats, shares: Floats, parts: Floats) -> tuple[Floats, Floats]:
    """Give mean and variance of each family's effect; `parts` is how much of a place is in each."""
    layout, solution = model.layout, model.solution
    fitting, sharing, rule = solution.weights[layout.fit : layout.ease]
    own, own_fit, by_place = layout.split(solution.weights)
    means = rule + own + fitting * fits + (sharing + own_fit) * shares + by_place @ parts
    own, own_fit, by_place = layout.split(solution.variances)
    return means, own + own_fit * shares**2 + by_place @ parts**2
