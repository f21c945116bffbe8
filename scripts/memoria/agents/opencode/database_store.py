"""Find OpenCode's sessions in its SQLite database and read them, and change nothing there.

A session is named by a path below the database, DATABASE/SESSION, and a watermark counts its
messages. The client goes on writing meanwhile: the database is opened read-only, is never waited
for, and a message that is not complete is left for the next time. The trap: a message that was
taken back and asked anew leaves fewer or others, which the names of those before a watermark tell.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack
from urllib.parse import quote

from memoria.agents import session_file_store
from memoria.agents.json_line import NAME, PATH, mapping_of, parse_line
from memoria.agents.session_file_store import SessionFile
from memoria.errors import TranscriptError
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from memoria.agents.session_reader_store import Portion
    from memoria.agents.transcript import Transcript

_DATABASES = "opencode*.db"  # builds of other channels have their name in it
_SESSION_PREFIX = "ses_"
# after which a reply that nothing has added to does not end any more: its client is gone
_ABANDONED_SECONDS = 3600
_SESSIONS = """select id, time_updated, revert, directory, title from session
where parent_id is null {which} order by time_created, id"""
_NAMES = "select id from message where session_id = ? order by time_created, id limit ?"
_MESSAGES = """select id, time_created, cast(data as blob) from message where session_id = ?
order by time_created, id limit ? offset ?"""
_PARTS = """select case when length(cast(data as blob)) > ? then '0' else cast(data as blob) end
from part where message_id = ? order by id"""
_COUNT = "select count(*) from message where session_id = ? and (? is null or id < ?)"
_LATEST = """select time_updated, cast(data as blob) from message where session_id = ?
order by time_created desc, id desc limit 1"""


class _SessionRow(NamedTuple):
    """A session's row."""

    id: str
    updated: float
    revert: dict[str, Any]
    folder: str
    title: str


def folder(environ: Mapping[str, str], home: Path) -> Path:
    """Give the folder of the database: OPENCODE_DB's, else the one in the user's data folder."""
    database, data_home = environ.get("OPENCODE_DB"), environ.get("XDG_DATA_HOME")
    if database and Path(database).is_absolute():
        return Path(database).parent
    return (Path(data_home) if data_home else home / ".local" / "share") / "opencode"


def settings(environ: Mapping[str, str], home: Path) -> Path:
    """Give the folder of the user's settings and plugins."""
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"


def owns(path: Path) -> bool:
    """Whether a path names a session in a database, or a database that could not be read."""
    return _is_session(path) or path.match(_DATABASES)


def sessions(folder: Path) -> Iterator[SessionFile]:
    """List the sessions; a database that cannot be read stands for all of its own."""
    for database in sorted(folder.glob(_DATABASES)):
        database_file = session_file_store.look_at(database, database.stem)
        if database_file is None:
            continue
        try:
            yield from _list_sessions(database)
        except TranscriptError:
            yield database_file


def is_there(path: Path) -> bool:
    """Whether there is a session of that name with a message; a database tells why not itself."""
    if not _is_session(path):
        return path.is_file()
    try:
        with _open_session(path) as (db, row):
            return _count_complete(db, row) > 0
    except TranscriptError:
        return False


def last_moment(path: Path) -> str:
    """Say when a session was last written to."""
    if not _is_session(path):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
    with _open_session(path) as (_, row):
        return datetime.fromtimestamp(row.updated, UTC).isoformat()


def tail_hash(path: Path, offset: int) -> str:
    """Hash the names of the messages before a watermark; "" where there are fewer."""
    with _open_session(path) as (db, row):
        names = [_to_text(name) for (name,) in db.execute(_NAMES, (row.id, max(0, offset)))]
    digest = hashlib.sha256("\n".join(names).encode("utf-8", "replace")).hexdigest()[:32]
    return digest if len(names) == offset else ""


def read(path: Path, **portion: Unpack[Portion]) -> Iterator[Transcript]:
    """Read from message `start` on, in parts that follow each other, as files are read.

    A database that could not be read when it was looked for, and now can, has nothing by itself.
    """
    # every verb knows the agents, few read their sessions
    from memoria.agents import transcript  # noqa: PLC0415 - as above
    from memoria.agents.opencode.messages import OpenCodeFormat  # noqa: PLC0415 - as above
    from memoria.agents.session_reader_store import last_part  # noqa: PLC0415 - as above
    from memoria.agents.turns import TranscriptReader  # noqa: PLC0415 - as above

    limits, start = portion.get("limits") or transcript.Limits(), portion.get("start", 0)
    if not _is_session(path):
        with _connect(path) as db:
            _read_rows(db)
        return
    with _open_session(path) as (db, row):
        end = _count_complete(db, row)
        if start > end:
            return
        place = transcript.LinePlace(row.id, shorten(row.folder, PATH))
        updated, form = datetime.fromtimestamp(row.updated, UTC), OpenCodeFormat(place, row.title)
        known = portion.get("known", frozenset())
        reader = TranscriptReader(row.id, updated, limits, form, start=start, known=known)
        messages = db.execute(_MESSAGES, (row.id, end - start, start))
        for number, message in enumerate(messages, start + 1):
            raw = _read_message_lines(db, message, limits.line)
            if len(raw) > limits.line:
                reader.skip("line too long", number)
            else:
                yield from reader.line(raw, number)
        yield from last_part(reader, portion)


