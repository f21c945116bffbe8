"""Write what waits in the spool into the daily logs (`memoria flush`; --sweep finds the rest).

One flush at a time; another that comes leaves a mark, and the one at work goes round again. A model
that cannot be reached leaves the job for later; after a day the Offline engine writes the entry, as
it does where a model refuses or answers nonsense, which it would do again. `memoria rewrite` asks
for such entries once more.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from memoria import refresh as snapshot, terminal
from memoria.agents.port import agent_of
from memoria.capture.coverage import IDLE_SECONDS, client_places, find_agent_folders
from memoria.capture.service import CaptureService
from memoria.cli import hook_records
from memoria.errors import MemoriaError, ModelError, VaultError
from memoria.evidence.rule_observer import RuleObserver
from memoria.llm.port import Model, OfflineModel
from memoria.search.service import refresh_index
from memoria.vault.storage import clock, disk
from memoria.vault.storage.state import Busy, encode_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from memoria.agents.session_file_store import SessionFile
    from memoria.capture.parts import Delivery, Part
    from memoria.capture.spool import Job
    from memoria.vault.entry import Entry
    from memoria.workspace import Workspace

# how long a session waits for its model before the Offline engine writes its entry, and how long a
# day whose compile failed for good is left alone
_WAIT_SECONDS = _FAILED_SECONDS = 24 * 3600
# how long the ledger was when all that is derived from it was derived
_DERIVED = "derived.json"
UNQUOTED = "{} rules that the model ascribed to you left out: not your words."


@dataclass
class CaptureOutcome:
    """What a flush or an import did: the fields of `--json`."""

    sessions: int = 0
    entries: int = 0
    skipped: int = 0
    waiting: int = 0
    days: list[str] = field(default_factory=list)
    engine: str = ""
    problems: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    unquoted: int = 0

    def add(self, entries: tuple[Entry, ...]) -> None:
        """Count entries that are new in the logs."""
        self.entries += len(entries)
        self.days = sorted({*self.days, *(str(entry.day) for entry in entries)})

    def count(self, delivery: Delivery) -> None:
        """Count a part without an entry, and what was left out of transcript and answer."""
        transcript = delivery.part.transcript
        self.skipped += delivery.entry is None and bool(transcript.turns)
        self.unquoted += delivery.unquoted
        for reason, count in transcript.skipped:
            self.left_out[reason] = self.left_out.get(reason, 0) + count


def describe_error(error: Exception) -> str:
    """Say why a session could not be taken; what nobody foresaw is named with its type."""
    is_expected = isinstance(error, MemoriaError | OSError)
    return str(error) if is_expected else f"{type(error).__name__}: {error}"


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Drain the spool; a detached flush then compiles what is due."""
    work.vault.check_writable()
    outcome = CaptureOutcome()
    flushing = Flush(work, work.model(arguments.engine), outcome)
    try:
        if not _drain_spool(arguments, work, flushing):
            return 0
        if arguments.detached:
            outcome.problems += _compile_due(work, flushing.model)
            if (work.vault.state.root / "team.json").exists():
                from memoria.cli.team import exchange_after_flush  # noqa: PLC0415 - few have a team

                outcome.problems += exchange_after_flush(work)
            if work.vault.changed and not snapshot.refresh(work):
                outcome.problems.append("what sessions are given; the next flush tries it again")
    except BaseException as error:
        outcome.problems.append(f"the flush ended early: {type(error).__name__}: {error}")
        raise
    finally:
        if arguments.detached:  # nobody sees what it says: the doctor reads it there
            work.vault.state.note(clock.now(work.settings.zone), outcome.problems)
    outcome.waiting = len(work.spool.jobs("new"))
    if arguments.json:
        terminal.print_json(asdict(outcome))
    else:
        _print_summary(work, outcome)
    return ModelError.exit_code if outcome.waiting else int(bool(outcome.problems))


def _print_summary(work: Workspace, outcome: CaptureOutcome) -> None:
    work.terminal.say(
        f"{outcome.sessions} sessions: {outcome.entries} entries written, {outcome.skipped} short "
        f"ones listed under their day, {outcome.waiting} waiting ({outcome.engine} engine)."
    )
    if outcome.unquoted:
        work.terminal.say(UNQUOTED.format(outcome.unquoted))
    for problem in outcome.problems:
        work.terminal.warn(f"  {problem}")


