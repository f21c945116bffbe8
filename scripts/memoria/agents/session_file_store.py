"""Look at a session's file and open it, and never trust it.

The client still writes the file, may rewrite or delete it, and whoever can write into its folder
may put a FIFO, a device or a link in its place; so a file is opened without following or waiting.
A compressed one is streamed through the program `zstd`.
"""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from memoria.agents.json_line import BOM, parse_stripped, session_id
from memoria.errors import TranscriptError
from memoria.vault.storage.child_environment import on_path

_TAIL_BYTES = 256  # they hold the last line's uuid or time, so no two states of a file share them
CHUNK_BYTES = 1 << 20  # read at once, of a line that is passed over too
_MIN_SECONDS, _MAX_SECONDS = 946_684_800, 4_102_444_800  # 2000, 2100: no sum with them overflows
_FIRST_LINES = 50  # of which one at least is an object
# a last line is rarely longer; a longer one has its time stamp at its end, or the file's serves
_END_BYTES = 256 * 1024
PACKED = ".zst"
# a session as large as none; a file of a few bytes can be unpacked to any length
MAX_UNPACKED_BYTES = 4 << 30
# Codex's level needs 2 MB of window
_UNPACK_OPTIONS = ("-dcq", "--memory=16MB")
_TIMESTAMP = re.compile(rb'"timestamp":\s*"(\d{4}-\d\d-\d\dT[0-9:.]+Z?)"')


class SessionFile(NamedTuple):
    """A transcript on disk: `mtime` in seconds of the epoch, `size` in bytes."""

    path: Path
    session: str
    mtime: float
    size: int


def look_at(path: Path, session: str) -> SessionFile | None:
    """Look at a session's file; None for what is no regular file, or not there any more.

    Nor is a compressed one a session where it stands beside the other, or nothing can unpack it.
    """
    try:
        state = path.lstat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(state.st_mode) or not session_id(session):
        return None
    if path.suffix == PACKED and (find_unpacker() is None or path.with_suffix("").exists()):
        return None
    return SessionFile(path, session, state.st_mtime, state.st_size)


def is_there(path: Path) -> bool:
    """Whether there is a session's file, in its place and with a line of a session."""
    if not path.is_file() or path.is_symlink():
        return False
    try:
        with open_file(path) as (file, _):
            return any(_is_object(file.readline(CHUNK_BYTES)) for _ in range(_FIRST_LINES))
    except TranscriptError:
        return False


def _is_object(raw: bytes) -> bool:
    """Whether a line is an object, as each of a transcript is."""
    raw = raw.removeprefix(BOM)
    # a line of a megabyte that begins as one is cut here, and not parsed
    return raw.startswith(b"{") and (
        len(raw) >= CHUNK_BYTES - len(BOM) or isinstance(parse_stripped(raw.strip()), tuple)
    )


def tail_hash(path: Path, offset: int) -> str:
    """Hash the last bytes before `offset`; "" where the file is shorter than that."""
    with open_file(path, raw=True) as (file, state):
        if not 0 <= offset <= state.st_size:
            return ""
        file.seek(max(0, offset - _TAIL_BYTES))
        return hashlib.sha256(file.read(min(_TAIL_BYTES, offset))).hexdigest()[:32]


@contextmanager
def open_file(path: Path, *, raw: bool = False) -> Iterator[tuple[IO[bytes], os.stat_result]]:
    """Open a regular file, and turn what fails on the way into TranscriptError.

    A compressed one is given as the stream that is in it, unless its `raw` bytes are asked for.
    """
    try:
        descriptor, state = _open_descriptor(path)
        with os.fdopen(descriptor, "rb", buffering=CHUNK_BYTES) as file:
            if raw or path.suffix != PACKED:
                yield file, state
            else:
                with _unpack(file) as stream:
                    yield stream, state
    except OSError as error:
        raise TranscriptError(f"cannot read {str(path)!r}: {error.strerror}") from error


def find_unpacker() -> str | None:
    """Find the program that unpacks a compressed session."""
    return on_path("zstd")


@contextmanager
def _unpack(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Unpack a file while it is read, in bounded memory; OSError for a damaged one."""
    import subprocess  # noqa: PLC0415 - few sessions are compressed

    command = (find_unpacker() or "zstd", *_UNPACK_OPTIONS)
    none, pipe = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, CHUNK_BYTES, stdin=file, stdout=pipe, stderr=none) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        yield process.stdout
        is_at_end = not process.stdout.read(1)
    if is_at_end and process.returncode:  # else it was not read to its end
        raise OSError(errno.EIO, "the compressed file is damaged")


def _open_descriptor(path: Path) -> tuple[int, os.stat_result]:
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


def file_time(state: os.stat_result) -> datetime:
    """Give the file's time; one that no clock ever showed is moved into the years of ours."""
    return datetime.fromtimestamp(sane_seconds(state.st_mtime), UTC)


def sane_seconds(seconds: float) -> float:
    """Give a time in seconds of the epoch, moved into the years of ours."""
    return min(max(seconds, _MIN_SECONDS), _MAX_SECONDS)


def session_name(stem: str) -> str:
    """Name the session by its file where its lines do not; a strange name by its hash."""
    return session_id(stem) or hashlib.sha256(os.fsencode(stem)).hexdigest()[:32]


def last_moment(path: Path) -> str:
    """Give the last time stamp near the end of a transcript, else the file's, as ISO text in UTC.

    Copies and checkouts have lost the files' own times, so the lines are asked first.
    """
    tail = b""
    with open_file(path) as (file, state):
        if path.suffix != PACKED:
            file.seek(max(0, state.st_size - _END_BYTES))
        chunks = iter(partial(file.read, CHUNK_BYTES), b"")
        for chunk in islice(chunks, MAX_UNPACKED_BYTES // CHUNK_BYTES):
            tail = (tail + chunk)[-_END_BYTES:]
    stamps = _TIMESTAMP.findall(tail)
    return str(stamps[-1].decode()) if stamps else file_time(state).isoformat()
