"""Write what experiments show: for the terminal, and as the data that `--json` prints.

Keys of the data may be added and never renamed. JSON has no word for "not defined" but null, so a
rate over nothing is null and never 0; an empty table looks like a result, so the text has no row
for what is not defined.
"""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import compute_rate, rates_by_class, rates_by_project, rates_by_rule
from memoria.evidence.verdict import Evidence, format_figure, format_rounded_down
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.study_units import StudyUnit
    from memoria.evidence.experiment import Experiment
    from memoria.evidence.study import ExperimentStudy

# rows of a list of the text (the data has all), and characters of a rule's words beside its id
_MAX_ROWS, _MAX_RULE_CHARS = 8, 80
_DIGITS = 12  # of a figure: the last of the sixteen differ from processor to processor
# what is given of each kind of value: its attributes, and "key=path" where the key is another word
_RATE = "sessions mistakes repeats rmr repeats_per_session mistakes_per_session"
_VERDICT = "kind sentence notes"
_EXPERIMENT = "id project design error_class p started switched ended running=is_running"
_COUNTS = (
    "treated=evidence.treated.sessions control=evidence.control.sessions waiting "
    "no_coin=evidence.unknown chosen=evidence.chosen unsettled=evidence.unsettled"
)
_E_VALUE = "now=wealth.now peak=wealth.peak reached_after=wealth.crossed anytime_p"


# -- Data ------------------------------------------------------------------------------------------


def to_json_value(value: Any) -> Any:  # noqa: ANN401 - any value that a figure has
    """Turn a value into what JSON can hold; a number that is none becomes None."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "_asdict") or is_dataclass(value):
        value = value._asdict() if hasattr(value, "_asdict") else asdict(value)
    if isinstance(value, dict):
        return {name: to_json_value(part) for name, part in value.items()}
    return [to_json_value(part) for part in value] if isinstance(value, tuple | list) else value


def pick_attributes(value: object, keys: str) -> dict[str, Any]:
    """Give the named attributes of a value, in the order of the keys; None for one it lacks."""
    picked = {}
    for key in keys.split():
        name, _, path = key.partition("=")
        part: Any = value
        for attribute in (path or name).split("."):
            part = getattr(part, attribute, None)
        picked[name] = to_json_value(part)
    return picked


def experiment_json(experiment: Experiment) -> dict[str, Any]:
    """Give an experiment as it was started."""
    return pick_attributes(experiment, _EXPERIMENT) | {
        "project": experiment.project or None,
        "error_class": experiment.error_class or None,
    }


def session_counts(studied: ExperimentStudy) -> dict[str, Any]:
    """Give the sessions by arm, with those that are left out."""
    return pick_attributes(studied, _COUNTS) | {"waiting": len(studied.waiting)}


def open_session_json(studied: ExperimentStudy) -> dict[str, Any] | None:
    """Give the session that a person is tracking, None for none."""
    if studied.open is None:
        return None
    return pick_attributes(studied.open, "session arm began") | {"mistakes": studied.open_mistakes}


def metrics_json(studied: ExperimentStudy) -> dict[str, Any]:
    """Give the rates alone: by arm, class, project, and beside rules."""
    units, evidence = studied.units, studied.evidence
    return {
        "experiment": experiment_json(studied.experiment),
        "sessions": session_counts(studied),
        "arms": _rates_json({"treated": evidence.treated, "control": evidence.control}),
        **_parts_json(units),
        "open_session": open_session_json(studied),
    }


def _rates_json(rates: Mapping[str, object]) -> dict[str, Any]:
    return {name: pick_attributes(rate, _RATE) for name, rate in rates.items()}


def _parts_json(units: Sequence[StudyUnit]) -> dict[str, Any]:
    return {
        "by_class": _rates_json(rates_by_class(units)),
        "by_project": _rates_json(rates_by_project(units)),
        "with_corrections": [
            {"rule": row.rule, **_rates_json({"with": row.with_it, "without": row.without})}
            for row in rates_by_rule(units, "correction")
        ],
    }


def overall_json(
    units: Sequence[StudyUnit], by_hand: int, studies: Sequence[ExperimentStudy]
) -> dict[str, Any]:
    """Give the rates of all sessions, and each experiment's verdict and arms."""
    return {
        "sessions": pick_attributes(compute_rate(units), _RATE) | {"tracked_by_hand": by_hand},
        **_parts_json(units),
        "experiments": [
            metrics_json(studied) | {"verdict": pick_attributes(studied.conclusion, _VERDICT)}
            for studied in studies
        ],
    }


