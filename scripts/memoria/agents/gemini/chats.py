"""Read the lines of a Gemini CLI session as neutral pieces.

A message is written again, under the same id, whenever something is added to it: its calls, its
tokens. The traps: a result comes a second time as a message of the user; the history of the model,
which a line may write down whole, has nothing new; and a shell tells an exit code only where it is
not 0.
"""

import re
from datetime import datetime
from typing import Any

from memoria.agents import transcript
from memoria.agents.claude_code.tools import ToolNames, remember
from memoria.agents.json_line import (
    NAME,
    PATH,
    mapping_of,
    mappings_of,
    parse_line,
    parse_time,
    session_id,
    text_of,
)
from memoria.agents.transcript import CallEnding, Limits, Piece, ResultEvent, TranscriptLine
from memoria.text.shorten import shorten

# The line types that are known: user and gemini were seen in files of 0.61.0, as were `$set` and
# the first line, which have no type; the others, and `$rewindTo`, in the client's source alone.
WANTED = frozenset({"user", "gemini"})
NOISE = frozenset({"info", "warning", "error"})
TOOLS = ToolNames(
    """run_shell_command=Bash replace=Edit write_file=Write read_file=Read read_many_files=Read
    grep_search=Grep search_file_content=Grep glob=Glob list_directory=LS web_fetch=WebFetch
    google_web_search=WebSearch ask_user=AskUserQuestion write_todos=TodoWrite
    enter_plan_mode=EnterPlanMode exit_plan_mode=ExitPlanMode""",
    "absolute_path=file_path",
)
# what the client puts before or among a person's words
_SCAFFOLDING = ("<session_context>", "<state_snapshot>")
# what a hook told stands before a person's words or behind a tool's result, without a "<" inside
_HOOK_WORDS = re.compile(r"<hook_context>[^<]*</hook_context>")
_COMMAND_MARKS = ("/", "?")
_WRAPPER = re.compile(r"\A<untrusted_context>\n|\n</untrusted_context>\s*\Z")
# what the client says of a command, behind its output: "Exit Code: 2", "Signal: SIGTERM"
_TRAILER = re.compile(
    r"(?:\nExit Code: (\d{1,5}))?(?:\nSignal: (\w{1,20}))?"
    r"(?:\nBackground PIDs: [\d, ]{1,200})?(?:\nProcess Group PGID: \d{1,12})?\s*\Z"
)
_MAX_TRAILER = 500  # characters in which that stands
_ENDED = ("success", "error", "cancelled")
# nothing says how these ended
_UNKNOWN_ENDS = ("Command moved to background", "Command was automatically cancelled")
# messages that may still be taken back: a session has hundreds, a hostile file millions
_MAX_REMEMBERED = 1000


