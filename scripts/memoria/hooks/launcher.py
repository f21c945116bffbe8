"""Run a verb that the client's plugin wants in the Python that has what it needs.

The plugin's folder holds the package and none of its dependencies; the vault's snapshot names the
interpreter that has them. Without one a command says in one line what to do, and the MCP server is
one without tools: a server that fails would be shown as a fault at every start of the client.
"""

from __future__ import annotations

import json
import os
import sys

from memoria.hooks import plugin, protocol

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO

GONE = (
    "memoria: the Python that the vault {vault} was set up with is gone: install Memoria again "
    "(/memoria:setup in Claude Code), then `memoria install` where you use that"
)
UNUSABLE = 3  # the exit code of a vault that cannot be used, as in errors.py
# of the JSON-RPC of MCP: "method not found"
_NO_SUCH_METHOD = -32601
# the newest version that the few answers below are the same in
_PROTOCOL = "2025-06-18"


def main(arguments: list[str]) -> None:
    """Run the verb; on POSIX this process becomes it."""
    place = plugin.find_place(os.environ)
    words = find_command(place, os.environ)
    if words:
        verb, *options = arguments or ["--help"]
        # text is UTF-8 on every system
        values = protocol.build_environment(place) | {"PYTHONUTF8": "1"}
        exec_program([*words, verb, "--vault", place.vault, *options], values)
    is_unset = place.snapshot is None
    reason = plugin.UNSET if is_unset else GONE.format(vault=place.vault)
    if arguments[:1] == ["mcp"]:
        # that there is no vault is told by the session's start already
        serve_without_tools(sys.stdin.buffer, sys.stdout.buffer, "" if is_unset else reason)
    else:
        sys.stderr.write(f"{reason}\n")
        sys.exit(UNUSABLE)


def find_command(place: protocol.HookPlace, environment: Mapping[str, str]) -> list[str]:
    """Give the command of a vault: what its last flush ran in, else `memoria` on the PATH."""
    if place.snapshot is None:
        return []
    command = protocol.vault_command(place)
    if command and all(map(os.path.isfile, command[:2])):
        return command
    for folder in filter(None, environment.get("PATH", "").split(os.pathsep)):
        for path in (os.path.join(folder, name) for name in ("memoria", "memoria.exe")):
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return [path]
    return []


def exec_program(words: list[str], values: dict[str, str]) -> None:
    """Become that program; Windows has none of that, so there it is waited for."""
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415 - only Windows cannot become another program

        sys.exit(subprocess.run(words, env=values, check=False).returncode)
    os.execve(words[0], words, values)  # noqa: S606 - the command that a flush wrote


def serve_without_tools(source: BinaryIO, sink: BinaryIO, reason: str) -> None:
    """Be an MCP server without tools, which can tell the model why: one JSON object a line."""
    for line in source:
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if isinstance(request, dict) and "id" in request and "method" in request:
            reply = {"jsonrpc": "2.0", "id": request["id"], **answer_request(request, reason)}
            sink.write(json.dumps(reply).encode() + b"\n")
            sink.flush()


def answer_request(request: dict[str, Any], reason: str) -> dict[str, Any]:
    """Answer one request of the client."""
    method = request["method"]
    if method == "initialize":
        params = request.get("params")
        version = params.get("protocolVersion") if isinstance(params, dict) else None
        result: dict[str, Any] = {
            "protocolVersion": version or _PROTOCOL,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "memoria", "version": "0"},
            **({"instructions": reason} if reason else {}),
        }
        return {"result": result}
    if method in {"tools/list", "ping"}:
        return {"result": {"tools": []} if method == "tools/list" else {}}
    return {"error": {"code": _NO_SUCH_METHOD, "message": reason or "no such method"}}