def study_json(studied: ExperimentStudy, outside: Mapping[str, str]) -> dict[str, Any]:
    """Give everything that is known; `outside` are rules of both arms, id: text."""
    evidence, e_value = studied.evidence, None
    if studied.experiment.design == "chance":  # else an e-value of 1 would look like a result
        e_value = pick_attributes(evidence, _E_VALUE) | {"threshold": THRESHOLD}
    return {
        "verdict": pick_attributes(studied.conclusion, _VERDICT) | {"notes": list(studied.notes)},
        **metrics_json(studied),
        "relative_reduction": to_json_value(evidence.relative_reduction),
        "intervals": pick_attributes(evidence, "rmr=share"),
        "tests": {"e_value": e_value, "classical": to_json_value(evidence.classical)},
        "outside": dict(outside),
    }


ARMS = {"treated": "with Memoria", "control": "without"}
_ROWS = ("sessions", "mistakes", "repeats")


# -- Text ------------------------------------------------------------------------------------------


def arms_text(studied: ExperimentStudy) -> str:
    """Give the table of both arms, and the session that is open."""
    return strip_hidden("\n".join(_render_arms(studied)))


def _render_arms(studied: ExperimentStudy) -> Iterator[str]:
    sides = studied.evidence.treated, studied.evidence.control
    shares = ("-" if side.rmr is None else f"{side.rmr:.0%}" for side in sides)
    yield studied.experiment.summary
    for name, treated, control in (
        ("", "with Memoria", "without"),
        *(
            (name, *(f"{count:,}" for count in counts))
            for name, *counts in zip(_ROWS, *sides, strict=True)
        ),
        ("share that repeats (RMR)", *shares),
        ("repeats per session", *(format_figure(side.repeats_per_session) for side in sides)),
        ("errors per session", *(format_figure(side.mistakes_per_session) for side in sides)),
    ):
        yield f"  {name:<26}{treated:>12}{control:>12}"
    if studied.open:
        yield (
            f"  Session {studied.open.session} is open ({ARMS[studied.open.arm]}, errors so far: "
            f"{studied.open_mistakes}); it counts once it has ended."
        )


def study_text(studied: ExperimentStudy, texts: Mapping[str, str]) -> str:
    """Give the report on a study; `texts` has the words of rules by id."""
    evidence = studied.evidence
    compared = _format_comparison(evidence) if evidence.has_both_arms else ()
    lines = [studied.conclusion.sentence, "", *_render_arms(studied)]
    lines += _format_block("Both arms compared", compared)
    rates = _format_rates(studied.units)
    lines += _format_block("By class of error and by project, both arms", rates)
    lines += _format_rule_rates(studied.units, texts)
    notes = "\n  ".join(studied.notes)
    for rule in evidence.experiment.outside:
        notes = notes.replace(rule, _format_rule_name(rule, texts))
    lines += _format_block("Notes", notes and [notes])
    return strip_hidden("\n".join(lines))


