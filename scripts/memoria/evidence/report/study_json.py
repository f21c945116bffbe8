"""Studied -> its figures as plain data: what `--json` prints and other programs rely on.

The verdict comes with its figures and its notes, never alone. The trap: JSON has no word for "not
defined" but null, so a rate over nothing is null and never 0.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import by_arm, by_class, by_project, by_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.evidence.experiment import Experiment
    from memoria.evidence.figures import Evidence
    from memoria.evidence.rates import Beside, Rate
    from memoria.evidence.study import Studied
    from memoria.evidence.withholding.by_rule import Standing

_ARMS = {True: "treated", False: "control", None: "unknown"}


def described(one: Experiment) -> dict[str, Any]:
    """Give an experiment as it was started."""
    return {
        "id": one.id,
        "project": one.project or None,
        "design": one.design,
        "error_class": one.error_class or None,
        "p": one.p,
        "planned": one.planned,
        "look_back": {"days": one.days, "sessions": one.sessions},
        "started": _plain(one.started),
        "switched": _plain(one.switched),
        "ended": _plain(one.ended),
        "running": one.is_running,
    }


def counts(studied: Studied) -> dict[str, Any]:
    """Give the sessions by arm, with those that are left out."""
    evidence = studied.evidence
    return {
        "treated": evidence.treated.sessions,
        "control": evidence.control.sessions,
        "waiting": len(studied.waiting),
        "no_coin": evidence.unknown,
        "chosen": evidence.chosen,
        "unsettled": evidence.unsettled,
        "beyond": evidence.beyond,
    }


def metrics(studied: Studied) -> dict[str, Any]:
    """Give the rates alone: by arm, class, project, and beside rules."""
    units = studied.units
    evidence = studied.evidence
    return {
        "experiment": described(studied.experiment),
        "sessions": counts(studied),
        "arms": {"treated": _rate(evidence.treated), "control": _rate(evidence.control)},
        "all_classes": {_ARMS[arm]: _rate(rate) for arm, rate in by_arm(units).items()},
        "by_class": {name: _rate(rate) for name, rate in by_class(units).items()},
        "by_project": {name: _rate(rate) for name, rate in by_project(units).items()},
        "by_rule": [_beside(one) for one in by_rule(units)],
        "with_corrections": [_beside(one) for one in by_rule(units, "correction")],
        "open_session": opened(studied),
    }


def opened(studied: Studied) -> dict[str, Any] | None:
    """Give the session that a person is tracking, None for none."""
    one = studied.open
    if one is None:
        return None
    return {
        "session": one.session,
        "arm": one.arm,
        "began": _plain(one.began),
        "mistakes": studied.open_mistakes,
    }


def dossier(studied: Studied, outside: Mapping[str, str]) -> dict[str, Any]:
    """Give everything: verdict, rates, effects, tests; `outside` are rules of both arms, id: text.

    Paths over time (the e-value's and the limits') are in the export's order of sessions.
    """
    conclusion, evidence = studied.conclusion, studied.evidence
    return {
        "verdict": {
            "kind": conclusion.kind,
            "sentence": conclusion.sentence,
            "notes": list(studied.notes),
        },
        **metrics(studied),
        "effects": [_plain(one) for one in evidence.effects],
        "intervals": {
            "rmr": _plain(evidence.share),
            "repeats_per_session": _plain(evidence.count),
            "rmr_cluster_robust": _plain(evidence.robust),
            "rmr_at_any_look": _limits(evidence.share_sequence),
            "repeats_at_any_look": _limits(evidence.count_sequence),
        },
        "tests": _tests(evidence),
        "forecast": _plain(evidence.forecast),
        "outside": dict(outside),
    }


def judged(found: Iterable[Standing]) -> list[dict[str, Any]]:
    """Give what withholding by chance shows of each rule or family."""
    return [_plain(one) for one in found]


def _tests(evidence: Evidence) -> dict[str, Any]:
    if evidence.study.design != "coin":
        # an e-value of 1 would look like a result
        return {"e_value": None, "permutation": None, "classical": _plain(evidence.classical)}
    wealth = evidence.wealth
    return {
        "e_value": {
            "now": _plain(wealth.now),
            "peak": _plain(wealth.peak),
            "threshold": THRESHOLD,
            "reached_after": wealth.crossed,
            "anytime_p": _plain(evidence.anytime_p),
        },
        "permutation": _plain(evidence.permutation),
        "classical": _plain(evidence.classical),
    }


def _limits(sequence: Any) -> dict[str, Any] | None:  # noqa: ANN401 - a sequence of limits or None
    if sequence is None or not sequence.low:
        return None
    low, high = sequence.low[-1], sequence.high[-1]
    return {"estimate": _plain(sequence.estimate[-1]), "low": _plain(low), "high": _plain(high)}


def _rate(one: Rate) -> dict[str, Any]:
    return {
        "sessions": one.sessions,
        "mistakes": one.mistakes,
        "repeats": one.repeats,
        "rmr": _plain(one.rmr),
        "repeats_per_session": _plain(one.repeats_per_session),
        "mistakes_per_session": _plain(one.mistakes_per_session),
    }


def _beside(one: Beside) -> dict[str, Any]:
    return {"rule": one.rule, "with": _rate(one.with_it), "without": _rate(one.without)}


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value that a figure has
    """Turn a value into what JSON can hold; no number that is none."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    return value
