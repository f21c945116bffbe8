"""Keep the jobs that hooks left in folders by their state, so that a crash can lose nothing.

new/ -> claimed/ -> gone, or back to new/ with the time of the next try, or dead/. Every move is one
rename. A job that a dead process had claimed is found in claimed/ and taken again: what it had
delivered already is known by the watermark, and a reply that was paid for is kept in replies/ until
its entry stands in the log. One flush at a time owns the spool (the caller holds its lock). A job
and its link are two renames, so a link is looked for in every folder.

A job that cannot be read is put aside in dead/ and taken up again by its name, which says when and
of which session it is; its transcript is kept beside it or lies in its place.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from memoria.errors import VaultError
from memoria.text.json_text import read_object
from memoria.text.restored import restore_record
from memoria.vault.file_names import generate_numbered_names
from memoria.vault.storage import disk

# first retry after a minute, doubled each time; an outage of a day is then tried about every hour
_FIRST_WAIT, _LONGEST_WAIT = 60.0, 3600.0
# a fault that is not the model's is tried again in case the disk was full, then put aside
_MOST_FAULTS = 5
_ORPHAN_SECONDS = 3600.0  # a hook is done within a second: what is half there stays so
_DEAD_SECONDS = 24 * 3600.0
_STATES = ("new", "claimed", "dead")
_WAITING = ("new", "claimed")
# the error of a job whose file does not say what it is
_BROKEN = "the job's file is damaged; the next flush takes its session up again"
_DAMAGED = ".damaged"  # what was put aside because it is no job, or no transcript
_STAMP = 20  # digits of the nanoseconds that a job's name begins with
_LATEST = 253_370_764_800  # seconds since 1970 in the year 9999, where the clocks that we read end


@dataclass(frozen=True, slots=True)
class Job:
    """A session to capture: which event asked for it, where its transcript is, how often tried.

    `link` is the hard link beside the job, None where the file system had none.
    """

    name: str
    session: str
    event: str = ""
    reason: str = ""
    transcript: str = ""
    cwd: str = ""
    at: float = 0.0
    attempts: int = 0
    faults: int = 0
    not_before: float = 0.0
    error: str = ""
    link: Path | None = None

    @property
    def source(self) -> Path | None:
        """Where the client wrote the transcript, None where that is not known."""
        return Path(self.transcript) if self.transcript else None


class Spool:
    """The spool of one vault."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def claim(self, now: float, *, all_of_them: bool = False) -> list[Job]:
        """Take the jobs that are due, and those a dead process left, oldest first.

        With `all_of_them` a person asks: then those that were given up are tried again, too.
        """
        self._repair(now)
        for job in self.jobs("dead") if all_of_them else ():
            if job.error != _BROKEN:
                self._move(self._path("dead", job.name), "claimed")
        for job in self.jobs("new"):
            if all_of_them or _is_due(job, now):
                self._move(self._path("new", job.name), "claimed")
        return self.jobs("claimed")

    def list_damaged(self) -> list[Path]:
        """Give what was put aside, and what the next flush will put aside."""
        waiting = [path for state in _WAITING for path in self._find_broken(state)]
        return self._list_files("dead", f"*{_DAMAGED}") + waiting

    def add(self, transcript: Path, session: str, event: str) -> None:
        """Put in a job for a transcript that no hook told of, as the hooks do."""
        name = f"{time.time_ns():020d}-{os.getpid()}-{session[:36]}"
        disk.make_folder(self._root / "new")
        with suppress(OSError, NotImplementedError):  # another file system: it is read in its place
            os.link(transcript, self._path("new", name, ".jsonl"), follow_symlinks=False)
        job = Job(name, session, event, transcript=str(transcript), at=time.time())
        self._write(job, "new")

    def tidy(self, now: float) -> None:
        """Drop what a hook that was ended in the middle has left, and what was given up for long.

        The transcript of a dead job is kept for a day from when it was given up: it holds whatever
        was said. So is what was put aside; a folder is left to a person.
        """
        for path in (self._root / "dead").glob("*"):
            job = path.with_suffix(".json")
            source = job if path.suffix == ".jsonl" and os.path.lexists(job) else path
            if path.suffix in {".jsonl", _DAMAGED} and _age(source, now) > _DEAD_SECONDS:
                _remove(path)
        for path in [file for state in _WAITING for file in (self._root / state).glob("*")]:
            if path.suffix not in {".json", ".jsonl"} and _age(path, now) > _ORPHAN_SECONDS:
                _remove(path)

    def forget_job(self, job: Job) -> None:
        """Forget a job and the transcript that was linked for it."""
        for state in _STATES:
            _remove(self._path(state, job.name, ".jsonl"))
        _remove(self._path("claimed", job.name))

    def later(self, job: Job, error: str, now: float, *, tried: bool = True) -> None:
        """Put a job back to be tried again: the model could not be reached. No limit on tries."""
        wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(job.attempts, 10))
        job = replace(job, attempts=job.attempts + tried, not_before=now + wait, error=error)
        self._rewrite(job, "new")

    def fault(self, job: Job, error: str, now: float) -> bool:
        """Put a job back after a fault that is not the model's; after five it is dead (True)."""
        job = replace(job, faults=job.faults + 1, not_before=now + _FIRST_WAIT, error=error)
        is_dead = job.faults >= _MOST_FAULTS
        self._rewrite(job, "dead" if is_dead else "new")
        return is_dead

    def jobs(self, state: str) -> list[Job]:
        """Read the jobs of a state: new, claimed or dead."""
        return [job for path in self._list_files(state) if (job := self._read_job(path))]

    def has_jobs_since(self, since: float) -> bool:
        """Whether a job came in or is due since then."""
        return any(_is_due(job, time.time()) and job.at >= since for job in self.jobs("new"))

    def keep_reply(self, key: str, value: Mapping[str, Any]) -> None:
        """Store a reply that was paid for, before it is applied."""
        text = json.dumps(value, ensure_ascii=False)
        disk.replace(self._path("replies", key), text.encode("utf-8", "replace"))

    def reply(self, key: str) -> dict[str, Any] | None:
        """Give a stored reply."""
        return read_object(disk.read(self._path("replies", key)) or b"") or None

    def drop_replies(self, start: str) -> None:
        """Forget the replies whose keys begin so: their entry stands in the log."""
        for path in (self._root / "replies").glob(f"{start}*.json"):
            disk.remove(path)

    def _list_files(self, state: str, pattern: str = "*.json") -> list[Path]:
        return sorted((self._root / state).glob(pattern))

    def _path(self, state: str, name: str, suffix: str = ".json") -> Path:
        return self._root / state / f"{name}{suffix}"

    def _find_link(self, name: str) -> Path | None:
        places = (self._path(state, name, ".jsonl") for state in _STATES)
        return next((path for path in places if _is_file(path)), None)

    def _read_job(self, path: Path) -> Job | None:
        """Read a job, or what is known of one that cannot be read; None if it is gone by now."""
        try:
            data = disk.read(path)
        except VaultError:  # a folder, or another user's, as after `sudo claude`
            data = b""
        if data is None:  # done since it was listed
            return None
        job = restore_record(Job, read_object(data) | {"name": path.stem})
        job = job or self._build_job_from_name(path, _BROKEN)
        is_dated = 0 < job.at < _LATEST  # what no clock shows would be waited for without end
        at = job.at if is_dated else _find_creation_time(path)
        return replace(job, at=at, link=self._find_link(path.stem))

    def _build_job_from_name(self, path: Path, error: str = "") -> Job:
        """Make the job of a file, or of a transcript without one, by its name alone."""
        session = path.stem.partition("-")[2].partition("-")[2]
        link = self._find_link(path.stem)
        return Job(path.stem, session, at=_find_creation_time(path), error=error, link=link)

    def _repair(self, now: float) -> None:
        """Put aside what is no job, and take its session up again by its name."""
        for state in _WAITING:
            for path in self._find_broken(state):
                job = self._build_job_from_name(path)
                self._put_aside(path)
                if path.suffix == ".json" and (job.session or job.link):
                    self._write(job, "new")
            for link in self._find_orphan_links(state, now):
                self._write(self._build_job_from_name(link), "new")

    def _find_broken(self, state: str) -> Iterator[Path]:
        """Find jobs that cannot be read, and folders and links in the place of a transcript."""
        broken = (job.name for job in self.jobs(state) if job.error == _BROKEN)
        yield from (self._path(state, name) for name in broken)
        yield from (path for path in self._list_files(state, "*.jsonl") if not _is_file(path))

    def _find_orphan_links(self, state: str, now: float) -> Iterator[Path]:
        """Find transcripts without a job: a hook was ended in the middle, or a job deleted."""
        names = {path.stem for state in _STATES for path in self._list_files(state)}
        for path in self._list_files(state, "*.jsonl"):
            if path.stem not in names and _age(path, now) > _ORPHAN_SECONDS:
                yield path

    def _put_aside(self, path: Path) -> None:
        disk.make_folder(self._root / "dead")
        names = generate_numbered_names(path.name)
        targets = (self._path("dead", name, _DAMAGED) for name in names)
        disk.rename(path, next(target for target in targets if not os.path.lexists(target)))

    def _move(self, path: Path, state: str) -> None:
        disk.make_folder(self._root / state)
        link = self._find_link(path.stem)
        if link:
            disk.rename(link, self._path(state, path.stem, ".jsonl"))
        disk.rename(path, self._path(state, path.stem))

    def _rewrite(self, job: Job, state: str) -> None:
        self._write(job, "claimed")
        self._move(self._path("claimed", job.name), state)

    def _write(self, job: Job, state: str) -> None:
        data = {name: value for name, value in asdict(job).items() if name not in {"name", "link"}}
        disk.replace(self._path(state, job.name), json.dumps(data).encode())


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _age(path: Path, now: float) -> float:
    """Say how long a file has its name: a link's content may not have been written for days."""
    return now - _read_change_time(path, now)


def _read_change_time(path: Path, missing: float = 0.0) -> float:
    try:
        return path.lstat().st_ctime
    except FileNotFoundError:
        return missing


def _remove(path: Path) -> None:
    """Remove a file or a link; a folder in its place is left."""
    if path.is_symlink() or not path.is_dir():
        disk.remove(path)


def _find_creation_time(path: Path) -> float:
    """Say when a job was made: its name begins with the nanoseconds, else its file has a time."""
    stamp = path.stem.partition("-")[0]
    if stamp.isdecimal() and len(stamp) == _STAMP and int(stamp) / 1e9 < _LATEST:
        return int(stamp) / 1e9
    return _read_change_time(path)


def _is_due(job: Job, now: float) -> bool:
    """Whether a job's time has come, or lies further ahead than any wait: the clock went back."""
    return not now < job.not_before <= now + _LONGEST_WAIT
