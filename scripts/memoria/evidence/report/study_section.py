"""Prepare the report's section on a study: its verdict, the table of both arms, and the tests.

An empty table looks like a result, so a study with one arm has neither tables nor pictures, and
what is not defined has no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.repeats import of_class
from memoria.evidence.charts.axis import full_day
from memoria.evidence.charts.figures import (
    NONE,
    Figure,
    between,
    chance,
    percent,
    points,
    rough,
    signed,
    whole,
)
from memoria.evidence.charts.timelines import rates, stake, stated
from memoria.evidence.rates import by_class, by_project, by_rule, rate
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.figures import Evidence
    from memoria.evidence.rates import Rate
    from memoria.evidence.study import Studied
    from memoria.evidence.verdict import Conclusion

    Rows = tuple[tuple[str, ...], ...]

# rows of a list; `memoria experiment report --json` has all
_MOST = 8


@dataclass(frozen=True, slots=True)
class StudySection:
    """A study as the report shows it.

    `place` and `span` say where and when it runs. `arms` is the table of both arms, `figures` are
    its pictures, `tests` what stands beside the verdict: (name, value, what it means); there are
    none of these two with one arm alone. `parts` are
    the rates of both arms together by class of mistake and by project. `beside` names rules that go
    along with corrections, `outside` those that reach both arms, by id.
    """

    name: str
    design: str
    place: str
    span: str
    running: bool
    sessions: int
    verdict: Conclusion
    everywhere: bool = False
    notes: tuple[str, ...] = ()
    arms: Rows = ()
    figures: tuple[Figure, ...] = ()
    tests: Rows = ()
    parts: Rows = ()
    beside: Rows = ()
    outside: tuple[str, ...] = ()
    header: tuple[str, ...] = (
        "sessions",
        "mistakes",
        "repeats",
        "share that repeats (RMR)",
        "repeats per session",
        "errors per session",
    )

    @property
    def other_notes(self) -> tuple[str, ...]:
        """The notes without the one on rules outside, whom all renderings name by their words."""
        return tuple(note for note in self.notes if not note.startswith("Outside the experiment"))


@dataclass(frozen=True, slots=True)
class SessionTables:
    """What sessions show whatever their arm: `parts` and `beside` as in a StudySection."""

    parts: Rows
    beside: Rows

    @classmethod
    def of(cls, units: Sequence[Unit]) -> SessionTables:
        """Make the tables of sessions."""
        return cls(tuple(_parts(units)), tuple(_beside(units)))


def study_section(studied: Studied) -> StudySection:
    """Make the report's part on a study."""
    experiment, evidence = studied.experiment, studied.evidence
    drawn: Sequence[Unit] = studied.counted
    if experiment.error_class:
        drawn = of_class(drawn, experiment.error_class)
    both = bool(evidence.treated.sessions and evidence.control.sessions)
    begun = experiment.started.date()
    return StudySection(
        experiment.id,
        experiment.design,
        label(experiment.project) if experiment.project else "all projects",
        between(begun, experiment.ended.date()) if experiment.ended else f"since {full_day(begun)}",
        experiment.is_running,
        len(evidence.sessions),
        studied.conclusion,
        not experiment.project,
        studied.notes or studied.conclusion.notes,
        _arms(evidence),
        (*rates(drawn), *stake(evidence)) if both else (),
        tuple(_tests(evidence)) if both else (),
        tuple(_parts(studied.units)),
        tuple(_beside(studied.units)),
        evidence.experiment.outside,
    )


def _parts(units: Sequence[Unit]) -> Iterator[tuple[str, ...]]:
    """Give the rates by class of mistake and by project, over all sessions of the study."""
    projects = by_project(units)
    rows = [(f"class {name}", found) for name, found in by_class(units).items()][:_MOST]
    if len(projects) > 1:
        shown = list(projects)[:_MOST]
        rows += [(f"project {_name(key, projects)}", projects[key]) for key in shown]
        others = rate(unit for unit in units if unit.project not in shown)
        rows += [("the other projects", others)] if others.sessions else []
    for name, found in rows:
        yield name, f"{found.mistakes:,}", f"{found.repeats:,}", percent(found.rmr)


