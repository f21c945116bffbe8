"""Share counted sessions with a team and read colleagues': their experiments have one verdict.

A fact of a session has numbers and a hash of its name, no text. Each pair of person and project is
a stratum, and only what one version of the detector counted is pooled. What a colleague sends may
be made up: a unit that cannot be one is left out, and none counts as this person's own.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.capture.repeats import Unit
from memoria.team.fact import UNIT, Fact, detail
from memoria.text.dates import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.evidence.experiment import Experiment

# errors of one session: real ones have at most some hundred
_MOST = 1_000
_COUNTED = ("treated", "p", "mistakes", "repeats")


def fact_of(author: str, unit: Unit, detector: int) -> Fact:
    """Give a counted session as its author's fact."""
    name = hashlib.sha256(f"{author}\n{unit.session}".encode()).hexdigest()[:16]
    counted = {key: getattr(unit, key) for key in _COUNTED}
    counted |= {"at": unit.at.isoformat(), "detector": detector}
    said = json.dumps(counted, sort_keys=True, separators=(",", ":"))
    return Fact(author, unit.project, UNIT, str(unit.at.date()), name, detail=said)


def pooled(
    own: Iterable[Unit], facts: Iterable[Fact], author: str, experiment: Experiment, detector: int
) -> list[Unit]:
    """Give the units of all members; `author` is this person, whose facts came back from the team.

    A count of all errors says nothing of one class, so an experiment with a class has its own.
    """
    if experiment.error_class:
        return list(own)
    units = {unit.session: unit for unit in (replace(unit, stratum=author) for unit in own)}
    for fact in facts:
        if fact.author != author and experiment.reaches(fact.project):
            units |= {unit.session: unit for unit in _units(fact, experiment, detector)}
    return list(units.values())


def _units(fact: Fact, experiment: Experiment, detector: int) -> Iterator[Unit]:
    """Give the unit of a fact, if its numbers can be those of a session of the experiment."""
    counted = detail(fact)
    at, (treated, p, mistakes, repeats) = moment(counted.get("at")), map(counted.get, _COUNTED)
    if type(mistakes) is not int or type(repeats) is not int or counted.get("detector") != detector:
        return
    if not isinstance(treated, bool) or not isinstance(p, float) or not 0 < p < 1:
        return
    if at is not None and 0 <= repeats <= mistakes <= _MOST and experiment.covers(at):
        name = f"{fact.author} {fact.text}"
        yield Unit(name, at, fact.project, treated, p, mistakes, repeats, fact.author)
