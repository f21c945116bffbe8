"""Give other agents' tool calls the names of Claude Code's, where the tools do the same.

What was learned of an error in one agent is then known in the other, and a guard's check holds for
both. The trap: how a command ended is told by each client in its own way, so the status comes from
the format, and never from the words of an output.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code import tools
from memoria.agents.json_line import NAME, mapping
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memoria.agents.pieces import Limits
    from memoria.agents.transcript import Call

_encode = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes one for each value
_ARGUMENTS = 64  # arguments of one call: real tools have under 20
# what may still be asked for of a session: it has a handful, a hostile file as many as lines
_REMEMBERED = 1000


def _pairs(text: str) -> dict[str, str]:
    return {theirs: ours for theirs, _, ours in (pair.partition("=") for pair in text.split())}


class ToolNames:
    """An agent's names of tools and inputs, each with Claude Code's.

    Both are pairs "theirs=ours", with blanks between them.
    """

    def __init__(self, tools: str, inputs: str) -> None:
        self._tools, self._inputs = _pairs(tools), _pairs(inputs)

    def call(self, key: str, name: str, given: object, at: datetime, limits: Limits) -> Call:
        """Make a call of what the agent wrote, without its result."""
        shown = arguments(
            {self._inputs.get(word, word): value for word, value in mapping(given).items()}, limits
        )
        return tools.call(
            key, shorten(self._tools.get(name, name), NAME), shown, "", False, False, at
        )


def arguments(given: Mapping[str, Any], limits: Limits) -> tuple[tuple[str, str], ...]:
    """Give the inputs of a call as texts."""
    return tuple(
        [
            (shorten(name, NAME), shorten(_dumped(value), limits.argument))
            for name, value in list(given.items())[:_ARGUMENTS]
        ]
    )


def _dumped(value: object) -> str:
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
    if len(table) >= _REMEMBERED:
        table.clear()
    table[key] = value
