"""A transcript file on disk -> Transcripts, read as a stream and never trusted.

The client still writes the file while it is read, may rewrite or delete it, and whoever can write
into its folder may put a FIFO, a device or a link in its place; so a file is opened without
following or waiting, and is read as far as it went at that moment. The trap: a watermark is only
as good as the bytes before it: check `extends` first, and read a file that does not from 0.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memoria.agents.claude_code.lines import moment, whole
from memoria.agents.claude_code.turns import Reading
from memoria.agents.pieces import Limits
from memoria.errors import TranscriptError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from memoria.agents.transcript import Call, Transcript

_TAIL = 256  # bytes: they hold the last line's uuid or time, so no two states of a file share them
_SKIP = 1 << 20  # bytes read at once of a line that is passed over
_LOOK = 64 << 10  # bytes before a watermark, in which one line at least has its time
_SKEW = timedelta(days=1)  # a copy may have lost its zone, so a file's time is trusted to a day
_FIRST, _LAST = 946_684_800, 4_102_444_800  # 2000 and 2100: sums with them cannot overflow
_FIRST_LINES = 50
_CALL = 400  # bytes that a call costs beside its texts
_TIME = re.compile(rb'"timestamp": ?"([0-9T:.Z+-]{10,40})"')
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Which file it is and how long; a rewritten file often has another inode, a copy always."""

    dev: int
    inode: int
    size: int


def identity(path: Path) -> FileIdentity:
    """Say which file lies there now; TranscriptError where it is none that may be read."""
    with _opened(path) as (_, status):
        return FileIdentity(status.st_dev, status.st_ino, status.st_size)


def has_lines(path: Path) -> bool:
    """Whether one of a file's first lines is an object, as each line of a transcript is."""
    try:
        with _opened(path) as (file, _):
            return any(_is_object(file.readline(_SKIP)) for _ in range(_FIRST_LINES))
    except TranscriptError:
        return False


def _is_object(raw: bytes) -> bool:
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        # a line of a megabyte that begins as one is cut here, and not parsed
        return raw.startswith(b"{") and (len(raw) == _SKIP or isinstance(json.loads(raw), dict))
    except (ValueError, RecursionError):
        return False


def tail_hash(path: Path, offset: int) -> str:
    """Hash the last bytes before `offset`; "" where the file is shorter than that."""
    with _opened(path) as (file, status):
        if not 0 <= offset <= status.st_size:
            return ""
        file.seek(max(0, offset - _TAIL))
        return hashlib.sha256(file.read(min(_TAIL, offset))).hexdigest()[:32]


def extends(path: Path, offset: int, tail: str) -> bool:
    """Say whether the file is still the one that had that `tail_hash` at that offset, or longer."""
    return tail != "" and tail_hash(path, offset) == tail


def read(  # noqa: PLR0913 - the file and, by name, what of it
    path: Path,
    *,
    start: int = 0,
    known: Container[str] = frozenset(),
    limits: Limits | None = None,
    leave_open: bool = False,
    empty: bool = False,
    source: Path | None = None,
) -> Iterator[Transcript]:
    """Read from byte `start` on, in parts that follow each other; no part where nothing is new.

    Turns of a uuid in `known` are left out. `leave_open` leaves the last turn out, for a session
    that is in the middle of it. `empty` gives the last part also when it has no turns but an
    advanced `end`, for a caller that wants to remember how far the file was read. `source` is the
    transcript's own place where `path` is a hard link to it: its subagents lie beside that.
    Raises TranscriptError for a file that is no regular one, or whose reading fails on the way.
    """
    limits, source = limits or Limits(), source or path
    with _opened(path) as (file, status):
        if start > status.st_size:
            return
        now = _written(status)
        reading = Reading(_session(source), now, limits, start=start, known=known)
        since = _time_before(file, start)
        for part in _parts(file, reading, start, status.st_size, limits):
            yield _with_subagents(part, source, since, limits)
            since = _until(part)
        part = reading.finish(leave_open=leave_open)
        if part.turns:
            yield _with_subagents(part, source, since, limits)
        elif empty and part.end > part.start:
            yield part


