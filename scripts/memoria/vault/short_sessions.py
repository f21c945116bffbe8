"""Read and write the list of short sessions in a daily log: captured parts without an entry.

The list stands below the entries, so that no session is dropped in silence and nothing is made of
it: the compiler reads the entries' blocks alone. Each line names its part in a comment; there is no
count and no block, so logs of two machines merge by union, and a line is never written twice or
over what a person made of it. A person may have moved, edited or renamed all of it, so a line is
known by its comment and not by its heading.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memoria.text.markdown import inert

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


HEADING = "## Short Sessions"
# the last one of a line: its words may hold what looks like another
_COMMENT = re.compile(r".*<!-- memoria (\{.*\}) -->\s*", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class ShortSession:
    """The line of one part: its id, whose it is, and the line as it stands."""

    part: str
    session: str
    project: str
    line: str = ""


def line(short: ShortSession, said: str) -> str:
    """Make the line of a part, with what is said of it."""
    meta = {name: value for name, value in asdict(short).items() if name != "line"}
    # "--" would end the comment in strict HTML; the escape is the same string in JSON
    comment = json.dumps(meta, ensure_ascii=False).replace("--", "-\\u002d")
    return f"- {inert(said)} <!-- memoria {comment} -->"


def short_sessions(text: str) -> tuple[ShortSession, ...]:
    """Find the lines in a log, in their order."""
    return tuple(short for _, _, short in _lines(text))


def add(text: str, new: ShortSession, day: str) -> str:
    """Put a line into a log's text, unless its part stands there; an empty text becomes a log."""
    # in the comment of a line, or as the block id of an entry
    if f'"{new.part}"' in text or f"\n^{new.part}" in text:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    last = max((stop for _, stop, _ in _lines(text)), default=0)
    if last:
        gap = "" if text[:last].endswith("\n") else end
        return f"{text[:last]}{gap}{new.line}{end}{text[last:]}"
    if not text.strip():
        text = f"# Daily Log: {day}\n\n## Sessions\n\n"
    gap = next((gap for gap in ("", end, end * 2) if (text + gap).endswith(end * 2)), end * 2)
    return f"{text}{gap}{HEADING}{end}{end}{new.line}{end}"


def tail(text: str) -> int:
    """Say where the list at a log's end begins, so that entries go before it; else the text's end.

    A list with anything of a person's below it is no end.
    """
    at = text.rfind(f"\n{HEADING}") + 1
    if not at:
        return len(text)
    ours = {start for start, _, _ in _lines(text)}
    rest = list(_LINE.finditer(text, at))[1:]
    return at if all(match.start() in ours or not match[0].strip() for match in rest) else len(text)


def without(text: str, parts: Collection[str], sessions: Collection[str]) -> str:
    """Take out the lines of forgotten parts and sessions, and a list that is then empty."""
    gone = [
        (start, stop)
        for start, stop, short in _lines(text)
        if short.part in parts or short.session in sessions
    ]
    for start, stop in reversed(gone):
        text = text[:start] + text[stop:]
    at = tail(text)
    is_empty = bool(gone) and at < len(text) and not short_sessions(text[at:])
    return f"{text[:at].rstrip()}\n" if is_empty else text


def _lines(text: str) -> Iterator[tuple[int, int, ShortSession]]:
    for match in _LINE.finditer(text):
        if (comment := _COMMENT.fullmatch(match[0])) and (short := _read(comment[1], match[0])):
            yield match.start(), match.end(), short


def _read(comment: str, line: str) -> ShortSession | None:
    try:
        value: Any = json.loads(comment)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("part"), str):
        return None
    session, project = (str(value.get(name) or "") for name in ("session", "project"))
    return ShortSession(value["part"], session, project, line.strip())
