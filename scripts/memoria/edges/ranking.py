"""Words and phrases that are sought -> the documents that fit them best, from the index of words.

BM25 over the windows, and a document counts as much as its best passage. To rank a row costs forty
times as much as to count it, and a word that stands everywhere tells little: so what is ranked are
the rows with rare words, and those with several common ones together (of 100,000 passages 96 % of
the same results, in a sixth of the time). The trap: what is left out must not depend on how an index came about, so
counts decide, and ties are broken by path and place.
"""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.stages.passage import MOST, passages
from memoria.stages.sought import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Scope = Literal["articles", "daily", "all"]
TOKENS = "tokenize='porter unicode61'"
# a title names the topic: a word of it counts as much as several in the text
_SCORE = "-bm25(words, 1.0, 4.0)"
# rows, of each kind: to rank one takes one to three microseconds, all that match up to 100 ms
_RANKED = 1500
# units of a long text that are ranked, those that it has often and the index rarely: of 20, 40, 60
# and 100 forty found most on documentation (recall@8 0.69; the rarest 0.65, the longest 0.64)
_UNITS = 40


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
        return "".join(f" AND {one}" for one, asked in conditions.items() if asked), clean


def ranked(
    base: sqlite3.Connection, units: Mapping[str, int], wanted: Wanted, most: int
) -> list[Hit]:
    """Give the best documents, best first; ties in order of path and place."""
    best: dict[int, tuple[float, int]] = {}
    for match, needed in _steps(base, _counted(base, units)):
        if needed or len(best) < most:
            for row, score in _rows(base, match, wanted):
                document = row // MOST
                best[document] = max(best.get(document, (-1.0, 0)), (score, -row))
    return _hits(base, best, most)


def _counted(base: sqlite3.Connection, units: Mapping[str, int]) -> list[tuple[int, str]]:
    """Count the rows of each unit, and give those that have any and tell most, rarest first."""
    rows = {unit: _count(base, f'"{unit}"') for unit in units}
    found = [unit for unit in units if rows[unit]]
    if len(found) > _UNITS:
        (total,) = base.execute("SELECT count(*) FROM words_docsize").fetchone()
        found.sort(key=lambda unit: (-units[unit] * log(total / rows[unit]), unit))
    return sorted((rows[unit], unit) for unit in found[:_UNITS])


def _count(base: sqlite3.Connection, match: str) -> int:
    query = "SELECT count(*) FROM words WHERE words MATCH ?"
    return int(base.execute(query, (match,)).fetchone()[0])


def _steps(base: sqlite3.Connection, counted: list[tuple[int, str]]) -> Iterator[tuple[str, bool]]:
    """Give what to rank, and whether it is needed where there are enough documents already.

    First the rows with a rare unit, then those with several common units: the rarest two, or as
    many as it takes to be few enough. Where that is not enough, titles, rows with all of the units,
    and all rows.
    """
    rare, total = [], 0
    for count, unit in counted:
        total += count
        if total <= _RANKED:
            rare.append(f'"{unit}"')
    common = [f'"{unit}"' for _, unit in counted[len(rare) :]]
    if rare:
        yield from _with(_any(rare), common)
    for few in range(2, len(common) + 1):
        together = " AND ".join(common[:few])
        if _count(base, together) <= _RANKED:
            yield from _with(together, common[few:])
            break
    if common:
        yield f"title : ({_any(common)})", False
        yield " AND ".join(common), False
        yield _any(rare + common), False


def _with(match: str, others: list[str]) -> Iterator[tuple[str, bool]]:
    """Give the rows that match in two parts, so that each gets its score for the whole query."""
    if others:
        yield f"({match}) AND ({_any(others)})", True
        yield f"({match}) NOT ({_any(others)})", True
    else:
        yield match, True


def _any(units: Iterable[str]) -> str:
    return " OR ".join(units)


def _rows(base: sqlite3.Connection, match: str, wanted: Wanted) -> Iterator[tuple[int, float]]:
    """Rank the rows that match."""
    where, values = wanted.where()
    # a cross join stays in that order, the index of words first
    join = f"""CROSS JOIN document ON document.id = words.rowid / {MOST}
        CROSS JOIN file ON file.id = document.file"""
    return base.execute(
        f"""SELECT words.rowid, {_SCORE} FROM words {join if where else ""}
        WHERE words MATCH :match {where}""",  # noqa: S608 - constants
        {"match": match, **values},
    )


def _hits(base: sqlite3.Connection, best: Mapping[int, tuple[float, int]], most: int) -> list[Hit]:
    scores = sorted((score for score, _ in best.values()), reverse=True)[:most]
    found = []
    for document, (score, row) in best.items():
        if score >= scores[-1]:
            path, *rest = base.execute(
                "SELECT path, title, kind, date, projects FROM document"
                " JOIN file ON file.id = document.file WHERE document.id = ?",
                (document,),
            ).fetchone()
            found.append((-score, path, -row, rest))
    return [_hit(base, *one) for one in sorted(found)[:most]]


def _hit(base: sqlite3.Connection, score: float, path: str, row: int, rest: list[str]) -> Hit:
    document, place = divmod(row, MOST)
    (text,) = base.execute("SELECT text FROM body WHERE document = ?", (document,)).fetchone()
    passage = (*passages(zlib.decompress(text).decode()), "")[place]
    title, kind, date, projects = rest
    return Hit(path, title, kind, date, ", ".join(projects.split("\n")), round(-score, 4), passage)


def matching(units: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Give the words of the texts that the index takes for one of the units."""
    words = sorted(set().union(*map(pieces, texts)))
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE VIRTUAL TABLE words USING fts5(word, {TOKENS})")
        base.executemany("INSERT INTO words(rowid, word) VALUES (?, ?)", enumerate(words))
        match = _any(f'"{unit}"' for unit in units)
        rows = base.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,))
        return {words[row] for (row,) in rows}
