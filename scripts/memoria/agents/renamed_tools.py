"""Give another agent's tool calls the names of Claude Code's, where the tools do the same.

What was learned of an error in one agent is then known in the other, and a guard's check holds for
both. The trap: how a command ended is told by each client in its own way, so the status comes from
the format, and never from the words of an output.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoria.agents.claude_code import tools
from memoria.agents.json_line import NAME
from memoria.agents.pieces import Called
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memoria.agents.pieces import Answered, Limits
    from memoria.agents.transcript import Call

_ARGUMENTS = 64  # arguments of one call: real tools have under 20
PATH = 4096  # characters of a path, as Linux bounds them


@dataclass(frozen=True, slots=True)
class ToolNames:
    """An agent's names of tools and inputs, each with Claude Code's."""

    tools: Mapping[str, str]
    inputs: Mapping[str, str]

    def called(self, key: str, name: str, given: object, limits: Limits) -> Called:
        """Make a call's piece of what the agent wrote."""
        found = given if isinstance(given, dict) else {}
        shown = tuple(
            (
                shorten(self.inputs.get(str(word), str(word)), NAME),
                shorten(_dumped(value), limits.argument),
            )
            for word, value in list(found.items())[:_ARGUMENTS]
        )
        return Called(key, shorten(self.tools.get(name, name), NAME), shown)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended, as the agent's own fields tell it."""

    status: int | None = None
    is_refused: bool = False


def call(called: Called, at: datetime, result: Answered | None, ending: Ending | None) -> Call:
    """Make the Call of a renamed tool; `ending` is None where the agent tells none."""
    text, is_error = (result.text, result.is_error) if result else ("", False)
    made = tools.call(
        called.id, called.name, called.arguments, text, is_error, result is not None, at
    )
    if made.kind in {"shell", "output"}:
        made = replace(made, status=ending.status if ending else None)
    return replace(made, is_refused=True) if ending and ending.is_refused else made


def count(value: object) -> int:
    """Give a number of tokens; 0 for what is none."""
    return value if isinstance(value, int) and 0 <= value < 1 << 50 else 0


def text_of(value: object) -> str:
    """Give a text; "" for what is none."""
    return value if isinstance(value, str) else ""


def _dumped(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
