"""`memoria flush`: what waits in the spool -> the daily logs; with --sweep also what no hook told.

One flush at a time; another that comes leaves a mark, and the one at work goes round again. A model
that cannot be reached leaves the job for later, without limit; after a day the Offline engine's
entry stands in, and is replaced when the model is back unless a person has edited it. A model that
refuses or answers nonsense would do so again: then the Offline entry is the entry.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.commands import compile as compiling
from memoria.commands import snapshot, stand_in
from memoria.commands.capture import Capture
from memoria.edges import client, clock, disk, terminal
from memoria.edges.offline import Offline
from memoria.edges.state import Busy, encode
from memoria.errors import MemoriaError, ModelError
from memoria.stages import ledger as records

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memoria.commands.workspace import Workspace
    from memoria.edges.model import Model
    from memoria.edges.spool import Job
    from memoria.stages.entry import Entry

# a session without a write for this long is over; a wrong guess is harmless: the rest comes later
_IDLE_SECONDS = 30 * 60
# how long a session waits for its model before the extract stands in for its entry
_STAND_IN_SECONDS = 24 * 3600
# old markers of hooks: they only tell events of the same moment apart
_MARKER_SECONDS = 24 * 3600


@dataclass
class Outcome:
    """What a flush or an import did: the fields of `--json`."""

    sessions: int = 0
    entries: int = 0
    skipped: int = 0
    waiting: int = 0
    days: list[str] = field(default_factory=list)
    engine: str = ""
    problems: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def add(self, entries: tuple[Entry, ...]) -> None:
        """Count entries that are new in the logs."""
        self.entries += len(entries)
        self.days = sorted({*self.days, *(str(entry.day) for entry in entries)})

    def leave_out(self, reasons: tuple[tuple[str, int], ...]) -> None:
        """Count what the reader could not read."""
        for reason, count in reasons:
            self.left_out[reason] = self.left_out.get(reason, 0) + count


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Drain the spool; a detached flush then compiles what is due."""
    work.vault.require()
    outcome = Outcome()
    flushing = Flush(work, work.model(arguments.engine), outcome)
    with _kept_in_the_log(work, arguments, outcome):
        if not _drained(arguments, work, flushing):
            return 0
    outcome.waiting = len(work.spool.jobs("new"))
    if arguments.detached:
        _compile_due(work, flushing.model)
    _tell(arguments, work, outcome)
    return _exit_code(outcome)


def _drained(arguments: argparse.Namespace, work: Workspace, flushing: Flush) -> bool:
    """Drain the spool; False where another flush is at work and will do it.

    That one looks for the mark when it has let go of the lock. It may have looked just before the
    mark was set, so the lock is tried once more after that.
    """
    mark = work.vault.state.root / "flush-again"
    marked = False
    while True:
        try:
            with work.vault.state.lock("flush", wait=not arguments.detached):
                mark.unlink(missing_ok=True)
                flushing.drain(everything=not arguments.detached, sweep=arguments.sweep)
        except Busy:
            if not arguments.detached:
                work.terminal.say("Another flush is at work; waiting for its end.")
            elif marked:
                return False
            else:
                disk.replace(mark, b"")
                marked = True
        else:
            if not mark.exists():
                return True
            marked = False


@contextmanager
def _kept_in_the_log(
    work: Workspace, arguments: argparse.Namespace, outcome: Outcome
) -> Iterator[None]:
    """Keep what went wrong in a detached flush, which nobody sees, for the doctor."""
    wrong: list[str] = outcome.problems
    try:
        yield
    except BaseException as error:
        wrong = [*wrong, f"the flush ended: {type(error).__name__}: {error}"]
        raise
    finally:
        if arguments.detached and wrong:
            now = clock.now(work.settings.zone).isoformat(timespec="seconds")
            journal.append(work.vault.state.logs / "flush.log", now, wrong)


