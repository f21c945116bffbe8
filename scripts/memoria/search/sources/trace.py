"""The entry that a line of a note was taken from, and the turn of its session.

A line names its entry, and the extract that is kept beside the entry has the turn of each of its
lines: both are looked up. Only a line that names no entry, because a person wrote it or what it
tells of, is sought by its words among the entries of a day, and how sure that is, is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memoria.capture.extract.sentences import stems
from memoria.text.markdown import mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.vault.daily import Block
    from memoria.vault.entry import Extract

# the entry has these words; the line names it, in words of its own; most of its words are there
Sure = Literal["exact", "cited", "likely"]
NO_TURN = -1
# of a line's words: the next best line of the same day has .4 on average
_LIKELY = 0.6
_LEAST = 3  # content words: two stand together anywhere
_WHOLE = 4  # words in a row: fewer may be a part of any line


@dataclass(frozen=True, slots=True)
class Source:
    """An entry of a log with what was found in its session, None where that is gone."""

    block: Block
    extract: Extract | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a line comes from.

    `words` are the source's own. `turn` is the index of the turn within the entry's part of the
    session, NO_TURN where it is not known; `origin` says whose words they were (user, assistant,
    tool), "" likewise.
    """

    block: Block
    words: str
    sure: Sure
    turn: int = NO_TURN
    origin: str = ""


def cited(words: str, source: Source) -> Trace:
    """Trace a line to the entry that it names, and to the turn if it says what was said there."""
    return _exact(words, source) or Trace(source.block, words, "cited")


def sought(words: str, sources: Iterable[Source]) -> Trace | None:
    """Seek a line that names no entry among those that it may come from, by its words."""
    sources = list(sources)
    exact = [found for found in (_exact(words, one) for one in sources) if found]
    if exact:
        return min(exact, key=lambda found: found.turn == NO_TURN)
    content = stems(words)
    if len(content) < _LEAST:
        return None
    lines = ((one, line) for one in sources for line in _lines(one))
    shares = ((len(content & stems(line[0])) / len(content), one, line) for one, line in lines)
    share, one, (text, turn, origin) = max(shares, key=_share, default=(0.0, None, ("", 0, "")))
    return Trace(one.block, text, "likely", turn, origin) if one and share >= _LIKELY else None


def _share(line: tuple[float, Source | None, tuple[str, int, str]]) -> float:
    return line[0]


def _exact(words: str, source: Source) -> Trace | None:
    """Look a line up in an entry, without regard to case and marks; it may be a part of one."""
    wanted = mark(words)
    is_long = wanted.count(" ") + 1 >= _WHOLE
    for text, turn, origin in _lines(source) if wanted else ():
        marked = mark(text)
        if wanted == marked or (is_long and f" {wanted} " in f" {marked} "):
            return Trace(source.block, text, "exact", turn, origin)
    return None


def _lines(source: Source) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of an entry: what was found in the session first, as it has the turns."""
    extract, entry = source.extract, source.block.entry.draft
    for fact in extract.facts if extract else ():
        yield fact.text, fact.turn, fact.origin
    for statement in extract.statements if extract else ():
        yield statement.quote, NO_TURN, "user"
    for draft in (entry, extract.draft) if extract else (entry,):
        for lines in (draft.exchanges, draft.decisions, draft.lessons, draft.actions):
            yield from ((line, NO_TURN, "") for line in lines)
        yield draft.context, NO_TURN, ""
        yield draft.title, NO_TURN, ""
