"""Read and write the frontmatter of a note: a safe and lossless subset of YAML.

Text, whole numbers, true and false, dates, lists and maps, a few levels deep; no tags and no
aliases, so that nothing runs and nothing swells. What YAML 1.1 would take for something else ("no"
for false, 3.10 for 3.1, 12:30 for 750) stays the text that a person wrote. The fast parser recurses
in C and dies of deep nesting, so only plain text is given to it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

import yaml

from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# keys -> a list of maps -> a map -> its values; real frontmatter has two levels
_DEPTH_LIMIT = 4
_RESOLVED = (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    # longer numbers are ids, and leading zeros and plus signs would be lost
    ("int", r"0|-?[1-9][0-9]{0,17}", list("-0123456789")),
    ("timestamp", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", list("0123456789")),
)
# what begins an anchor, alias, tag, block text or directive; control characters, which the two
# parsers read differently; what nests without many brackets
_UNUSUAL = lazy_pattern(
    r"(?:^|[\s\[\]{},:-])[&*!?|>%@`]|[\t\x7f-\xa0\u2028\u2029\ufeff]|^\s*(?:[-:]\s+){2}|^ {9}",
    re.MULTILINE,
)
_BRACKETS = 50  # more of them than hundreds of flat lists need could be one within the other
_PLAIN = lazy_pattern(r"[a-z][a-z0-9-]*")
# words that other readers of YAML take for something else than text
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
# JSON leaves these as they are, YAML does not take them or reads a line break
_UNPRINTABLE = lazy_pattern(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_HALF = lazy_pattern(r"[\ud800-\udfff]")
_AFTER = lazy_pattern(r"(?:^(?:#[^\n]*|[ \t]*\r?)\n)+\Z", re.MULTILINE)
_END = lazy_pattern(r"^\.\.\.(?!\S)[^\n]*\n?", re.MULTILINE)
_KEY = lazy_pattern(r"[A-Za-z_][\w-]*")
# no key is called so: YAML has no such character
_BEFORE = "\0"
# written in one line, as Obsidian does
_INLINE = frozenset({"aliases", "tags"})


class _Strict(yaml.SafeLoader):
    """Safe YAML that refuses what is not of the subset as soon as it is met."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - yaml's own signature
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # yaml's stubs have no types
        if getattr(event, "anchor", None):
            raise yaml.YAMLError("anchors and aliases are not allowed")
        if getattr(event, "tag", None):
            raise yaml.YAMLError("tags are not allowed")
        if self.depth > _DEPTH_LIMIT:
            raise yaml.YAMLError("nested too deeply")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


# the parser in C, ten times as fast, where PyYAML was built with it
_C_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Fast(_C_LOADER):  # type: ignore[misc]  # a class that may be missing has no type
    """The same for text without anything unusual."""


def _day(loader: Any, node: Any) -> date | str:  # noqa: ANN401 - yaml's own types
    text = str(loader.construct_scalar(node))
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text  # the 30th of February is a person's slip and no reason to read nothing


for _loader in (_Strict, _Fast):
    _loader.yaml_implicit_resolvers = {}
    for _name, _pattern, _first in _RESOLVED:
        _whole = re.compile(rf"(?:{_pattern})\Z")
        _loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", _whole, _first)
    _loader.add_constructor("tag:yaml.org,2002:timestamp", _day)


def values(front: str, *, fast: bool = True) -> dict[str, Any]:
    """Read the keys; ValueError says why that cannot be. `fast` is for tests alone."""
    brackets = front.count("[") + front.count("{")
    if fast and brackets <= _BRACKETS and not _UNUSUAL.search(front):
        # the strict parser gives the reason, the same with and without the fast one
        with suppress(yaml.YAMLError):
            return _values(front, _Fast)
    try:
        return _values(front, _Strict)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(" ".join(str(error).split())[:160]) from error


