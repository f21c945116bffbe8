"""Cut other agents' sessions into the sentences that a judge reads, by DATA/gold/candidates.py.

The labels of team agentv, whose sessions are Codex's and Copilot's, are ours and lie beside this
file; the sentences are other people's words, so they are made anew from their transcripts.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from memoria.agents.transcript import AssistantText, Call, Steer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memoria.agents.transcript import Transcript, Turn

_TOOLS = {"shell": "Bash", "plan": "ExitPlanMode"}


def sentences(data: Path, parts: Sequence[Transcript]) -> list[dict[str, Any]]:
    """Give the numbered sentences of a session, with the splitter that lies beside the labels."""
    spec = importlib.util.spec_from_file_location("gold_split", data / "gold" / "candidates.py")
    if not spec or not spec.loader:
        raise SystemExit(f"{data}/gold has no candidates.py")
    splitter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(splitter)
    turns = [
        _turn(splitter.DROP.sub(" ", turn.prompt), turn) for part in parts for turn in part.turns
    ]
    return list(splitter.rows_of(parts[0].session[:8], turns))


def _turn(prompt: str, turn: Turn) -> dict[str, Any]:
    return {"who": "U", "said": prompt.strip(), "steps": [*_steps(turn)]}


def _steps(turn: Turn) -> Iterator[tuple[Any, ...]]:
    for step in turn.steps:
        if isinstance(step, AssistantText):
            yield "text", step.text
        elif isinstance(step, Steer):
            yield "steer", step.text
        elif isinstance(step, Call):
            inputs = {"command": step.command} if step.command else dict(step.arguments)
            name = _TOOLS.get(step.kind, step.name)
            yield "call", name, inputs
            yield from (("steer", answer.text) for answer in step.answers)
            if step.is_error:
                yield "result", name, inputs, True, step.result
