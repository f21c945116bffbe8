"""Read a message of OpenCode's and its parts as neutral pieces.

The traps: a command that failed is `completed` all the same, its exit code stands beside the
output; and a user's message has parts that the client added.
"""

from datetime import datetime
from typing import Any

from memoria.agents import transcript
from memoria.agents.claude_code.tools import ToolNames
from memoria.agents.json_line import NAME, mapping_of, parse_line, parse_time, text_of
from memoria.agents.transcript import Limits, LinePlace, Piece, TranscriptLine
from memoria.text.shorten import shorten

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
_UNNAMED = "New session - "  # how a title begins that nobody gave
_ENDED = ("completed", "error")
_REFUSED = ("Tool execution aborted", "The user rejected permission")


class OpenCodeFormat:
    """The format of a session's messages: what is known of one, it and its parts, a JSON a line."""

    agent = "opencode"
    head = 0  # whose session it is tells its row

    def __init__(self, place: LinePlace, title: str) -> None:
        self._place = place
        self._title = "" if title.startswith(_UNNAMED) else shorten(title, NAME)

    def read_line(self, raw: bytes, limits: Limits, now: datetime) -> TranscriptLine | str:
        """Parse a message; one of its parts that cannot be read is left out."""
        head, *records = (parse_line(text) for text in raw.split(b"\n") if text.strip())
        if isinstance(head, str) or not records or isinstance(records[0], str):
            return "no JSON"
        header, info = head[0], records[0][0]
        parts = [part[0] for part in records[1:] if not isinstance(part, str)]
        role = info.get("role")
        if role not in ("user", "assistant"):
            return f"type {shorten(str(role), NAME)}"
        if len(parts) == 1 and str(kind := parts[0].get("type")) not in PARTS:
            return f"type {shorten(str(kind), NAME)}"
        is_damaged = records[0][1] or len(parts) < len(records) - 1
        at = parse_time(header.get("at")) or now
        is_user = role == "user"
        reply = [] if is_user else _reply_pieces(info, parts, at, limits)
        pieces = self._prompt_pieces(parts, limits) if is_user else reply
        uuid = text_of(header.get("id"))[:NAME] if is_user else ""
        return TranscriptLine(uuid, at, self._place, tuple(pieces), bool(pieces), is_damaged)

    def _prompt_pieces(self, parts: list[dict[str, Any]], limits: Limits) -> list[Piece]:
        """Give what the person typed, and the session's title before it."""
        text = "\n".join(
            text_of(part.get("text"))
            for part in parts
            if part.get("type") == "text" and not (part.get("synthetic") or part.get("ignored"))
        )
        if not text.strip():
            return []
        prompt = transcript.PromptEvent(shorten(_strip_quotes(text), limits.text))
        title = transcript.TitleEvent(transcript.MODEL_TITLE, self._title)
        return [title, prompt] if self._title else [prompt]


def _reply_pieces(
    info: dict[str, Any], parts: list[dict[str, Any]], at: datetime, limits: Limits
) -> list[Piece]:
    """Give what the assistant said and called; its summary is a compaction."""
    pieces: list[Piece] = []
    for part in parts:
        text = shorten(text_of(part.get("text")), limits.text)
        if part.get("type") == "tool":
            pieces += _call_pieces(part, at, limits)
        elif part.get("type") == "text" and text.strip():
            is_summary = info.get("summary") is True
            kind = transcript.Compaction if is_summary else transcript.AssistantText
            pieces.append(kind(text, at))
    aborted = mapping_of(info.get("error")).get("name") == "MessageAbortedError"
    return [*pieces, transcript.Interrupt(at)] if aborted else pieces


def _call_pieces(part: dict[str, Any], at: datetime, limits: Limits) -> list[Piece]:
    state, key = mapping_of(part.get("state")), text_of(part.get("callID"))[:NAME]
    call = TOOLS.call(key, text_of(part.get("tool")), state.get("input"), at, limits)
    if state.get("status") not in _ENDED:
        return [call]
    is_error = state["status"] == "error"
    text = text_of(state.get("error" if is_error else "output"))
    code = mapping_of(state.get("metadata")).get("exit")
    status = code if isinstance(code, int) and not isinstance(code, bool) else None
    ending = transcript.CallEnding(status, is_error and text.startswith(_REFUSED))
    answer = shorten(_strip_bridge_text(text), limits.result)
    return [call, transcript.ResultEvent(key, answer, is_error or bool(status), ending=ending)]


def _strip_bridge_text(text: str) -> str:
    """Take off what the bridge told behind what a failed command printed."""
    output, mark, tag = text.rpartition("\n\n<memoria-")
    return output if mark and tag.rstrip().endswith(f"</memoria-{tag[:16]}>") else text


def _strip_quotes(text: str) -> str:
    """Take off the quotes that `opencode run` puts around a prompt of several words."""
    inner = text.strip()[1:-1]
    return inner if text.strip() == f'"{inner}"' and '"' not in inner else text
