"""Compute every figure of a study that can be defended.

Where a person chose the arms, rates and their differences are facts, and there is no chance to
compute with. A figure over too little is None, not 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoria.capture.repeats import of_class, table
from memoria.evidence.cluster_intervals import Interval, count_difference, share_difference
from memoria.evidence.e_values import THRESHOLD, Wealth, wealth
from memoria.evidence.rates import Classical, Effect, Rate, classical, effects, rate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.capture.repeats import Unit
    from memoria.evidence.experiment import Experiment


@dataclass(frozen=True, slots=True)
class Evidence:
    """All figures of an experiment.

    `treated` and `control` are the sessions of known arm (under a coin: those that a coin put
    there); `unknown` counts the sessions whose arm was not recorded, `chosen` those of a coin's
    study whose arm was no coin's, `unsettled` those of before-after whose memory was still filling:
    all three are left out. `sessions` names those that count, in order: the paths of `wealth` go
    along them.
    """

    experiment: Experiment
    treated: Rate
    control: Rate
    unknown: int = 0
    chosen: int = 0
    unsettled: int = 0
    sessions: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    share: Interval | None = None
    count: Interval | None = None
    classical: Classical | None = None
    wealth: Wealth = field(default_factory=Wealth)

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


def weigh(sessions: Iterable[Unit], experiment: Experiment) -> Evidence:
    """Compute what an experiment's sessions allow to say."""
    units = sorted(sessions, key=lambda unit: (unit.at, unit.session))
    units = list(of_class(units, experiment.error_class)) if experiment.error_class else units
    known = [unit for unit in units if unit.treated is not None]
    is_coin = experiment.design == "coin"
    counted = [unit for unit in known if (unit.is_tossed if is_coin else unit.settled)]
    left_out = len(known) - len(counted)
    treated, control = (rate(u for u in counted if u.treated is arm) for arm in (True, False))
    data = table(counted)
    # facts, however the arms came about
    evidence = Evidence(
        experiment,
        treated,
        control,
        unknown=len(units) - len(known),
        chosen=left_out if is_coin else 0,
        unsettled=0 if is_coin else left_out,
        sessions=tuple(unit.session for unit in counted),
        effects=effects(treated, control) if treated.sessions and control.sessions else (),
        share=share_difference(data),
        count=count_difference(data.repeats, data),
        classical=classical(treated, control),
    )
    if not is_coin:
        return evidence
    return replace(evidence, wealth=wealth(data))
