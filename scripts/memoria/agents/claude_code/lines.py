"""Bytes of one transcript line -> a Line: when and where it was written, and its pieces.

The trap: most bytes of a transcript are no conversation (in new clients 94 of 100) and repeat the
user's words, so the line's type is found in the raw bytes before anything is parsed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memoria.agents import json_line
from memoria.agents.claude_code.line_content import PATH, WANTED, pieces, spent, text_of
from memoria.agents.json_line import NAME, moment
from memoria.agents.pieces import Line, Place
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from memoria.agents.pieces import Limits, Piece


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
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
_COPY = b',"toolUseResult":'


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
    bare = json_line.stripped(raw)
    end = bare.find(_COPY) if cut and not json_line.is_bomb(bare) else -1
    if end > 0 and isinstance(loaded := json_line.parse(bare[:end] + b"}"), tuple):
        return loaded
    return json_line.load(bare)


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
