"""Change one value in the text of a JSON document and no other byte.

A person's settings are theirs: loading and dumping them would rewrite their spacing, escapes and
numbers. So `items` says where each member stands, and `insert`, `replace` and `delete` cut there,
in the style of the lines around. Only valid JSON may come in. Of a doubled key the last counts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

BOM = "\ufeff"
SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object or an element of an array (key ""): offsets into the text."""

    key: str
    start: int
    value: int
    end: int


def read_object(text: str | bytes) -> dict[str, Any]:
    """Read a JSON object, {} where the text is broken or holds something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def root(text: str) -> int:
    """Give the offset of the document's first bracket."""
    return _skip(text, 1 if text.startswith(BOM) else 0)


def items(text: str, at: int) -> list[Item]:
    """List what stands in the object or array whose bracket is at that offset."""
    found = []
    here = _skip(text, at + 1)
    while text[here] not in "]}":
        key, start = "", here
        if text[at] == "{":
            key, after = _DECODER.raw_decode(text, here)
            start = _skip(text, _skip(text, after) + 1)  # past the colon
        end = _DECODER.raw_decode(text, start)[1]
        found.append(Item(key, here, start, end))
        here = _skip(text, end)
        here = _skip(text, here + 1) if text[here] == "," else here
    return found


def member(text: str, at: int, key: str) -> Item | None:
    """Find the member that counts for that key: the last of the name."""
    return next((item for item in reversed(items(text, at)) if item.key == key), None)


def load(text: str, item: Item) -> Any:  # noqa: ANN401 - whatever JSON holds there
    """Give the value of an item."""
    return json.loads(text[item.value : item.end])


def insert(text: str, at: int, key: str, value: object) -> str:
    """Add a value at the end of the object (under that key) or array at that offset."""
    inside = items(text, at)
    if not inside:
        return _fill(text, at, key, value)
    indent = _indent(text, at, inside[0])
    piece = _piece(text, key, value, indent)
    end = inside[-1].end
    before = _newline(text) + indent if indent is not None else _separators(text)[0][1:]
    return f"{text[:end]},{before}{piece}{text[end:]}"


def replace(text: str, item: Item, value: object) -> str:
    """Put another value in an item's place."""
    line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
    indent = line if not line.strip() and "\n" in text[: item.start] else None
    return text[: item.value] + _piece(text, "", value, indent) + text[item.end :]


def delete(text: str, at: int, index: int) -> str:
    """Take out one item with its comma; exactly undoes `insert` of a last one."""
    inside = items(text, at)
    item = inside[index]
    if len(inside) == 1:
        return text[: at + 1] + text[_skip(text, item.end) :]
    if index:
        return text[: inside[index - 1].end] + text[item.end :]
    return text[: item.start] + text[inside[1].start :]


def _skip(text: str, here: int) -> int:
    while here < len(text) and text[here] in SPACE:
        here += 1
    return here


def _fill(text: str, at: int, key: str, value: object) -> str:
    """Put the first item into an empty object or array; blanks in it go."""
    close = _skip(text, at + 1)
    unit = _unit(text)
    if unit is None:
        return text[: at + 1] + _piece(text, key, value, None) + text[close:]
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix(BOM)
    outer = line[: _skip(line, 0)]
    piece = _piece(text, key, value, outer + unit)
    newline = _newline(text)
    return f"{text[: at + 1]}{newline}{outer}{unit}{piece}{newline}{outer}{text[close:]}"


def _piece(text: str, key: str, value: object, indent: str | None) -> str:
    """Write a value (with its key) in the document's style; no indent: on one line."""
    unit = _unit(text)
    name = json.dumps(key, ensure_ascii=False) + _separators(text)[1] if key else ""
    if indent is None or unit is None:
        return name + json.dumps(value, ensure_ascii=False, separators=_separators(text))
    body = json.dumps(value, ensure_ascii=False, indent=unit)
    return name + body.replace("\n", _newline(text) + indent)


def _indent(text: str, at: int, first: Item) -> str | None:
    """Give the blanks before the first item, None where it stands on the bracket's own line."""
    gap = text[at + 1 : first.start]
    return gap.rpartition("\n")[2] if "\n" in gap else None


def _unit(text: str) -> str | None:
    """Give the blanks of one level, None for a document on one line; Claude Code writes two."""
    inside = items(text, root(text))
    return _indent(text, root(text), inside[0]) if inside else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _separators(text: str) -> tuple[str, str]:
    """Give what stands between items and after a key, as the document itself has it."""
    inside = items(text, root(text))
    tight = inside and text[inside[0].value - 1] == ":"
    return (",", ":") if tight and _unit(text) is None else (", ", ": ")
