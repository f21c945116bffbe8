"""Make the neutral Call of a tool call of Claude Code: what was done, and how it ended.

The client's tools, arguments and notices are known here and nowhere below; other agents' calls come
under its names, where the tools do the same (`ToolNames`): what was learned of an error in one is
then known in the other, and a guard's check holds for both. The traps: its error flag is also set
where the person refused, or where a call beside this one failed; a tool can print the very line by
which the client announces a refusal, so a notice counts at the beginning alone; and how another
agent's command ended comes from its format, never from the words of an output.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memoria.agents.json_line import NAME, mapping_of, mappings_of
from memoria.agents.transcript import Call, CallEnding, Hunk, Kind, Limits, ResultEvent, UserAnswer
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.shorten import shorten

_encode = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes one for each value
_MAX_ARGUMENTS = 64  # of one call: real tools have under 20
# rows of what may still be asked for: a session has a handful, a hostile file as many as lines
_MAX_REMEMBERED = 1000
_TOOLS_BY_KIND: Mapping[Kind, str] = {
    "shell": "Bash PowerShell",
    "output": "TaskOutput BashOutput AgentOutputTool",
    "edit": "Edit MultiEdit Write NotebookEdit Update StrReplace",
    "read": "Read NotebookRead",
    "search": "Grep Glob LS",
    "web": "WebFetch WebSearch",
    "plan": "ExitPlanMode EnterPlanMode",
    "question": "AskUserQuestion",
    "subagent": "Task Agent",
    "tasks": "TodoWrite TaskCreate TaskUpdate TaskList TaskGet",
}
_KINDS = {name: kind for kind, names in _TOOLS_BY_KIND.items() for name in names.split()}
_PATH_INPUTS = ("file_path", "notebook_path", "path")
# What the person did, not the agent: "The user doesn't want to proceed with this tool use",
# "<tool_use_error>Request was aborted"; not a log that says so further down.
_REFUSED = lazy_pattern(
    r"\A\s*(?:<tool_use_error>)?\s*(?:Error: )?(?:The user doesn't want to (?:proceed with|take)"
    r"|The user (?:rejected|declined|wants to clarify)"
    r"|User (?:rejected|declined|chose not)"
    r"|\[Request interrupted|Request was aborted|The operation was aborted|Interrupted by user"
    r"|This operation was aborted|Tool use was rejected|Tool execution was interrupted)"
)
# a call of the same batch had failed: "<tool_use_error>Sibling tool call errored"
_SKIPPED = lazy_pattern(
    r"\A\s*(?:<tool_use_error>)?\s*(?:Error: )?"
    r"(?:Sibling tool call errored|Cancelled: parallel tool call)"
)
_STOPPED = lazy_pattern(r"Command was aborted before completion|\[Request interrupted by user")
_STOP_TAIL = 500  # characters at the end of a result in which a stop is announced
_STATUS = lazy_pattern(r"\A\s*(?:Error: )?Exit code (\d{1,5})\b")  # "Exit code 2"
_TASK_STATUS = lazy_pattern(r"<exit_code>(\d{1,5})</exit_code>")  # of a command in the background
# "Command running in background with ID: b1"
_BACKGROUND = lazy_pattern(r"\A\s*Command (?:was moved to|running in) (?:the )?background")
# 130 is Ctrl-C, 143 a polite kill: somebody stopped it.
_STOPPED_STATUSES = (130, 143)
_CLIENT_REFUSAL = "The user doesn't want to proceed with this tool use."
# the user's own words follow
_REASON = lazy_pattern(r"the user said:\s*|reason for the rejection:\s*|rejected with feedback:\s*")
_MAX_PREAMBLE = 4000  # characters of a refusal: the reason follows a fixed preamble of 300
_CLARIFIES = "The user wants to clarify"
# of the reply to a question: '"Which one?"="Keep it", '; and what ends words that were typed there
_ANSWER = lazy_pattern(
    r'"([^"]{3,600})"="(.{0,2000}?)"(?=, "|\. You can|\s*$| user notes)', re.DOTALL
)
_TYPED_END = lazy_pattern(r'"(?=, "|\. You can|\s*$| user notes| selected preview)')
# Copilot's reply to a question: "User selected: Keep it"; responded are the user's own words
_REPLIED = lazy_pattern(r"\AUser (responded|selected): (.*)\Z", re.DOTALL)


def build_call(key: str, name: str, arguments: tuple[tuple[str, str], ...], at: datetime) -> Call:
    """Make the Call of a tool's name and inputs, which has no result yet."""
    kind = _KINDS.get(name, "other")
    inputs = dict(arguments)
    fields: dict[str, Any] = {}
    if kind == "shell":
        fields["command"] = inputs.get("command", "")
    elif kind in {"edit", "read"}:
        fields["path"] = next((inputs[name] for name in _PATH_INPUTS if inputs.get(name)), "")
    if kind == "edit":
        fields["hunks"] = _build_hunks(inputs)
    elif kind == "plan":
        fields["plan"] = inputs.get("plan", "")
    return Call(key, name, arguments, "", False, False, at, kind, **fields)


