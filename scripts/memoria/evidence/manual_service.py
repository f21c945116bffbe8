"""Record sessions outside Claude Code that a person tracks, for verbs and MCP tools.

What went before a first mistake that opens a session was no treatment, so such sessions show less
of an effect than there is.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from memoria.capture.repeats import Lookback
from memoria.errors import UsageError
from memoria.evidence import experiment as records
from memoria.evidence import manual_sessions
from memoria.evidence.manual_sessions import (
    CONTROL,
    TREATED,
    ManualLog,
    ManualSession,
    manual_log,
)
from memoria.privacy import clean
from memoria.rules import model as rule
from memoria.rules.rulebook import rulebook
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from memoria.evidence.experiment import Experiment
    from memoria.vault.storage.history import History
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Logged:
    """A mistake as it was logged: in which session, and in how many earlier ones it was met.

    `opened` says that it opened the session.
    """

    name: str
    error_class: str
    description: str
    signature: str
    met_before: int
    opened: bool
    session: ManualSession


def begin(work: Workspace, experiment: Experiment, project: str) -> ManualSession:
    """Open a session and draw its arm; UsageError where one is open."""
    with work.vault.changing() as change:
        known = _logged(work.vault.history()).open(experiment.id)
        if known:
            raise UsageError(
                f"session {known.session} is open ({known.arm}): `memoria experiment session end` "
                "closes it"
            )
        return _begun(work, change, experiment, project)


def finish(work: Workspace, experiment: Experiment) -> tuple[ManualSession, int]:
    """Close the open session; give it and its mistakes. UsageError where none is open."""
    with work.vault.changing() as change:
        logged = _logged(work.vault.history())
        known = logged.open(experiment.id)
        if known is None:
            raise UsageError(
                "no session is open: `memoria experiment session start` opens one (those of Claude "
                "Code are tracked by themselves)"
            )
        change.record(manual_sessions.ended(clock.now(work.settings.zone), known))
        return known, len(logged.of(known.session))


def log(
    work: Workspace, experiment: Experiment, project: str, *, error_class: str, description: str
) -> Logged:
    """Log a mistake in the session that is open, else in a new one."""
    texts = clean.clean([error_class, description], work.settings.secrets)
    kind = records.error_class(texts[0])
    said = " ".join(texts[1].split())[: manual_sessions.LONGEST]
    if not kind:
        raise UsageError("the error's class is empty: --error-class type-errors")
    if not said:
        raise UsageError('the description is empty: --description "what went wrong"')
    with work.vault.changing() as change:
        history = work.vault.history()
        logged = _logged(history)
        known = logged.open(experiment.id)
        ours = known or _begun(work, change, experiment, project)
        name, now = ours.session, clock.now(work.settings.zone)
        change.record(manual_sessions.mistaken(now, name, ours.project, kind, said))
    mark = manual_sessions.signature(kind, said)
    near = manual_sessions.near(logged, mark)
    since = now - timedelta(days=Lookback().days)
    earlier = {
        seen.session
        for seen in (*history.mistakes, *logged.mistakes)
        if seen.project == ours.project
        and seen.mistake.at >= since
        and near.get(seen.mistake.signature, seen.mistake.signature) == near[mark]
    }
    return Logged(name, kind, said, mark, len(earlier - {name}), known is None, ours)


def _begun(
    work: Workspace, change: Transaction, experiment: Experiment, project: str
) -> ManualSession:
    name = f"hand-{uuid.uuid4().hex[:12]}"
    arm = manual_sessions.toss(experiment, name)
    book = rulebook(work)
    told = rule.in_force(book.rules, book.approvals, project) if arm == TREATED else ()
    rules = tuple(one.id for one in told)
    began = clock.now(work.settings.zone)
    session = ManualSession(name, experiment.id, project, arm, experiment.p, began, rules=rules)
    change.record(manual_sessions.began(session))
    return session


def _logged(history: History) -> ManualLog:
    return manual_log(history.of(manual_sessions.KIND))


def arm_in_words(session: ManualSession) -> str:
    """Say what a session's arm asks of the person."""
    asked = {
        TREATED: "treated: use `memoria skills` and `memoria query` as you like",
        CONTROL: "control: work without Memoria's rules and answers until it ends",
    }
    return f"session {session.session} is {asked[session.arm]}"
