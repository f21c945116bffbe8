"""Read and write the list of short sessions in a daily log: captured parts without an entry.

A person may have moved, edited or renamed all of it: a line is known by the comment that names its
part.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from memoria.text.json_text import read_object
from memoria.text.markdown import LINE, make_inert

HEADING = "## Short Sessions"
# the last one of a line: its words may hold what looks like another
_COMMENT = re.compile(r".*<!-- memoria (\{.*\}) -->\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ShortSession:
    """The line of one part: its id, whose it is, and the line as it stands."""

    part: str
    session: str
    project: str
    line: str = ""


def format_comment(meta: Mapping[str, object]) -> str:
    """Write what Memoria has to know of a part into an HTML comment."""
    # "--" would end the comment in strict HTML; the escape is the same string in JSON
    values = json.dumps(meta, ensure_ascii=False).replace("--", "-\\u002d")
    return f"<!-- memoria {values} -->"


def parse_comment(values: str) -> dict[str, str]:
    """Read the texts that a comment holds; {} for a broken one."""
    fields = read_object(values).items()
    return {key: item for key, item in fields if isinstance(item, str)}


def line_end(text: str) -> str:
    """Give how lines end in a text."""
    return "\r\n" if "\r\n" in text else "\n"


def end_with_blank_line(text: str) -> str:
    """End a text in a blank line."""
    end = line_end(text)
    return text + next((gap for gap in ("", end) if (text + gap).endswith(end * 2)), end * 2)


def format_log_header(day: date | str) -> str:
    """Give what a log begins with."""
    return f"# Daily Log: {day}\n\n## Sessions\n\n"


def format_line(session: ShortSession, words: str) -> str:
    """Make the line of a part, with what is said of it."""
    meta = {"part": session.part, "session": session.session, "project": session.project}
    return f"- {make_inert(words)} {format_comment(meta)}"


def find_short_sessions(text: str) -> tuple[ShortSession, ...]:
    """Find the lines in a log, in their order."""
    return tuple(session for _, _, session in _find_lines(text))


def add_short_session(text: str, session: ShortSession, day: str) -> str:
    """Put a line into a log's text, unless its part stands there; an empty text becomes a log."""
    # in the comment of a line, or as the block id of an entry
    if f'"{session.part}"' in text or f"\n^{session.part}" in text:
        return text
    end = line_end(text)
    if end_of_list := max((stop for _, stop, _ in _find_lines(text)), default=0):
        gap = "" if text[:end_of_list].endswith("\n") else end
        return f"{text[:end_of_list]}{gap}{session.line}{end}{text[end_of_list:]}"
    head = end_with_blank_line(text if text.strip() else format_log_header(day))
    return f"{head}{HEADING}{end}{end}{session.line}{end}"


def find_list_start(text: str) -> int:
    """Say where the list that ends a log begins, else where the log ends."""
    at = text.rfind(f"\n{HEADING}") + 1
    if not at:
        return len(text)
    starts = {start for start, _, _ in _find_lines(text)}
    matches = list(LINE.finditer(text, at))[1:]
    is_last = all(match.start() in starts or not match[0].strip() for match in matches)
    return at if is_last else len(text)


def remove_short_sessions(text: str, parts: Collection[str], sessions: Collection[str]) -> str:
    """Take out the lines of forgotten parts and sessions, and a list that is then empty."""
    spans = [
        (start, stop)
        for start, stop, row in _find_lines(text)
        if row.part in parts or row.session in sessions
    ]
    for start, stop in reversed(spans):
        text = text[:start] + text[stop:]
    at = find_list_start(text)
    is_empty = bool(spans) and at < len(text) and not find_short_sessions(text[at:])
    return f"{text[:at].rstrip()}\n" if is_empty else text


def _find_lines(text: str) -> Iterator[tuple[int, int, ShortSession]]:
    for match in LINE.finditer(text):
        values = _COMMENT.fullmatch(match[0])
        meta = parse_comment(values[1]) if values else {}
        if "part" in meta:
            session, project = meta.get("session", ""), meta.get("project", "")
            found_session = ShortSession(meta["part"], session, project, match[0].strip())
            yield match.start(), match.end(), found_session
