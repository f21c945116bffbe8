"""Read a session's file of JSON lines as a stream of Transcripts, and never trust it.

The client still writes the file while it is read, and somebody may put a FIFO, a device or a link
in its place; so it is opened without following or waiting. A watermark is only as good as the bytes
before it: check `extends` first, and read a file that does not from 0.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, TypedDict

from memoria.agents.json_line import BOM, parse, session_id, whole
from memoria.agents.transcript import Limits
from memoria.agents.turns import Reading
from memoria.errors import TranscriptError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path
    from typing import IO, Unpack

    from memoria.agents.transcript import Transcript
    from memoria.agents.turns import LineFormat

_TAIL = 256  # bytes: they hold the last line's uuid or time, so no two states of a file share them
_SKIP = 1 << 20  # bytes read at once of a line that is passed over
_FIRST, _LAST = 946_684_800, 4_102_444_800  # 2000 and 2100: sums with them cannot overflow
_FIRST_LINES, _CUT = 50, _SKIP - len(BOM)
# a last line is rarely longer; a longer one has its time stamp at its end, or the file's serves
_NEAR_END = 256 * 1024
_STAMP = re.compile(rb'"timestamp":\s*"(\d{4}-\d\d-\d\dT[0-9:.]+Z?)"')


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A transcript on disk: `mtime` in seconds of the epoch, `size` in bytes."""

    path: Path
    session: str
    mtime: float
    size: int


def look_at(path: Path, session: str) -> SessionFile | None:
    """Look at a session's file; None for what is no regular file, or not there any more."""
    try:
        state = path.lstat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(state.st_mode) or not session_id(session):
        return None
    return SessionFile(path, session, state.st_mtime, state.st_size)


def is_there(path: Path) -> bool:
    """Whether there is a session's file, in its place and with a line of a session."""
    if not path.is_file() or path.is_symlink():
        return False
    try:
        with opened(path) as (file, _):
            return any(_is_object(file.readline(_SKIP)) for _ in range(_FIRST_LINES))
    except TranscriptError:
        return False


def _is_object(raw: bytes) -> bool:
    """Whether a line is an object, as each of a transcript is."""
    raw = raw.removeprefix(BOM)
    # a line of a megabyte that begins as one is cut here, and not parsed
    return raw.startswith(b"{") and (len(raw) >= _CUT or isinstance(parse(raw.strip()), tuple))


def tail_hash(path: Path, offset: int) -> str:
    """Hash the last bytes before `offset`; "" where the file is shorter than that."""
    with opened(path) as (file, state):
        if not 0 <= offset <= state.st_size:
            return ""
        file.seek(max(0, offset - _TAIL))
        return hashlib.sha256(file.read(min(_TAIL, offset))).hexdigest()[:32]


class Portion(TypedDict, total=False):
    """What of a session is read, all of it by default.

    `start` is the byte, or the message, from which on. Turns of a uuid in `known` are left out,
    with `leave_open` the last one. `empty` gives the last part also when only its `end`
    advanced. `source` is the file's own place where the path is a link.
    """

    start: int
    known: Container[str]
    limits: Limits | None
    leave_open: bool
    empty: bool
    source: Path | None


def read(
    path: Path, form: LineFormat, session: str, **portion: Unpack[Portion]
) -> Iterator[Transcript]:
    """Read a file in parts that follow each other; no part where nothing is new; TranscriptError.

    `session` is its name where no line tells it. The format is given the file's first lines
    before anything else, wherever the reading starts.
    """
    limits, start = portion.get("limits") or Limits(), portion.get("start", 0)
    known = portion.get("known", frozenset())
    with opened(path) as (file, state):
        now = written(state)
        for raw, _ in islice(_lines(file, 0, start, limits.line), form.head):
            if raw:
                form.read_line(raw, limits, now)
        reading = Reading(session, now, limits, form, start=start, known=known)
        yield from parts(file, reading, start, state.st_size, limits)
        yield from last_part(reading, portion)


def last_part(reading: Reading, portion: Portion) -> Iterator[Transcript]:
    """Give what is left at the end, if it says something."""
    part = reading.finish(leave_open=portion.get("leave_open", False))
    if part.turns or (portion.get("empty") and part.end > part.start):
        yield part


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], os.stat_result]]:
    """Open a regular file, and turn what fails on the way into TranscriptError."""
    try:
        descriptor, state = _descriptor(path)
        with os.fdopen(descriptor, "rb", buffering=_SKIP) as file:
            yield file, state
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
    state = os.fstat(descriptor)
    if stat.S_ISREG(state.st_mode):
        return descriptor, state
    os.close(descriptor)
    raise TranscriptError(f"{str(path)!r} is not a regular file")


def written(state: os.stat_result) -> datetime:
    """Give the file's time; one that no clock ever showed is moved into the years of ours."""
    return datetime.fromtimestamp(sane_seconds(state.st_mtime), UTC)


def sane_seconds(seconds: float) -> float:
    """Give a time in seconds of the epoch, moved into the years of ours."""
    return min(max(seconds, _FIRST), _LAST)


def _lines(file: IO[bytes], start: int, size: int, cap: int) -> Iterator[tuple[bytes, int]]:
    """Give each complete line up to byte `size` with its end; b"" for one longer than `cap`."""
    file.seek(start)
    at = start
    while at < size:
        raw = file.readline(min(cap + 1, size - at))
        at += len(raw)
        if raw.endswith(b"\n") or (0 < len(raw) <= cap and whole(raw)):
            yield raw, at
            continue
        # go to the end of the line without holding it; a torn one has none
        while raw and not raw.endswith(b"\n"):
            raw = file.readline(min(_SKIP, size - at))
            at += len(raw)
        if not raw:
            return
        yield b"", at


def parts(
    file: IO[bytes], reading: Reading, start: int, size: int, limits: Limits
) -> Iterator[Transcript]:
    """Feed the lines of a file to a reading; give the parts that they complete."""
    for raw, end in _lines(file, start, size, limits.line):
        if raw:
            yield from reading.line(raw, end)
        else:
            reading.skip("line too long", end)


def session_name(stem: str) -> str:
    """Name the session by its file where its lines do not; a strange name by its hash."""
    return session_id(stem) or hashlib.sha256(os.fsencode(stem)).hexdigest()[:32]


def last_moment(path: Path) -> str:
    """Give the last time stamp near the end of a transcript, else the file's, as ISO text."""
    with opened(path) as (file, state):
        file.seek(max(0, state.st_size - _NEAR_END))
        stamps = _STAMP.findall(file.read(_NEAR_END))
    return str(stamps[-1].decode()) if stamps else written(state).isoformat()
