"""Make units of colleagues' counted sessions, so that a team's experiment has one verdict.

Each pair of person and project is a stratum. Only what was counted alike is pooled: the same class
of errors, look-back and version of the detector. What a colleague sends may be made up, so a unit
that cannot be one is left out, and their sessions never count as this person's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.capture.repeats import Unit
from memoria.team.fact import UNIT, detail
from memoria.text.dates import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.evidence.experiment import Experiment
    from memoria.team.fact import Fact

# errors of one session: real ones have at most some hundred
_MOST = 1_000


def pooled(
    own: Iterable[Unit], facts: Iterable[Fact], author: str, experiment: Experiment, detector: int
) -> list[Unit]:
    """Give the units of all members, strata by person and project.

    `author` is this person, whose own facts came back from the team and are left out.
    """
    if experiment.error_class:
        return list(own)  # a count of all errors says nothing of one class
    alike = {
        "error_class": experiment.error_class,
        "days": experiment.days,
        "sessions": experiment.sessions,
        "detector": detector,
    }
    units = {unit.session: unit for unit in (replace(unit, stratum=author) for unit in own)}
    for fact in facts:
        name, counted = f"{fact.author} {fact.text}", detail(fact)
        here = fact.kind == UNIT and fact.author != author and experiment.reaches(fact.project)
        if here and all(counted.get(key) == value for key, value in alike.items()):
            for unit in _unit(fact, name, experiment):
                units.setdefault(name, unit)
    return list(units.values())


def _unit(fact: Fact, name: str, experiment: Experiment) -> Iterator[Unit]:
    """Give the unit of a fact, if its numbers can be those of a session of the experiment."""
    counted = detail(fact)
    at, treated, p = moment(counted.get("at")), counted.get("treated"), counted.get("p")
    mistakes, repeats = counted.get("mistakes"), counted.get("repeats")
    if type(mistakes) is not int or type(repeats) is not int:
        return
    if not isinstance(treated, bool) or not isinstance(p, float) or not 0 < p < 1:
        return
    if at is not None and 0 <= repeats <= mistakes <= _MOST and experiment.covers(at):
        yield Unit(name, at, fact.project, treated, p, mistakes, repeats, fact.author)