def _name(project: str, projects: Collection[str]) -> str:
    """Give a project's name with as much of its folder as tells it from the others."""
    parts = project.split("/")
    tails = ("/".join(parts[-size:]) for size in range(1, len(parts)))
    alone = (tail for tail in tails if sum(key.endswith(f"/{tail}") for key in projects) == 1)
    return next(alone, project)


def _beside(units: Sequence[Unit]) -> Iterator[tuple[str, ...]]:
    """Give the rules that go along with corrections: id, corrections per session with and without.

    As the seed's report names them. They are chosen where they fit, so it says nothing of a cause.
    """
    rows = [beside for beside in by_rule(units, "correction") if beside.with_it.mistakes]
    for beside in rows[:_MOST]:
        yield (
            beside.rule,
            rough(beside.with_it.mistakes_per_session),
            f"{beside.with_it.sessions:,}",
            rough(beside.without.mistakes_per_session),
        )


def _arms(evidence: Evidence) -> Rows:
    rows = (("with Memoria", evidence.treated), ("without", evidence.control))
    return tuple((name, *_row(rate)) for name, rate in rows)


def _row(rate: Rate) -> tuple[str, ...]:
    return (
        f"{rate.sessions:,}",
        f"{rate.mistakes:,}",
        f"{rate.repeats:,}",
        percent(rate.rmr),
        rough(rate.repeats_per_session),
        rough(rate.mistakes_per_session),
    )


# -- What stands beside the verdict ---------------------------------------------------------------


def _tests(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """Give the figures beside the verdict, each with its meaning."""
    yield from _intervals(evidence)
    for effect in evidence.effects:
        if effect.value is not None and not effect.name.startswith("difference"):
            relative = "relative" in effect.name
            yield (
                effect.name,
                percent(effect.value) if relative else f"{effect.value:.2f}",
                effect.means,
            )
    yield from _by_chance(evidence)
    if evidence.robust:
        robust = evidence.robust
        yield (
            "cluster-robust test of RMR",
            chance(robust.p),
            "Student's t with CR1 errors, as others print it",
        )
    if evidence.classical:
        seed = evidence.classical
        said = f"z = {signed(seed.z)}, {chance(seed.z_p)}; χ² = {seed.chi_squared:.2f}"
        yield "two-proportion z and chi-squared", said, seed.note


def _intervals(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    once = "treated minus control; 95% interval for one look"
    if evidence.share:
        interval = evidence.share
        said = f"{points(interval.estimate)} ({whole(interval.low)} to {whole(interval.high)})"
        yield "difference of RMR", said, once
    if evidence.count:
        interval = evidence.count
        said = f"{signed(interval.estimate)} ({signed(interval.low)} to {signed(interval.high)})"
        yield "difference of repeats per session", said, once
    always = "limits that hold however often one looks"
    for name, sequence, write in (
        ("limits of the difference of RMR, in points", evidence.share_sequence, whole),
        ("limits of the difference of repeats per session", evidence.count_sequence, signed),
    ):
        if sequence and sequence.low:
            yield name, f"{write(sequence.low[-1])} to {write(sequence.high[-1])}", always


def _by_chance(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    if evidence.wealth.total:
        said = f"{stated(evidence.wealth.peak)} at its highest, {chance(evidence.anytime_p, '≤')}"
        yield "e-value", said, "holds however often one looked"
    if evidence.permutation:
        permutation = evidence.permutation
        said = f"RMR {chance(permutation.share_p)}, repeats {chance(permutation.count_p)}"
        planned = evidence.experiment.planned
        valid = (
            f"for {planned} sessions planned beforehand"
            if planned
            else ("holds only for a number of sessions that was planned beforehand; here none was")
        )
        yield "permutation of whole sessions", said, valid
    if evidence.forecast and not evidence.crossed:
        ahead = evidence.forecast
        by = "if repeats fell by" if ahead.basis == "supposed" else "if they really fall by"
        if ahead.reduction > 0:
            said = f"{ahead.watched:,} in all, about {ahead.more:,} more"
            yield "sessions for a power of .8", said, f"{by} {percent(ahead.reduction)}"
    if not evidence.wealth.total and not evidence.permutation:
        yield "test", NONE, "nothing was drawn, so there is no chance to compute with"