def complete_call(call: Call, result: ResultEvent) -> Call:
    """Give a call with its result.

    An ending that an agent tells counts alone: a program can print any client's words.
    """
    kind, text, is_error = call.kind, result.text, result.is_error
    ending = result.ending or CallEnding(_parse_status(kind, text, is_error=is_error))
    status = ending.status if kind in {"shell", "output"} else None
    is_refused, is_skipped, reason = bool(ending.is_refused), False, ""
    if result.ending is None and is_error:
        is_skipped = bool(_SKIPPED.match(text))
        is_refused = is_skipped or _is_refused(kind, text, status)
        reason = _parse_refusal_reason(call.name, text) if is_refused else ""
    answers = () if is_error or kind != "question" else _parse_answers(call, text)
    # `replace` takes twice as long
    fields = (call.id, call.name, call.arguments, text, is_error, True, call.at, kind, call.command)
    more = (call.path, call.hunks, call.plan, answers, is_refused, reason, is_skipped)
    return Call(*fields, status, *more)


def _build_hunks(arguments: Mapping[str, str]) -> tuple[Hunk, ...]:
    """Give what an edit's inputs replace by what."""
    if "edits" not in arguments:
        new = arguments.get("new_string", arguments.get("content", arguments.get("new_source", "")))
        return (Hunk(arguments.get("old_string", ""), new),)
    try:
        edits = json.loads(arguments["edits"])
    except (ValueError, RecursionError):
        return ()  # the argument was too long and has been cut
    return tuple(
        Hunk(str(edit.get("old_string", "")), str(edit.get("new_string", "")))
        for edit in mappings_of(edits)
    )


def _parse_status(kind: Kind, result: str, *, is_error: bool) -> int | None:
    """Give the exit status that the client tells; one that it does not flag was 0."""
    if kind == "shell" and not is_error:
        return None if _BACKGROUND.match(result) else 0
    match = _TASK_STATUS.search(result) if kind == "output" else _STATUS.match(result)
    return int(match[1]) if match else None


def _is_refused(kind: Kind, result: str, status: int | None) -> bool:
    """Say whether a flagged call failed because of the person.

    A plan or question sent back is a refusal whatever it says.
    """
    is_announced = bool(_REFUSED.match(result) or _STOPPED.search(result[-_STOP_TAIL:]))
    return kind in {"plan", "question"} or is_announced or status in _STOPPED_STATUSES


def _parse_refusal_reason(name: str, result: str) -> str:
    """Give the words with which the user refused a call, "" for none."""
    # a tool can print the line that announces the reason, so the result has to be the client's own;
    # a server's error comes as it is, by "mcp__x__y" and by "ReadMcpResourceTool"
    if "mcp" in name.lower() or not result.startswith(_CLIENT_REFUSAL):
        return ""
    opening = _REASON.search(result[:_MAX_PREAMBLE])
    reason = result[opening.end() :].strip() if opening else ""
    return "" if reason.startswith(_CLARIFIES) else reason


