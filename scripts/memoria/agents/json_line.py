"""Read the bytes of a line as a JSON object, and values of any type in it.

Everything that bytes can do wrong is settled here for all agents whose sessions are JSON lines: no
JSON, no UTF-8, no object, nesting, bombs.
"""

import json
import re
from datetime import UTC, datetime
from typing import Any

NAME = 200  # characters of ids, tool names, branches, types and times: real ones have under 100
PATH = 4096  # characters of a path or URL, as Linux bounds them
_MAX_VALUES = 200_000  # in a line: a real one of 8 MB has fewer, a bomb's objects take 100 MB
_SMALL_LINE = 256 << 10  # bytes; a shorter line cannot hold that many values
# Times outside are a broken clock's; within them no conversion to a zone can overflow.
_YEARS = range(2000, 2101)
_decode = json.JSONDecoder().raw_decode
_BLANK = b"\x00 \t\r\n"
BOM = b"\xef\xbb\xbf"
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")  # a uuid, "ses_4f2"; no path


def parse_line(raw: bytes) -> tuple[dict[str, Any], bool] | str:
    """Parse a line, or say why not; True beside it where bytes had to be replaced."""
    stripped = strip_line(raw)
    if not stripped:
        return ""
    return "too many values" if is_bomb(stripped) else parse_stripped(stripped)


def strip_line(raw: bytes) -> bytes:
    """Give a line without what stands around its object."""
    return raw.strip(_BLANK).removeprefix(BOM)


def is_bomb(raw: bytes) -> bool:
    """Whether a line has more values than are parsed."""
    return len(raw) > _SMALL_LINE and sum(map(raw.count, (b",", b"[", b"{"))) > _MAX_VALUES


def parse_stripped(raw: bytes) -> tuple[dict[str, Any], bool] | str:
    """Parse a stripped line, as `parse_line` does."""
    is_damaged = False
    try:
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text, is_damaged = raw.decode(errors="replace"), True
        record, end = _decode(text)
    except RecursionError:
        return "nested too deeply"
    except ValueError:
        return "no JSON"
    if not isinstance(record, dict):
        return "no object"
    return (record, is_damaged) if end == len(text) else "no JSON"


def parse_time(value: object) -> datetime | None:
    """Read an ISO time as an aware one in UTC; None for anything else and for years not of ours."""
    if not isinstance(value, str) or len(value) > NAME:
        return None
    try:
        at = datetime.fromisoformat(value)
        if at.tzinfo is not UTC:
            at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if at.year in _YEARS else None


def text_of(value: object) -> str:
    """Give a text, "" for any other value."""
    return value if isinstance(value, str) else ""


def mapping_of(value: object) -> dict[str, Any]:
    """Give an object, an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def mappings_of(value: object) -> list[dict[str, Any]]:
    """Give the objects of a list, none for any other value."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def session_id(value: object) -> str:
    """Give a session's name, "" for what is none."""
    return value if isinstance(value, str) and _SESSION.fullmatch(value) else ""
