"""Read a tool call of Codex and its output as neutral Calls: commands with status, patches by file.

The trap: a command that takes long is still running when its call returns; how it ended stands in
the result of a later write_stdin, which names the running session.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code.tools import hunks
from memoria.agents.json_line import NAME
from memoria.agents.pieces import Called
from memoria.agents.transcript import Call
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memoria.agents.pieces import Answered, Limits
    from memoria.agents.transcript import Kind

# The shell has many names in the files; Codex's own hooks call it so, and as a patch of a file is
# an Edit or a Write to them, what one agent ran into is known to the others by the same names.
SHELL = "Bash"
_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell"})
_KINDS: dict[str, Kind] = {
    SHELL: "shell",
    "write_stdin": "output",
    "Edit": "edit",
    "Write": "edit",
    "view_image": "read",
    "update_plan": "tasks",
    "web_search": "web",
    "spawn_agent": "subagent",
    "request_user_input": "question",
}
_HEAD = 2000  # characters in which the wrapper around a command's output stands
_EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,5})$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d{1,12})$", re.MULTILINE)
_OUTPUT = "\nOutput:\n"
# of the time before exec_command: the output and its metadata as JSON
_EXIT_CODE = re.compile(r'"metadata":\{"exit_code":(-?\d{1,5})\b')
_ABORTED = re.compile(r"aborted by user|rejected by user|user (?:rejected|denied)")
_FAILED = re.compile(
    r"(?:apply_patch verification|exec_command|write_stdin) failed"
    r"|unsupported (?:custom tool )?call|\w+ blocked by PreToolUse hook"
)
_FILE = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+)$", re.MULTILINE)
_LOGIN = re.compile(r"\A(?:/bin/|/usr/bin/)?(?:bash|sh|zsh) -l?c ")
_ARGUMENTS = 64  # arguments of one call: real tools have under 20


def opened(key: str, payload: dict[str, Any], limits: Limits) -> tuple[Called, ...]:
    """Give the calls of a call's line: one, or for a patch one a file."""
    name = _text(payload.get("name"))
    if name == "apply_patch":
        return tuple(_patched(key, _text(payload.get("input")), limits))
    if payload.get("type") == "web_search_call":
        words = json.dumps(payload.get("action"), ensure_ascii=False)
        key = (
            key
            or _text(payload.get("id"))
            or f"web-{zlib.crc32(words.encode('utf-8', 'replace')):08x}"
        )
        return (Called(key[:NAME], "web_search", (("action", shorten(words, limits.argument)),)),)
    if payload.get("type") == "local_shell_call":
        action = payload.get("action")
        name, given = "local_shell", arguments(action if isinstance(action, dict) else {})
    elif "input" in payload:
        given = {"input": _text(payload["input"])}
    else:
        given = arguments(payload.get("arguments"))
    if name in _SHELLS:
        command = given.pop("cmd", "") or given.pop("command", "")
        name, given = SHELL, {"command": _LOGIN.sub("", command, count=1), **given}
    full = f"{_text(payload.get('namespace'))}__{name}" if payload.get("namespace") else name
    shown = [
        (shorten(word, NAME), shorten(value, limits.argument)) for word, value in given.items()
    ]
    return (Called(key, shorten(full, NAME), tuple(shown[:_ARGUMENTS])),)


def arguments(given: object) -> dict[str, str]:
    """Read a call's arguments, JSON in a string; values that are no text are dumped."""
    try:
        values = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return {}
    found = values if isinstance(values, dict) else {}
    return {str(name): _dumped(value) for name, value in found.items()}


def call(called: Called, at: datetime, result: Answered | None, limits: Limits) -> Call:
    """Make the Call of a tool's inputs, and of its result where there is one."""
    kind, given = _KINDS.get(called.name, "other"), dict(called.arguments)
    text = result.text if result else ""
    status, is_refused, _ = ending(text) if result else (None, False, False)
    return Call(
        id=called.id,
        name=called.name,
        arguments=called.arguments,
        result=shorten(_body(text), limits.result),
        is_error=result is not None and result.is_error,
        answered=result is not None,
        at=at,
        kind=kind,
        command=given.get("command", "") if kind == "shell" else "",
        status=status if kind in {"shell", "output"} else None,
        path=given.get("file_path", given.get("path", "")) if kind in {"read", "edit"} else "",
        hunks=hunks(given) if kind == "edit" else (),
        is_refused=is_refused,
    )


def ending(text: str) -> tuple[int | None, bool, bool]:
    """Say how a call ended: its exit status, whether it was refused, whether it failed."""
    head = text[:_HEAD]
    told = _EXITED.search(head)
    if told is None and head.startswith('{"output":'):
        told = _EXIT_CODE.search(text[-_HEAD:])
    if told:
        return int(told[1]), False, told[1] != "0"
    # what a command printed may hold any words, and stands behind a wrapper of the client's
    is_refused = _OUTPUT not in head and bool(_ABORTED.search(head))
    return None, is_refused, is_refused or bool(_FAILED.match(head))


def running(text: str) -> str:
    """Give the session in which a command goes on running, "" where it has ended."""
    found = _RUNNING.search(text[:_HEAD])
    return found[1] if found else ""


def output_text(output: object) -> str:
    """Give an output as text; newer versions write a list of blocks where there are images."""
    if isinstance(output, list):
        blocks = [block for block in output if isinstance(block, dict)]
        return "\n".join(_text(block.get("text", "[image]")) for block in blocks)
    return _text(output)


def _body(text: str) -> str:
    """Give what the tool printed, without what the client says about it."""
    if text.startswith('{"output":'):
        try:
            return _text(json.loads(text).get("output"))
        except (ValueError, RecursionError):
            return text  # it was cut
    at = text.find(_OUTPUT, 0, _HEAD)
    return text[at + len(_OUTPUT) :] if at >= 0 else text


def patches(patch: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Give a patch as calls of tools that change one file: the tool's name and its inputs."""
    files = list(_FILE.finditer(patch))[:_ARGUMENTS]
    for number, match in enumerate(files):
        end = files[number + 1].start() if number + 1 < len(files) else len(patch)
        path, edits = match[2].strip(), list(_edits(patch[match.end() : end]))
        if match[1] == "Add":
            yield "Write", {"file_path": path, "content": "\n".join(new for _, new in edits)}
        elif len(edits) == 1:
            yield "Edit", {"file_path": path, "old_string": edits[0][0], "new_string": edits[0][1]}
        else:
            parts = [{"old_string": old, "new_string": new} for old, new in edits]
            yield "Edit", {"file_path": path, "edits": json.dumps(parts, ensure_ascii=False)}


def _patched(key: str, patch: str, limits: Limits) -> Iterator[Called]:
    for number, (name, given) in enumerate(patches(patch)):
        shown = ((word, shorten(value, limits.argument)) for word, value in given.items())
        yield Called(f"{key}#{number}" if number else key, name, tuple(shown))


def _edits(patch: str) -> Iterator[tuple[str, str]]:
    """Give the pieces that a patch replaces, with the lines around them that it shows."""
    for part in re.split(r"^@@.*$", patch, flags=re.MULTILINE):
        lines = [line for line in part.split("\n") if line[:1] in {" ", "-", "+"}]
        old = "\n".join(line[1:] for line in lines if line[0] != "+")
        new = "\n".join(line[1:] for line in lines if line[0] != "-")
        if lines:
            yield old, new


def _dumped(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)  # a command as a list of words
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
