"""Jobs that hooks left -> claimed, done or waiting: folders, so that a crash can lose nothing.

new/ -> claimed/ -> gone, or back to new/ with the time of the next try, or dead/. Every move is one
rename. A job that a dead process had claimed is found in claimed/ and taken again: what it had
delivered already is known by the watermark, and a reply that was paid for is kept in replies/ until
its entry stands in the log. One flush at a time owns the spool (the caller holds its lock). The
trap: a job and its link are two renames, so a link is looked for in every folder.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.edges import disk
from memoria.errors import VaultError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# first retry after a minute, doubled each time; an outage of a day is then tried about every hour
_FIRST_WAIT, _LONGEST_WAIT = 60.0, 3600.0
# a fault that is not the model's is tried again in case the disk was full, then put aside
_MOST_FAULTS = 5
# a hook is done within a second; what is half there after an hour stays so
_ORPHAN_SECONDS = 3600.0
_DEAD_SECONDS = 24 * 3600.0
_STATES = ("new", "claimed", "dead")
# seconds since 1970 in the year 9999, where the clocks that we read end
_LATEST = 253_370_764_800


@dataclass(frozen=True, slots=True)
class Job:
    """A session to capture: which event asked for it, where its transcript is, how often tried.

    `link` is the hard link beside the job, None where the file system had none. `standing` says
    that an offline entry stands in for the model's until that can be reached.
    """

    name: str
    event: str
    reason: str
    session: str
    transcript: str
    cwd: str
    at: float
    attempts: int = 0
    faults: int = 0
    not_before: float = 0.0
    error: str = ""
    standing: str = ""
    link: Path | None = None


class Spool:
    """The spool of one vault."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def claim(self, now: float, *, all_of_them: bool = False) -> list[Job]:
        """Take the jobs that are due, and those a dead process left, oldest first.

        With `all_of_them` a person asks: then those that were given up are tried again, too. A file
        that is no job goes to dead/, where a person can look at it.
        """
        for job in self.jobs("dead") if all_of_them else ():
            if job.error != _BROKEN:
                self._move(self._path("dead", job.name), "claimed")
        for job in self.jobs("new"):
            if job.error == _BROKEN or all_of_them or _is_due(job, now):
                self._move(self._path("new", job.name), "claimed")
        found = self.jobs("claimed")
        for job in found:
            if job.error == _BROKEN:
                self._move(self._path("claimed", job.name), "dead")
        return [job for job in found if job.error != _BROKEN]

    def add(self, transcript: Path, session: str, event: str) -> None:
        """Put in a job for a transcript that no hook told of, as the hooks do."""
        name = f"{time.time_ns():020d}-{os.getpid()}-{session[:36]}"
        disk.folder(self._root / "new")
        with suppress(OSError, NotImplementedError):  # another file system: it is read in its place
            os.link(transcript, self._path("new", name, ".jsonl"), follow_symlinks=False)
        job = Job(name, event, "", session, str(transcript), "", time.time())
        disk.replace(self._path("new", name), _encode(job))

    def tidy(self, now: float) -> None:
        """Drop what a hook that was ended in the middle has left: a link or text without its job.

        Its session is found by the sweep. The transcript of a dead job is kept for a day, like that
        of a waiting one: it holds whatever was said.
        """
        for job in self.jobs("dead"):
            if now - job.at > _DEAD_SECONDS:
                self._path("dead", job.name, ".jsonl").unlink(missing_ok=True)
        names = {path.stem for state in _STATES for path in self._jobs(state)}
        for path in [*(self._root / "new").glob("*"), *(self._root / "claimed").glob("*")]:
            orphan = path.suffix == ".tmp" or path.stem not in names
            with suppress(FileNotFoundError):
                # the time of the link itself: its file may not have been written for days
                if orphan and now - path.stat().st_ctime > _ORPHAN_SECONDS:
                    path.unlink()

    def done(self, job: Job) -> None:
        """Forget a job and the transcript that was linked for it."""
        self.drop_link(job)
        self._path("claimed", job.name).unlink(missing_ok=True)

    def later(
        self, job: Job, error: str, now: float, *, standing: str = "", tried: bool = True
    ) -> None:
        """Put a job back to be tried again: the model could not be reached. No limit on tries.

        `tried` is False for one that was not asked about because others had just failed.
        """
        wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(job.attempts, 10))
        again = replace(
            job,
            attempts=job.attempts + tried,
            not_before=now + wait,
            error=error,
            standing=standing or job.standing,
        )
        self._rewrite(again, "new")

    def fault(self, job: Job, error: str, now: float) -> bool:
        """Put a job back after a fault that is not the model's; after five it is dead (True)."""
        again = replace(job, faults=job.faults + 1, not_before=now + _FIRST_WAIT, error=error)
        dead = again.faults >= _MOST_FAULTS
        self._rewrite(again, "dead" if dead else "new")
        return dead

    def jobs(self, state: str) -> list[Job]:
        """Read the jobs of a state: new, claimed or dead."""
        found = (self._read(path) for path in self._jobs(state))
        return [job for job in found if job is not None]

    def newer(self, since: float) -> bool:
        """Whether a job came in or is due since then."""
        return any(_is_due(job, time.time()) and job.at >= since for job in self.jobs("new"))

    def drop_link(self, job: Job) -> None:
        """Give up the transcript kept for a job; what is left to do needs it no more."""
        for state in _STATES:
            self._path(state, job.name, ".jsonl").unlink(missing_ok=True)

    def keep_reply(self, key: str, value: Mapping[str, Any]) -> None:
        """Store a reply that was paid for, before it is applied."""
        text = json.dumps(value, ensure_ascii=False)
        disk.replace(self._path("replies", key), text.encode("utf-8", "replace"))

    def reply(self, key: str) -> dict[str, Any] | None:
        """Give a stored reply."""
        return _object(disk.read(self._path("replies", key)))

    def drop_replies(self, start: str) -> None:
        """Forget the replies whose keys begin so: their entry stands in the log."""
        for path in (self._root / "replies").glob(f"{start}*.json"):
            path.unlink(missing_ok=True)

    def keep_standing(self, key: str, value: Mapping[str, Any]) -> None:
        """Store what is needed to ask again for an entry for which an extract stands in."""
        text = json.dumps(value, ensure_ascii=False)
        disk.replace(self._path("standing", key), text.encode("utf-8", "replace"))

    def standing(self, key: str) -> dict[str, Any] | None:
        """Give what was stored to ask again, None where it is gone."""
        return _object(disk.read(self._path("standing", key)))

    def drop_standing(self, key: str) -> None:
        """Forget what was stored to ask again."""
        self._path("standing", key).unlink(missing_ok=True)

    def _jobs(self, state: str) -> list[Path]:
        return sorted((self._root / state).glob("*.json"))

    def _path(self, state: str, name: str, suffix: str = ".json") -> Path:
        return self._root / state / f"{name}{suffix}"

    def _link(self, name: str) -> Path | None:
        places = (self._path(state, name, ".jsonl") for state in _STATES)
        return next((path for path in places if path.exists()), None)

    def _read(self, path: Path) -> Job | None:
        try:
            data = disk.read(path)
        except VaultError:  # another user's, as after `sudo claude`: it must not keep back the rest
            data = b""
        if data is None:  # done since it was listed
            return None
        value = _object(data)
        if value is None or not isinstance(value.get("session"), str):
            value = {"error": _BROKEN}
        return Job(
            name=path.stem,
            link=self._link(path.stem),
            **{name: _as(value.get(name), kind) for name, kind in _FIELDS.items()},
        )

    def _move(self, path: Path, state: str) -> None:
        disk.folder(self._root / state)
        link = self._link(path.stem)
        if link:
            disk.rename(link, self._path(state, path.stem, ".jsonl"))
        disk.rename(path, self._path(state, path.stem))

    def _rewrite(self, job: Job, state: str) -> None:
        disk.replace(self._path("claimed", job.name), _encode(job))
        self._move(self._path("claimed", job.name), state)


# the error of a job whose file does not say what it is
_BROKEN = "the job's file is broken; the session is found again by `memoria flush --sweep`"
# the fields of a job's file; `name` and `link` are its place
_FIELDS: dict[str, type] = {
    "event": str,
    "reason": str,
    "session": str,
    "transcript": str,
    "cwd": str,
    "at": float,
    "attempts": int,
    "faults": int,
    "not_before": float,
    "error": str,
    "standing": str,
}


def _is_due(job: Job, now: float) -> bool:
    """Whether a job's time has come, or lies further ahead than any wait: the clock went back."""
    return not now < job.not_before <= now + _LONGEST_WAIT


def _encode(job: Job) -> bytes:
    return json.dumps({name: getattr(job, name) for name in _FIELDS}).encode()


def _object(data: bytes | None) -> dict[str, Any] | None:
    try:
        value = json.loads(data) if data else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _as(value: object, kind: type) -> Any:  # noqa: ANN401 - one of the types above
    if kind is float and isinstance(value, int | float):
        # NaN and what no clock shows would be waited for without end
        return float(value) if abs(value) < _LATEST else 0.0
    return value if isinstance(value, kind) else kind()
