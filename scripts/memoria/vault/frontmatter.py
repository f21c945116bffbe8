"""Read and write the frontmatter of a note: a safe and lossless subset of YAML.

What YAML 1.1 would take for something else ("no", 3.10, 12:30) stays text. What `emit` wrote is
read by a pattern, as a YAML parser takes longer to load than many a verb to run. It reads all else,
and values are made of its events: its composer recurses in C and dies of deep nesting.
"""

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from memoria.text.lazy_patterns import lazy_pattern

# real articles have below 2 KB, and hundreds of sources take no more
MAX_CHARS = 64 * 1024
# keys -> a list of maps -> a map -> its values; real frontmatter has two levels
_DEPTH_LIMIT = 4
# longer numbers are ids, and leading zeros and plus signs would be lost
_NUMBER = lazy_pattern(r"0|-?[1-9][0-9]{0,17}")
_DAY = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}
_PLAIN = lazy_pattern(r"[a-z][a-z0-9-]*")  # text that needs no quotes: "session-tokens"
# words that other readers of YAML take for something else than text
_YAML_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
# JSON leaves these as they are, YAML does not take them or reads a line break
_UNPRINTABLE = lazy_pattern(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_LONE_SURROGATE = lazy_pattern(r"[\ud800-\udfff]")
# the comments and blank lines that end the lines of a key
# of YAML's errors: 'in "<unicode string>", line 3, column 6'
_PLACE = lazy_pattern(r'in "<[a-z ]+>", line (\d+), column (\d+)')
_TRAILING_COMMENTS = lazy_pattern(r"(?:^(?:#[^\n]*|[ \t]*\r?)\n)+\Z", re.MULTILINE)
# the line "...", which ends a document
_END_MARK = lazy_pattern(r"^\.\.\.(?!\S)[^\n]*\n?", re.MULTILINE)
_KEY = lazy_pattern(r"[A-Za-z_][\w-]*")
# written in one line, as Obsidian does
_INLINE_KEYS = frozenset({"aliases", "tags"})
# what `emit` writes, as far as each character means the same to YAML: 'tags: [rule]', or a key with
# lines below, '  - "daily/2026-04-01.md"' or '  occasion: {command: ["git push"]}'
_NAME, _SCALAR = r"[A-Za-z_][\w-]{0,60}", r'(?:"[^"\\\n]*"|[A-Za-z0-9][A-Za-z0-9.-]*)'
_LIST = rf"\[(?:{_SCALAR}(?:, {_SCALAR})*)?\]"
_PAIR = rf'(?:{_NAME}|"{_NAME}"): (?:{_SCALAR}|{_LIST})'
_PART = rf"  {_NAME}: (?:{_SCALAR}|{_LIST}|\{{{_PAIR}(?:, {_PAIR})*\}})\n"
_EMITTED = lazy_pattern(
    rf"({_NAME}):(?: ({_SCALAR}|{_LIST})\n|\n((?:  - {_SCALAR}\n)+|(?:{_PART})*))", re.ASCII
)
_PAIRS = lazy_pattern(rf'({_NAME})"?: ({_SCALAR}|{_LIST})', re.ASCII)


def parse(front: str) -> dict[str, Any]:
    """Read the keys; ValueError says why that cannot be."""
    return _parse_with_starts(front)[0]


def with_values(front: str, changes: Mapping[str, Any]) -> str:
    """Set keys; lines of other keys and comments stay as they are, new keys come last."""
    end = "\r\n" if "\r\n" in front else "\n"
    # nothing may follow a mark of the document's end
    front = _END_MARK.sub("", front)
    values, starts = _parse_with_starts(front)
    if starts is None:
        # keys in braces have no lines of their own, and indented ones take no others beside them
        head, chunks = "", {key: emit(key, value) for key, value in values.items()}
    else:
        positions = [*starts, len(front)]
        pairs = zip(values, positions, positions[1:], strict=False)
        head, chunks = front[: positions[0]], {key: front[at:to] for key, at, to in pairs}
    for key, value in changes.items():
        comments = _TRAILING_COMMENTS.search(chunks.get(key, ""))
        chunks[key] = emit(key, value).replace("\n", end) + (comments[0] if comments else "")
    return head + "".join(chunks.values())


def emit(key: str, value: Any) -> str:  # noqa: ANN401 - any value of the subset
    """Give the lines of one key."""
    key = key if _KEY.fullmatch(key) and key not in _YAML_WORDS else _quote(key)
    if isinstance(value, list | tuple):
        if key in _INLINE_KEYS or not value:
            return f"{key}: [{', '.join(_format_scalar(item) for item in value)}]\n"
        return f"{key}:\n" + "".join(f"  - {_quote(str(item))}\n" for item in value)
    parts = value if isinstance(value, dict) else {}
    is_plain = all(isinstance(name, str) and _KEY.fullmatch(name) for name in parts)
    if is_plain and any(isinstance(part, dict) for part in parts.values()):
        # a map of maps: a line each, as a person edits it
        rows = (f"  {name}: {_format_inline(part)}\n" for name, part in parts.items())
        return f"{key}:\n" + "".join(rows)
    return f"{key}: {_format_scalar(value)}\n"


def _format_inline(value: Any) -> str:  # noqa: ANN401 - any value of the subset
    if isinstance(value, list | tuple):
        return f"[{', '.join(_format_inline(part) for part in value)}]"
    if isinstance(value, dict):
        items = ((_format_scalar(str(key)), part) for key, part in value.items())
        pairs = (f"{key}: {_format_inline(part)}" for key, part in items)
        return f"{{{', '.join(pairs)}}}"
    return _format_scalar(value)


def _parse_with_starts(front: str) -> tuple[dict[str, Any], list[int] | None]:
    """Read the keys and where their lines start, None for keys that have no lines of their own."""
    matches = [*_EMITTED.finditer(front)]
    is_emitted = "".join(match[0] for match in matches) == front
    # some of what cannot be seen is a line's end to YAML, or refused by it
    if not is_emitted or not front.replace("\n", "").isprintable():
        return _parse_yaml(front)
    values = _parse_pairs((match[1], match[2] or match[3] or "") for match in matches)
    return values, [match.start() for match in matches]


def _parse_pairs(pairs: Iterable[Sequence[str]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, text in pairs:
        _refuse_known(key, values)
        values[key] = _parse_emitted(text)
    return values


def _parse_emitted(text: str) -> Any:  # noqa: ANN401 - any value of the subset
    """Read a value as `emit` writes it, behind its key or below."""
    if text.startswith(("[", "  - ")):
        return [_parse_emitted(item) for item in re.findall(_SCALAR, text)]
    if text.startswith("{"):
        return _parse_pairs(_PAIRS.findall(text))
    if text.startswith("  "):
        return _parse_pairs(line.strip().split(": ", 1) for line in text.splitlines())
    return text[1:-1] if text.startswith('"') else _parse_plain(text)


def _refuse_known(key: str, values: Container[str]) -> None:
    if key in values:
        raise ValueError(f"the key {key} stands there twice")


def _parse_yaml(front: str) -> tuple[dict[str, Any], list[int] | None]:
    """Read what anybody wrote, as `_parse_with_starts` does."""
    import yaml  # noqa: PLC0415 - it is slow to load

    # the parser in C, ten times as fast, where PyYAML was built with it
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    events: Any = yaml.parse(front, Loader=loader)
    marks: list[Any] = []
    try:
        next(events)  # the stream's
        if isinstance(next(events), yaml.StreamEndEvent):
            return {}, []
        root = next(events)
        is_map = isinstance(root, yaml.MappingStartEvent)
        _refuse(root, 0, "" if is_map else "it is not a list of keys")
        keys = _parse_map(events, 0, marks)
        next(events)  # the document's end
        end = next(events)
        _refuse(end, 0, "" if isinstance(end, yaml.StreamEndEvent) else "not a single document")
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        text = " ".join(str(error).split())
        # of two places the last is the fault's; the file's lines begin above, with the opening
        if places := [*_PLACE.finditer(text)]:
            line, column = int(places[-1][1]) + 1, places[-1][2]
            named = _PLACE.sub("", text[: places[-1].start()])
            text = f"{named}in line {line}, column {column}"
        raise ValueError(" ".join(text.split())[:160]) from error
    finally:
        events.close()
    starts = [mark.index - mark.column for mark in marks]
    indents = {front[at : mark.index] for at, mark in zip(starts, marks, strict=True)}
    return keys, None if root.flow_style or not indents <= {"", "? "} else starts


def _refuse(event: Any, depth: int, reason: str = "") -> None:  # noqa: ANN401 - an event of yaml
    """Raise ValueError for a reason, or for what is not of the subset."""
    if getattr(event, "anchor", None):
        reason = "anchors and aliases are not allowed"
    elif getattr(event, "tag", None):
        reason = "tags are not allowed"
    elif depth > _DEPTH_LIMIT:
        reason = "nested too deeply"
    if reason:
        raise ValueError(reason)


def _parse_map(events: Iterator[Any], depth: int, marks: list[Any]) -> dict[str, Any]:
    """Read what is left of a map; `marks` gets the place of each key."""
    import yaml  # noqa: PLC0415 - as above

    values: dict[str, Any] = {}
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        _refuse(key, depth + 1, "" if hasattr(key, "value") else "a key is not a word")
        # as it stands there: read as values, 1 and true would be the same one
        _refuse_known(key.value, values)
        marks.append(key.start_mark)
        values[key.value] = _parse_value(next(events), events, depth + 1)
    return values


def _parse_value(event: Any, events: Iterator[Any], depth: int) -> Any:  # noqa: ANN401 - of the subset
    """Read the value that begins with an event."""
    import yaml  # noqa: PLC0415 - as above

    _refuse(event, depth)
    if isinstance(event, yaml.MappingStartEvent):
        return _parse_map(events, depth, [])
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(item := next(events), yaml.SequenceEndEvent):
            items.append(_parse_value(item, events, depth + 1))
        return items
    return _parse_plain(str(event.value)) if event.implicit[0] else str(event.value)


def _parse_plain(text: str) -> str | int | date | None:
    """Read a value without quotes: a constant, a number, a day, else text."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _NUMBER.fullmatch(text):
        return int(text)
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else text
    except ValueError:
        return text  # the 30th of February is a person's slip and no reason to read nothing


def _format_scalar(value: Any) -> str:  # noqa: ANN401 - any value of the subset
    if value is None:
        return "null"
    if isinstance(value, bool | int | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    text = str(value)
    if isinstance(value, date) or (_PLAIN.fullmatch(text) and text not in _YAML_WORDS):
        return text
    return _quote(text)


def _quote(text: str) -> str:
    # half of a character cannot be written to a file
    quoted = _LONE_SURROGATE.sub("\ufffd", json.dumps(text, ensure_ascii=False))
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
