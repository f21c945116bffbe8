"""Answer requests without a model, from their material.

Each room that asks a model says how its requests are answered without one. The answers have the
form of a real model's, so that they go through the same checks. They are deterministic and cost
nothing.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from memoria.llm.port import Model
from memoria.llm.requests import Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memoria.llm.requests import Task


class Offline(Model):
    """Implements the Model port by extraction."""

    name = "offline"
    reads: Literal["prompt", "material"] = "material"

    def ask(self, request: Request) -> Reply:
        """Answer with what the room of the request's task computes from its material."""
        return Reply(_ANSWERS[request.task](request.material), self.name)


def register(task: Task, answer: Callable[[Any], Mapping[str, object]]) -> None:
    """Have the requests of a task answered by a function of their material."""
    _ANSWERS[task] = answer


# a flush is answered with the extract's draft; what the user laid down stands in it already
_ANSWERS: dict[Task, Callable[[Any], Mapping[str, object]]] = {
    "flush": lambda session: asdict(session.extract.draft) | {"statements": []}
}