def _drain_spool(arguments: argparse.Namespace, work: Workspace, flushing: Flush) -> bool:
    """Drain the spool; False where another flush is at work and will do it.

    That one looks for the marks when it has let go of the lock. It may have looked just before the
    mark was set, so the lock is tried once more after that.
    """
    mark, sweep = (work.vault.state.root / name for name in ("flush-again", "sweep-again"))
    is_marked = False
    while True:
        try:
            with work.vault.state.lock("flush", wait=not arguments.detached):
                disk.remove(mark)
                is_swept = arguments.sweep or sweep.exists()
                disk.remove(sweep)
                flushing.drain(everything=not arguments.detached, sweep=is_swept)
        except Busy:
            if not arguments.detached:
                work.terminal.say("Another flush is at work; waiting for its end.")
            elif is_marked:
                return False
            else:
                if arguments.sweep:
                    disk.replace(sweep, b"")
                disk.replace(mark, b"")
                is_marked = True
        else:
            if not mark.exists():
                return True
            is_marked = False


class Flush:
    """Drains the spool of one vault with one engine."""

    def __init__(self, work: Workspace, model: Model, outcome: CaptureOutcome) -> None:
        self.model = model
        self._work = work
        self._outcome = outcome
        outcome.engine = model.name

    def drain(self, *, everything: bool, sweep: bool) -> None:
        """Capture what waits until nothing new comes; the caller holds the flush lock."""
        old_count, work = self._outcome.entries, self._work
        self._everything = everything
        while True:
            start = time.time()
            self._capture = build_capture(work, self.model)
            if sweep:
                _sweep(work, self._capture)
                sweep = False
            self._do_jobs(work.spool.claim(start, all_of_them=everything))
            if not work.spool.has_jobs_since(start):
                break
            everything = False
        work.spool.tidy(start)
        for file in (work.vault.state.summary, work.vault.reports / "report.md"):
            disk.remove_stale_temporaries(work.vault.place(file).parent, start)
        record_count = hook_records.collect(work)
        if record_count or self._outcome.entries != old_count or not is_current(work):
            try:
                refresh_derived(work)
            except (VaultError, OSError) as error:
                # what was captured is in the logs
                self._outcome.problems.append(f"{error}; the next flush tries it again")

    def _do_jobs(self, jobs: list[Job]) -> None:
        """Do the jobs; once the model is out of reach the rest waits, unasked.

        Those that were tried least come first, so that one which fails for a reason of its own
        keeps no others back.
        """
        error = None
        for job in sorted(jobs, key=lambda job: (job.attempts, job.name)):
            self._outcome.sessions += 1
            if error is None:
                error = self._do_job(job)
            else:
                self._postpone_job(job, error, tried=False)

    def _do_job(self, job: Job) -> ModelError | None:
        """Do a job; the error says that no model can be reached now."""
        job = _with_transcript(self._work, job)
        if self._is_session_open(job):
            self._work.spool.later(job, "", time.time(), tried=False)
            return None
        try:
            self._deliver(job, self._capture)
        except ModelError as error:
            self._outcome.problems.append(f"session {job.session}: {error}")
            self._postpone_job(job, error)
            return error
        except Exception as error:  # noqa: BLE001 - one session must not keep back all others
            reason = describe_error(error)
            self._outcome.problems.append(f"session {job.session}: {reason}")
            self._work.spool.fault(job, reason, time.time())
        else:
            self._work.spool.forget_job(job)
        return None

    def _is_session_open(self, job: Job) -> bool:
        """Whether a turn has ended and not the session, unless a person wants all of it now."""
        if self._everything or job.event != "Stop" or job.source is None:
            return False
        with suppress(OSError):  # it is gone: what the hook linked is all there is
            return time.time() - job.source.stat().st_mtime < IDLE_SECONDS
        return False

    def _postpone_job(self, job: Job, error: ModelError, *, tried: bool = True) -> None:
        now = time.time()
        if now - job.at > _WAIT_SECONDS:
            try:
                self._deliver(job, build_capture(self._work, OfflineModel()))
            except (MemoriaError, OSError) as fault:
                self._outcome.problems.append(f"session {job.session}: {fault}")
            else:
                self._work.spool.forget_job(job)
                return
        self._work.spool.later(job, str(error), now, tried=tried)

    def _deliver(self, job: Job, capture: CaptureService) -> None:
        if job.event == "SessionEnd" and job.source is not None:
            agent_of(job.source).await_end(job.source)
        # an automatic compaction comes in the middle of a turn, which is taken when it is whole
        is_open = job.event == "PreCompact" and job.reason == "auto"
        for part in capture.parts(
            _find_transcript_file(job), source=job.source, leave_open=is_open
        ):
            delivery = request_entry(capture, part, self._outcome.problems)
            self._outcome.add(capture.deliver([delivery]))
            self._outcome.count(delivery)


def build_capture(work: Workspace, model: Model, *, vouched: bool = False) -> CaptureService:
    """Make what captures sessions with a model, and sees how rules were kept.

    `vouched`: a person says that all its transcripts are theirs, wherever they lie.
    """
    observer = RuleObserver(work.vault)
    places = None if vouched else client_places(work.settings, work.vault)
    return CaptureService(
        work.vault, work.settings, model, work.spool, observer=observer, places=places
    )


