"""Words and phrases that are sought -> the documents that fit them best, from the words index.

BM25 over the windows, and a document counts as much as its best passage. To rank a row costs forty
times as much as to count it, and a word that stands everywhere tells nothing: so the rows that hold
the rarest words are ranked, and the common words only add to their scores. That keeps a query of
any words as quick as one of rare words. The trap: what is left out must not depend on how an index
came about, so all is decided by counts, and ties are broken by path and place.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.stages.passage import MOST
from memoria.stages.sought import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Scope = Literal["articles", "daily", "all"]
TOKENS = "tokenize='porter unicode61'"
# a title names the topic: a word of it counts as much as several in the text
_SCORE = "-bm25(words, 4.0, 1.0)"
# rows: a microsecond each, so some 5 ms
_RANKED = 5000
# units of a query that are ranked: the rarest of a page that was pasted as a query
_UNITS = 48


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that fits a query, with the passage that fits best.

    `path` is relative to the vault, with ending; several projects are joined by ", "; a higher
    `score` is better, and scores of one query alone can be compared.
    """

    path: str
    title: str
    kind: str
    date: str
    project: str
    score: float
    passage: str


class Wanted(NamedTuple):
    """Which documents are asked for; "" asks for any."""

    scope: Scope = "all"
    project: str = ""
    since: str = ""
    kind: str = ""
    tag: str = ""

    def where(self) -> tuple[str, dict[str, str]]:
        """Give the condition on rows of `document`, "" for none, and its values."""
        tag = self.tag.removeprefix("#").lower()
        conditions = {
            "path LIKE 'daily/%'": self.scope == "daily",
            "path NOT LIKE 'daily/%'": self.scope == "articles",
            "instr(lower(projects), :project)": self.project,
            "date >= :since": self.since,
            "kind = :kind": self.kind,
            # a tag of Obsidian holds those below it: area, area/billing
            "(instr(tags, :tag || char(10)) OR instr(tags, :tag || '/'))": tag,
        }
        values = {
            "project": self.project.lower(),
            "since": self.since,
            "kind": self.kind,
            "tag": f"\n{tag}",
        }
        clean = {key: text.encode("utf-8", "replace").decode() for key, text in values.items()}
        return " AND ".join(one for one, asked in conditions.items() if asked), clean


def ranked(base: sqlite3.Connection, units: Iterable[str], wanted: Wanted, most: int) -> list[Hit]:
    """Give the best documents, best first; ties in order of path and place."""
    counted = _counted(base, units)
    best: dict[int, tuple[float, int]] = {}
    for step in _steps(counted):
        for match in step:
            for row, score in _rows(base, match, wanted):
                document = row // MOST
                best[document] = max(best.get(document, (-1.0, 0)), (score, -row))
        if len(best) >= most:
            break
    return _hits(base, best, most)


def _counted(base: sqlite3.Connection, units: Iterable[str]) -> list[tuple[int, str]]:
    """Count the rows of each unit, and give those that have any, rarest first."""
    found = []
    for unit in units:
        (count,) = base.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (f'"{unit}"',)
        ).fetchone()
        if count:
            found.append((count, unit))
    return sorted(found)[:_UNITS]


def _steps(counted: list[tuple[int, str]]) -> Iterator[tuple[str, ...]]:
    """Give what to match, step by step, until there are enough documents.

    First the rows that hold a rare unit: those with common ones besides them, and the others, so
    that each row gets the score that it has for the whole query. Then rows of two common units,
    then all.
    """
    quoted = [(count, f'"{unit}"') for count, unit in counted]
    rare, total = [], 0
    for count, unit in quoted:
        total += count
        if total <= _RANKED:
            rare.append(unit)
    common = [unit for _, unit in quoted[len(rare) :]]
    if rare and common:
        yield f"({_any(rare)}) AND ({_any(common)})", _any(rare)
    if len(common) > 1:
        yield (f"{common[0]} AND ({_any(common[1:])})",)
    if quoted:
        yield (_any(unit for _, unit in quoted),)


def _any(units: Iterable[str]) -> str:
    return " OR ".join(units)


def _rows(base: sqlite3.Connection, match: str, wanted: Wanted) -> Iterator[tuple[int, float]]:
    """Rank the rows that match; of more than can be ranked the latest."""
    where, values = wanted.where()
    only = f"AND rowid / {MOST} IN (SELECT id FROM document WHERE {where})" if where else ""  # noqa: S608 - constants
    return base.execute(
        f"SELECT rowid, {_SCORE} FROM words WHERE words MATCH :match {only}"  # noqa: S608 - the same
        f" ORDER BY rowid DESC LIMIT {_RANKED}",
        {"match": match, **values},
    )


def _hits(base: sqlite3.Connection, best: Mapping[int, tuple[float, int]], most: int) -> list[Hit]:
    scores = sorted((score for score, _ in best.values()), reverse=True)[:most]
    found = []
    for document, (score, row) in best.items():
        if score >= scores[-1]:
            path, *rest = base.execute(
                "SELECT path, title, kind, date, projects FROM document WHERE id = ?", (document,)
            ).fetchone()
            found.append((-score, path, -row, rest))
    return [_hit(base, *one) for one in sorted(found)[:most]]


def _hit(base: sqlite3.Connection, score: float, path: str, row: int, rest: list[str]) -> Hit:
    (text,) = base.execute("SELECT text FROM passage WHERE id = ?", (row,)).fetchone()
    title, kind, date, projects = rest
    return Hit(path, title, kind, date, ", ".join(projects.split("\n")), round(-score, 4), text)


def matching(units: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Give the words of the texts that the index takes for one of the units."""
    words = sorted(set().union(*map(pieces, texts)))
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE VIRTUAL TABLE words USING fts5(word, {TOKENS})")
        base.executemany("INSERT INTO words(rowid, word) VALUES (?, ?)", enumerate(words))
        match = _any(f'"{unit}"' for unit in units)
        rows = base.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,))
        return {words[row] for (row,) in rows}
