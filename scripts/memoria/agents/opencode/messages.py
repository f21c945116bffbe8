"""Read a message of an OpenCode session as neutral pieces.

A message and its parts come as JSON texts, one a line: what the store knows of the message, the
message, then each part. The traps: a command that failed is `completed` all the same, its exit code
stands beside the output; and a user's message has parts that the client added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria.agents.json_line import NAME, load, mapping, moment, text_of
from memoria.agents.pieces import Answered, Ending, Line, Prompted, Titled
from memoria.agents.renamed_tools import ToolNames
from memoria.agents.transcript import Compaction, Interrupt, Say
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.pieces import Limits, Piece, Place

# The types of parts that are known: the first line was seen in the database of 1.18.33 or in
# exports of 1.2.20 to 1.2.26, the second stands in the client's source alone.
PARTS = frozenset(
    """text tool reasoning step-start step-finish file subtask patch
    compaction snapshot agent retry""".split()  # noqa: SIM905 - a table reads best as text
)
TOOLS = ToolNames(
    """bash=Bash edit=Edit write=Write read=Read grep=Grep glob=Glob list=LS webfetch=WebFetch
    websearch=WebSearch question=AskUserQuestion task=Task todowrite=TodoWrite
    todoread=TodoRead""",
    "filePath=file_path oldString=old_string newString=new_string replaceAll=replace_all",
)
_UNNAMED = "New session - "
_MODEL_TITLE = 1  # the rank of a title that a model gave
_ENDED = ("completed", "error")
_REFUSED = ("Tool execution aborted", "The user rejected permission")


class Messages:
    """The format of OpenCode's messages, for one session."""

    agent = "opencode"
    head = 0  # whose session it is tells its row

    def __init__(self, place: Place, title: str) -> None:
        """Know the session's place and title."""
        self._place = place
        self._title = "" if title.startswith(_UNNAMED) else shorten(title, NAME)

    def read_line(self, raw: bytes, limits: Limits, now: datetime) -> Line | str:
        """Parse a message; one of its parts that cannot be read is left out."""
        known, *rest = (load(text) for text in raw.split(b"\n") if text.strip())
        if isinstance(known, str) or not rest or isinstance(rest[0], str):
            return "no JSON"
        stored, info = known[0], rest[0][0]
        parts = [part[0] for part in rest[1:] if not isinstance(part, str)]
        role = info.get("role")
        if role not in ("user", "assistant"):
            return f"type {shorten(str(role), NAME)}"
        if len(parts) == 1 and str(kind := parts[0].get("type")) not in PARTS:
            return f"type {shorten(str(kind), NAME)}"
        is_damaged = rest[0][1] or len(parts) < len(rest) - 1
        at = moment(stored.get("at")) or now
        is_user = role == "user"
        pieces = self._asked(parts, limits) if is_user else _done(info, parts, at, limits)
        uuid = text_of(stored.get("id"))[:NAME] if is_user else ""
        return Line(uuid, at, self._place, tuple(pieces), bool(pieces), is_damaged)

    def _asked(self, parts: list[dict[str, Any]], limits: Limits) -> list[Piece]:
        """Give what the person typed, and the session's title before it."""
        text = "\n".join(
            text_of(part.get("text"))
            for part in parts
            if part.get("type") == "text" and not (part.get("synthetic") or part.get("ignored"))
        )
        title: list[Piece] = [Titled(_MODEL_TITLE, self._title)] if self._title else []
        return [*title, Prompted(shorten(_unquoted(text), limits.text))] if text.strip() else []


def _done(
    info: dict[str, Any], parts: list[dict[str, Any]], at: datetime, limits: Limits
) -> list[Piece]:
    """Give what the assistant said and called; its summary is a compaction."""
    pieces: list[Piece] = []
    for part in parts:
        text = shorten(text_of(part.get("text")), limits.text)
        if part.get("type") == "tool":
            pieces += _called(part, at, limits)
        elif part.get("type") == "text" and text.strip():
            pieces.append(Compaction(text, at) if info.get("summary") is True else Say(text, at))
    aborted = mapping(info.get("error")).get("name") == "MessageAbortedError"
    return [*pieces, Interrupt(at)] if aborted else pieces


def _called(part: dict[str, Any], at: datetime, limits: Limits) -> list[Piece]:
    state = mapping(part.get("state"))
    key = text_of(part.get("callID"))[:NAME]
    call = TOOLS.call(key, text_of(part.get("tool")), state.get("input"), at, limits)
    if state.get("status") not in _ENDED:
        return [call]
    is_error = state["status"] == "error"
    text = text_of(state.get("error" if is_error else "output"))
    code = mapping(state.get("metadata")).get("exit")
    status = code if isinstance(code, int) and not isinstance(code, bool) else None
    ending = Ending(status, is_error and text.startswith(_REFUSED))
    answer = shorten(_printed(text), limits.result)
    return [call, Answered(key, answer, is_error or bool(status), ending=ending)]


def _printed(text: str) -> str:
    """Take off what the bridge told behind what a failed command printed."""
    printed, mark, told = text.rpartition("\n\n<memoria-")
    return printed if mark and told.rstrip().endswith(f"</memoria-{told[:16]}>") else text


def _unquoted(text: str) -> str:
    """Take off the quotes that `opencode run` puts around a prompt of several words."""
    inner = text.strip()[1:-1]
    is_quoted = text.strip() == f'"{inner}"' and '"' not in inner
    return inner if is_quoted else text