def request_entry(
    capture: CaptureService, part: Part, problems: list[str], prefix: str = ""
) -> Delivery:
    """Ask for the entry of a part; what a model will never answer the Offline engine writes."""
    try:
        return capture.entry(part)
    except ModelError as error:
        if error.later:
            raise
        problems.append(f"{prefix}{error}; the Offline engine wrote the entry")
        return capture.entry(part, OfflineModel())


def _with_transcript(work: Workspace, job: Job) -> Job:
    """Find the transcript of a job that could not be read by the session that its name has."""
    if job.transcript or not job.session:
        return job
    # a job's name has no more of a session's id
    paths = [file.path for file in _list_sessions(work) if file.session[:36] == job.session]
    return replace(job, transcript=str(paths[0])) if paths else job


def _find_transcript_file(job: Job) -> Path:
    """Say where a job's transcript can be read: in its place, else where the hook linked it."""
    paths = [path for path in (job.source, job.link) if path]
    for path in paths:
        if agent_of(path).is_there(path):
            return path
    is_left = any(path.is_file() for path in paths)
    problem = "holds no line that can be read" if is_left else "is gone"
    raise MemoriaError(f"the transcript {job.transcript or 'of the session'} {problem}")


def _list_sessions(work: Workspace) -> Iterator[SessionFile]:
    for agent, folder in find_agent_folders(work.settings):
        yield from agent.sessions(folder)


def _sweep(work: Workspace, capture: CaptureService) -> None:
    """Make jobs for sessions that are over, since the installation, and of which no hook told."""
    state, spool, now = work.vault.state, work.spool, time.time()
    since = state.read_json(state.root / "installed.json").get("since", 0)
    is_forgotten = work.vault.history().has_forgotten
    paths = {job.transcript for kind in ("new", "claimed", "dead") for job in spool.jobs(kind)}
    for file in _list_sessions(work):
        mark = capture.watermarks.get(str(file.path))
        is_new = (mark is None or file.size != mark.end) and str(file.path) not in paths
        is_over = file.mtime >= since and now - file.mtime > IDLE_SECONDS
        if is_new and is_over and not is_forgotten(file.session):
            spool.add(file.path, file.session, "Sweep")


def refresh_derived(work: Workspace) -> None:
    """Derive state.json and the hooks' files anew."""
    state = work.vault.state
    sizes = {"ledger": disk.size(state.ledger)}
    disk.replace(state.summary, encode_json(work.vault.history().state()))
    if not snapshot.refresh(work):
        raise VaultError("what sessions are given is not up to date")
    with suppress(VaultError):  # a search brings its index up to date itself
        refresh_index(work)
    disk.replace(state.root / _DERIVED, encode_json(sizes))


def is_current(work: Workspace) -> bool:
    """Whether what is derived was made of the ledger as it stands: a process may have died since.

    A rule that was rejected would else be given to sessions until something else is captured.
    """
    state = work.vault.state
    try:
        return state.read_json(state.root / _DERIVED).get("ledger") == disk.size(state.ledger)
    except VaultError:
        return False


def is_edited(work: Workspace) -> bool:
    """Whether a note or a log was written since what is derived was, by a person or a pull."""
    daily, knowledge = work.vault.daily, work.vault.knowledge
    # a folder tells of what is gone, and of what a sync brought with another machine's times
    files = (daily, knowledge, *daily.glob("*.md"), *knowledge.rglob("*"))
    try:
        derived_at = (work.vault.state.root / _DERIVED).stat().st_mtime_ns
        return any(path.lstat().st_mtime_ns > derived_at for path in files)
    except OSError:  # one went in this moment
        return True


def _compile_due(work: Workspace, model: Model) -> list[str]:
    """Compile logs of earlier days, and today's once the day's work is over; say what was skipped.

    A day that the model could not do is paid for again after a day at the earliest, and not at
    every flush; a person's own compile tries it at once.
    """
    now, path = clock.now(work.settings.zone), work.vault.state.root / "failed.json"
    stamp, is_late = now.timestamp(), now.hour >= work.settings.compile_after_hour
    times = {
        day: at
        for day, at in work.vault.state.read_json(path).items()
        # a time to come is that of a clock that was put back since
        if isinstance(at, int | float) and 0 <= stamp - at < _FAILED_SECONDS
    }
    days = [day for day in work.vault.logs() if day < now.date() or (day == now.date() and is_late)]
    due_days = [day for day in days if str(day) not in times]
    if not due_days:
        return []
    try:
        from memoria.compile.service import Compiler  # noqa: PLC0415 - few flushes compile

        outcome = Compiler(work, model).compile(due_days, all_entries=False)
    except Busy:
        return []
    disk.replace(path, encode_json(times | dict.fromkeys(outcome.failed, stamp)))
    return outcome.skipped
