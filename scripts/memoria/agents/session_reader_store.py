"""Read a session's file of JSON lines as a stream of Transcripts.

Each agent that writes such files gives the format of its lines. A file is read as far as it went
when it was opened; a compressed one is whole, as the client unpacks a session before it goes on
with it, so its one watermark is its size on disk. The trap: a watermark is only as good as the
bytes before it: check `extends` first, and read a file that does not from 0.
"""

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO, TypedDict, Unpack

from memoria.agents import session_file_store as files
from memoria.agents.json_line import parse_line
from memoria.agents.session_file_store import PACKED, file_time, open_file
from memoria.agents.transcript import Limits, Transcript
from memoria.agents.turns import LineFormat, TranscriptReader


class Portion(TypedDict, total=False):
    """What of a session is read, all of it by default.

    `start` is the byte, or the message, from which on. Turns of a uuid in `known` are left out.
    `leave_open` leaves the last turn out, for a session that is in the middle of it. `empty` gives
    the last part also when it has no turns but an advanced `end`, for a caller that wants to
    remember how far the file was read. `source` is the file's own place where the path is a link.
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
    """Read a file in parts that follow each other; no part where nothing is new.

    `session` is its name where no line tells it. What the format has to know of the file's first
    lines it is given before anything else, wherever the reading starts.
    Raises TranscriptError for a file that is no regular one, or whose reading fails on the way.
    """
    limits, start = portion.get("limits") or Limits(), portion.get("start", 0)
    known = portion.get("known", frozenset())
    with open_file(path) as (file, state):
        now = file_time(state)
        if path.suffix == PACKED:
            if not start:
                reader = TranscriptReader(session, now, limits, form, known=known)
                for part in read_parts(file, reader, 0, files.MAX_UNPACKED_BYTES, limits):
                    yield replace(part, start=0, end=0)
                last_transcript = reader.finish()
                if last_transcript.turns or portion.get("empty"):
                    yield replace(last_transcript, start=0, end=state.st_size)
            return
        for raw, _ in islice(_read_lines(file, 0, start, limits.line), form.head):
            if raw:
                form.read_line(raw, limits, now)
        reader = TranscriptReader(session, now, limits, form, start=start, known=known)
        yield from read_parts(file, reader, start, state.st_size, limits)
        yield from last_part(reader, portion)


def last_part(reader: TranscriptReader, portion: Portion) -> Iterator[Transcript]:
    """Give what is left at the end, if it says something."""
    part = reader.finish(leave_open=portion.get("leave_open", False))
    if part.turns or (portion.get("empty") and part.end > part.start):
        yield part


def _read_lines(file: IO[bytes], start: int, size: int, cap: int) -> Iterator[tuple[bytes, int]]:
    """Give each complete line up to byte `size` with its end; b"" for one longer than `cap`."""
    if start:  # what is unpacked on the way cannot be sought in
        file.seek(start)
    offset = start
    while offset < size:
        raw = file.readline(min(cap + 1, size - offset))
        offset += len(raw)
        # without a line end the last one is complete where it is an object to its very end
        if raw.endswith(b"\n") or (0 < len(raw) <= cap and isinstance(parse_line(raw), tuple)):
            yield raw, offset
            continue
        # go to the end of the line without holding it; a torn one has none
        while raw and not raw.endswith(b"\n"):
            raw = file.readline(min(files.CHUNK_BYTES, size - offset))
            offset += len(raw)
        if not raw:
            return
        yield b"", offset


def read_parts(
    file: IO[bytes], reader: TranscriptReader, start: int, size: int, limits: Limits
) -> Iterator[Transcript]:
    """Feed the lines of a file to a reading; give the parts that they complete."""
    for raw, end in _read_lines(file, start, size, limits.line):
        if raw:
            yield from reader.line(raw, end)
        else:
            reader.skip("line too long", end)