def _parse_answers(call: Call, result: str) -> tuple[UserAnswer, ...]:
    """Give what the user replied to the agent's questions, in order."""
    if reply := _REPLIED.match(result):
        return (UserAnswer(call.argument("question"), reply[2], reply[1] == "responded"),)
    options = _parse_options(call.argument("questions"))
    if not options:  # cut, or of a form that is not known: what was typed cannot be told apart
        pairs = _ANSWER.findall(result)
        return tuple(UserAnswer(question, text, free=False) for question, text in pairs if text)
    answers, at = [], 0
    for question, labels in options.items():
        opening = f'"{question}"="'
        if (start := result.find(opening, at)) >= 0:
            start, at = start + len(opening), _skip_labels(result, start + len(opening), labels)
            ending = _TYPED_END.search(result, at)
            end = ending.start() if ending else at
            chosen, typed = result[start:at].removesuffix(", "), result[at:end]
            # a label is the assistant's words
            answers += [UserAnswer(question, chosen, free=False)] if chosen else []
            answers += [UserAnswer(question, typed, free=True)] if typed else []
            at = end
    return tuple(answers)


def _parse_options(text: str) -> dict[str, list[str]]:
    """Give the labels of a call's questions, by question; {} where it is cut or no such list."""
    try:
        rows = [mapping_of(row) for row in json.loads(text)]
        return {
            str(row["question"]): [str(mapping_of(option)["label"]).strip() for option in options]
            for row in rows
            if isinstance(options := row.get("options") or [], list)
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}


def _skip_labels(result: str, at: int, labels: list[str]) -> int:
    """Give where a reply goes on behind the labels that were chosen."""
    endings = [(f"{label}{end}", end) for label in labels for end in (", ", '"') if label]
    endings.sort(key=lambda row: -len(row[0]))
    while row := next((row for row in endings if result.startswith(row[0], at)), None):
        at += len(row[0])
        if row[1] == '"':
            return at - 1
    return at


# -- Inputs, and other agents' names ---------------------------------------------------------------


def _parse_pairs(text: str) -> dict[str, str]:
    return {theirs: ours for theirs, _, ours in (pair.partition("=") for pair in text.split())}


class ToolNames:
    """An agent's names of tools and inputs, each with Claude Code's.

    Both are pairs "theirs=ours", with blanks between them.
    """

    def __init__(self, tools: str, inputs: str) -> None:
        self._tools, self._inputs = _parse_pairs(tools), _parse_pairs(inputs)

    def call(self, key: str, name: str, inputs: object, at: datetime, limits: Limits) -> Call:
        """Make a call of what the agent wrote, without its result."""
        pairs = mapping_of(inputs).items()
        arguments = {self._inputs.get(word, word): value for word, value in pairs}
        name = shorten(self._tools.get(name, name), NAME)
        return build_call(key, name, format_arguments(arguments, limits), at)


def format_arguments(inputs: Mapping[str, Any], limits: Limits) -> tuple[tuple[str, str], ...]:
    """Give the inputs of a call as texts."""
    return tuple(
        [
            (shorten(name, NAME), shorten(_dump_value(value), limits.argument))
            for name, full_value in list(inputs.items())[:_MAX_ARGUMENTS]
            for value in (_trim_list(name, full_value, limits.argument),)
        ]
    )


def _trim_list(name: str, value: object, size: int) -> object:
    """Leave out of questions and edits what would have the list cut: half of one says nothing."""
    if name != "edits" or not isinstance(value, list):
        return _keep_labels(value) if name == "questions" else value
    kept, room = [], size - len("[]")
    for edit in value:
        length = len(_dump_value(edit)) + len(", ")
        if length <= room:
            kept.append(edit)
            room -= length
    return kept


def _keep_labels(questions: object) -> object:
    """Leave out of questions what no reply repeats: with descriptions they may be too long."""
    rows = [mapping_of(row) for row in questions] if isinstance(questions, list) else []
    return [
        {
            "question": row.get("question"),
            "options": [{"label": mapping_of(option).get("label")} for option in options],
        }
        for row in rows
        if isinstance(options := row.get("options") or [], list)
    ]


def _dump_value(value: object) -> str:
    if isinstance(value, str):
        return value
    if type(value) is int:  # most of what is no text: limits and times
        return str(value)
    try:
        return _encode(value)
    except RecursionError:
        return "[nested too deeply]"


def remember(table: dict[str, Any], key: str, value: object) -> None:
    """Put into a table that holds only what may still be asked for."""
    if len(table) >= _MAX_REMEMBERED:
        table.clear()
    table[key] = value
