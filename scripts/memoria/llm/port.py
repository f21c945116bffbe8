"""Define the port through which every model call passes: requests, replies, engines.

A request carries the material as values (for Offline) and as a prompt (for a model); the answer of
either is JSON of the same schema, checked by the same code.
"""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from operator import add
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memoria.agents.transcript import Transcript
    from memoria.lint.contradictions import ArticleClaim
    from memoria.rules.from_review.service import Critique
    from memoria.search.pages import Page
    from memoria.vault.article import Article
    from memoria.vault.entry import Entry, Extract

Task = Literal["flush", "compile", "query", "lint", "learn"]


@dataclass(frozen=True, slots=True)
class FlushMaterial:
    """Material of a flush: one captured part (redacted), and what plain code found in it."""

    transcript: Transcript
    extract: Extract


@dataclass(frozen=True, slots=True)
class CompileMaterial:
    """Material of a compile: the new or changed entries of one daily log.

    `extracts` holds the fuller record of an entry by its id; it is missing where the entry was
    edited by a person or came from another machine: then the entry's own lines are all there is.
    `history` are entries compiled before (with their extracts in `extracts`), oldest first; a
    topic may be founded on lines of theirs that no article has claimed. `articles` are the
    existing ones that may have to be updated. `ahead` are entries whose turn comes later in the
    same compile: they show what is worth a page, and no line of theirs is placed yet.
    """

    entries: tuple[Entry, ...]
    extracts: Mapping[str, Extract]
    history: tuple[Entry, ...]
    articles: tuple[Article, ...]
    ahead: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryMaterial:
    """Material of a query: what is asked (one line), and the pages found for it, best first.

    `filed` is the note that holds an earlier answer to the same question; its page is the first.
    """

    text: str
    pages: tuple[Page, ...]
    filed: Article | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question to an engine: `prompt` for a language model, `material` for plain code.

    `schema` is the JSON schema of the answer.
    """

    task: Task
    prompt: str
    schema: Mapping[str, Any]
    material: FlushMaterial | CompileMaterial | QueryMaterial | tuple[ArticleClaim, ...] | Critique


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and US dollars of one call; list prices, as the client computes them."""

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        """Give the sum of two costs."""
        return Cost(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer: JSON of the request's schema (not yet checked), who gave it, its cost."""

    value: Mapping[str, Any]
    engine: str
    model: str = ""
    cost: Cost = Cost()


# -- Engines ---------------------------------------------------------------------------------------


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


class OfflineModel(Model):
    """Answers without a model; its answers have a model's form, so the same checks see them."""

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