class GeminiFormat:
    """The format of Gemini CLI's lines; it remembers which messages were told how far."""

    agent = "gemini"
    head = 1  # the first line alone says whose session it is

    def __init__(self, cwd: str) -> None:
        """Know the folder of the project, which no line has."""
        self._place = transcript.LinePlace(cwd=shorten(cwd, PATH))
        # messages that came, and whether they opened a turn
        self._messages: dict[str, bool] = {}
        self._calls: dict[str, bool] = {}

    def read_line(self, raw: bytes, limits: Limits, now: datetime) -> TranscriptLine | str:
        """Parse one line, or say why it is left out ("" where it is no conversation)."""
        loaded = parse_line(raw)
        if isinstance(loaded, str):
            return loaded
        record, damaged = loaded
        kind, at = str(record.get("type", "")), parse_time(record.get("timestamp")) or now
        if kind and kind not in WANTED:
            return "" if kind in NOISE else f"type {shorten(kind, NAME)}"
        key = text_of(record.get("id"))[:NAME] if kind else ""
        message = self._message_pieces(key, record, at, limits) if kind else None
        pieces = self._bookkeeping_pieces(record, limits) if message is None else message
        if not pieces and not damaged:
            return ""
        uuid = key if kind == "user" else ""
        return TranscriptLine(uuid, at, self._place, tuple(pieces), bool(kind), damaged)

    def _bookkeeping_pieces(self, record: dict[str, Any], limits: Limits) -> list[Piece]:
        """Read a line that is no message: the first one, changes of what it said, a rewinding."""
        session = session_id(record.get("sessionId"))
        if session and not self._place.session:
            self._place = transcript.LinePlace(session, self._place.cwd)
        rewind_key = record.get("$rewindTo")
        if isinstance(rewind_key, str):
            return self._rewind(rewind_key[:NAME])
        summary = text_of(mapping_of(record.get("$set")).get("summary"))
        title = transcript.TitleEvent(transcript.MODEL_TITLE, shorten(summary, limits.text))
        return [title] if summary else []

    def _rewind(self, key: str) -> list[Piece]:
        """Take back all from a message on."""
        names = list(self._messages)
        if key not in self._messages:
            return []
        turns = sum(self._messages.pop(name) for name in names[names.index(key) :])
        return [transcript.WithdrawalEvent(turns)] if turns else []

    def _message_pieces(
        self, key: str, record: dict[str, Any], at: datetime, limits: Limits
    ) -> list[Piece]:
        """Give what is new in a message."""
        is_new, is_user = key not in self._messages, record["type"] == "user"
        full_text = _own_words(record) if is_user else _join_texts(record.get("content"))
        text = shorten(full_text, limits.text) if is_new else ""
        if len(self._messages) >= _MAX_REMEMBERED:
            del self._messages[next(iter(self._messages))]
        self._messages.setdefault(key, is_user and bool(text))
        if is_user:
            return [transcript.PromptEvent(text)] if text else []
        pieces: list[Piece] = [transcript.AssistantText(text, at)] if text.strip() else []
        for call in mappings_of(record.get("toolCalls")):
            pieces += self._call_pieces(call, at, limits)
        return pieces

    def _call_pieces(self, record: dict[str, Any], at: datetime, limits: Limits) -> list[Piece]:
        key, state = text_of(record.get("id"))[:NAME], record.get("status")
        if key in self._calls or state not in _ENDED:
            return []
        remember(self._calls, key, value=True)
        call = TOOLS.call(key, text_of(record.get("name")), record.get("args"), at, limits)
        text = _WRAPPER.sub("", _HOOK_WORDS.sub("", _result_text(record.get("result"))).rstrip())
        ending = CallEnding(is_refused=state == "cancelled")
        if call.kind == "shell":
            ending, text = _parse_shell_result(text, str(state))
        is_error = state != "success" or ending.status not in {None, 0}
        return [call, ResultEvent(key, shorten(text, limits.result), is_error, ending=ending)]


def _own_words(record: dict[str, Any]) -> str:
    """Give what the person typed; "" for a command to the client, and for what that added."""
    content = record.get("displayContent")
    text = _join_texts(record.get("content") if content is None else content)
    return "" if not text.strip() or text.lstrip().startswith(_COMMAND_MARKS) else text


def _join_texts(content: object) -> str:
    """Give a message's text without scaffolding."""
    parts = [{"text": content}] if isinstance(content, str) else mappings_of(content)
    texts = [_HOOK_WORDS.sub("", text_of(part.get("text"))).lstrip("\n") for part in parts]
    return "\n".join(text for text in texts if text and not text.startswith(_SCAFFOLDING))


def _result_text(result: object) -> str:
    """Give a result's text: what the model was answered."""
    texts = []
    for part in mappings_of(result):
        answer = mapping_of(mapping_of(part.get("functionResponse")).get("response"))
        texts.append(text_of(answer.get("output")) or text_of(answer.get("error")))
    return "\n".join(filter(None, texts))


def _parse_shell_result(text: str, state: str) -> tuple[CallEnding, str]:
    """Say how a command ended, and what it printed."""
    trailer = _TRAILER.search(text, max(0, len(text) - _MAX_TRAILER))
    body = (text[: trailer.start()] if trailer else text).removeprefix("Output: ")
    if state == "cancelled" or text.startswith("Command was cancelled"):
        return CallEnding(is_refused=True), body
    if trailer and trailer[1]:
        return CallEnding(int(trailer[1]), is_refused=False), body
    is_killed = trailer is not None and bool(trailer[2])
    is_known = state == "success" and not is_killed and not text.startswith(_UNKNOWN_ENDS)
    return CallEnding(0 if is_known else None, is_refused=False), body
