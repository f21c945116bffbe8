"""Where a session takes place -> its Context: project, task, what went wrong lately, its words.

Two contexts are alike as far as they share tags (project, task, errors) and words (file types,
tools, words of recent errors, of the prompt). At a session's start less is known than afterwards:
the task and the words of the prompt are missing then, so both are optional everywhere. The trap:
the ledger keeps this, so it holds single words, never the sentence of a person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# what a tag tells about where a session is, beside the words' .7: a project is known for certain, a
# task is a guess, an error is one of many
_PROJECT, _TASK, _ERRORS = 1.0, 0.3, 0.2
# a session's words beyond these are noise, and the ledger keeps them
WORDS = 64
ERRORS = 8


@dataclass(frozen=True, slots=True)
class Context:
    """A session's surroundings as the learner sees them.

    `task` is one of `task.TASKS` or "". `errors` are mistake families seen lately. `words` maps a
    word to its weight, 1 in the ledger.
    """

    project: str = ""
    task: str = ""
    errors: tuple[str, ...] = ()
    words: Mapping[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The context as one name: what Beta-Bernoulli learning keeps apart."""
        return f"{self.project}|{self.task}"

    @property
    def tags(self) -> dict[str, float]:
        """What can be shared with another context, each with its length as a direction."""
        errors = self.errors[:ERRORS]
        named = (("project", self.project, _PROJECT), ("task", self.task, _TASK))
        return {
            **{f"{kind} {name}": sqrt(part) for kind, name, part in named if name},
            **{f"error {name}": sqrt(_ERRORS / len(errors)) for name in errors},
        }

    def record(self) -> dict[str, Any]:
        """Give what the ledger keeps of it."""
        return {
            "project": self.project,
            "task": self.task,
            "errors": list(self.errors[:ERRORS]),
            "words": sorted(self.words)[:WORDS],
        }


def context(record: Mapping[str, Any]) -> Context:
    """Read a context of the ledger; what is missing or of another type is left out."""
    return Context(
        project=_text(record.get("project")),
        task=_text(record.get("task")),
        errors=_texts(record.get("errors"))[:ERRORS],
        words=dict.fromkeys(_texts(record.get("words"))[:WORDS], 1.0),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