def overall_text(
    units: Sequence[StudyUnit],
    by_hand: int,
    studies: Sequence[ExperimentStudy],
    texts: Mapping[str, str],
) -> str:
    """Give the report on all sessions and experiments."""
    total = compute_rate(units)
    lines = ["No session was captured or tracked yet."]
    if total.sessions:
        share = "" if total.rmr is None else f" ({total.rmr:.0%})"
        totals = f"{total.mistakes:,} errors, {total.repeats:,} of them met before{share}."
        lines = [f"{total.sessions:,} sessions, {by_hand} of them tracked by hand: {totals}"]
    lines += [f"  {line}" for line in _format_rates(units)]
    for study in studies:
        lines += ["", study.experiment.summary, f"  {study.conclusion.sentence}"]
    if not studies:
        lines += ["", "No experiment was made: `memoria experiment start` starts one."]
    return strip_hidden("\n".join([*lines, *_format_rule_rates(units, texts)]))


def _format_block(title: str, rows: Iterable[str]) -> list[str]:
    """Give rows below their title, nothing without rows."""
    indented = [f"  {row}".rstrip() for row in rows]
    return ["", f"{title}:", *indented] if indented else []


def _format_comparison(evidence: Evidence) -> Iterator[str]:
    """Give the figures beside the verdict: name, value, what it means."""
    if share := evidence.share:
        low, mid, high = (f"{100 * n:+.0f}" for n in (share.low, share.estimate, share.high))
        meaning = "(with minus without; 95% interval for one look)"
        yield f"difference of RMR: {mid} points ({low} to {high}) {meaning}"
    if (fall := evidence.relative_reduction) is not None:
        yield f"relative reduction of RMR: {fall:.0%} (the effect size that buildlog prints)"
    if evidence.wealth.total:
        peak = format_rounded_down(evidence.wealth.peak)
        p_value = _format_p_value(evidence.anytime_p, "≤")
        yield f"e-value: {peak} at its highest, {p_value} (holds however often one looked)"
    else:
        yield "test: none (chance chose no session, so there is none to compute with)"
    if seed := evidence.classical:
        z = f"z = {seed.z:+.2g}, {_format_p_value(seed.p)}; χ² = {seed.chi_squared:.2f}"
        yield f"two-proportion z and chi-squared: {z} ({seed.note})"


def _format_p_value(p: float, sign: str = "=") -> str:
    """Write a p-value with its sign, as papers do."""
    if p < 0.001:  # noqa: PLR2004 - the last that papers tell apart
        return "p < .001"
    return f"p {sign} {p:.3f}".replace(" 0.", " .")


def _format_rates(units: Sequence[StudyUnit]) -> Iterator[str]:
    """Give the rates by class of error and by project, over all sessions of a study."""
    projects = rates_by_project(units)
    tables = [*rates_by_class(units).items()][:_MAX_ROWS], [*projects.items()][:_MAX_ROWS]
    for word, rows in zip(("class", "project"), tables, strict=True):
        for name, total in rows if word == "class" or len(projects) > 1 else ():
            share = "-" if total.rmr is None else f"{total.rmr:.0%}"
            yield f"{word} {name}: {total.repeats:,} of {total.mistakes:,} met before ({share})"


def _format_rule_rates(units: Sequence[StudyUnit], texts: Mapping[str, str]) -> list[str]:
    """Give the rules that go along with corrections, as the seed's report names them."""
    lines = []
    rows = [row for row in rates_by_rule(units, "correction") if row.with_it.mistakes]
    for rule, with_it, without in rows[:_MAX_ROWS]:
        rates = [format_figure(rate.mistakes_per_session) for rate in (with_it, without)]
        sessions = f"corrections per session with it ({with_it.sessions:,} sessions)"
        name = _format_rule_name(rule, texts)
        lines.append(f"{name}: {rates[0]} {sessions}, {rates[1]} without")
    title = "Rules that go along with corrections (no cause: they are chosen where they fit)"
    return _format_block(title, lines)


def _format_rule_name(name: str, texts: Mapping[str, str]) -> str:
    words = texts.get(name, "")
    cut = words if len(words) <= _MAX_RULE_CHARS else f"{words[:_MAX_RULE_CHARS]}..."
    return f"{name} ({cut})" if words else name
