"""Bytes of one transcript line -> a Line: when and where it was written, and its pieces.

Everything that bytes can do wrong is settled here: no JSON, no UTF-8, no object, nesting, bombs.
The trap: most bytes of a transcript are no conversation (in new clients 94 of 100) and repeat the
user's words, so the line's type is found in the raw bytes before anything is parsed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code.line_content import NAME, PATH, WANTED, pieces, spent, text_of
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from memoria.agents.pieces import Limits, Piece, Spent


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line was written, in which git branch and by which version; "" where unsaid."""

    session: str
    cwd: str
    branch: str
    version: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line that tells something; `at` is None where the line has no usable time.

    `damaged` says that it was not UTF-8 and holds replacement characters, `spoken` that it is a
    user or assistant line: their time is the turn's, while bookkeeping is also written later.
    """

    uuid: str
    at: datetime | None
    place: Place
    sidechain: bool
    damaged: bool
    spoken: bool
    pieces: tuple[Piece, ...]
    spent: Spent | None = None


# Types that are no conversation, as clients 2.0 to 2.1.330 write them.
NOISE = frozenset(
    {
        *("progress", "system", "last-prompt", "mode", "permission-mode", "repl-mode"),
        *("api-request", "api-request-shape", "api-request-blob", "api-request-resumed"),
        *("file-history-snapshot", "file-history-delta", "attribution-snapshot", "cost-state"),
        *("agent-name", "agent-color", "agent-setting", "tag", "relocated", "worktree-state"),
        *("content-replacement", "frame-link", "observer-ref", "continued-in", "memory-mode"),
        *("resume-head-vouch", "fork-context-ref", "bridge-session", "session-owner"),
        *("atis-latch", "isolation-latch", "dev-mods", "tools-used", "derived-from"),
        *("data-flow-records", "data-flow-incomplete", "history-suppression", "ended-by-model"),
        *("artifact-comment-monitor", "artifact-autoreact-ledger", "hybrid-organization"),
    }
)
_HEAD = 1024  # bytes in which a line's own type stands when nothing nested precedes it
_MANY = 200_000  # values in one line: a real one of 8 MB has fewer, a bomb's objects take 100 MB
_SMALL = 256 << 10  # bytes; a shorter line cannot hold that many values
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Times outside are a broken clock's; within them no conversion to a zone can overflow.
_YEARS = range(2000, 2101)
_COPY = b',"toolUseResult":'
_decode = json.JSONDecoder().raw_decode
_BLANK = b"\x00 \t\r\n"
_BOM = b"\xef\xbb\xbf"


def read_line(raw: bytes, limits: Limits) -> Line | str:
    """Parse one line, or say why it is left out ("" where it is no conversation by its type)."""
    kind = own_type(raw)
    reason = _reason(kind, raw)
    if reason is not None:
        return reason
    loaded = _load(raw, cut=kind == "user")
    if isinstance(loaded, str):
        return loaded
    record, damaged = loaded
    kind = record.get("type")
    if not isinstance(kind, str):
        return "no type"
    if kind not in WANTED:
        return _unwanted(kind)
    found = pieces(record, limits)
    return found if isinstance(found, str) else _line(record, found, damaged=damaged)


def whole(raw: bytes) -> bool:
    """Say whether a last line without newline is complete: a JSON object, to its very end."""
    return isinstance(_load(raw, cut=False), tuple)


def own_type(raw: bytes) -> str | None:
    """Find the line's own "type" without parsing; None where only parsing can tell.

    Quotes inside of JSON strings are escaped, so the needle is a key; with no brace before it but
    the line's first, it is the line's own and not that of something nested. What is nested in an
    attachment's line comes before its type, and is told by its name.
    """
    at = raw.find(b'"type":"', 0, _HEAD)
    if at < 0:
        return None
    nested = raw.find(b"{", 1, at)
    if nested >= 0:
        return "attachment" if raw.endswith(b'"attachment":', 0, nested) else None
    end = raw.find(b'"', at + 8, at + 8 + NAME)
    return raw[at + 8 : end].decode("ascii", "replace") if end > 0 else None


def _reason(kind: str | None, raw: bytes) -> str | None:
    """Say why a line is left out where its bytes tell it already; None where it is to be parsed."""
    if kind is None or kind == "assistant":
        return "" if _only_thinks(raw) else None
    if kind not in WANTED:
        return _unwanted(kind)
    return "" if kind == "attachment" and b'"queued_command"' not in raw else None


def _only_thinks(raw: bytes) -> bool:
    """Say whether all that the line holds is thinking, which is not kept.

    Its tokens are not lost: the lines of the reply that follow repeat them.
    """
    return (
        raw.find(b'"content":[{"type":"thinking"', 0, _HEAD) > 0
        and b'"type":"text"' not in raw
        and b'"type":"tool_use"' not in raw
    )


def _unwanted(kind: str) -> str:
    return "" if kind in NOISE else f"type {shorten(kind, NAME)}"


def _load(raw: bytes, *, cut: bool) -> tuple[dict[str, Any], bool] | str:
    """Parse a line, or say why not; True beside it where bytes had to be replaced.

    With `cut`, without the client's second copy of a tool's result, half of the bytes of old files:
    what stands before it is an object of its own exactly where its key is one of the line's own.
    """
    raw = raw.strip(_BLANK).removeprefix(_BOM)
    if not raw:
        return ""
    if len(raw) > _SMALL and sum(map(raw.count, (b",", b"[", b"{"))) > _MANY:
        return "too many values"
    end = raw.find(_COPY) if cut else -1
    if end > 0 and isinstance(loaded := _parse(raw[:end] + b"}"), tuple):
        return loaded
    return _parse(raw)


def _parse(raw: bytes) -> tuple[dict[str, Any], bool] | str:
    damaged = False
    try:
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text, damaged = raw.decode(errors="replace"), True
        record, end = _decode(text)
    except RecursionError:
        return "nested too deeply"
    except ValueError:
        return "no JSON"
    if not isinstance(record, dict):
        return "no object"
    return (record, damaged) if end == len(text) else "no JSON"


def _line(record: dict[str, Any], found: tuple[Piece, ...], *, damaged: bool) -> Line:
    kind = record["type"]
    return Line(
        uuid=shorten(text_of(record.get("uuid")), NAME),
        at=moment(record.get("timestamp")),
        place=_place_of(record),
        sidechain=record.get("isSidechain") is True,
        damaged=damaged,
        spoken=kind in ("user", "assistant"),
        pieces=found,
        spent=spent(record) if kind == "assistant" else None,
    )


def _place_of(record: dict[str, Any]) -> Place:
    try:
        return _place(
            record["sessionId"][:NAME],
            record["cwd"][:PATH],
            record["gitBranch"][:NAME],
            record["version"][:NAME],
        )
    except (KeyError, TypeError):  # one is missing or no text
        keys = (("sessionId", NAME), ("cwd", PATH), ("gitBranch", NAME), ("version", NAME))
        return _place(*[text_of(record.get(key))[:bound] for key, bound in keys])


@lru_cache(maxsize=64)  # a file's lines nearly all come from one place
def _place(session: str, cwd: str, branch: str, version: str) -> Place:
    return Place(
        session if _SESSION.fullmatch(session) else "",
        shorten(cwd, PATH),
        shorten(branch, NAME),
        shorten(version, NAME),
    )


def moment(value: object) -> datetime | None:
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
