"""A Report -> its numbers as JSON can hold them, without pictures: what `--json` prints.

The trap: fields may be added and never renamed, since scripts read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria.evidence.withholding.adherence import described

if TYPE_CHECKING:
    from memoria.evidence.report.inquiry import Inquiry
    from memoria.evidence.report.model_costs import Expenses
    from memoria.evidence.report.repeated_errors import Troubles
    from memoria.evidence.report.report import Report
    from memoria.evidence.report.rule_records import Track


def abstract(found: Report) -> dict[str, Any]:
    """Give the report's numbers."""
    study = found.study
    return {
        "verdict": {
            "kind": found.verdict.kind,
            "sentence": found.verdict.sentence,
            "notes": list(found.verdict.notes),
        },
        "study": _study(study) if study else None,
        "others": [_study(one) for one in found.others],
        "rules": [_rule(one) for one in found.tracks.shown],
        "earned": [one.rule.id for one in found.tracks.earned],
        "retire": [one.rule.id for one in found.tracks.retire],
        "idle": [one.rule.id for one in found.tracks.idle],
        "mistakes": _mistakes(found.troubles),
        "backtest": {"headline": found.backtest, "caveat": found.caveat},
        "captures": {
            "sessions": found.intake.sessions,
            "days": found.intake.days,
            "last": found.intake.last,
            "waiting": found.intake.waiting.waiting,
            "given_up": found.intake.waiting.given_up,
        },
        "cost": _cost(found.expenses),
    }


def _mistakes(troubles: Troubles) -> dict[str, Any]:
    return {
        "total": troubles.mistakes,
        "met_before": troubles.again,
        "families": [
            {
                "family": one.family,
                "example": one.example,
                "count": one.count,
                "met_before": one.again,
                "sessions": one.sessions,
                "resolved": one.mended,
                "fix": one.fix or None,
            }
            for one in troubles.shown
        ],
    }


def _cost(expenses: Expenses) -> dict[str, Any]:
    return {
        "usd": round(expenses.usd, 6),
        "operations": [
            {
                "operation": one.task,
                "calls": one.calls,
                "input": one.read,
                "output": one.written,
                "cost_usd": round(one.usd, 6),
            }
            for one in expenses.rows
        ],
    }


def _study(one: Inquiry) -> dict[str, Any]:
    return {
        "id": one.name,
        "design": one.design,
        "project": one.place,
        "running": one.running,
        "sessions": one.sessions,
        "kind": one.verdict.kind,
        "sentence": one.verdict.sentence,
    }


def _rule(one: Track) -> dict[str, Any]:
    return {
        "id": one.rule.id,
        "rule": one.rule.text,
        "in_force": one.in_force,
        "injected": one.shown,
        "withheld": one.withheld,
        "helped": one.helped,
        "did_not_help": one.nothing,
        "hurt": one.hurt,
        "posterior": {"mean": one.belief.mean, "sd": one.belief.sd} if one.belief else None,
        "state": one.standing.state if one.standing else None,
        "adherence": described(one.adherence) if one.adherence else None,
    }
