"""Read the lines of a Copilot CLI session as neutral pieces.

The tools are given the names of Claude Code's where they are the same, so that what was learned of
an error in one is known in the other. The traps: `success` is true for a command that failed, whose
exit code stands in the text alone; a message as sent to the model has more than the person typed;
a subagent's session stands in the same file, its user another agent; and hooks and requests repeat
what was called.
"""

import re
from datetime import datetime
from typing import Any

from memoria.agents import transcript
from memoria.agents.claude_code.tools import ToolNames, remember
from memoria.agents.json_line import NAME, mapping_of, parse_line, parse_time, text_of
from memoria.agents.transcript import CallEnding, Limits, Piece, ResultEvent, TranscriptLine
from memoria.text.shorten import shorten

# The line types that are known: each was seen in real files of 1.0.64 to 1.0.68 or of 1.0.102.
WANTED = frozenset(
    """session.start user.message assistant.message tool.execution_start tool.execution_complete
    system.notification abort""".split()  # noqa: SIM905 - a table reads best as text
)
NOISE = frozenset(
    """session.model_change session.shutdown session.usage_record session.info
    session.permissions_changed hook.start hook.end system.message assistant.turn_start
    assistant.turn_end permission.requested permission.completed session.compaction_start
    session.compaction_complete session.usage_checkpoint model.message model.messages_snapshot
    model.model_call_started model.model_call_success model.response model.turn_ended
    model.turn_started subagent.started subagent.configured subagent.completed
    subagent.failed""".split()  # noqa: SIM905 - as above
)
# Copilot's tools and inputs, with those of Claude Code
_TOOLS = ToolNames(
    """bash=Bash powershell=PowerShell read_bash=BashOutput view=Read edit=Edit create=Write
    grep=Grep glob=Glob web_fetch=WebFetch web_search=WebSearch ask_user=AskUserQuestion task=Task
    update_todo=TodoWrite""",
    "path=file_path old_str=old_string new_str=new_string file_text=content",
)
_LINE_HEAD = re.compile(rb'\{"type":"([a-z_.]{1,40})",')  # '{"type":"user.message",'
# at the end of an output: "<shellId: 3 completed with exit code 1>"
_EXITED = re.compile(r"<shellId: (\w{1,20}) completed with exit code (-?\d{1,5})>\s*\Z")
# behind that what a hook told: 'Tool "bash" failed. Additional guidance from user hooks:'
_HOOK_WORDS = re.compile(
    r'\n\nTool "[^"\n]{1,80}" \w{1,20}\. Additional guidance from \w{1,20} hooks:\n[\s\S]*'
)
# kinds of a tool's result that stand as an error's code where a person kept the call from running
_REFUSALS = ("rejected", "denied")
_RUNNING = re.compile(r"<command with shellId: (\w{1,20}) is still running")


class CopilotFormat:
    """The format of Copilot's lines; it remembers whose session they are of."""

    agent = "copilot"
    head = 1  # session.start alone says whose session it is

    def __init__(self) -> None:
        """Begin before the first line."""
        self._place = transcript.LinePlace()
        self._running: dict[str, str] = {}
        self._alias: dict[str, str] = {}

    def read_line(self, raw: bytes, limits: Limits, now: datetime) -> TranscriptLine | str:
        """Parse one line, or say why it is left out ("" where it is no conversation)."""
        type_match = _LINE_HEAD.match(raw)
        if type_match and type_match[1].decode() in NOISE:
            return ""
        loaded = parse_line(raw)
        if isinstance(loaded, str):
            return loaded
        record, damaged = loaded
        kind, data = str(record.get("type")), record.get("data")
        if kind not in WANTED:
            return "" if kind in NOISE else f"type {shorten(kind, NAME)}"
        if not isinstance(data, dict):
            return "no data"
        # a skill's text, another agent's prompt, the client's own "go on"
        is_programs = data.get("source") or data.get("isAutopilotContinuation")
        if "agentId" in record or (kind == "user.message" and is_programs):
            return "sidechain" if "agentId" in record else "not typed"
        if kind == "session.start" and not self._place.session:
            context = mapping_of(data.get("context"))
            cwd, branch = context.get("cwd"), context.get("branch")
            self._place = transcript.build_place(data.get("sessionId"), cwd, branch)
        at = parse_time(record.get("timestamp")) or now
        pieces = tuple(self._event_pieces(kind, data, at, limits))
        uuid = shorten(text_of(record.get("id")), NAME) if kind == "user.message" else ""
        return TranscriptLine(uuid, at, self._place, pieces, bool(pieces), damaged)

    def _event_pieces(
        self, kind: str, data: dict[str, Any], at: datetime, limits: Limits
    ) -> list[Piece]:
        match kind:
            case "user.message" | "assistant.message":
                text = shorten(text_of(data.get("content")), limits.text)
                said = transcript.AssistantText(text, at)
                piece: Piece = transcript.PromptEvent(text) if kind == "user.message" else said
                return [piece] if text.strip() else []
            case "tool.execution_start":
                return self._call_pieces(data, at, limits)
            case "tool.execution_complete":
                return self._result_pieces(data, limits)
            case "system.notification":
                return self._notice_pieces(mapping_of(data.get("kind")))
        return [transcript.Interrupt(at)] if kind == "abort" else []

    def _call_pieces(self, data: dict[str, Any], at: datetime, limits: Limits) -> list[Piece]:
        """Give a call; the reading of a running command's output is no call of its own."""
        key, name = text_of(data.get("toolCallId"))[:NAME], text_of(data.get("toolName"))
        arguments = mapping_of(data.get("arguments"))
        shell = text_of(arguments.get("shellId"))
        if name == "read_bash" and shell in self._running:
            remember(self._alias, key, self._running[shell])
            return []
        return [_TOOLS.call(key, name, arguments, at, limits)]

    def _result_pieces(self, data: dict[str, Any], limits: Limits) -> list[Piece]:
        key = text_of(data.get("toolCallId"))[:NAME]
        key = self._alias.pop(key, key)
        error = mapping_of(data.get("error"))
        text = text_of(mapping_of(data.get("result")).get("content"))
        text = _HOOK_WORDS.sub("", text or text_of(error.get("message")))
        running_match, exit_match = _RUNNING.search(text), _EXITED.search(text)
        if running_match:
            remember(self._running, running_match[1], key)
        code = int(exit_match[2]) if exit_match else 0
        is_refused = not exit_match and error.get("code") in _REFUSALS
        ending = CallEnding(code if exit_match else None, is_refused)
        output = _EXITED.sub("", shorten(text, limits.result))
        is_error = data.get("success") is False or code != 0
        return [ResultEvent(key, output, is_error, running_match is not None, ending)]

    def _notice_pieces(self, notice: dict[str, Any]) -> list[Piece]:
        """Tell how a command ended that ran in the background."""
        key = self._running.pop(text_of(notice.get("shellId")), "")
        code = notice.get("exitCode")
        if not key or not isinstance(code, int):
            return []
        return [ResultEvent(key, "", code != 0, ending=CallEnding(code, is_refused=False))]
