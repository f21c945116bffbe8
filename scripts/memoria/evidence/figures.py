"""Compute every figure of a study that can be defended.

Where a person chose the arms, rates and their differences are facts, and there is no chance to
compute with. A figure over too little is None, not 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoria.capture.repeats import of_class, table
from memoria.evidence.cluster_intervals import Interval, count_difference, share_difference
from memoria.evidence.e_values import (
    THRESHOLD,
    Sequence,
    Wealth,
    count_sequence,
    share_sequence,
    wealth,
)
from memoria.evidence.permutation_test import Permutation, permute
from memoria.evidence.power import Forecast, forecast
from memoria.evidence.rates import Classical, Effect, Rate, classical, effects, rate

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from memoria.capture.repeats import Table, Unit
    from memoria.evidence.experiment import Experiment


@dataclass(frozen=True, slots=True)
class Evidence:
    """All figures of an experiment.

    `treated` and `control` are the sessions of known arm (under a coin: those that a coin put
    there); `unknown` counts the sessions whose arm was not recorded, `chosen` those of a coin's
    study whose arm was no coin's, `unsettled` those of before-after whose memory was still filling,
    `beyond` those after the planned number: all four are left out. `sessions` names those that
    count, in order: the paths of `wealth` go along them.
    """

    experiment: Experiment
    treated: Rate
    control: Rate
    unknown: int = 0
    chosen: int = 0
    unsettled: int = 0
    beyond: int = 0
    sessions: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    share: Interval | None = None
    count: Interval | None = None
    classical: Classical | None = None
    permutation: Permutation | None = None
    wealth: Wealth = field(default_factory=Wealth)
    share_sequence: Sequence | None = None
    count_sequence: Sequence | None = None
    forecast: Forecast | None = None

    @property
    def has_both_arms(self) -> bool:
        """Say whether there is anything to compare."""
        return bool(self.treated.sessions and self.control.sessions)

    @property
    def crossed(self) -> bool:
        """Say whether the e-value reached its threshold at any look."""
        return self.wealth.peak >= THRESHOLD

    @property
    def anytime_p(self) -> float:
        """The p-value that holds however often one looked: 1 over the highest e-value."""
        return min(1.0, 1 / self.wealth.peak)


def weigh(sessions: Iterable[Unit], experiment: Experiment, rng: np.random.Generator) -> Evidence:
    """Compute what an experiment's sessions allow to say; `rng` deals for the permutation test."""
    units = sorted(sessions, key=lambda unit: (unit.at, unit.session))
    units = list(of_class(units, experiment.error_class)) if experiment.error_class else units
    known = [unit for unit in units if unit.treated is not None]
    design = experiment.design
    fit = [
        unit
        for unit in known
        if (unit.is_tossed if design == "coin" else unit.settled or design == "all-on")
    ]
    counted = fit[: experiment.planned] if design == "coin" else fit
    evidence = Evidence(
        experiment,
        rate(unit for unit in counted if unit.treated),
        rate(unit for unit in counted if not unit.treated),
        unknown=len(units) - len(known),
        chosen=len(known) - len(fit) if design == "coin" else 0,
        unsettled=len(known) - len(fit) if design == "before-after" else 0,
        beyond=len(fit) - len(counted),
        sessions=tuple(unit.session for unit in counted),
    )
    return _compared(evidence, table(counted), rng) if design != "all-on" else evidence


def _compared(evidence: Evidence, data: Table, rng: np.random.Generator) -> Evidence:
    """Add what is a fact, however the arms came about, and what rests on the coin."""
    treated, control = evidence.treated, evidence.control
    facts = replace(
        evidence,
        effects=effects(treated, control) if evidence.has_both_arms else (),
        share=share_difference(data),
        count=count_difference(data.repeats, data),
        classical=classical(treated, control),
    )
    if evidence.experiment.design != "coin":
        return facts
    path = wealth(data)
    log_wealth = path.total[-1] if path.total else 0.0
    return replace(
        facts,
        permutation=permute(data, rng),
        wealth=path,
        share_sequence=share_sequence(data),
        count_sequence=count_sequence(data),
        forecast=forecast(data, log_wealth, evidence.experiment.worth),
    )
