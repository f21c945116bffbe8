"""Give a Transcript, Draft, Extract or Mistake without secrets, private spans and hidden text.

Every text of a value is cleaned, so that no field is forgotten. The trap: a secret has to be looked
for in the whole text, before anything is cut into sentences.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memoria.privacy.private import strip_private
from memoria.privacy.secrets import redact
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memoria.agents.transcript import Transcript

Value = TypeVar("Value")
# ids of the client's and the program's own making, random on purpose and needed as they are: UUIDs,
# hashes, "e-0f3a12bc34de", "toolu_01AbCd..."
_ID_FIELDS = frozenset({"uuid", "id", "session", "call"})
_ID_FORM = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{12,64}|[eh]-[0-9a-f]{12}"
    r"|(?:srv)?toolu_[0-9A-Za-z_]{10,40}"
)


def without_private(transcript: Transcript) -> Transcript:
    """Leave out what the user marked `<private>`, in prompts and wherever a prompt is repeated."""
    return cast("Transcript", _map_texts(transcript, strip_private))


def clean_value(value: Value, secrets: Iterable[str] = ()) -> Value:
    """Give the value with all its texts redacted and without hidden characters.

    `secrets` are exact values to replace, longest first.
    """
    values = tuple(secrets)
    memory: dict[str, str] = {}

    def text(words: str) -> str:
        # the same short texts (names, branches) come again and again
        if words not in memory:
            memory[words] = redact(strip_hidden(words), values).text
        return memory[words]

    return cast("Value", _map_texts(value, text))


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - any of the nouns
    """Change the texts of a value; what has none that changes is given as it is."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple | list | set | frozenset):
        items = [_map_texts(item, change) for item in value]
        if isinstance(value, tuple) and all(map(is_, items, value)):
            return value
        # a named tuple takes its values one by one
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {_map_texts(key, change): _map_texts(item, change) for key, item in value.items()}
    changes = {}
    for name in _field_names(value.__class__):
        old = getattr(value, name)
        is_id = name in _ID_FIELDS and _ID_FORM.fullmatch(str(old))
        new = old if is_id else _map_texts(old, change)
        if new is not old:
            changes[name] = new
    return replace(value, **changes) if changes else value


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Name the fields of a dataclass, none of another type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