def with_values(front: str, changes: Mapping[str, Any]) -> str:
    """Set keys; lines of other keys and comments stay as they are, new keys come last."""
    end = "\r\n" if "\r\n" in front else "\n"
    # nothing may follow a mark of the document's end
    chunks = dict(_chunks(_END.sub("", front)))
    for key, value in changes.items():
        comments = _AFTER.search(chunks.get(key, ""))
        chunks[key] = emit(key, value).replace("\n", end) + (comments[0] if comments else "")
    return "".join(chunks.values())


def emit(key: str, value: Any) -> str:  # noqa: ANN401 - any value of the subset
    """Give the lines of one key."""
    key = key if _KEY.fullmatch(key) and key not in _WORDS else _quoted(key)
    if isinstance(value, list | tuple):
        if key in _INLINE or not value:
            return f"{key}: [{', '.join(_scalar(item) for item in value)}]\n"
        return f"{key}:\n" + "".join(f"  - {_quoted(str(item))}\n" for item in value)
    held = value if isinstance(value, dict) else {}
    is_plain = all(isinstance(name, str) and _KEY.fullmatch(name) for name in held)
    if is_plain and any(isinstance(part, dict) for part in held.values()):
        # a map of maps: a line each, as a person edits it
        return f"{key}:\n" + "".join(f"  {name}: {_inline(part)}\n" for name, part in held.items())
    return f"{key}: {_scalar(value)}\n"


def _inline(value: Any) -> str:  # noqa: ANN401 - any value of the subset
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inline(one) for one in value)}]"
    if isinstance(value, dict):
        pairs = (f"{_scalar(str(key))}: {_inline(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    return _scalar(value)


def _values(front: str, loader: Any) -> dict[str, Any]:  # noqa: ANN401 - a class of yaml
    reading = loader(front)
    try:
        node = reading.get_single_node()
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            raise yaml.YAMLError("it is not a list of keys")
        _check(node)
        # keys as they stand there: read as values, 1 and true would be the same one
        return {key.value: reading.construct_object(item, deep=True) for key, item in node.value}
    finally:
        reading.dispose()


def _check(node: Any, depth: int = 0) -> None:  # noqa: ANN401 - a node of yaml
    if depth > _DEPTH_LIMIT:
        raise yaml.YAMLError("nested too deeply")
    parts = [] if isinstance(node, yaml.ScalarNode) else node.value
    if isinstance(node, yaml.MappingNode):
        if not all(isinstance(key, yaml.ScalarNode) for key, _ in parts):
            raise yaml.YAMLError("a key is not a word")
        names = Counter(key.value for key, _ in parts)
        doubled = [name for name, count in names.items() if count > 1]
        if doubled:
            raise yaml.YAMLError(f"the key {min(doubled)} stands there twice")
        parts = [value for _, value in parts]
    for part in parts:
        _check(part, depth + 1)


def _chunks(front: str) -> Iterator[tuple[str, str]]:
    """Part the text by its keys; what stands before the first is named _BEFORE."""
    reading = _Strict(front)
    try:
        node: Any = reading.get_single_node()
    finally:
        reading.dispose()
    if node is None:
        yield _BEFORE, front
        return
    keys = [key for key, _ in node.value]
    starts = [key.start_mark.index - key.start_mark.column for key in keys]
    before = {front[at : key.start_mark.index] for at, key in zip(starts, keys, strict=True)}
    if node.flow_style or not before <= {"", "? "}:
        # keys in braces have no lines of their own, and indented ones take no others beside them
        yield from ((key, emit(key, value)) for key, value in values(front).items())
        return
    yield _BEFORE, front[: starts[0]]
    for key, start, end in zip(keys, starts, [*starts[1:], len(front)], strict=True):
        yield key.value, front[start:end]


def _scalar(value: Any) -> str:  # noqa: ANN401 - any value of the subset
    if value is None:
        return "null"
    if isinstance(value, bool | int | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    text = str(value)
    if isinstance(value, date) or (_PLAIN.fullmatch(text) and text not in _WORDS):
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    # half of a character cannot be written to a file
    whole = _HALF.sub("\ufffd", json.dumps(text, ensure_ascii=False))
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", whole)
