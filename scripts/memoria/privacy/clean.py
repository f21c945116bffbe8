"""Give a Transcript, Draft, Extract or Mistake without secrets, private spans and hidden text.

Every text of a value is cleaned, so that no field is forgotten. The trap: a secret has to be looked
for in the whole text, before anything is cut into sentences.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
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
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple | list | set | frozenset):
        items = (_map_texts(item, change) for item in value)
        # a named tuple takes its values one by one
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {_map_texts(key, change): _map_texts(item, change) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        members = {field.name: getattr(value, field.name) for field in fields(value)}
        ids = {name: str(members[name]) for name in _ID_FIELDS & members.keys()}
        names = members.keys() - {name for name, text in ids.items() if _ID_FORM.fullmatch(text)}
        return replace(value, **{name: _map_texts(members[name], change) for name in names})
    return value
