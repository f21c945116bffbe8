"""Give reports and studies as plain data: what `--json` prints and other programs rely on.

Keys may be added and never renamed. JSON has no word for "not defined" but null, so a rate over
nothing is null and never 0.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from memoria.evidence.backtest.replay import CAVEAT
from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import by_arm, by_class, by_project, by_rule, rate
from memoria.evidence.report.study_tables import place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.e_values import Sequence as Limits
    from memoria.evidence.experiment import Experiment
    from memoria.evidence.rates import Beside
    from memoria.evidence.report.report_data import ReportData
    from memoria.evidence.study import Studied
    from memoria.evidence.withholding.adherence import Adherence

_DIGITS = 12  # of a figure: the last of the sixteen differ from processor to processor
_ARMS = {True: "treated", False: "control", None: "unknown"}
# what is given of each kind of value: its attributes, and "key=path" where the key is another word
_RATE = "sessions mistakes repeats rmr repeats_per_session mistakes_per_session"
_VERDICT = "kind sentence notes"
_STUDY = (
    "id=experiment.id design=experiment.design running=experiment.is_running "
    "kind=conclusion.kind sentence=conclusion.sentence"
)
_RULE = (
    "id=rule.id rule=rule.text in_force injected withheld helped did_not_help hurt posterior "
    "state=standing.state adherence"
)
_FAMILY = "family example count met_before sessions resolved fix"
_CAPTURES = "sessions days last waiting given_up"
_OPERATION = "operation=task calls input=read output=written"
_EXPERIMENT = (
    "id project design error_class p planned look_back started switched ended running=is_running"
)
_COUNTS = (
    "treated=evidence.treated.sessions control=evidence.control.sessions waiting "
    "no_coin=evidence.unknown chosen=evidence.chosen unsettled=evidence.unsettled "
    "beyond=evidence.beyond"
)
_E_VALUE = "now=wealth.now peak=wealth.peak threshold reached_after=wealth.crossed anytime_p"


def plain(value: Any) -> Any:  # noqa: ANN401 - any value that a figure has
    """Turn a value into what JSON can hold; a number that is none becomes None."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if isfinite(value) else None
    if isinstance(value, datetime):
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


# -- The report ------------------------------------------------------------------------------------


def report_json(report: ReportData) -> dict[str, Any]:
    """Give the report's numbers, without pictures."""
    rules, errors, costs = report.rules, report.errors, report.costs
    operations = [
        _picked(cost, _OPERATION) | {"cost_usd": round(cost.usd, 6)} for cost in costs.rows
    ]
    lists = {"earned": rules.earned, "retire": rules.retire}
    return {
        "verdict": _picked(report.verdict, _VERDICT),
        "study": _study(report.study) if report.study else None,
        "others": [_study(study) for study in report.others],
        "rules": [
            _picked(record, _RULE)
            | {"adherence": record.adherence and adherence_json(record.adherence)}
            for record in rules.shown
        ],
        **{name: [record.rule.id for record in records] for name, records in lists.items()},
        "told": _picked(report.opening, "project tokens"),
        "coverage": _picked(report.opening, "captured sessions=ended"),
        "mistakes": _picked(errors, "total met_before")
        | {"families": [_picked(family, _FAMILY) for family in errors.shown]},
        "backtest": {"headline": report.backtest, "caveat": CAVEAT},
        "captures": _picked(report.captures, _CAPTURES),
        "cost": {"usd": round(costs.usd, 6), "operations": operations},
    }


def _study(studied: Studied) -> dict[str, Any]:
    sessions = len(studied.evidence.sessions)
    return _picked(studied, _STUDY) | {"project": place(studied), "sessions": sessions}


def adherence_json(adherence: Adherence) -> dict[str, Any]:
    """Give how a rule was kept; the standing counts breaches, so its limits are turned round."""
    difference = adherence.standing.difference if adherence.standing else None
    return _picked(adherence, "rule sentence shown withheld neither guarded") | {
        "difference": difference
        and {
            "kept_more_when_shown": -difference.estimate,
            "low": -difference.high,
            "high": -difference.low,
            "level": difference.level,
        }
    }


# -- A study ---------------------------------------------------------------------------------------


def experiment_json(experiment: Experiment) -> dict[str, Any]:
    """Give an experiment as it was started."""
    return _picked(experiment, _EXPERIMENT) | {
        "project": experiment.project or None,
        "error_class": experiment.error_class or None,
        "look_back": {"days": experiment.days, "sessions": experiment.sessions},
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
        "by_class": _rates(by_class(units)),
        "by_project": _rates(by_project(units)),
        "by_rule": _beside(by_rule(units)),
        "with_corrections": _beside(by_rule(units, "correction")),
        "open_session": open_session(studied),
    }


def _rates(rates: Mapping[str, object]) -> dict[str, Any]:
    return {name: _picked(rate, _RATE) for name, rate in rates.items()}


def _beside(rows: Sequence[Beside]) -> list[dict[str, Any]]:
    return [
        {"rule": beside.rule, **_rates({"with": beside.with_it, "without": beside.without})}
        for beside in rows
    ]


def overall_json(units: Sequence[Unit], by_hand: int, studies: Sequence[Studied]) -> dict[str, Any]:
    """Give the rates of all sessions, and each experiment's verdict and arms."""
    return {
        "sessions": _picked(rate(units), _RATE) | {"tracked_by_hand": by_hand},
        "by_class": _rates(by_class(units)),
        "by_project": _rates(by_project(units)),
        "with_corrections": _beside(by_rule(units, "correction")),
        "experiments": [
            metrics_json(studied) | {"verdict": _picked(studied.conclusion, _VERDICT)}
            for studied in studies
        ],
    }


def study_json(studied: Studied, outside: Mapping[str, str]) -> dict[str, Any]:
    """Give everything: verdict, rates, effects, tests; `outside` are rules of both arms, id: text.

    Paths over time (the e-value's and the limits') are in the export's order of sessions.
    """
    evidence = studied.evidence
    drawn = studied.experiment.design == "coin"
    return {
        "verdict": _picked(studied.conclusion, _VERDICT) | {"notes": list(studied.notes)},
        **metrics_json(studied),
        "effects": plain(evidence.effects),
        "intervals": {
            "rmr": plain(evidence.share),
            "repeats_per_session": plain(evidence.count),
            "rmr_at_any_look": _last(evidence.share_sequence),
            "repeats_at_any_look": _last(evidence.count_sequence),
        },
        # without a coin an e-value of 1 would look like a result
        "tests": {
            "e_value": _picked(evidence, _E_VALUE) | {"threshold": THRESHOLD} if drawn else None,
            "permutation": plain(evidence.permutation) if drawn else None,
            "classical": plain(evidence.classical),
        },
        "forecast": plain(evidence.forecast),
        "outside": dict(outside),
    }


def _last(limits: Limits | None) -> dict[str, Any] | None:
    if limits is None or not limits.low:
        return None
    return {name: plain(getattr(limits, name)[-1]) for name in ("estimate", "low", "high")}
