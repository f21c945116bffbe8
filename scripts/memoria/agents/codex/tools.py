"""A tool call of Codex and its output -> neutral Calls: commands with status, patches by file.

The trap: a command that takes long is still running when its call returns; how it ended stands in
the result of a later write_stdin, which names the running session.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memoria.agents.transcript import Call, Hunk
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memoria.agents.pieces import Limits
    from memoria.agents.transcript import Kind

_KINDS: dict[str, Kind] = {
    "exec_command": "shell",
    "shell": "shell",
    "local_shell": "shell",
    "write_stdin": "output",
    "apply_patch": "edit",
    "view_image": "read",
    "update_plan": "tasks",
}
_HEAD = 2000  # characters in which the wrapper around a command's output stands
_EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,5})$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d{1,12})$", re.MULTILINE)
_OUTPUT = re.compile(r"^Output:\n", re.MULTILINE)
_ABORTED = re.compile(r"aborted by user|rejected by user|user (?:rejected|denied)")
_FAILED = re.compile(r"(?:apply_patch verification|exec_command|write_stdin) failed")
_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)


def opened(payload: dict[str, Any], at: datetime, limits: Limits) -> list[Call]:
    """Make the Calls of a call's line: one, or for a patch one a file."""
    name, key = str(payload.get("name", "")), str(payload.get("call_id", ""))
    if name == "apply_patch":
        patch = str(payload.get("input", ""))
        return list(_patched(key, patch, at, limits))
    given = arguments(payload.get("arguments"))
    command = given.get("cmd", given.get("command", ""))
    shown = tuple((word, shorten(value, limits.argument)) for word, value in given.items())
    kind = _KINDS.get(name, "other")
    path = given.get("path", "") if kind == "read" else ""
    made = Call(key, name, shown, "", False, False, at, kind, path=path)
    return [replace(made, command=shorten(command, limits.argument)) if kind == "shell" else made]


def arguments(text: object) -> dict[str, str]:
    """Read a call's arguments, JSON in a string; values that are no text are dumped."""
    try:
        values = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        values = {}
    found = values if isinstance(values, dict) else {}
    return {name: _text(value) for name, value in found.items()}


def _text(value: object) -> str:
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)  # a command as a list of words
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _patched(key: str, patch: str, at: datetime, limits: Limits) -> Iterator[Call]:
    files = list(_FILE.finditer(patch))
    for number, match in enumerate(files):
        end = files[number + 1].start() if number + 1 < len(files) else len(patch)
        shown = shorten(patch[match.start() : end], limits.argument)
        path = match[1].strip()
        yield Call(
            id=f"{key}#{number}" if number else key,
            name="apply_patch",
            arguments=(("path", path), ("patch", shown)),
            result="",
            is_error=False,
            answered=False,
            at=at,
            kind="edit",
            path=path,
            hunks=tuple(_hunks(patch[match.end() : end])),
        )


def _hunks(text: str) -> Iterator[Hunk]:
    """Give the pieces that a patch replaces, with the lines around them that it shows."""
    for part in re.split(r"^@@.*$", text, flags=re.MULTILINE):
        lines = [line for line in part.split("\n") if line[:1] in {" ", "-", "+"}]
        old = "\n".join(line[1:] for line in lines if line[0] != "+")
        new = "\n".join(line[1:] for line in lines if line[0] != "-")
        if lines:
            yield Hunk(old, new)


def finished(call: Call, output: object, limits: Limits) -> Call:
    """Complete a call with its output."""
    text = _plain(output)
    head = text[:_HEAD]
    exited = _EXITED.search(head)
    status = int(exited[1]) if exited else None
    refused = not exited and bool(_ABORTED.search(head))
    body = _OUTPUT.search(head)
    return replace(
        call,
        result=shorten(text[body.end() :] if body else text, limits.result),
        answered=True,
        is_error=bool(status) or refused or bool(_FAILED.match(head)),
        status=status if call.kind in {"shell", "output"} else None,
        is_refused=refused,
    )


def running(output: object) -> str:
    """Give the session in which a command goes on running, "" where it has ended."""
    found = _RUNNING.search(_plain(output)[:_HEAD])
    return found[1] if found else ""


def resumed(call: Call, more: Call, limits: Limits) -> Call:
    """Complete a command that ran on with what was read of it later."""
    return replace(
        call,
        result=shorten(f"{call.result}\n{more.result}", limits.result),
        is_error=more.is_error,
        status=more.status,
        is_refused=more.is_refused,
    )


def _plain(output: object) -> str:
    if isinstance(output, list):
        blocks = [block for block in output if isinstance(block, dict)]
        return "\n".join(str(block.get("text", "[image]")) for block in blocks)
    return output if isinstance(output, str) else ""
