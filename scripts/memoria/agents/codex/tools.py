"""Read a tool call of Codex and its output: commands with status, patches by file.

The trap: a command that takes long is still running when its call returns; how it ended stands in
the result of a later write_stdin, which names the running session.
"""

import json
import re
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memoria.agents.claude_code.tools import ToolNames
from memoria.agents.json_line import NAME, mapping_of, mappings_of, text_of
from memoria.agents.transcript import Call, CallEnding, Limits
from memoria.text.json_text import read_object

# The shell has many names in the files; a patch of a file is an Edit or a Write.
TOOLS = ToolNames(
    """exec_command=Bash shell=Bash shell_command=Bash local_shell=Bash write_stdin=BashOutput
    view_image=Read update_plan=TodoWrite web_search=WebSearch spawn_agent=Task
    request_user_input=AskUserQuestion""",
    "cmd=command path=file_path",
)
_MAX_WRAPPER = 2000  # characters in which the wrapper around a command's output stands
# its lines "Process exited with code 2" and "Process running with session ID 7"
_EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,5})$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d{1,12})$", re.MULTILINE)
_OUTPUT = "\nOutput:\n"
# of the time before exec_command: the output and its metadata as JSON
_EXIT_CODE = re.compile(r'"metadata":\{"exit_code":(-?\d{1,5})\b')
# the client's words for a call that the person or a hook stopped, or that it could not make
_ABORTED = re.compile(r"aborted by user|rejected by user|user (?:rejected|denied)")
_FAILED = re.compile(
    r"(?:apply_patch verification|exec_command|write_stdin) failed"
    r"|unsupported (?:custom tool )?call|\w+ blocked by PreToolUse hook"
)
# in a patch "*** Update File: src/app.py"
_FILE_LINE = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+)$", re.MULTILINE)
_SHELL_PREFIX = re.compile(r"\A(?:/bin/|/usr/bin/)?(?:bash|sh|zsh) -l?c ")  # "bash -lc "
_MAX_FILES = 64  # of one patch that are told apart
_COMMAND_INPUTS = frozenset({"cmd", "command"})


def build_calls(key: str, payload: dict[str, Any], at: datetime, limits: Limits) -> list[Call]:
    """Give the calls of a call's line: one, or for a patch one a file."""
    name, space = text_of(payload.get("name")), text_of(payload.get("namespace"))
    given = payload.get("arguments")
    if name == "apply_patch":  # of some models its text stands in JSON, as other calls' inputs
        patch = text_of(payload.get("input") or _parse_arguments(given).get("input"))
        return [
            TOOLS.call(f"{key}#{number}" if number else key, tool, given, at, limits)
            for number, (tool, given) in enumerate(split_patch(patch))
        ]
    if payload.get("type") == "web_search_call":
        words = json.dumps(payload.get("action"), ensure_ascii=False)
        hashed_key = f"web-{zlib.crc32(words.encode('utf-8', 'replace')):08x}"
        key = (key or text_of(payload.get("id")) or hashed_key)[:NAME]
        return [TOOLS.call(key, "web_search", {"action": words}, at, limits)]
    if payload.get("type") == "local_shell_call":
        name, given = "local_shell", payload.get("action")
    elif "input" in payload:
        given = {"input": text_of(payload["input"])}
    name = f"{space}__{name}" if space else name
    return [TOOLS.call(key, name, _parse_arguments(given), at, limits)]


def _parse_arguments(inputs: object) -> dict[str, Any]:
    """Read a call's arguments, JSON in a string; a command is text, without the shell it is of."""
    arguments = read_object(inputs) if isinstance(inputs, str) else dict(mapping_of(inputs))
    for name in _COMMAND_INPUTS & arguments.keys():
        words = arguments[name]
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            words = " ".join(words)
        arguments[name] = _SHELL_PREFIX.sub("", words, count=1) if isinstance(words, str) else words
    return arguments


def parse_ending(text: str) -> tuple[CallEnding, bool]:
    """Say how a call ended, and whether it failed."""
    head = text[:_MAX_WRAPPER]
    match = _EXITED.search(head)
    if match is None and head.startswith('{"output":'):
        match = _EXIT_CODE.search(text[-_MAX_WRAPPER:])
    if match:
        return CallEnding(int(match[1]), is_refused=False), match[1] != "0"
    # what a command printed may hold any words, and stands behind a wrapper of the client's
    is_refused = _OUTPUT not in head and bool(_ABORTED.search(head))
    return CallEnding(None, is_refused), is_refused or bool(_FAILED.match(head))


def find_running_session(text: str) -> str:
    """Give the session in which a command goes on running, "" where it has ended."""
    head = text[:_MAX_WRAPPER]
    match = _RUNNING.search(head) if "Process running" in head else None  # few of them do
    return match[1] if match else ""


def output_text(output: object) -> str:
    """Give an output as text; newer versions write a list of blocks where there are images."""
    if isinstance(output, list):
        return "\n".join(text_of(block.get("text", "[image]")) for block in mappings_of(output))
    return text_of(output)


def strip_wrapper(text: str) -> str:
    """Give what the tool printed, without what the client says about it."""
    if text.startswith('{"output":'):
        value = read_object(text)
        return text_of(value.get("output")) if value else text  # the latter was cut
    at = text.find(_OUTPUT, 0, _MAX_WRAPPER)
    return text[at + len(_OUTPUT) :] if at >= 0 else text


def split_patch(patch: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give a patch as calls of tools that change one file: the tool's name and its inputs."""
    files = list(_FILE_LINE.finditer(patch))[:_MAX_FILES]
    for number, match in enumerate(files):
        end = files[number + 1].start() if number + 1 < len(files) else len(patch)
        path, edits = match[2].strip(), list(_parse_edits(patch[match.end() : end]))
        if match[1] == "Add":
            yield "Write", {"file_path": path, "content": "\n".join(new for _, new in edits)}
        elif len(edits) == 1:
            yield "Edit", {"file_path": path, "old_string": edits[0][0], "new_string": edits[0][1]}
        else:
            parts = [{"old_string": old, "new_string": new} for old, new in edits]
            yield "Edit", {"file_path": path, "edits": parts}


def _parse_edits(patch: str) -> Iterator[tuple[str, str]]:
    """Give the pieces that a patch replaces, with the lines around them that it shows."""
    for part in re.split(r"^@@.*$", patch, flags=re.MULTILINE):
        lines = [line for line in part.split("\n") if line[:1] in {" ", "-", "+"}]
        old = "\n".join(line[1:] for line in lines if line[0] != "+")
        new = "\n".join(line[1:] for line in lines if line[0] != "-")
        if lines:
            yield old, new
