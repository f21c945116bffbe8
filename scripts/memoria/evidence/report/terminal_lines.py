"""Studied -> the lines of a report for the terminal: verdict first, then figures, then notes.

Rates stand side by side with the counts that they rest on, and each test with the question that it
answers, since they differ and each will be quoted alone. The trap: where a design allows no test
none is shown, not even one that found nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import by_class, by_project, by_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.evidence.experiment import Experiment
    from memoria.evidence.figures import Evidence
    from memoria.evidence.rates import Rate
    from memoria.evidence.study import Studied
    from memoria.evidence.withholding.adherence import Adherence
    from memoria.evidence.withholding.by_rule import Standing

# rows of a list that a person reads; `--json` has all
_SHOWN = 8
# of a rule's words beside its id
_WORDS = 80
_LARGE = 100


def report(studied: Studied, texts: Mapping[str, str]) -> Iterator[str]:
    """Write the whole report; `texts` has the words of rules by id."""
    yield studied.conclusion.sentence
    yield ""
    yield from table(studied)
    yield from _differences(studied.evidence)
    yield from _tests(studied.evidence)
    yield from _breakdown(studied)
    yield from _rules(studied, texts)
    yield from _outside(studied, texts)
    # that one stands above already, with the rules' words
    notes = [note for note in studied.notes if not note.startswith("Outside the experiment")]
    yield from _block("Notes", notes)


def head(one: Experiment) -> str:
    """Say in a line what an experiment is."""
    about = f", mistakes of class {one.error_class}" if one.error_class else ""
    chance = f" p={one.p:g}" if one.design == "coin" else ""
    planned = f", {one.planned} sessions planned" if one.planned else ""
    until = f"to {one.ended:%Y-%m-%d}" if one.ended else "running"
    phase = ""
    if one.design == "before-after":
        phase = ", phase after" if one.switched else ", phase before"
    where = one.project or "all projects"
    return (
        f"{one.id} in {where}: {one.design}{chance}{phase}{about}{planned}; "
        f"from {one.started:%Y-%m-%d} {until}"
    )


def table(studied: Studied) -> Iterator[str]:
    """Show the rates of both arms."""
    yield head(studied.experiment)
    evidence = studied.evidence
    one, other = evidence.treated, evidence.control
    rows = [
        ("", "with Memoria", "without"),
        ("sessions", str(one.sessions), str(other.sessions)),
        ("mistakes", str(one.mistakes), str(other.mistakes)),
        ("met before (repeats)", str(one.repeats), str(other.repeats)),
        ("RMR (repeats / mistakes)", _share(one.rmr), _share(other.rmr)),
        (
            "repeats per session",
            _figure(one.repeats_per_session),
            _figure(other.repeats_per_session),
        ),
        (
            "mistakes per session",
            _figure(one.mistakes_per_session),
            _figure(other.mistakes_per_session),
        ),
    ]
    yield from (f"  {name:<26}{left:>12}{right:>12}".rstrip() for name, left, right in rows)
    if studied.open:
        yield (
            f"  Session {studied.open.session} is open ({studied.open.arm}, mistakes so far: "
            f"{studied.open_mistakes}); it counts once it has ended."
        )


def _differences(evidence: Evidence) -> Iterator[str]:
    lines = []
    if evidence.share:
        low, high = evidence.share.low, evidence.share.high
        lines.append(
            f"RMR: {_points(evidence.share.estimate)} points ({_points(low)} to {_points(high)})"
        )
    if evidence.robust:
        one = evidence.robust
        lines.append(
            f"RMR, cluster-robust: {_points(one.estimate)} points ({_points(one.low)} to "
            f"{_points(one.high)}), p {_p(one.p)}"
        )
    if evidence.count:
        one_ = evidence.count
        lines.append(
            f"repeats per session: {one_.estimate:+.2f} ({one_.low:+.2f} to {one_.high:+.2f})"
        )
    for name, path in (
        ("the share of repeats", evidence.share_sequence),
        ("repeats per session", evidence.count_sequence),
    ):
        if path and path.low:
            lines.append(
                f"{name}, limits that hold at every look: {path.low[-1]:+.2f} to "
                f"{path.high[-1]:+.2f}"
            )
    yield from _block("With minus without (95% intervals)", lines)
    yield from _block(
        "Effect sizes",
        (
            f"{one.name}: {one.value:+.2f} ({one.means})"
            for one in evidence.effects
            if one.value is not None
        ),
    )


def _tests(evidence: Evidence) -> Iterator[str]:
    lines = []
    if evidence.study.design == "coin" and evidence.sessions:
        wealth = evidence.wealth
        lines.append(
            f"e-value {_figure(wealth.now)} now, {_figure(wealth.peak)} at its highest; "
            f"{THRESHOLD:.0f} is evidence, whenever you look"
        )
    if evidence.permutation:
        test = evidence.permutation
        lines.append(
            f"permutation of sessions, for one look at a number fixed beforehand: p "
            f"{_p(test.share_p)} for RMR, {_p(test.count_p)} for repeats per session"
        )
    if evidence.classical:
        old = evidence.classical
        lines.append(
            f"two-proportion z-test p {_p(old.z_p)}, chi-squared p {_p(old.chi_squared_p)} (with "
            f"Yates' correction {_p(old.corrected_p)}). {old.note}"
        )
    if evidence.forecast:
        ahead = evidence.forecast
        what = "the effect so far" if ahead.basis == "seen" else "a fall worth having"
        lines.append(
            f"for {what} ({ahead.reduction:.0%} fewer repeats) it takes about {ahead.planned} "
            f"sessions tested once, {ahead.watched} looked at each time; {ahead.more} more from "
            "here"
        )
    yield from _block("Tests", lines)


def _breakdown(studied: Studied) -> Iterator[str]:
    # all sessions of the experiment, also those whose arm is not known
    yield from _block("By class of mistake, both arms", _rates(by_class(studied.units)))
    projects = by_project(studied.units)
    if len(projects) > 1:
        yield from _block("By project, both arms", _rates(projects))


def _rates(found: Mapping[str, Rate]) -> Iterator[str]:
    for name, rate in list(found.items())[:_SHOWN]:
        yield f"{name}: {rate.repeats} of {rate.mistakes} met before ({_share(rate.rmr)})"


def _rules(studied: Studied, texts: Mapping[str, str]) -> Iterator[str]:
    beside = [one for one in by_rule(studied.units, "correction") if one.with_it.mistakes]
    yield from _block(
        "Rules that go along with corrections (no cause: they are chosen where they fit)",
        (
            f"{_named(one.rule, texts)}: {_figure(one.with_it.mistakes_per_session)} corrections "
            f"per session with it ({one.with_it.sessions} sessions), "
            f"{_figure(one.without.mistakes_per_session)} without"
            for one in beside[:_SHOWN]
        ),
    )


def _outside(studied: Studied, texts: Mapping[str, str]) -> Iterator[str]:
    names = studied.evidence.study.outside
    yield from _block(
        "Outside the experiment: promoted or pinned, so both arms have them",
        (_named(name, texts) for name in names),
    )


def standings(found: Iterable[Standing], texts: Mapping[str, str]) -> Iterator[str]:
    """Show which rules earned their place, and which to retire, by withholding them by chance."""
    all_ = list(found)
    for state, title in (
        ("earned", "Rules that earned their place"),
        ("retire", "Rules to retire (a proposal: `memoria retire ID`)"),
    ):
        yield from _block(title, (_standing(o, texts) for o in all_ if o.state == state))


def adherence(found: Iterable[Adherence], texts: Mapping[str, str]) -> Iterator[str]:
    """Show how rules with a check were kept: counted by their checks, and judged by nobody."""
    yield from _block(
        "Rules with a check, in all sessions (95% intervals from withholding by chance alone)",
        (f"{_named(one.rule, texts)}: {one.sentence}" for one in found),
    )


def _standing(one: Standing, texts: Mapping[str, str]) -> str:
    return (
        f"{_named(one.name, texts)}: the mistake came back on {one.injected_back} of "
        f"{one.injected} occasions with it, on {one.withheld_back} of {one.withheld} without"
    )


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    shown = list(lines)
    if shown:
        yield ""
        yield f"{title}:"
        yield from (f"  {line}" for line in shown)


def _named(name: str, texts: Mapping[str, str]) -> str:
    text = texts.get(name, "")
    cut = text if len(text) <= _WORDS else text[:_WORDS] + "..."
    return f"{name} ({cut})" if cut else name


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value < _LARGE else f"{value:,.0f}"


def _points(value: float) -> str:
    return f"{100 * value:+.0f}"


def _p(value: float) -> str:
    least = 0.001  # more digits are not known from ten thousand deals
    return f"{value:.3f}".lstrip("0") if value >= least else "< .001"
