"""Record sessions outside Claude Code that a person tracks, for verbs and MCP tools.

A verb begins, ends or adds to a session; records go into the ledger, and `fold_manual_log` reads
them again. What went before a first mistake that opens a session was no treatment, so such sessions
show less of an effect than there is.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from memoria.agents.json_line import text_of
from memoria.capture.extract import signatures
from memoria.capture.extract.signatures import group_families, mask
from memoria.capture.extract.user.gists import build_gist
from memoria.capture.study_units import Lookback
from memoria.errors import UsageError
from memoria.evidence import experiment as experiments
from memoria.learning import randomness
from memoria.privacy import clean
from memoria.rules import model as rule_model
from memoria.rules.rulebook import rulebook
from memoria.text.dates import parse_moment
from memoria.text.json_text import texts_at
from memoria.vault.storage import clock
from memoria.vault.storage.history import History, RecordedMistake
from memoria.vault.storage.ledger_records import NO_TURN, USER, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.evidence.experiment import Experiment
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

KIND = "hand"
CONTROL, TREATED = "control", "treated"
# characters of a description: what a person reads again; a signature takes less
MAX_DESCRIPTION = 300


@dataclass(frozen=True, slots=True)
class ManualSession:
    """A session that a person tracked.

    `arm` is what the coin said, `p` the chance that it had to say "treated", `rules` those in force
    if it did.
    """

    session: str
    experiment: str
    project: str
    arm: str
    p: float
    began: datetime
    ended: datetime | None = None
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ManualLog:
    """All that was logged by hand: sessions in the order of their start, and mistakes.

    `mistakes` may belong to sessions of Claude Code, too.
    """

    sessions: tuple[ManualSession, ...] = ()
    mistakes: tuple[RecordedMistake, ...] = ()

    def open(self, experiment: str) -> ManualSession | None:
        """Give the session of an experiment that has not ended, None for none."""
        sessions = (session for session in self.sessions if session.experiment == experiment)
        return next((session for session in sessions if session.ended is None), None)

    def of(self, session: str) -> tuple[RecordedMistake, ...]:
        """Give the mistakes that were logged for a session."""
        return tuple(seen for seen in self.mistakes if seen.session == session)


@dataclass(frozen=True, slots=True)
class LoggedMistake:
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


def begin_session(work: Workspace, experiment: Experiment, project: str) -> ManualSession:
    """Open a session and draw its arm; UsageError where one is open."""
    with work.vault.open_transaction() as change:
        former = _read_manual_log(work.vault.history()).open(experiment.id)
        if former:
            end = "`memoria experiment session end` closes it"
            raise UsageError(f"session {former.session} is open: {end}")
        return _begin_session(work, change, experiment, project)


def end_session(work: Workspace, experiment: Experiment) -> tuple[ManualSession, int]:
    """Close the open session; give it and its mistakes. UsageError where none is open."""
    with work.vault.open_transaction() as change:
        logged = _read_manual_log(work.vault.history())
        session = logged.open(experiment.id)
        if session is None:
            raise UsageError(
                "no session is open: `memoria experiment session start` opens one (those of Claude "
                "Code are tracked by themselves)"
            )
        change.record(build_end_record(clock.now(work.settings.zone), session))
        return session, len(logged.of(session.session))


def log_mistake(
    work: Workspace, experiment: Experiment, project: str, *, error_class: str, description: str
) -> LoggedMistake:
    """Log a mistake in the session that is open, else in a new one."""
    texts = clean.clean_value([error_class, description], work.settings.secrets)
    kind = experiments.format_error_class(texts[0])
    text = " ".join(texts[1].split())[:MAX_DESCRIPTION]
    if not kind:
        raise UsageError("the error's class is empty: --error-class type-errors")
    if not text:
        raise UsageError('the description is empty: --description "what went wrong"')
    with work.vault.open_transaction() as change:
        history = work.vault.history()
        logged = _read_manual_log(history)
        open_session = logged.open(experiment.id)
        session = open_session or _begin_session(work, change, experiment, project)
        name, now = session.session, clock.now(work.settings.zone)
        change.record(build_mistake_record(now, name, session.project, kind, text))
    mark = signature(kind, text)
    families_of = find_families(logged, mark)
    since = now - timedelta(days=Lookback().days)
    recent = (row for row in (*history.mistakes, *logged.mistakes) if row.mistake.at >= since)
    own = ((row.session, row.mistake.signature) for row in recent if row.project == session.project)
    met_in = {at for at, cause in own if families_of.get(cause, cause) == families_of[mark]}
    count, is_new = len(met_in - {name}), open_session is None
    return LoggedMistake(name, kind, text, mark, count, is_new, session)


def _begin_session(
    work: Workspace, change: Transaction, experiment: Experiment, project: str
) -> ManualSession:
    name = f"hand-{uuid.uuid4().hex[:12]}"
    arm = toss_coin(experiment, name)
    rules: tuple[str, ...] = ()
    if arm == TREATED:
        book = rulebook(work)
        active = rule_model.in_force(book.rules, book.approvals, project)
        rules = tuple(rule.id for rule in active)
    at = clock.now(work.settings.zone)
    session = ManualSession(name, experiment.id, project, arm, experiment.p, at, rules=rules)
    change.record(build_start_record(session))
    return session


def _read_manual_log(history: History) -> ManualLog:
    return fold_manual_log(history.records_of(KIND))


def describe_arm(session: ManualSession) -> str:
    """Say what a session's arm asks of the person."""
    instructions = {
        TREATED: "with Memoria: use `memoria skills` and `memoria query` as you like",
        CONTROL: "without Memoria: work without its rules and answers until it ends",
    }
    return f"session {session.session} is {instructions[session.arm]}"