class Flush:
    """Drains the spool of one vault with one engine."""

    def __init__(self, work: Workspace, model: Model, outcome: Outcome) -> None:
        self.model = model
        self._work = work
        self._outcome = outcome
        outcome.engine = model.name

    def drain(self, *, everything: bool, sweep: bool) -> None:
        """Capture what waits until nothing new comes; the caller holds the flush lock."""
        before = self._outcome.entries
        while True:
            began = time.time()
            self._capture = Capture(
                self._work.vault, self._work.settings, self.model, self._work.spool
            )
            for job in self._work.spool.claim(began, all_of_them=everything):
                self._job(job)
            if sweep:
                self._sweep()
                sweep = False
            if not self._work.spool.newer(began):
                break
            everything = False
        _clear_markers(self._work.vault.state.root / "seen")
        if self._outcome.entries != before:
            refresh(self._work)

    def _job(self, job: Job) -> None:
        self._outcome.sessions += 1
        now = time.time()
        try:
            self._transcript(job)
        except ModelError as error:
            self._outcome.problems.append(f"session {job.session}: {error}")
            standing = job.standing
            if not standing and now - job.at > _STAND_IN_SECONDS:
                standing = stand_in.stand(self._work, _file(job), job)
            self._work.spool.later(job, str(error), now, standing=standing)
        except (MemoriaError, OSError) as error:
            self._outcome.problems.append(f"session {job.session}: {error}")
            self._work.spool.fault(job, str(error), now)
        else:
            self._work.spool.done(job)

    def _transcript(self, job: Job) -> None:
        if job.standing:
            stand_in.redeem(self._work, self.model, job)
            return
        # an automatic compaction comes in the middle of a turn, which is taken when it is whole
        open_turn = job.event == "PreCompact" and job.reason == "auto"
        self.capture(_file(job), source=Path(job.transcript), leave_open=open_turn)

    def capture(self, file: Path, *, source: Path | None = None, leave_open: bool = False) -> None:
        """Capture what is new in one transcript, part by part."""
        for part in self._capture.parts(file, source=source, leave_open=leave_open):
            try:
                delivery = self._capture.entry(part)
            except ModelError as error:
                if error.later:
                    raise
                self._outcome.problems.append(f"{error}; the Offline engine wrote the entry")
                delivery = self._capture.entry(part, Offline())
            self._outcome.add(self._capture.deliver([delivery]))
            self._outcome.skipped += delivery.entry is None and bool(part.transcript.turns)
            self._outcome.leave_out(part.transcript.skipped)

    def _sweep(self) -> None:
        for path in _over(self._work, self._capture):
            try:
                self._outcome.sessions += 1
                self.capture(path)
            except (MemoriaError, OSError) as error:
                self._outcome.problems.append(f"{path.name}: {error}")


def _file(job: Job) -> Path:
    """Say where a job's transcript can be read: in its place, else where the hook linked it."""
    source = Path(job.transcript)
    if source.is_file() and not source.is_symlink():
        return source
    if job.link is None:
        raise MemoriaError(f"the transcript {source} is gone")
    return job.link


def _over(work: Workspace, capture: Capture) -> Iterator[Path]:
    """Find transcripts past their watermark whose session is over, since the installation."""
    since = work.vault.state.read_json(work.vault.state.root / "installed.json").get("since", 0)
    now = time.time()
    for found in client.transcripts(client.projects_dir(work.settings.config_dir)):
        mark = capture.watermarks.get(str(found.path))
        new = mark is None or found.size != mark.end
        if new and found.mtime >= since and now - found.mtime > _IDLE_SECONDS:
            yield found.path


def refresh(work: Workspace) -> None:
    """Derive state.json and the hooks' files anew."""
    state = work.vault.state
    disk.replace(state.summary, encode(records.state(work.vault.history())))
    snapshot.refresh(work)


def _clear_markers(folder: Path) -> None:
    for path in folder.glob("*"):
        if time.time() - path.stat().st_mtime > _MARKER_SECONDS:
            path.unlink(missing_ok=True)


def _compile_due(work: Workspace, model: Model) -> None:
    """Compile logs of earlier days, and today's once the day's work is over."""
    now = clock.now(work.settings.zone)
    late = now.hour >= work.settings.compile_after_hour
    due = [day for day in work.vault.logs() if day < now.date() or (day == now.date() and late)]
    if due:
        try:
            compiling.Compiler(work, model).compile(due)
        except Busy:
            return


def _tell(arguments: argparse.Namespace, work: Workspace, outcome: Outcome) -> None:
    if arguments.json:
        terminal.data(asdict(outcome))
        return
    work.terminal.say(
        f"{outcome.sessions} sessions: {outcome.entries} entries written, {outcome.skipped} parts "
        f"with nothing to keep, {outcome.waiting} waiting ({outcome.engine} engine)."
    )
    for problem in outcome.problems:
        work.terminal.warn(f"  {problem}")


def _exit_code(outcome: Outcome) -> int:
    if outcome.waiting:
        return ModelError.exit_code
    return 1 if outcome.problems else 0
