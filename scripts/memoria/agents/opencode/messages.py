"""Read a message of an OpenCode session as neutral pieces.

A message and its parts come as JSON texts, one a line: what the store knows of the message, the
message, then each part. The traps: a command that failed is `completed` all the same, its exit code
stands beside the output; and a user's message has parts that the client added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria.agents import renamed_tools
from memoria.agents.json_line import NAME, load, moment
from memoria.agents.pieces import (
    Answered,
    Compacted,
    Interrupted,
    Line,
    Prompted,
    Said,
    Spent,
    Titled,
)
from memoria.agents.renamed_tools import Ending, ToolNames, count, text_of
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.pieces import Called, Limits, Piece, Place
    from memoria.agents.transcript import Call

# The types of parts that are known: the first line was seen in the database of 1.18.33 or in
# exports of 1.2.20 to 1.2.26, the second stands in the client's source alone.
PARTS = frozenset(
    """text tool reasoning step-start step-finish file subtask patch
    compaction snapshot agent retry""".split()  # noqa: SIM905 - a table reads best as text
)
TOOLS = ToolNames(
    {
        "bash": "Bash",
        "edit": "Edit",
        "write": "Write",
        "read": "Read",
        "grep": "Grep",
        "glob": "Glob",
        "list": "LS",
        "webfetch": "WebFetch",
        "websearch": "WebSearch",
        "question": "AskUserQuestion",
        "task": "Task",
        "todowrite": "TodoWrite",
        "todoread": "TodoRead",
    },
    {
        "filePath": "file_path",
        "oldString": "old_string",
        "newString": "new_string",
        "replaceAll": "replace_all",
    },
)
_UNNAMED = "New session - "
_MODEL_TITLE = 1  # the rank of a title that a model gave
_ROLES = ("user", "assistant")
_ENDED = ("completed", "error")
_ABORTED = "Tool execution aborted"


class Messages:
    """The format of OpenCode's messages, for one session."""

    agent = "opencode"
    head = 0  # whose session it is tells its row

    def __init__(self, place: Place, title: str) -> None:
        """Know the session's place and title."""
        self._place = place
        self._title = "" if title.startswith(_UNNAMED) else shorten(title, NAME)
        self._endings: dict[str, Ending] = {}

    def read_line(self, raw: bytes, limits: Limits) -> Line | str:
        """Parse a message; one of its parts that cannot be read is left out."""
        known, *rest = (load(text) for text in raw.split(b"\n") if text.strip())
        if isinstance(known, str) or not rest or isinstance(rest[0], str):
            return "no JSON"
        told, info = known[0], rest[0][0]
        parts = [one[0] for one in rest[1:] if not isinstance(one, str)]
        role = info.get("role")
        if role not in _ROLES:
            return f"type {shorten(str(role), NAME)}"
        strange = next((one for one in parts if str(one.get("type")) not in PARTS), None)
        if strange is not None and len(parts) == 1:
            return f"type {shorten(str(strange.get('type')), NAME)}"
        is_damaged = rest[0][1] or len(parts) < len(rest) - 1
        pieces = self._asked(parts, limits) if role == "user" else self._done(info, parts, limits)
        spent = self._spent(text_of(told.get("id")), info) if role == "assistant" else None
        uuid = text_of(told.get("id"))[:NAME] if role == "user" else ""
        at = moment(told.get("at"))
        return Line(uuid, at, self._place, False, is_damaged, bool(pieces), tuple(pieces), spent)

    def call(self, called: Called, at: datetime, result: Answered | None, _: Limits) -> Call:
        """Make the Call of a tool's inputs, and of its result where there is one."""
        ending = self._endings.pop(called.id, None) if result else None
        return renamed_tools.call(called, at, result, ending)

    def _asked(self, parts: list[dict[str, Any]], limits: Limits) -> list[Piece]:
        """Give what the person typed, and the session's title before it."""
        own = [one for one in parts if not (one.get("synthetic") or one.get("ignored"))]
        text = "\n".join(text_of(one.get("text")) for one in own if one.get("type") == "text")
        title: list[Piece] = [Titled(_MODEL_TITLE, self._title)] if self._title else []
        if not text.strip():
            return []
        return [*title, Prompted(shorten(_unquoted(text), limits.text))]

    def _done(
        self, info: dict[str, Any], parts: list[dict[str, Any]], limits: Limits
    ) -> list[Piece]:
        """Give what the assistant said and called; its summary is a compaction."""
        pieces: list[Piece] = []
        for part in parts:
            text = shorten(text_of(part.get("text")), limits.text)
            if part.get("type") == "tool":
                pieces += self._called(part, limits)
            elif part.get("type") == "text" and text.strip():
                pieces.append(Compacted(text) if info.get("summary") is True else Said(text))
        error = info.get("error")
        aborted = isinstance(error, dict) and error.get("name") == "MessageAbortedError"
        return [*pieces, Interrupted()] if aborted else pieces

    def _called(self, part: dict[str, Any], limits: Limits) -> list[Piece]:
        found = part.get("state")
        state = found if isinstance(found, dict) else {}
        key = text_of(part.get("callID"))[:NAME]
        called = TOOLS.called(key, text_of(part.get("tool")), state.get("input"), limits)
        if state.get("status") not in _ENDED:
            return [called]
        is_error = state["status"] == "error"
        text = text_of(state.get("error" if is_error else "output"))
        status = _exit(state.get("metadata"))
        self._endings[key] = Ending(status, is_error and text.startswith(_ABORTED))
        failed = is_error or bool(status)
        return [called, Answered(key, shorten(text, limits.result), failed)]

    @staticmethod
    def _spent(name: str, info: dict[str, Any]) -> Spent | None:
        tokens, model = info.get("tokens"), text_of(info.get("modelID"))[:NAME]
        if not isinstance(tokens, dict):
            return None
        found = tokens.get("cache")
        cache = found if isinstance(found, dict) else {}
        made = count(tokens.get("output")) + count(tokens.get("reasoning"))
        cached = (count(cache.get("read")), count(cache.get("write")))
        return Spent(name[:NAME], model, (count(tokens.get("input")), made, *cached))


def _exit(metadata: object) -> int | None:
    """Give a command's exit code; None where the client knows none."""
    code = metadata.get("exit") if isinstance(metadata, dict) else None
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _unquoted(text: str) -> str:
    """Take off the quotes that `opencode run` puts around a prompt of several words."""
    inner = text.strip()[1:-1]
    is_quoted = text.strip() == f'"{inner}"' and '"' not in inner
    return inner if is_quoted else text
