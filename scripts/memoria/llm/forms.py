"""Read the forms that an engine fills in: JSON schemas, and the values that arrive.

An engine can be any program, so no type is taken on trust. A little too much is cut to size, since
the answer is paid for; far too much is refused with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from memoria import errors
from memoria.text.shorten import clip_line
from memoria.vault.entry import Category

CATEGORIES: tuple[Category, ...] = get_args(Category)
# An entry is read in a minute; what a session says beyond that stands in its transcript.
MOST_LINES = 12
TITLE, LINE, QUOTE = 120, 400, 300  # characters
# Ten times what was asked for is no longer long-windedness.
_EXCESS = 10
# Of a patch only what is absurd is refused here; its check knows what is too much for an article.
MOST_ITEMS, MOST_TEXT = 200, 20_000

STRING: dict[str, Any] = {"type": "string"}
STRINGS: dict[str, Any] = {"type": "array", "items": STRING}
CATEGORY: dict[str, Any] = {"type": "string", "enum": list(CATEGORIES)}


def closed_object_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Make the schema of an object that has all these properties and no others."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | {"required": list(properties), "additionalProperties": False}


def array_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Make the schema of a list of such objects."""
    return {"type": "array", "items": closed_object_schema(**properties)}


# -- Reading a value whose type is not known ------------------------------------------------------

# "- [ ] ", which a line of a list is cleared of
_BULLET = re.compile(r"^(?:[-*+\u2022]\s+)?(?:\[[ xX]?\]\s+)?")
_TYPES = {dict: "an object", list: "a list", tuple: "a list", str: "text", bool: "true or false"}


class Form:
    """An object of the answer, and where in it it stands, for the reasons."""

    def __init__(self, value: object, place: str = "") -> None:
        if not isinstance(value, Mapping):
            kind = _describe_type(value)
            raise errors.BadReply(f"{place or 'the answer'}: {kind} instead of an object")
        self._value = value
        self._place = place

    def has(self, name: str) -> bool:
        """Whether the object has a field of that name."""
        return name in self._value

    def _format_place(self, name: str) -> str:
        return f"{self._place}.{name}" if self._place else name

    def _build_error(self, name: str, reason: str) -> errors.BadReply:
        return errors.BadReply(f"{self._format_place(name)}: {reason}")

    def _get(self, name: str, *types: type) -> Any:  # noqa: ANN401 - checked right here
        if name not in self._value:
            raise self._build_error(name, "is missing")
        value = self._value[name]
        if not isinstance(value, types):
            raise self._build_error(name, f"{_describe_type(value)} instead of {_TYPES[types[0]]}")
        return value

    def flag(self, name: str) -> bool:
        """Read true or false."""
        return bool(self._get(name, bool))

    def text(self, name: str, limit: int = MOST_TEXT) -> str:
        """Read text of several lines."""
        return self._check_length(self._get(name, str), name, limit)

    def line(self, name: str, limit: int) -> str:
        """Read text as one line."""
        return clip_line(self.text(name, limit), limit)

    def _check_length(self, text: str, name: str, limit: int) -> str:
        if len(text) > limit * _EXCESS:
            raise self._build_error(name, f"{len(text)} characters, at most {limit * _EXCESS}")
        return text.strip()

    def data(self, name: str, limit: int) -> str:
        """Read JSON that others understand, as text or as it is; "" for none, or one too long."""
        value = self._value.get(name)
        if isinstance(value, Mapping):
            value = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
        text = value.strip() if isinstance(value, str) else ""
        return text if len(text) <= limit and text != "{}" else ""

    def texts_or_items(self, name: str, max_items: int, limit: int) -> Iterator[str | Form]:
        """Read a list whose items are text of one line or objects; empty texts are dropped."""
        for index, item in enumerate(self._list(name, max_items)[: 2 * max_items]):
            place = f"{name}[{index}]"
            if not isinstance(item, str):
                yield Form(item, self._format_place(place))
            elif line := _BULLET.sub("", clip_line(self._check_length(item, place, limit), limit)):
                yield line

    def integer(self, name: str, default: int) -> int:
        """Read a whole number; anything else is the default."""
        value = self._value.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    def names(self, name: str, max_items: int = MOST_ITEMS, limit: int = TITLE) -> tuple[str, ...]:
        """Read a list of names, ids or other lines, each of them once."""
        lines = []
        for index, item in enumerate(self._list(name, max_items)):
            place = f"{name}[{index}]"
            if not isinstance(item, str):
                raise self._build_error(place, f"{_describe_type(item)} instead of text")
            lines.append(clip_line(self._check_length(item, place, limit), limit))
        return tuple(dict.fromkeys(filter(None, lines)))

    def _list(self, name: str, max_items: int) -> Sequence[object]:
        items: Sequence[object] = self._get(name, list, tuple)
        if len(items) > max_items * _EXCESS:
            raise self._build_error(name, f"{len(items)} items, at most {max_items * _EXCESS}")
        return items

    def items(self, name: str, max_items: int) -> Iterator[Form]:
        """Read a list of objects; those past `max_items` are left out."""
        for index, item in enumerate(self._list(name, max_items)[:max_items]):
            yield Form(item, self._format_place(f"{name}[{index}]"))

    def category(self) -> Category:
        """Read the category of a rule, also one that is spelled in words."""
        words = self.line("category", TITLE)
        name = re.sub(r"[\s-]+", "_", words.lower())
        for category in CATEGORIES:
            if category == name:
                return category
        raise self._build_error("category", f"{words!r} is none of {', '.join(CATEGORIES)}")


def _describe_type(value: object) -> str:
    if value is None:
        return "nothing"
    return _TYPES.get(type(value), "a number")
