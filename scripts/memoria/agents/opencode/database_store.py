"""Find OpenCode's sessions in its SQLite database and read them, and change nothing there.

A session is named by a path below the database, DATABASE/SESSION, and a watermark counts its
messages. The client goes on writing meanwhile: the database is opened read-only, is never waited
for, and a message that is not complete is left for the next time. The trap: a message that was
taken back and asked anew leaves fewer or others, which the names of those before a watermark tell.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from memoria.agents import session_file_store as files
from memoria.agents.json_line import NAME, load
from memoria.agents.opencode.messages import Messages
from memoria.agents.pieces import Limits, Place
from memoria.agents.renamed_tools import PATH
from memoria.agents.session_file_store import Found
from memoria.agents.turns import Reading
from memoria.errors import TranscriptError
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Unpack

    from memoria.agents.transcript import Transcript

_DATABASES = "opencode*.db"  # builds of other channels have their name in it
_SESSION = "ses_"
_FIRST, _LAST = 946_684_800, 4_102_444_800  # 2000 and 2100: times outside are a broken clock's
# seconds after which a reply that nothing has added to does not end any more: its client is gone
_ABANDONED = 3600
_SESSIONS = """select id, time_updated, revert, directory, version, title from session
where parent_id is null {which} order by time_created, id"""
_NAMES = "select id from message where session_id = ? order by time_created, id limit ?"
_MESSAGES = """select id, time_created, cast(data as blob) from message where session_id = ?
order by time_created, id limit ? offset ?"""
_PARTS = """select case when length(cast(data as blob)) > ? then '0' else cast(data as blob) end
from part where message_id = ? order by id"""
_LATEST = """select id, time_updated, cast(data as blob) from message where session_id = ?
order by time_created desc, id desc limit 1"""


def folder(environ: Mapping[str, str], home: Path) -> Path:
    """Give the folder of the database: OPENCODE_DB's, else the one in the user's data folder."""
    named, data = environ.get("OPENCODE_DB"), environ.get("XDG_DATA_HOME")
    if named and Path(named).is_absolute():
        return Path(named).parent
    return (Path(data) if data else home / ".local" / "share") / "opencode"


def settings(environ: Mapping[str, str], home: Path) -> Path:
    """Give the folder of the user's settings and plugins."""
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"


def owns(path: Path) -> bool:
    """Whether a path names a session in a database, or a database that could not be read."""
    return path.parent.match(_DATABASES) or path.match(_DATABASES)


def found(place: Path) -> Iterator[Found]:
    """List the sessions; a database that cannot be read stands for all of its own."""
    for database in sorted(place.glob(_DATABASES)):
        whole = files.found(database, database.stem)
        if whole is None:
            continue
        try:
            yield from _sessions(database)
        except TranscriptError:
            yield whole


def is_there(path: Path) -> bool:
    """Whether there is a session of that name with a message; a database tells why not itself."""
    if not _is_session(path):
        return path.is_file()
    try:
        with _opened(path) as (db, row):
            return _complete(db, row) > 0
    except TranscriptError:
        return False


def last_moment(path: Path) -> str:
    """Say when a session was last written to."""
    if not _is_session(path):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
    with _opened(path) as (_, row):
        return datetime.fromtimestamp(_seconds(row[1]), UTC).isoformat()


def tail_hash(path: Path, offset: int) -> str:
    """Hash the names of the messages before a watermark; "" where there are fewer."""
    with _opened(path) as (db, row):
        names = [_text(one[0]) for one in db.execute(_NAMES, (_text(row[0]), max(0, offset)))]
    told = "\n".join(names)
    full = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:32]
    return full if len(names) == offset else ""


def extends(path: Path, offset: int, tail: str) -> bool:
    """Say whether the messages before a watermark are still those that it was set behind."""
    return tail != "" and tail_hash(path, offset) == tail


