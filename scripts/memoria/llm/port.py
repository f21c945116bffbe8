"""Define the port through which every model call passes, and the Scripted engine.

Claude (llm/claude.py) asks the real model, Offline (llm/offline.py) computes the answer from
the material, Scripted replays answers for tests: all three hold to the same contract, so everything
behind them (checking, applying, logging) is tested with any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from memoria.errors import BadReply, MemoriaError
from memoria.llm.requests import Cost, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.llm.requests import Task


class Model(Protocol):
    """Something that answers a Request."""

    # said with every result, written into entries and log.md
    name: str
    # a language model reads prompts, plain code the material: then no prompt need be made
    reads: Literal["prompt", "material"]

    def ask(self, request: Request) -> Reply:
        """Answer, or raise a ModelError that says whether waiting mends it.

        Implementations bound their own time and retries and never write a file of the vault.
        """

    def paid_in_vain(self, task: Task, reply: Reply) -> None:  # noqa: ARG002 - for who keeps it
        """Keep the cost of an answer that could not be used; an engine by itself keeps none."""
        return


class Scripted(Model):
    """Replays answers in order and remembers the requests; a MemoriaError in the list is raised."""

    name = "scripted"
    reads: Literal["prompt", "material"] = "prompt"

    def __init__(self, answers: Iterable[Mapping[str, Any] | MemoriaError]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Reply:
        """Give the next answer of the script."""
        self.requests.append(request)
        if not self._answers:
            raise BadReply("the script has no further answer")
        answer = self._answers.pop(0)
        if isinstance(answer, MemoriaError):
            raise answer
        return Reply(answer, self.name, "script", Cost(input_tokens=1, output_tokens=1))
