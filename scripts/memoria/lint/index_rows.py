"""Compare the rows of index.md with the articles.

Most of what differs is fixed by deriving the index again. A summary that a person has changed there
is moved into the article, if that is still as Memoria wrote it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.lint.finding import Finding
from memoria.lint.note import KNOWLEDGE
from memoria.text.numbers import counted
from memoria.vault.index import INDEX_HEADER

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memoria.lint.note import Note

INDEX = "knowledge/index.md"
_ROW = re.compile(r"\|\s*\[\[([^\[\]|\n\\]+)(?:\\?\|[^\[\]\n]*)?\]\]\s*\|(.*)")
_BAR = re.compile(r"(?<!\\)\|")
_SHOWN = 20  # rows that are told of one by one; a vault of another program differs in all


class Row(NamedTuple):
    """A row of the index: the article's path, its summary as it stands there, its line."""

    path: str
    summary: str
    line: int
    text: str


def parse_rows(text: str) -> tuple[Row, ...]:
    """Read the rows of index.md."""
    parsed = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := _ROW.match(line.strip()):
            summary = _BAR.split(match[2])[0].strip().replace("\\|", "|")
            path = match[1].strip().removesuffix(".md").removeprefix(KNOWLEDGE)
            parsed.append(Row(path, summary, number, line.strip()))
    return tuple(parsed)


def check_index(
    text: str | None, notes: Sequence[Note], files: Container[str]
) -> Iterator[Finding]:
    """Compare the index (None = there is none) with the articles; `--fix` derives it anew.

    An article of the vault's `files` that cannot be read is told of as such, and its row passes.
    """
    articles = {note.inner: note for note in notes if note.kind}
    listed = {note.inner for note in notes if note.row}
    if text is None:
        if listed:
            yield Finding("index", "warning", INDEX, 1, "it is missing: `--fix` makes it")
        return
    seen: dict[str, Row] = {}
    for row in parse_rows(text):
        if row.path in seen:
            yield Finding("index", "warning", INDEX, row.line, f"a second row of {row.path}")
        elif row.path not in articles and f"{KNOWLEDGE}{row.path}.md" not in files:
            message = f"the row of {row.path} has no article: `--fix` takes it out"
            yield Finding("index", "error", INDEX, row.line, message)
        seen.setdefault(row.path, row)
    for path in sorted(listed - seen.keys()):
        message = "index.md has no row for it: `--fix` adds it"
        yield Finding("index", "warning", articles[path].path, 1, message)
    if own := own_lines(text):
        count = counted(len(own), "line")
        message = f"{count} of your own, which the next compile puts aside: an article keeps them"
        yield Finding("index", "suggestion", INDEX, own[0], message)
    different = [row for row in seen.values() if _differs(row, articles)]
    for row in different[:_SHOWN]:
        message = f"the row of {row.path} is not what the article says: `--fix` fixes it"
        yield Finding("index", "suggestion", INDEX, row.line, message)
    if len(different) > _SHOWN:
        message = f"so are the rows of {len(different) - _SHOWN} more articles"
        yield Finding("index", "suggestion", INDEX, different[_SHOWN].line, message)


def own_lines(text: str) -> tuple[int, ...]:
    """Give the lines of the index that a person added: neither rows nor its heading."""
    heading = {"", *INDEX_HEADER.splitlines()}
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return tuple(n for n, line in lines if line not in heading and not _ROW.match(line))


def _differs(row: Row, articles: Mapping[str, Note]) -> bool:
    note = articles.get(row.path)
    return note is not None and bool(note.row) and row.text != note.row.strip()


def edited_summaries(
    text: str | None, notes: Sequence[Note], untouched: frozenset[str]
) -> dict[str, str]:
    """Give the summaries that a person has changed in the index, by article.

    `untouched` are the articles whose files are as Memoria wrote them last: their rows were right,
    so who changed the index since was a person.
    """
    articles = {note.inner: note for note in notes if note.kind and note.inner in untouched}
    summaries = {}
    for row in parse_rows(text or ""):
        if _differs(row, articles):
            derived = parse_rows(articles[row.path].row)
            if derived and row.summary and row.summary != derived[0].summary:
                summaries[row.path] = row.summary
    return summaries
