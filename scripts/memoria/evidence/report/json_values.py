"""Give reports and studies as plain data: what `--json` prints and other programs rely on.

Keys may be added and never renamed. JSON has no word for "not defined" but null, so a rate over
nothing is null and never 0.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

from memoria.evidence.backtest import CAVEAT
from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import by_arm, by_class, by_project, by_rule, rate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.experiment import Experiment
    from memoria.evidence.rates import Beside
    from memoria.evidence.report.report_data import ReportData
    from memoria.evidence.study import Studied

_DIGITS = 12  # of a figure: the last of the sixteen differ from processor to processor
_ARMS = {True: "treated", False: "control", None: "unknown"}
# what is given of each kind of value: its attributes, and "key=path" where the key is another word
_RATE = "sessions mistakes repeats rmr repeats_per_session mistakes_per_session"
_VERDICT = "kind sentence notes"
_EXPERIMENT = "id project design error_class p started switched ended running=is_running"
_COUNTS = (
    "treated=evidence.treated.sessions control=evidence.control.sessions waiting "
    "no_coin=evidence.unknown chosen=evidence.chosen unsettled=evidence.unsettled"
)
_E_VALUE = "now=wealth.now peak=wealth.peak threshold reached_after=wealth.crossed anytime_p"


def plain(value: Any) -> Any:  # noqa: ANN401 - any value that a figure has
    """Turn a value into what JSON can hold; a number that is none becomes None."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


def _picked(value: object, keys: str) -> dict[str, Any]:
    """Give the named attributes of a value, in the order of the keys; None for one it lacks."""
    picked = {}
    for key in keys.split():
        name, _, path = key.partition("=")
        part: Any = value
        for attribute in (path or name).split("."):
            part = getattr(part, attribute, None)
        picked[name] = plain(part)
    return picked


def report_json(report: ReportData) -> dict[str, Any]:
    """Give the report's numbers."""
    return {
        "verdict": _picked(report.verdict, _VERDICT),
        "coverage": _picked(report.opening, "captured sessions=ended"),
        "told": _picked(report.opening, "project tokens"),
        "mistakes": _picked(report.errors, "total met_before families=shown"),
        "backtest": {"headline": report.backtest, "caveat": CAVEAT},
        "captures": _picked(report, "sessions days"),
        "cost": _picked(report.costs, "usd operations=rows"),
    }


# -- A study ---------------------------------------------------------------------------------------


def experiment_json(experiment: Experiment) -> dict[str, Any]:
    """Give an experiment as it was started."""
    return _picked(experiment, _EXPERIMENT) | {
        "project": experiment.project or None,
        "error_class": experiment.error_class or None,
    }


def session_counts(studied: Studied) -> dict[str, Any]:
    """Give the sessions by arm, with those that are left out."""
    return _picked(studied, _COUNTS) | {"waiting": len(studied.waiting)}


def open_session(studied: Studied) -> dict[str, Any] | None:
    """Give the session that a person is tracking, None for none."""
    if studied.open is None:
        return None
    return _picked(studied.open, "session arm began") | {"mistakes": studied.open_mistakes}


def metrics_json(studied: Studied) -> dict[str, Any]:
    """Give the rates alone: by arm, class, project, and beside rules."""
    units, evidence = studied.units, studied.evidence
    arms = {"treated": evidence.treated, "control": evidence.control}
    all_classes = {_ARMS[arm]: rate for arm, rate in by_arm(units).items()}
    return {
        "experiment": experiment_json(studied.experiment),
        "sessions": session_counts(studied),
        "arms": _rates(arms),
        "all_classes": _rates(all_classes),
        **_parts(units),
        "by_rule": _beside(by_rule(units)),
        "open_session": open_session(studied),
    }


def _rates(rates: Mapping[str, object]) -> dict[str, Any]:
    return {name: _picked(rate, _RATE) for name, rate in rates.items()}


def _parts(units: Sequence[Unit]) -> dict[str, Any]:
    return {
        "by_class": _rates(by_class(units)),
        "by_project": _rates(by_project(units)),
        "with_corrections": _beside(by_rule(units, "correction")),
    }


def _beside(rows: Sequence[Beside]) -> list[dict[str, Any]]:
    return [
        {"rule": beside.rule, **_rates({"with": beside.with_it, "without": beside.without})}
        for beside in rows
    ]


def overall_json(units: Sequence[Unit], by_hand: int, studies: Sequence[Studied]) -> dict[str, Any]:
    """Give the rates of all sessions, and each experiment's verdict and arms."""
    return {
        "sessions": _picked(rate(units), _RATE) | {"tracked_by_hand": by_hand},
        **_parts(units),
        "experiments": [
            metrics_json(studied) | {"verdict": _picked(studied.conclusion, _VERDICT)}
            for studied in studies
        ],
    }


def study_json(studied: Studied, outside: Mapping[str, str]) -> dict[str, Any]:
    """Give everything that is known; `outside` are rules of both arms, id: text."""
    evidence = studied.evidence
    drawn = studied.experiment.design == "coin"
    return {
        "verdict": _picked(studied.conclusion, _VERDICT) | {"notes": list(studied.notes)},
        **metrics_json(studied),
        "effects": plain(evidence.effects),
        "intervals": _picked(evidence, "rmr=share repeats_per_session=count"),
        # without a coin an e-value of 1 would look like a result
        "tests": {
            "e_value": _picked(evidence, _E_VALUE) | {"threshold": THRESHOLD} if drawn else None,
            "classical": plain(evidence.classical),
        },
        "outside": dict(outside),
    }
