"""Captured parts of which no entry is kept <-> lines of the day's log, one for each.

They stand in a list of their own below the entries, so that no session is dropped in silence and
nothing is made of them: the compiler reads the entries' blocks alone. Each line names its part in
a comment; there is no count and no block, so logs of two machines merge by union, and a line is
never written twice or over what a person made of it. The trap: a person may have moved, edited or
renamed all of it, so a line is known by its comment and not by its heading.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code.user_words import ask
from memoria.capture.extract.user.asks import flat
from memoria.text.markdown import inert
from memoria.text.prose import clipped
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from memoria.agents.transcript import Transcript

HEADING = "## Short Sessions"
# the last one of a line: its words may hold what looks like another
_COMMENT = re.compile(r".*<!-- memoria (\{.*\}) -->\s*", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORDS, _ANSWER = 200, 80  # characters: enough to know the session by
_NO_WORDS = "(nothing was typed)"


@dataclass(frozen=True, slots=True)
class ShortSession:
    """The line of one part: its id, whose it is, and the line as it stands."""

    part: str
    session: str
    project: str
    line: str = ""


def short_session(part: str, transcript: Transcript, project: str, ended: datetime) -> ShortSession:
    """Make the line of a part; `ended` is its local time."""
    said = inert(f"{ended:%H:%M} {label(project)}: {_words(transcript)}")
    found = ShortSession(part, transcript.session, project)
    meta = {name: value for name, value in asdict(found).items() if name != "line"}
    # "--" would end the comment in strict HTML; the escape is the same string in JSON
    comment = json.dumps(meta, ensure_ascii=False).replace("--", "-\\u002d")
    return ShortSession(part, found.session, project, f"- {said} <!-- memoria {comment} -->")


def _words(transcript: Transcript) -> str:
    """Give what was asked first, and its answer where that is a few words."""
    asks = [(said, turn) for turn in transcript.turns if (said := ask(turn.prompt)).text]
    if not asks:
        return _NO_WORDS
    first, turn = next((one for one in asks if not one[0].trivial), asks[0])
    answer = turn.says[-1].text.strip() if turn.says else ""
    words = clipped(flat(first.text), _WORDS)
    return f"{words} -> {answer}" if answer and len(answer) <= _ANSWER else words


def short_sessions(text: str) -> tuple[ShortSession, ...]:
    """Find the lines in a log, in their order."""
    return tuple(found for _, _, found in _lines(text))


def add(text: str, new: ShortSession, day: str) -> str:
    """Put a line into a log's text, unless its part stands there; an empty text becomes a log."""
    if f'"{new.part}"' in text:
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
    return at if all(one.start() in ours or not one[0].strip() for one in rest) else len(text)


def without(text: str, parts: Collection[str], sessions: Collection[str]) -> str:
    """Take out the lines of forgotten parts and sessions, and a list that is then empty."""
    gone = [
        (start, stop)
        for start, stop, one in _lines(text)
        if one.part in parts or one.session in sessions
    ]
    for start, stop in reversed(gone):
        text = text[:start] + text[stop:]
    at = tail(text)
    is_empty = bool(gone) and at < len(text) and not short_sessions(text[at:])
    return f"{text[:at].rstrip()}\n" if is_empty else text


def _lines(text: str) -> Iterator[tuple[int, int, ShortSession]]:
    for match in _LINE.finditer(text):
        if (comment := _COMMENT.fullmatch(match[0])) and (found := _read(comment[1], match[0])):
            yield match.start(), match.end(), found


def _read(comment: str, line: str) -> ShortSession | None:
    try:
        value: Any = json.loads(comment)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("part"), str):
        return None
    session, project = (str(value.get(name) or "") for name in ("session", "project"))
    return ShortSession(value["part"], session, project, line.strip())
