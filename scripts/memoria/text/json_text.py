"""Read a JSON object, and write one anew in the style of the document that it came from."""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

BOM = "\ufeff"
SPACE = " \t\n\r"
# blanks of the first member, where it stands on a line of its own
_INDENT = re.compile(r"\s*\{[ \t]*\r?\n([ \t]*)[^\s}]")
_NO_BLANKS = re.compile(r'\s*\{"(?:[^"\\]|\\.)*":\S')  # '{"a":1'


def read_object(text: str | bytes) -> dict[str, Any]:
    """Read a JSON object, {} where the text is broken or holds something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text_at(record: Mapping[str, Any], name: str) -> str:
    """Give a text of an object, "" for any other value."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def texts_at(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Give the texts of a list of an object, none for any other value."""
    value = record.get(name)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def number_of(value: object) -> float | None:
    """Give a number, None for any other value: JSON holds NaN, and what no float can be."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def load(text: str) -> Any:  # noqa: ANN401 - whatever JSON holds there
    """Read a document that may begin with a byte order mark."""
    return json.loads(text.removeprefix(BOM))


def format_like(text: str, value: object) -> str:
    """Write a value with the indent, separators and line ends of a document; its own: no change.

    Numbers and line breaks within it come out as JSON programs write them, as the client does.
    """
    if load(text) == value:
        return text
    document = text.removeprefix(BOM)
    indent, is_empty = _INDENT.match(document), not load(text)
    unit = indent[1] if indent else "  " if is_empty else None
    separators = (",", ":") if unit is None and _NO_BLANKS.match(document) else (", ", ": ")
    body = json.dumps(
        value,
        ensure_ascii=document.isascii() and "\\u" in document,
        indent=unit,
        separators=separators if unit is None else (",", ": "),
    )
    head, tail = (document[: -len(document.lstrip(SPACE))], document[len(document.rstrip(SPACE)) :])
    newline = "\r\n" if "\r\n" in text else "\n"
    return text[: len(text) - len(document)] + head + body.replace("\n", newline) + tail
