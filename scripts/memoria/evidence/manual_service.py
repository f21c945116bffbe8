"""Record sessions outside Claude Code that a person tracks.

For `memoria experiment session` and `log-mistake`, and for the MCP server's tools of the same kind.
The coin falls when the session begins, by the same draw as the session-start hook's. What went
before a first mistake that opens a session was no treatment, so such sessions show less of an
effect than there is.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.evidence import experiment as records
from memoria.evidence import manual_sessions
from memoria.evidence.manual_sessions import TREATED, ManualLog, ManualSession, manual_log
from memoria.privacy import clean
from memoria.rules import model as rule
from memoria.rules.decisions import rulebook
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memoria.evidence.experiment import Experiment
    from memoria.vault.storage.history import History, Seen
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Logged:
    """A mistake as it was logged: in which session, and in how many earlier ones it was met.

    `opened` says that it opened the session; `session` is None where it was logged for a session of
    Claude Code.
    """

    name: str
    error_class: str
    description: str
    signature: str
    met_before: int
    opened: bool = False
    session: ManualSession | None = None


def begin(work: Workspace, experiment: Experiment, project: str) -> ManualSession:
    """Open a session and draw its arm; UsageError where one is open."""
    with work.vault.changing() as change:
        found = _handwork(work.vault.history())
        known = found.open(experiment.id)
        if known:
            raise UsageError(
                f"session {known.session} is open ({known.arm}): `memoria experiment session end` "
                "closes it"
            )
        return _begun(work, change, experiment, project)


def finish(work: Workspace, experiment: Experiment) -> tuple[ManualSession, int]:
    """Close the open session; give it and its mistakes. UsageError where none is open."""
    with work.vault.changing() as change:
        found = _handwork(work.vault.history())
        known = found.open(experiment.id)
        if known is None:
            raise UsageError(
                "no session is open: `memoria experiment session start` opens one (those of Claude "
                "Code are tracked by themselves)"
            )
        change.record(manual_sessions.ended(clock.now(work.settings.zone), known))
        return known, len(found.of(known.session))


def log(  # noqa: PLR0913 - a mistake has as many fields
    work: Workspace,
    experiment: Experiment,
    project: str,
    *,
    error_class: str,
    description: str,
    session: str = "",
) -> Logged:
    """Log a mistake: in the session that is named, else in the open one, else in a new one."""
    kind = records.error_class(clean.clean(error_class, work.settings.secrets))
    said = " ".join(clean.clean(description, work.settings.secrets).split())[
        : manual_sessions.LONGEST
    ]
    if not kind:
        raise UsageError("the error's class is empty: --error-class type-errors")
    if not said:
        raise UsageError('the description is empty: --description "what went wrong"')
    with work.vault.changing() as change:
        history = work.vault.history()
        found = _handwork(history)
        ours = None if session else found.open(experiment.id)
        place = _project_of(history, found, session) if session else project
        opened = not session and ours is None
        ours = _begun(work, change, experiment, project) if opened else ours
        name = ours.session if ours else session
        place = ours.project if ours else place
        now = clock.now(work.settings.zone)
        change.record(manual_sessions.mistaken(now, name, place, kind, said))
    mark = manual_sessions.signature(kind, said)
    since = now - timedelta(days=experiment.days)
    earlier = [seen for seen in _before(history, found, mark, since) if seen.project == place]
    count = len({seen.session for seen in earlier} - {name})
    return Logged(name, kind, said, mark, count, opened, ours)


def _before(history: History, found: ManualLog, mark: str, since: datetime) -> Iterator[Seen]:
    """Give the mistakes since a moment that are of a signature's family."""
    near = manual_sessions.near(found, mark)
    for seen in (*history.mistakes, *found.mistakes):
        known = seen.mistake.signature
        if seen.mistake.at >= since and near.get(known, known) == near[mark]:
            yield seen


def _begun(
    work: Workspace, change: Transaction, experiment: Experiment, project: str
) -> ManualSession:
    session = f"hand-{uuid.uuid4().hex[:12]}"
    arm = manual_sessions.toss(experiment, session)
    manual_session = ManualSession(
        session,
        experiment.id,
        project,
        arm,
        experiment.p,
        clock.now(work.settings.zone),
        rules=_in_force(work, project) if arm == TREATED else (),
    )
    change.record(manual_sessions.began(manual_session))
    return manual_session


def _in_force(work: Workspace, project: str) -> tuple[str, ...]:
    book = rulebook(work)
    return tuple(one.id for one in rule.in_force(book.rules, book.approvals, project))


def _handwork(history: History) -> ManualLog:
    return manual_log(history.of(manual_sessions.KIND))


def _project_of(history: History, found: ManualLog, session: str) -> str:
    """Give the project of a session that is known; UsageError where none of that id is."""
    stay = history.stays.get(session)
    if stay:
        return stay.project
    for manual_session in found.sessions:
        if manual_session.session == session:
            return manual_session.project
    for record in history.of("injection"):
        if record.get("session") == session:
            return str(record.get("project") or "")
    raise UsageError(
        f"no session {session!r} is known: leave --session out to log it in one that is tracked "
        "by hand"
    )


def arm_in_words(session: ManualSession) -> str:
    """Say what a session's arm asks of the person."""
    if session.arm == TREATED:
        asked = "treated: use `memoria skills` and `memoria query` as you like"
    else:
        asked = "control: work without Memoria's rules and answers until it ends"
    return f"session {session.session} is {asked}"