def read(path: Path, **portion: Unpack[files.Portion]) -> Iterator[Transcript]:
    """Read from message `start` on, in parts that follow each other, as files are read.

    A database that could not be read when it was looked for, and now can, has nothing by itself.
    """
    limits, start = portion.get("limits") or Limits(), portion.get("start", 0)
    if not _is_session(path):
        with _connected(path) as db:
            db.execute(_SESSIONS.format(which="")).fetchone()
        return
    with _opened(path) as (db, row):
        end = _complete(db, row)
        if start > end:
            return
        session, written = _text(row[0]), datetime.fromtimestamp(_seconds(row[1]), UTC)
        form = Messages(_place(row), _text(row[5]))
        known = portion.get("known", frozenset())
        reading = Reading(session, written, limits, form, start=start, known=known)
        messages = db.execute(_MESSAGES, (session, end - start, start))
        for number, message in enumerate(messages, start + 1):
            raw = _lines(db, message, limits.line)
            if len(raw) > limits.line:
                reading.skip("line too long", number)
            else:
                yield from reading.line(raw, number)
        yield from files.last_part(reading, portion)


def _is_session(path: Path) -> bool:
    return path.parent.match(_DATABASES)


def _sessions(database: Path) -> Iterator[Found]:
    with _connected(database) as db:
        for row in db.execute(_SESSIONS.format(which="")).fetchall():
            session, size = _text(row[0]), _complete(db, row)
            if session.startswith(_SESSION) and session == files.session_name(session) and size:
                yield Found(database / session, session, _seconds(row[1]), size)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[sqlite3.Connection, tuple[object, ...]]]:
    """Open the database of a session and find its row."""
    with _connected(path.parent) as db:
        row = db.execute(_SESSIONS.format(which="and id = ?"), (path.name,)).fetchone()
        if row is None:
            raise TranscriptError(f"no session {path.name!r} in {str(path.parent)!r}")
        yield db, row


@contextmanager
def _connected(database: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading alone; what fails says which file and why."""
    if files.found(database, database.stem) is None:
        raise TranscriptError(f"{str(database)!r} is not a regular file")
    where = f"file:{quote(str(database.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(where, uri=True, timeout=0)) as db:
            db.text_factory = bytes  # what is no UTF-8 is a line's matter
            yield db
    except sqlite3.Error as error:
        raise TranscriptError(f"cannot read {str(database)!r}: {error}") from error


def _complete(db: sqlite3.Connection, row: tuple[object, ...]) -> int:
    """Count the messages that nothing is added to any more, without those taken back."""
    where, given = "session_id = ?", [_text(row[0])]
    reverted = load(_raw(row[2]))
    if not isinstance(reverted, str) and isinstance(reverted[0].get("messageID"), str):
        where, given = f"{where} and id < ?", [*given, reverted[0]["messageID"]]
    (total,) = db.execute(f"select count(*) from message where {where}", given).fetchone()  # noqa: S608 - the texts stand above
    latest = db.execute(_LATEST, given[:1]).fetchone()
    is_last = latest is not None and len(given) == 1
    return total - 1 if is_last and not _is_over(latest) else int(total)


def _is_over(message: tuple[object, ...]) -> bool:
    loaded = load(_raw(message[2]))
    info = {} if isinstance(loaded, str) else loaded[0]
    times = info.get("time")
    if info.get("role") != "assistant" or (isinstance(times, dict) and times.get("completed")):
        return True
    return time.time() - _seconds(message[1]) > _ABANDONED


def _lines(db: sqlite3.Connection, message: tuple[object, ...], most: int) -> bytes:
    """Give what is known of a message, the message and its parts, each as a line."""
    at = datetime.fromtimestamp(_seconds(message[1]), UTC).isoformat()
    told = {"id": shorten(_text(message[0]), NAME), "at": at}
    lines = [json.dumps(told).encode(), _raw(message[2])]
    size = len(lines[1])
    for (part,) in db.execute(_PARTS, (most, _text(message[0]))):
        lines.append(_raw(part))
        size += len(lines[-1])
        if size > most:
            break
    return b"\n".join(line.replace(b"\n", b" ") for line in lines)


def _place(row: tuple[object, ...]) -> Place:
    session, folder, version = (_text(row[at]) for at in (0, 3, 4))
    return Place(session, shorten(folder, PATH), "", shorten(version, NAME))


def _seconds(value: object) -> float:
    """Give a time of the database, which is in milliseconds, in the years of ours."""
    number = float(value) / 1000 if isinstance(value, int | float) else 0.0
    return min(max(number, _FIRST), _LAST)


def _raw(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def _text(value: object) -> str:
    return _raw(value).decode("utf-8", "replace") if value is not None else ""
