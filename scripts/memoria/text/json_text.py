"""Read a JSON object, and write one anew in the style of the document that it came from."""

import json
import re
from typing import Any

BOM = "\ufeff"
SPACE = " \t\n\r"
# blanks of the first member, where it stands on a line of its own
_INDENT = re.compile(r"\s*\{[ \t]*\r?\n([ \t]*)[^\s}]")
_TIGHT = re.compile(r'\s*\{"(?:[^"\\]|\\.)*":\S')


def read_object(text: str | bytes) -> dict[str, Any]:
    """Read a JSON object, {} where the text is broken or holds something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def load(text: str) -> Any:  # noqa: ANN401 - whatever JSON holds there
    """Read a document that may begin with a byte order mark."""
    return json.loads(text.removeprefix(BOM))


def rewritten(text: str, value: object) -> str:
    """Write a value with the indent, separators and line ends of a document; its own: no change.

    Numbers and line breaks within it come out as JSON programs write them, as the client does.
    """
    if load(text) == value:
        return text
    bare = text.removeprefix(BOM)
    indent, is_bare = _INDENT.match(bare), not load(text)
    unit = indent[1] if indent else "  " if is_bare else None
    separators = (",", ":") if unit is None and _TIGHT.match(bare) else (", ", ": ")
    body = json.dumps(
        value,
        ensure_ascii=bare.isascii() and "\\u" in bare,
        indent=unit,
        separators=separators if unit is None else (",", ": "),
    )
    head, tail = (bare[: -len(bare.lstrip(SPACE))], bare[len(bare.rstrip(SPACE)) :])
    newline = "\r\n" if "\r\n" in text else "\n"
    return text[: len(text) - len(bare)] + head + body.replace("\n", newline) + tail
