"""Read the lines of a Copilot CLI session as neutral pieces.

The tools are given the names of Claude Code's where they are the same, so that what was learned of
an error in one is known in the other. The traps: `success` is true for a command that failed, whose
exit code stands in the text alone; a message as sent to the model has more than the person typed;
and hooks and requests repeat what was called.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code import tools
from memoria.agents.json_line import NAME, load, moment
from memoria.agents.pieces import (
    Answered,
    Called,
    Interrupted,
    Line,
    Place,
    Prompted,
    Said,
    Spent,
)
from memoria.agents.transcript import Answer
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.pieces import Limits, Piece
    from memoria.agents.transcript import Call

# The line types that are known: each was seen in real files of 1.0.64 to 1.0.68.
WANTED = frozenset(
    {
        "session.start",
        "session.model_change",
        "session.shutdown",
        "user.message",
        "assistant.message",
        "tool.execution_start",
        "tool.execution_complete",
        "system.notification",
        "abort",
    }
)
NOISE = frozenset(
    {
        "hook.start",
        "hook.end",
        "system.message",
        "assistant.turn_start",
        "assistant.turn_end",
        "session.info",
        "session.permissions_changed",
        "permission.requested",
        "permission.completed",
    }
)
# Copilot's tool and inputs -> those of Claude Code's
_TOOLS = {
    "bash": "Bash",
    "powershell": "PowerShell",
    "read_bash": "BashOutput",
    "view": "Read",
    "edit": "Edit",
    "create": "Write",
    "grep": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "ask_user": "AskUserQuestion",
    "task": "Task",
    "update_todo": "TodoWrite",
}
_INPUTS = {
    "path": "file_path",
    "old_str": "old_string",
    "new_str": "new_string",
    "file_text": "content",
}
_KIND = re.compile(rb'\{"type":"([a-z_.]{1,40})",')
_EXITED = re.compile(r"<shellId: (\w{1,20}) completed with exit code (-?\d{1,5})>\s*\Z")
_RUNNING = re.compile(r"<command with shellId: (\w{1,20}) is still running")
_REPLIED = re.compile(r"\AUser (responded|selected): (.*)\Z", re.DOTALL)
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PATH = 4096  # characters of a path, as Linux bounds them
_ARGUMENTS = 64  # arguments of one call: real tools have under 20
# commands whose end is awaited: a session has a handful, a hostile file as many as lines
_AWAITED = 1000


class Events:
    """The format of Copilot's lines; it remembers whose session they are of."""

    agent = "copilot"
    head = 1  # session.start alone says whose session it is

    def __init__(self) -> None:
        """Begin before the first line."""
        self._place = Place("", "", "", "")
        self._model = ""
        self._running: dict[str, str] = {}
        self._alias: dict[str, str] = {}

    def read_line(self, raw: bytes, limits: Limits) -> Line | str:
        """Parse one line, or say why it is left out ("" where it is no conversation)."""
        told = _KIND.match(raw)
        if told and told[1].decode() in NOISE:
            return ""
        loaded = load(raw)
        if isinstance(loaded, str):
            return loaded
        record, damaged = loaded
        kind, data = str(record.get("type")), record.get("data")
        if kind not in WANTED:
            return "" if kind in NOISE else f"type {shorten(kind, NAME)}"
        if not isinstance(data, dict):
            return "no data"
        self._note(kind, data)
        pieces = tuple(self._pieces(kind, data, limits))
        uuid = shorten(_text(record.get("id")), NAME) if kind == "user.message" else ""
        at = moment(record.get("timestamp"))
        spent = self._spent(kind, data, _text(record.get("id")))
        return Line(uuid, at, self._place, False, damaged, bool(pieces), pieces, spent)

    @staticmethod
    def call(called: Called, at: datetime, result: Answered | None, _: Limits) -> Call:
        """Make the Call of a tool's inputs, and of its result where there is one."""
        text = result.text if result else ""
        is_error = result is not None and result.is_error
        made = tools.call(
            called.id, called.name, called.arguments, text, is_error, result is not None, at
        )
        ended = _EXITED.search(text)
        if made.kind in {"shell", "output"}:
            status = int(ended[2]) if ended else None
            return replace(made, result=_EXITED.sub("", text), status=status)
        replied = _REPLIED.match(text) if made.kind == "question" else None
        if replied is None:
            return made
        is_free = replied[1] == "responded"
        return replace(made, answers=(Answer(made.argument("question"), replied[2], is_free),))

    def _note(self, kind: str, data: dict[str, Any]) -> None:
        """Take what a line says of session and model."""
        if kind == "session.start" and not self._place.session:
            found = data.get("context")
            context = found if isinstance(found, dict) else {}
            session = _text(data.get("sessionId"))
            self._place = Place(
                session if _SESSION.fullmatch(session) else "",
                shorten(_text(context.get("cwd")), _PATH),
                shorten(_text(context.get("branch")), NAME),
                shorten(_text(data.get("copilotVersion")), NAME),
            )
        model = data.get("selectedModel", data.get("newModel"))
        self._model = _text(model)[:NAME] or self._model

    def _pieces(self, kind: str, data: dict[str, Any], limits: Limits) -> list[Piece]:
        if kind == "user.message":
            text = shorten(_text(data.get("content")), limits.text)
            return [Prompted(text)] if text.strip() else []
        if kind == "assistant.message":
            text = shorten(_text(data.get("content")), limits.text)
            return [Said(text)] if text.strip() else []
        if kind == "tool.execution_start":
            return self._called(data, limits)
        if kind == "tool.execution_complete":
            return self._answered(data, limits)
        if kind == "system.notification":
            return self._noticed(data.get("kind"))
        return [Interrupted()] if kind == "abort" else []

    def _called(self, data: dict[str, Any], limits: Limits) -> list[Piece]:
        """Give a call; the reading of a running command's output is no call of its own."""
        key, name = _text(data.get("toolCallId"))[:NAME], _text(data.get("toolName"))
        found = data.get("arguments")
        given = found if isinstance(found, dict) else {}
        shell = _text(given.get("shellId"))
        if name == "read_bash" and shell in self._running:
            self._remember(self._alias, key, self._running[shell])
            return []
        shown = tuple(
            (
                shorten(_INPUTS.get(str(word), str(word)), NAME),
                shorten(_dumped(value), limits.argument),
            )
            for word, value in list(given.items())[:_ARGUMENTS]
        )
        return [Called(key, shorten(_TOOLS.get(name, name), NAME), shown)]

    def _answered(self, data: dict[str, Any], limits: Limits) -> list[Piece]:
        key = _text(data.get("toolCallId"))[:NAME]
        key = self._alias.pop(key, key)
        result, error = data.get("result"), data.get("error")
        text: str = _text(result.get("content")) if isinstance(result, dict) else ""
        if isinstance(error, dict) and not text:
            text = _text(error.get("message"))
        running, ended = _RUNNING.search(text), _EXITED.search(text)
        if running:
            self._remember(self._running, running[1], key)
        is_error = data.get("success") is False or (ended is not None and ended[2] != "0")
        return [Answered(key, shorten(text, limits.result), is_error, running is not None)]

    def _noticed(self, kind: object) -> list[Piece]:
        """Tell how a command ended that ran in the background."""
        told = kind if isinstance(kind, dict) else {}
        key = self._running.pop(_text(told.get("shellId")), "")
        code = told.get("exitCode")
        if not key or not isinstance(code, int):
            return []
        text = f"<shellId: {told['shellId']} completed with exit code {code}>"
        return [Answered(key, text, code != 0)]

    def _spent(self, kind: str, data: dict[str, Any], name: str) -> Spent | None:
        """Give a reply's output, and at the session's end the rest, by its chief model."""
        if kind == "assistant.message":
            made = _count(data.get("outputTokens"))
            model = shorten(_text(data.get("model")), NAME) or self._model
            return Spent(_text(data.get("messageId"))[:NAME], model, (0, made, 0, 0))
        metrics = data.get("modelMetrics") if kind == "session.shutdown" else None
        if not isinstance(metrics, dict) or self._model not in metrics:
            return None
        told = metrics[self._model]
        usage = told.get("usage") if isinstance(told, dict) else None
        if not isinstance(usage, dict):
            return None
        names = ("inputTokens", "cacheReadTokens", "cacheWriteTokens")
        sent, cached, wrote = (_count(usage.get(one)) for one in names)
        return Spent(f"end {name}"[:NAME], self._model, (max(0, sent - cached), 0, cached, wrote))

    @staticmethod
    def _remember(table: dict[str, str], key: str, value: str) -> None:
        """Put into a table that holds only what may still be asked for."""
        if len(table) >= _AWAITED:
            table.clear()
        table[key] = value


def _dumped(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 50 else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
