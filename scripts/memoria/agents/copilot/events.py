"""Read the lines of a Copilot CLI session as neutral pieces.

The tools are given the names of Claude Code's where they are the same, so that what was learned of
an error in one is known in the other. The traps: `success` is true for a command that failed, whose
exit code stands in the text alone; a message as sent to the model has more than the person typed;
and hooks and requests repeat what was called.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memoria.agents import renamed_tools
from memoria.agents.json_line import NAME, load, moment
from memoria.agents.pieces import Answered, Interrupted, Line, Place, Prompted, Said, Spent
from memoria.agents.renamed_tools import PATH, Ending, ToolNames, count, text_of
from memoria.agents.transcript import Answer
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.pieces import Called, Limits, Piece
    from memoria.agents.transcript import Call

# The line types that are known: each was seen in real files of 1.0.64 to 1.0.68 or of 1.0.102.
WANTED = frozenset(
    {
        "session.start",
        "session.model_change",
        "session.shutdown",
        "session.usage_record",
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
# Copilot's tools and inputs -> those of Claude Code's
_TOOLS = ToolNames(
    {
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
    },
    {"path": "file_path", "old_str": "old_string", "new_str": "new_string", "file_text": "content"},
)
_KIND = re.compile(rb'\{"type":"([a-z_.]{1,40})",')
_EXITED = re.compile(r"<shellId: (\w{1,20}) completed with exit code (-?\d{1,5})>\s*\Z")
_RUNNING = re.compile(r"<command with shellId: (\w{1,20}) is still running")
_REPLIED = re.compile(r"\AUser (responded|selected): (.*)\Z", re.DOTALL)
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
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
        self._has_records = False
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
        uuid = shorten(text_of(record.get("id")), NAME) if kind == "user.message" else ""
        at = moment(record.get("timestamp"))
        spent = self._spent(kind, data, text_of(record.get("id")))
        return Line(uuid, at, self._place, False, damaged, bool(pieces), pieces, spent)

    @staticmethod
    def call(called: Called, at: datetime, result: Answered | None, _: Limits) -> Call:
        """Make the Call of a tool's inputs, and of its result where there is one."""
        text = result.text if result else ""
        ended = _EXITED.search(text)
        made = renamed_tools.call(called, at, result, Ending(int(ended[2])) if ended else None)
        if made.kind in {"shell", "output"}:
            return replace(made, result=_EXITED.sub("", text))
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
            session = text_of(data.get("sessionId"))
            self._place = Place(
                session if _SESSION.fullmatch(session) else "",
                shorten(text_of(context.get("cwd")), PATH),
                shorten(text_of(context.get("branch")), NAME),
                shorten(text_of(data.get("copilotVersion")), NAME),
            )
        model = data.get("selectedModel", data.get("newModel"))
        self._model = text_of(model)[:NAME] or self._model

    def _pieces(self, kind: str, data: dict[str, Any], limits: Limits) -> list[Piece]:
        if kind == "user.message":
            text = shorten(text_of(data.get("content")), limits.text)
            return [Prompted(text)] if text.strip() else []
        if kind == "assistant.message":
            text = shorten(text_of(data.get("content")), limits.text)
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
        key, name = text_of(data.get("toolCallId"))[:NAME], text_of(data.get("toolName"))
        found = data.get("arguments")
        given = found if isinstance(found, dict) else {}
        shell = text_of(given.get("shellId"))
        if name == "read_bash" and shell in self._running:
            self._remember(self._alias, key, self._running[shell])
            return []
        return [_TOOLS.called(key, name, given, limits)]

    def _answered(self, data: dict[str, Any], limits: Limits) -> list[Piece]:
        key = text_of(data.get("toolCallId"))[:NAME]
        key = self._alias.pop(key, key)
        result, error = data.get("result"), data.get("error")
        text: str = text_of(result.get("content")) if isinstance(result, dict) else ""
        if isinstance(error, dict) and not text:
            text = text_of(error.get("message"))
        running, ended = _RUNNING.search(text), _EXITED.search(text)
        if running:
            self._remember(self._running, running[1], key)
        is_error = data.get("success") is False or (ended is not None and ended[2] != "0")
        return [Answered(key, shorten(text, limits.result), is_error, running is not None)]

    def _noticed(self, kind: object) -> list[Piece]:
        """Tell how a command ended that ran in the background."""
        told = kind if isinstance(kind, dict) else {}
        key = self._running.pop(text_of(told.get("shellId")), "")
        code = told.get("exitCode")
        if not key or not isinstance(code, int):
            return []
        text = f"<shellId: {told['shellId']} completed with exit code {code}>"
        return [Answered(key, text, code != 0)]

    def _spent(self, kind: str, data: dict[str, Any], name: str) -> Spent | None:
        """Give a reply's tokens: newer versions have a line for them, older ones tell the end's."""
        if kind == "session.usage_record":
            self._has_records = True
            return _used(f"call {name}"[:NAME], data.get("usage"), self._model)
        if self._has_records:
            return None
        if kind == "assistant.message":
            made = count(data.get("outputTokens"))
            model = shorten(text_of(data.get("model")), NAME) or self._model
            return Spent(text_of(data.get("messageId"))[:NAME], model, (0, made, 0, 0))
        metrics = data.get("modelMetrics") if kind == "session.shutdown" else None
        if not isinstance(metrics, dict) or self._model not in metrics:
            return None
        told = metrics[self._model]
        usage = told.get("usage") if isinstance(told, dict) else None
        rest = _used(f"end {name}"[:NAME], usage, self._model)
        # what the replies have made was counted with each
        return replace(rest, tokens=(rest.tokens[0], 0, *rest.tokens[2:])) if rest else None

    @staticmethod
    def _remember(table: dict[str, str], key: str, value: str) -> None:
        """Put into a table that holds only what may still be asked for."""
        if len(table) >= _AWAITED:
            table.clear()
        table[key] = value


def _used(name: str, usage: object, model: str) -> Spent | None:
    """Read a count of tokens."""
    if not isinstance(usage, dict):
        return None
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    sent, made, cached, wrote = (count(usage.get(one)) for one in names)
    model = shorten(text_of(usage.get("model")), NAME) or model
    return Spent(name, model, (max(0, sent - cached), made, cached, wrote))
