"""Describe what is asked of an engine, as both a language model and plain code can answer it.

A request carries the material as values (for the Offline engine) and as a prompt (for a model);
the answer of either is JSON of the same schema, checked by the same code. So the engines can be
exchanged, and a scripted one can stand in for them in tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.agents.transcript import Transcript
    from memoria.lint.contradictions import Claim
    from memoria.rules.from_review.review_entry import Critique
    from memoria.search.pages import Page
    from memoria.vault.article import Article
    from memoria.vault.entry import Entry, Extract

Task = Literal["flush", "compile", "query", "lint", "learn"]


@dataclass(frozen=True, slots=True)
class Session:
    """Material of a flush: one captured part (redacted), and what plain code found in it."""

    transcript: Transcript
    extract: Extract


@dataclass(frozen=True, slots=True)
class Day:
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
class Question:
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
    material: Session | Day | Question | tuple[Claim, ...] | Critique


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and US dollars of one call; list prices, as the client computes them."""

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer: JSON of the request's schema (not yet checked), who gave it, its cost."""

    value: Mapping[str, Any]
    engine: str
    model: str = ""
    cost: Cost = Cost()
