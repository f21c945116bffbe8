"""Transcript, Draft, Extract, Mistake -> the same without secrets, private spans and hidden text.

One function cleans a text (stages/secret.py); this stage applies it to every text of a value, so
that no field is forgotten: what a gate lets through is a whole value of the same type. It stands
before a model, before a file, and once more behind a model. The trap: a secret has to be looked for
in the whole text, before anything is cut into sentences.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memoria.stages.secret import redact, strip_hidden
from memoria.stages.transcript import Steer, Transcript, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Value = TypeVar("Value")
# an opening without an end hides the rest: what is doubtful is kept out
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
# names, ids and paths of the program's own making; a path of a user is none
_OWN = frozenset({"uuid", "id", "session", "last_uuid", "version", "kind", "origin"})


def without_private(transcript: Transcript) -> Transcript:
    """Leave out what the user marked `<private>` in prompts."""
    return replace(transcript, turns=tuple(_turn(turn) for turn in transcript.turns))


def _turn(turn: Turn) -> Turn:
    steps = tuple(
        replace(step, text=_PRIVATE.sub("", step.text)) if isinstance(step, Steer) else step
        for step in turn.steps
    )
    return replace(turn, prompt=_PRIVATE.sub("", turn.prompt), steps=steps)


def clean(value: Value, secrets: Iterable[str] = ()) -> Value:
    """Give the value with all its texts redacted and without hidden characters.

    `secrets` are exact values to replace, longest first.
    """
    known = tuple(secrets)
    memory: dict[str, str] = {}

    def text(found: str) -> str:
        # the same short texts (names, branches) come again and again
        if found not in memory:
            memory[found] = redact(strip_hidden(found), known).text
        return memory[found]

    return cast("Value", _mapped(value, text))


def _mapped(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - any of the nouns
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.name not in _OWN]
        return replace(value, **{name: _mapped(getattr(value, name), change) for name in names})
    return value
