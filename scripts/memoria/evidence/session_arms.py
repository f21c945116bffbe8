"""Read how each session came to its arm, from what hooks and persons left when it began.

A session without such a record belongs to no arm and is counted; one that began before the
experiment has no coin by right, and a resumed one keeps the arm of its first start. Only what was
written down then counts, never what can be worked out later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memoria.capture.repeats import Draw
from memoria.evidence.experiment import chance
from memoria.evidence.manual_sessions import CONTROL, TREATED
from memoria.text.dates import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memoria.evidence.experiment import Experiment
    from memoria.evidence.manual_sessions import ManualLog, ManualSession
    from memoria.vault.storage.history import History

    _Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A session's draw, when it was made and in which project."""

    draw: Draw
    at: datetime
    project: str


def assignments(
    history: History, manual_log: ManualLog, experiment: Experiment
) -> dict[str, Assignment]:
    """Give the assignment of each session of an experiment, those without a coin among them."""
    given = _by_session(history.of("injection"))
    drawn = ((name, _assignment(name, rows, experiment)) for name, rows in given.items())
    by_session = {name: assignment for name, assignment in drawn if assignment}
    mine = (one for one in manual_log.sessions if one.experiment == experiment.id)
    by_session |= {session.session: _by_hand(session) for session in mine}
    for name, stay in history.stays.items():
        here = experiment.reaches(stay.project) and experiment.covers(stay.began)
        if here and name not in by_session and not _excused(given.get(name, ()), experiment):
            by_session[name] = Assignment(Draw(name, treated=None), stay.began, stay.project)
    return by_session


def slates(history: History, manual_log: ManualLog) -> dict[str, tuple[str, ...]]:
    """Give the rules that each session was told, whether an experiment ran or not."""
    given = _by_session(history.of("injection"))
    by_session = {name: _slate(rows) for name, rows in given.items()}
    return by_session | {session.session: session.rules for session in manual_log.sessions}


def _slate(rows: Iterable[_Record]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(str(rule.get("id")) for row in rows for rule in rows_of(row, "slate"))
    )


def _by_session(records: Iterable[_Record]) -> dict[str, list[_Record]]:
    by_session: dict[str, list[_Record]] = {}
    for record in records:
        name = record.get("session")
        if isinstance(name, str) and name:
            by_session.setdefault(name, []).append(record)
    return by_session


def _assignment(session: str, rows: Iterable[_Record], experiment: Experiment) -> Assignment | None:
    rows = list(rows)
    starts = [start for start in _starts(rows) if start.get("experiment") == experiment.id]
    moments = [at for start in starts if (at := moment(start.get("at")))]
    if not moments:
        return None
    said = {(_arm(start.get("arm")), chance(start.get("p"), -1.0)) for start in starts}
    treated, p = said.pop()
    torn = bool(said) or p < 0  # two starts that do not agree, or half a record
    rules = _slate(rows)
    draw = Draw(session, None, rules=rules) if torn else Draw(session, treated, p, "", rules)
    return Assignment(draw, min(moments), str(starts[0].get("project") or ""))


def _starts(rows: Iterable[_Record]) -> list[_Record]:
    return [row for row in rows if row.get("event") == "SessionStart"]


def _arm(value: object) -> bool | None:
    return {TREATED: True, CONTROL: False}.get(value) if isinstance(value, str) else None


def _by_hand(session: ManualSession) -> Assignment:
    p = chance(session.p, -1.0)
    treated = _arm(session.arm) if p >= 0 else None
    draw = Draw(session.session, treated, p if p >= 0 else 0.5, "", session.rules)
    return Assignment(draw, session.began, session.project)


def _excused(rows: Iterable[_Record], experiment: Experiment) -> bool:
    """Whether a session has no coin of this experiment by right.

    It was another experiment's, or had begun before this one.
    """
    begun = experiment.started.replace(microsecond=0)
    return any(
        start.get("experiment") not in {"", None, experiment.id}
        or ((at := moment(start.get("at"))) is not None and at < begun)
        for start in _starts(rows)
    )


def rows_of(record: _Record, name: str) -> list[_Record]:
    """Give the rows of a list in a record; what is none is passed over."""
    rows = record.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