def _is_session(path: Path) -> bool:
    return path.parent.match(_DATABASES)


def _list_sessions(database: Path) -> Iterator[SessionFile]:
    with _connect(database) as db:
        for row in _read_rows(db):
            size = _count_complete(db, row)
            is_named = row.id == session_file_store.session_name(row.id)
            if row.id.startswith(_SESSION_PREFIX) and is_named and size:
                yield SessionFile(database / row.id, row.id, row.updated, size)


@contextmanager
def _open_session(path: Path) -> Iterator[tuple[sqlite3.Connection, _SessionRow]]:
    """Open the database of a session and find its row."""
    with _connect(path.parent) as db:
        rows = _read_rows(db, path.name)
        if not rows:
            raise TranscriptError(f"no session {path.name!r} in {str(path.parent)!r}")
        yield db, rows[0]


@contextmanager
def _connect(database: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading alone; what fails says which file and why."""
    import sqlite3  # noqa: PLC0415 - most people have no such database

    if session_file_store.look_at(database, database.stem) is None:
        raise TranscriptError(f"{str(database)!r} is not a regular file")
    uri = f"file:{quote(str(database.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=0)) as db:
            db.text_factory = bytes  # what is no UTF-8 is a line's matter
            yield db
    except sqlite3.Error as error:
        raise TranscriptError(f"cannot read {str(database)!r}: {error}") from error


def _read_rows(db: sqlite3.Connection, session: str = "") -> list[_SessionRow]:
    """Give the rows of all sessions, or of one."""
    query = _SESSIONS.format(which="and id = ?" if session else "")
    return [
        _SessionRow(
            _to_text(row[0]), _parse_seconds(row[1]), _parse_object(row[2]), *map(_to_text, row[3:])
        )
        for row in db.execute(query, (session,) if session else ()).fetchall()
    ]


def _count_complete(db: sqlite3.Connection, row: _SessionRow) -> int:
    """Count the messages that nothing is added to any more, without those taken back."""
    message = row.revert.get("messageID")
    revert_id = message if isinstance(message, str) else None
    total = int(db.execute(_COUNT, (row.id, revert_id, revert_id)).fetchone()[0])
    latest = None if revert_id is not None else db.execute(_LATEST, (row.id,)).fetchone()
    return total - 1 if latest and not _is_over(*latest) else total


def _is_over(updated: object, message: object) -> bool:
    """Whether a message does not grow any more: another's than the assistant's, ended or left."""
    info = _parse_object(message)
    if info.get("role") != "assistant" or mapping_of(info.get("time")).get("completed"):
        return True
    return time.time() - _parse_seconds(updated) > _ABANDONED_SECONDS


def _read_message_lines(db: sqlite3.Connection, message: tuple[object, ...], limit: int) -> bytes:
    """Give what is known of a message, the message and its parts, each as a line."""
    at = datetime.fromtimestamp(_parse_seconds(message[1]), UTC).isoformat()
    header = {"id": shorten(_to_text(message[0]), NAME), "at": at}
    lines = [json.dumps(header).encode(), _to_bytes(message[2])]
    size = len(lines[1])
    for (part,) in db.execute(_PARTS, (limit, _to_text(message[0]))):
        lines.append(_to_bytes(part))
        size += len(lines[-1])
        if size > limit:
            break
    return b"\n".join(line.replace(b"\n", b" ") for line in lines)


def _parse_seconds(value: object) -> float:
    """Give a time of the database, which is in milliseconds, in the years of ours."""
    seconds = float(value) / 1000 if isinstance(value, int | float) else 0.0
    return session_file_store.sane_seconds(seconds)


def _parse_object(value: object) -> dict[str, Any]:
    return {} if isinstance(loaded := parse_line(_to_bytes(value)), str) else loaded[0]


def _to_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def _to_text(value: object) -> str:
    return _to_bytes(value).decode("utf-8", "replace") if value is not None else ""