def toss_coin(experiment: Experiment, session: str) -> str:
    """Toss the coin of an experiment for a session, exactly as the session-start hook does."""
    bits = randomness.bits(randomness.seed(session), f"experiment {experiment.id}")
    return TREATED if randomness.uniform(bits) < experiment.p else CONTROL


def signature(error_class: str, description: str) -> str:
    """Name the cause of a described mistake; what has no words of its own is named as it stands."""
    gist = build_gist(description, fewest=1) or mask(description).lower()
    return signatures.build_signature(USER, error_class, gist)


def build_start_record(session: ManualSession) -> dict[str, Any]:
    """Make the record of a session's start."""
    fields = {name: getattr(session, name) for name in ("experiment", "project", "arm", "p")}
    fields["rules"] = list(session.rules)
    return _build_record("start", session.began, session.session, **fields)


def build_end_record(at: datetime, session: ManualSession) -> dict[str, Any]:
    """Make the record of a session's end."""
    return _build_record("end", at, session.session, experiment=session.experiment)


def build_mistake_record(
    at: datetime, session: str, project: str, error_class: str, description: str
) -> dict[str, Any]:
    """Make the record of a mistake that a person describes."""
    fields = {"project": project, "error_class": error_class, "description": description}
    mark = signature(error_class, description)
    return _build_record("mistake", at, session, **fields, signature=mark)


def _build_record(action: str, at: datetime, session: str, **fields: object) -> dict[str, Any]:
    return {"kind": KIND, "action": action, "at": at.isoformat(), "session": session, **fields}


def fold_manual_log(records: Iterable[Mapping[str, Any]]) -> ManualLog:
    """Fold the records, oldest first; what is no such record is passed over."""
    sessions: dict[str, ManualSession] = {}
    mistakes: list[RecordedMistake] = []
    for record in records:
        names = ("session", "experiment", "project", "arm")
        name, experiment, project, arm = (text_of(record.get(key)) for key in names)
        at, action = parse_moment(record.get("at")), record.get("action")
        session = sessions.get(name)
        if at is None or not name:
            continue
        if action == "start" and session is None:
            rules = texts_at(record, "rules")
            # what is no chance is found out where the arms are read (study.py)
            p = experiments.parse_chance(record.get("p"), -1.0)
            sessions[name] = ManualSession(name, experiment, project, arm, p, at, rules=rules)
        elif action == "end" and session is not None and session.ended is None:
            sessions[name] = replace(session, ended=at)
        elif action == "mistake":
            fields = ("signature", "error_class", "description")
            mark, kind, line = (text_of(record.get(key)) for key in fields)
            mistake = Mistake(mark, USER, kind, line, "", NO_TURN, at)
            mistakes.append(RecordedMistake(mistake, name, project))
    return ManualLog(tuple(sessions.values()), tuple(mistakes))


def find_families(logged: ManualLog, *more: str) -> Mapping[str, str]:
    """Join near descriptions of one class, and `more` signatures: each to the name of its family.

    Those of the sessions that the client captured stay as they are: their signatures are named by
    code, and a study that has been looked at must not be counted anew.
    """
    return group_families([*(seen.mistake.signature for seen in logged.mistakes), *more])
