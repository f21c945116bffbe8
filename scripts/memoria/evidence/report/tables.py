"""Write what a study shows as tables: both arms, the tests, and the parts of its sessions.

An empty table looks like a result, so what is not defined has no row.
"""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING, NamedTuple

from memoria.evidence.rates import by_class, by_project, by_rule, rate
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import date

    from memoria.capture.repeats import Unit
    from memoria.evidence.figures import Evidence
    from memoria.evidence.study import Studied

# rows of a list; `memoria experiment report --json` has all
_MOST = 8


class Cell(NamedTuple):
    """A cell: its words, smaller ones below, and the file of the vault that `link` leads to."""

    text: str
    sub: str = ""
    link: str = ""
    path: str = ""
    is_code: bool = False


class Table(NamedTuple):
    """A table whose first column names the row; `otherwise` is said where it has no rows."""

    caption: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str | Cell, ...]]
    otherwise: str = ""


def place(studied: Studied) -> str:
    """Say where a study runs."""
    project = studied.experiment.project
    return label(project) if project else "all projects"


def span(studied: Studied) -> str:
    """Say when a study ran."""
    begun, ended = studied.experiment.started.date(), studied.experiment.ended
    return between(begun, ended.date()) if ended else f"since {full_day(begun)}"


def arms(evidence: Evidence) -> Table:
    """Give the table of both arms."""
    header = ("arm", "sessions", "mistakes", "repeats", "share that repeats (RMR)")
    rows = [
        (
            name,
            f"{rate.sessions:,}",
            f"{rate.mistakes:,}",
            f"{rate.repeats:,}",
            percent(rate.rmr),
            rough(rate.repeats_per_session),
            rough(rate.mistakes_per_session),
        )
        for name, rate in (("with Memoria", evidence.treated), ("without", evidence.control))
    ]
    caption = (
        "Both arms. A repeat is an error that an earlier session of the project had met within the "
        "look-back."
    )
    return Table(caption, (*header, "repeats per session", "errors per session"), rows)


def parts(units: Sequence[Unit]) -> Table:
    """Give the rates by class of error and by project, over all sessions of a study."""
    projects = by_project(units)
    rows = [(f"class {name}", total) for name, total in by_class(units).items()][:_MOST]
    if len(projects) > 1:
        shown = list(projects)[:_MOST]
        rows += [(f"project {_name(key, projects)}", projects[key]) for key in shown]
        others = rate(unit for unit in units if unit.project not in shown)
        rows += [("the other projects", others)] if others.sessions else []
    written = [
        (name, f"{total.mistakes:,}", f"{total.repeats:,}", percent(total.rmr))
        for name, total in rows
    ]
    caption = "By class of error and by project, all sessions of the study"
    return Table(caption, ("part", "errors", "repeats", "RMR"), written)


def _name(project: str, projects: Collection[str]) -> str:
    """Give a project's name with as much of its folder as tells it from the others."""
    folders = project.split("/")
    tails = ("/".join(folders[-size:]) for size in range(1, len(folders)))
    alone = (tail for tail in tails if sum(key.endswith(f"/{tail}") for key in projects) == 1)
    return next(alone, project)


def beside(units: Sequence[Unit]) -> list[tuple[str, str, str, str]]:
    """Give the rules that go along with corrections, as the seed's report names them.

    Id, corrections per session with it, sessions with it, and corrections per session without.
    """
    rows = [row for row in by_rule(units, "correction") if row.with_it.mistakes][:_MOST]
    return [
        (
            row.rule,
            rough(row.with_it.mistakes_per_session),
            f"{row.with_it.sessions:,}",
            rough(row.without.mistakes_per_session),
        )
        for row in rows
    ]


def tests(evidence: Evidence) -> Table:
    """Give the figures beside the verdict: name, value, what it means."""
    rows = [*_intervals(evidence), *_effects(evidence), *_by_chance(evidence)]
    if evidence.classical:
        seed = evidence.classical
        said = f"z = {signed(seed.z)}, {chance(seed.p)}; χ² = {seed.chi_squared:.2f}"
        rows.append(("two-proportion z and chi-squared", said, seed.note))
    header = ("figure", "value", "what it means")
    return Table("The figures beside the verdict, which weighs them", header, rows)


def _intervals(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    once = "treated minus control; 95% interval for one look"
    for name, write, interval in (
        ("RMR", points, evidence.share),
        ("repeats per session", signed, evidence.count),
    ):
        if interval:
            unit = " points" if write is points else ""
            limits = f"{write(interval.low)} to {write(interval.high)}"
            yield f"difference of {name}", f"{write(interval.estimate)}{unit} ({limits})", once


def _effects(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    for effect in evidence.effects:
        if effect.value is not None and not effect.name.startswith("difference"):
            is_relative = "relative" in effect.name
            value = percent(effect.value) if is_relative else f"{effect.value:.2f}"
            yield effect.name, value, effect.means


def _by_chance(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    if evidence.wealth.total:
        said = f"{stake(evidence.wealth.peak)} at its highest, {chance(evidence.anytime_p, '≤')}"
        yield "e-value", said, "holds however often one looked"
    if not evidence.wealth.total:
        yield "test", NONE, "nothing was drawn, so there is no chance to compute with"


# written as code, since they look like letters
MINUS, NONE = "\u2212", "\u2013"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PLACES = 4  # a repeat in 10,000 sessions; what is smaller is none
_LEAST_STAKE = 0.001


def day(at: date) -> str:
    """Write a day without its year."""
    return f"{at.day} {_MONTHS[at.month - 1]}"


def full_day(at: date) -> str:
    """Write a day with its year."""
    return f"{day(at)} {at.year}"


def between(since: date, until: date) -> str:
    """Write a span of days."""
    if since == until:
        return full_day(since)
    if since.year != until.year:
        return f"{full_day(since)} to {full_day(until)}"
    first = str(since.day) if since.month == until.month else day(since)
    return f"{first} to {full_day(until)}"


def rough(value: float | None) -> str:
    """Write a number with the two digits that count, whole from 10 on."""
    if value is None:
        return NONE
    size = floor(log10(abs(value))) if value else 0
    text = f"{value:,.{min(max(1 - size, 0), _PLACES)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"", "-0", "-"} else text


def percent(value: float | None) -> str:
    """Write a share."""
    return NONE if value is None else f"{value:.0%}"


def points(value: float) -> str:
    """Write a difference of shares as a number of points."""
    return f"{100 * value:+.0f}".replace("-", MINUS)


def signed(value: float) -> str:
    """Write a difference of counts."""
    return f"+{rough(value)}" if value > 0 else rough(value).replace("-", MINUS)


def chance(p: float, sign: str = "=") -> str:
    """Write a p-value with its sign, as papers do."""
    if p < 0.001:  # noqa: PLR2004 - the last that papers tell apart
        return "p < .001"
    return f"p {sign} {p:.3f}".replace(" 0.", " .")


def stake(value: float) -> str:
    """Write an e-value; one beyond a million, or a stake that is all but lost, is told as that."""
    if value > 1e6:  # noqa: PLR2004 - as the verdict says
        return "over a million"
    return f"under {_LEAST_STAKE}" if value < _LEAST_STAKE else rough(value)
