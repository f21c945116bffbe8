"""A tool call of Claude Code -> the neutral Call: what was done, and how the client says it ended.

The client's tools, arguments and notices are known here and nowhere below. The trap: its error flag
is also set where the person refused, or where a call beside this one failed; and a tool can print
the very line by which the client announces a refusal, so a notice counts at the beginning alone.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from memoria.agents.transcript import Answer, Call, Hunk
from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memoria.agents.transcript import Kind

_KINDS: Mapping[str, Kind] = {
    "Bash": "shell",
    "PowerShell": "shell",
    "TaskOutput": "output",
    "BashOutput": "output",
    "AgentOutputTool": "output",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "Update": "edit",
    "StrReplace": "edit",
    "Read": "read",
    "NotebookRead": "read",
    "Grep": "search",
    "Glob": "search",
    "LS": "search",
    "WebFetch": "web",
    "WebSearch": "web",
    "ExitPlanMode": "plan",
    "EnterPlanMode": "plan",
    "AskUserQuestion": "question",
    "Task": "subagent",
    "Agent": "subagent",
    "TodoWrite": "tasks",
    "TaskCreate": "tasks",
    "TaskUpdate": "tasks",
    "TaskList": "tasks",
    "TaskGet": "tasks",
}
_PATHS = ("file_path", "notebook_path", "path")
# What the person did, not the agent: refused, interrupted, answered otherwise.
_REFUSED = lazy_pattern(
    r"\A\s*(?:<tool_use_error>)?\s*(?:Error: )?(?:"
    r"The user doesn't want to (?:proceed with|take)"
    r"|The user (?:rejected|declined|wants to clarify)"
    r"|User (?:rejected|declined|chose not)|Sibling tool call errored|Cancelled: parallel tool call"
    r"|\[Request interrupted|Request was aborted|The operation was aborted|Interrupted by user"
    r"|This operation was aborted|Tool use was rejected|Tool execution was interrupted)",
)
_STOPPED = lazy_pattern(r"Command was aborted before completion|\[Request interrupted by user")
_TAIL = 500  # characters at the end of a result in which a stop is announced
_STATUS = lazy_pattern(r"\A\s*(?:Error: )?Exit code (\d{1,5})\b")
_TASK_STATUS = lazy_pattern(r"<exit_code>(\d{1,5})</exit_code>")
_BACKGROUND = lazy_pattern(r"\A\s*Command (?:was moved to|running in) (?:the )?background")
# 130 is Ctrl-C, 143 a polite kill: somebody stopped it.
_STOPPED_STATUS = (130, 143)
_CLIENT_REFUSAL = "The user doesn't want to proceed with this tool use."
_REASON = lazy_pattern(r"the user said:\s*|reason for the rejection:\s*|rejected with feedback:\s*")
_PREAMBLE = 4000  # characters of a refusal: the reason follows a fixed preamble of 300
_CLARIFIES = "The user wants to clarify"
_LABEL = lazy_pattern(r'"label": ?"((?:[^"\\]|\\.){1,200})"')
_ANSWER = lazy_pattern(
    r'"([^"]{3,600})"="(.{0,2000}?)"(?=, "|\. You can|\s*$| user notes)', re.DOTALL
)


def call(  # noqa: PLR0913, PLR0917 - as Call has them
    id: str,  # noqa: A002 - as Call has it
    name: str,
    arguments: tuple[tuple[str, str], ...],
    result: str,
    is_error: bool,  # noqa: FBT001 - as Call has it
    answered: bool,  # noqa: FBT001 - as Call has it
    at: datetime,
) -> Call:
    """Make the Call of a tool's name, inputs and result."""
    kind = _KINDS.get(name, "other")
    given: dict[str, Any] = {}
    if kind == "shell":
        given["command"] = dict(arguments).get("command", "")
    elif kind in {"edit", "read"}:
        given["path"] = _path(dict(arguments))
    if kind == "edit":
        given["hunks"] = hunks(dict(arguments))
    elif kind == "plan":
        given["plan"] = dict(arguments).get("plan", "")
    if answered:
        given |= _ended(kind, name, result, arguments, is_error=is_error)
    return Call(id, name, arguments, result, is_error, answered, at, kind, **given)


def _path(arguments: Mapping[str, str]) -> str:
    return next((arguments[name] for name in _PATHS if arguments.get(name)), "")


def hunks(arguments: Mapping[str, str]) -> tuple[Hunk, ...]:
    """Give what an edit's inputs replace by what."""
    if "edits" in arguments:
        return tuple(_listed(arguments["edits"]))
    new = arguments.get("new_string", arguments.get("content", arguments.get("new_source", "")))
    return (Hunk(arguments.get("old_string", ""), new),)


def _listed(text: str) -> list[Hunk]:
    try:
        edits = json.loads(text)
    except (ValueError, RecursionError):
        return []  # the argument was too long and has been cut
    pairs = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    return [
        Hunk(str(pair.get("old_string", "")), str(pair.get("new_string", ""))) for pair in pairs
    ]


def _ended(
    kind: Kind,
    name: str,
    result: str,
    arguments: tuple[tuple[str, str], ...],
    *,
    is_error: bool,
) -> dict[str, Any]:
    """Say how a call ended: its status, what the user answered, whether he refused it."""
    status = _status(kind, result, is_error=is_error)
    if is_error and is_refused(kind, result, status):
        return {"status": status, "is_refused": True, "reason": _reason(name, result)}
    if kind == "question":
        return {"answers": () if is_error else _answers(dict(arguments), result)}
    return {"status": status}


def _status(kind: Kind, result: str, *, is_error: bool) -> int | None:
    """Give the exit status that the client tells; one that it does not flag was 0."""
    if kind == "output":
        told = _TASK_STATUS.search(result)
        return int(told[1]) if told else None
    if kind != "shell":
        return None
    if is_error:
        told = _STATUS.match(result)
        return int(told[1]) if told else None
    return None if _BACKGROUND.match(result) else 0


def is_refused(kind: Kind, result: str, status: int | None) -> bool:
    """Say whether a flagged call failed because of the person or of a call beside it.

    A plan or question sent back is a refusal whatever it says.
    """
    return (
        kind in {"plan", "question"}
        or bool(_REFUSED.match(result) or _STOPPED.search(result[-_TAIL:]))
        or status in _STOPPED_STATUS
    )


def _reason(name: str, result: str) -> str:
    """Give the words with which the user refused a call, "" for none."""
    # a tool can print the line that announces the reason, so the result has to be the client's own
    if name.startswith("mcp__") or not result.startswith(_CLIENT_REFUSAL):
        return ""
    said = _REASON.search(result[:_PREAMBLE])
    reason = result[said.end() :].strip() if said else ""
    return "" if reason.startswith(_CLARIFIES) else reason


def _answers(arguments: Mapping[str, str], result: str) -> tuple[Answer, ...]:
    """Give what the user replied to the agent's questions, in order."""
    labels = set(_LABEL.findall(arguments.get("questions", "")))
    return tuple(
        Answer(question, text, not ({text} | set(text.split(", "))) & labels)
        for question, text in _ANSWER.findall(result)
        if text
    )