def subagents(path: Path) -> tuple[Path, ...]:
    """List the transcripts of the session's subagents, which lie in a folder beside its own."""
    folder = path.parent / path.stem / "subagents"
    try:
        return () if folder.is_symlink() else tuple(sorted(folder.glob("agent-*.jsonl")))
    except OSError:
        return ()


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    """Open a regular file, and turn what fails on the way into TranscriptError."""
    try:
        descriptor, status = _descriptor(path)
        with os.fdopen(descriptor, "rb", buffering=_SKIP) as file:
            yield file, status
    except OSError as error:
        raise TranscriptError(f"cannot read {str(path)!r}: {error.strerror}") from error


def _descriptor(path: Path) -> tuple[int, os.stat_result]:
    """Open not through a link and not waiting for a FIFO's other end, then look what it is."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)  # Windows alone has it, and lacks the two above
    try:
        descriptor = os.open(path, flags)
    except ValueError as error:
        raise TranscriptError(f"{str(path)!r} is no path: {error}") from error
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return descriptor, status
    os.close(descriptor)
    raise TranscriptError(f"{str(path)!r} is not a regular file")


def _written(status: os.stat_result) -> datetime:
    """Give the file's time; one that no clock ever showed is moved into the years of ours."""
    seconds = min(max(status.st_mtime, _FIRST), _LAST)
    return datetime.fromtimestamp(seconds, UTC)


def _lines(file: BinaryIO, start: int, size: int, cap: int) -> Iterator[tuple[bytes, int]]:
    """Give each complete line up to byte `size` with its end; b"" for one longer than `cap`."""
    file.seek(start)
    at = start
    while at < size:
        raw = file.readline(min(cap + 1, size - at))
        at += len(raw)
        if raw.endswith(b"\n") or (0 < len(raw) <= cap and whole(raw)):
            yield raw, at
        elif len(raw) > cap:
            at, ended = _pass(file, at, size)
            if not ended:
                return
            yield b"", at
        else:
            return


def _pass(file: BinaryIO, at: int, size: int) -> tuple[int, bool]:
    """Go to the end of a line without holding it; say where that is and whether it ended."""
    while at < size and (raw := file.readline(min(_SKIP, size - at))):
        at += len(raw)
        if raw.endswith(b"\n"):
            return at, True
    return at, False


def _parts(
    file: BinaryIO, reading: Reading, start: int, size: int, limits: Limits
) -> Iterator[Transcript]:
    for raw, end in _lines(file, start, size, limits.line):
        if raw:
            yield from reading.line(raw, end)
        else:
            reading.skip("line too long", end)


def _session(path: Path) -> str:
    """Name the session by its file where its lines do not; a strange name by its hash."""
    stem = path.stem
    if _NAME.fullmatch(stem):
        return stem
    return hashlib.sha256(os.fsencode(stem)).hexdigest()[:32]


def _time_before(file: BinaryIO, start: int) -> datetime | None:
    """Find when the line before `start` was written: what a subagent did until then is read."""
    file.seek(max(0, start - _LOOK))
    times = _TIME.findall(file.read(min(_LOOK, start)))
    return moment(times[-1].decode()) if times else None


def _until(part: Transcript) -> datetime:
    return max(turn.until for turn in part.turns)


def _with_subagents(
    part: Transcript, path: Path, since: datetime | None, limits: Limits
) -> Transcript:
    """Add what the session's subagents called after `since` and up to the part's last turn."""
    if since is None and part.start:
        since = part.turns[0].at
    calls, skipped, room = [], Counter(dict(part.skipped)), limits.subagents
    for agent in subagents(path):
        try:
            for call in _calls_between(agent, since, _until(part), limits):
                room -= _CALL + len(call.result) + sum(len(value) for _, value in call.arguments)
                if room > 0:
                    calls.append(call)
                else:
                    skipped["subagent call over the bound"] += 1
        except TranscriptError:
            skipped["subagent unreadable"] += 1
    calls.sort(key=lambda call: call.at)
    return replace(part, subagents=tuple(calls), skipped=tuple(sorted(skipped.items())))


def _calls_between(
    path: Path, since: datetime | None, until: datetime, limits: Limits
) -> Iterator[Call]:
    for call in _calls_of(path, since, limits):
        if call.at > until:
            return
        if since is None or call.at > since:
            yield call


def _calls_of(path: Path, since: datetime | None, limits: Limits) -> Iterator[Call]:
    with _opened(path) as (file, status):
        written = _written(status)
        if since and written + _SKEW < since:
            return
        small = replace(limits, part=limits.subagents)
        reading = Reading(_session(path), written, small, sidechain=True)
        for part in _parts(file, reading, 0, status.st_size, limits):
            yield from part.calls
        yield from reading.finish().calls
