"""Words and phrases that are sought -> the documents that fit them best, from the index of words.

BM25 over the windows, and a document counts as much as its best passage. To rank a row costs forty
times as much as to count it, and a word that stands everywhere tells little: so what is ranked are
the rows with rare words, and those with several common ones together (of 100,000 passages 96 % of
the same results, in a sixth of the time). The trap: what is left out must not depend on how an
index came about, so counts decide, and ties are broken by path and place.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from contextlib import closing
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.search.passages import MOST, passages
from memoria.search.query_words import pieces, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Scope = Literal["articles", "daily", "all"]
TOKENS = "tokenize='porter unicode61'"
# a title names the topic: a word of it counts as much as several in the text
_SCORE = "-bm25(words, 1.0, 4.0)"
_MARKED = re.compile("\x01([^\x02]*)\x02")
# rows, of each kind: to rank one takes one to three microseconds, all that match up to 100 ms
_RANKED = 1500
# units of a long text that are ranked, those that it has often and the index rarely: of 20, 40, 60
# and 100 forty found most on documentation (recall@8 0.69; the rarest 0.65, the longest 0.64)
_UNITS = 40
# a common unit of less than this share of the heaviest one's weight is left out: that loses nothing
# on documentation and saves a quarter of the time, since to weigh a word all its rows are read
_LEAST = 0.2


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


class _Unit(NamedTuple):
    """A word or phrase, quoted, with the rows that hold it; a `light` one tells next to nothing."""

    rows: int
    text: str
    light: bool


def ranked(
    base: sqlite3.Connection, units: Mapping[str, int], wanted: Wanted, most: int
) -> list[Hit]:
    """Give the best documents, best first; ties in order of path and place."""
    best: dict[int, tuple[float, int]] = {}
    counted = _counted(base, units)
    for match, needed in _steps(base, counted):
        if needed or len(best) < most:
            for row, score in _rows(base, match, wanted):
                document = row // MOST
                best[document] = max(best.get(document, (-1.0, 0)), (score, -row))
    return _hits([unit.text for unit in counted], _best(base, best, most))


def _counted(base: sqlite3.Connection, units: Mapping[str, int]) -> list[_Unit]:
    """Count the rows of each unit, and give those that tell most, rarest first."""
    (total,) = base.execute("SELECT rows FROM measure").fetchone()
    rows = {unit: _count(base, f'"{unit}"') for unit in units}
    weights = {unit: _weight(count, total) for unit, count in rows.items() if count}
    least = max(weights.values(), default=0.0) * _LEAST
    found = sorted(weights, key=lambda unit: (-units[unit] * weights[unit], unit))
    return sorted(
        _Unit(rows[unit], f'"{unit}"', rows[unit] > _RANKED and weights[unit] < least)
        for unit in found[:_UNITS]
    )


def _weight(count: int, total: int) -> float:
    """Weigh a unit as BM25 does: its row's surprise, nothing where half of all rows have it."""
    return max(0.0, log((max(total, count) - count + 0.5) / (count + 0.5)))


def _count(base: sqlite3.Connection, match: str) -> int:
    query = "SELECT count(*) FROM words WHERE words MATCH ?"
    return int(base.execute(query, (match,)).fetchone()[0])


def _steps(base: sqlite3.Connection, counted: list[_Unit]) -> Iterator[tuple[str, bool]]:
    """Give what to rank, and whether it is needed where there are enough documents already.

    First the rows with a rare unit, then those with several common units: the rarest two, or as
    many as it takes to be few enough. Where that is not enough, titles, rows with all of the units,
    and all rows.
    """
    rare, total = [], 0
    for unit in counted:
        total += unit.rows
        if total <= _RANKED:
            rare.append(unit.text)
    common = [unit.text for unit in counted[len(rare) :] if not unit.light]
    if rare:
        yield from _with(_any(rare), common)
    for few in range(2, len(common) + 1):
        together = " AND ".join(common[:few])
        if _count(base, together) <= _RANKED:
            yield from _with(together, common[few:])
            break
    rest = [unit.text for unit in counted[len(rare) :]]
    if rest:
        yield f"title : ({_any(rest)})", False
        yield " AND ".join(rest), False
        yield _any(rare + rest), False


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


class _Best(NamedTuple):
    """A document in the order of the result, with the three passages of its best window."""

    negative_score: float
    path: str
    row: int
    about: tuple[str, str, str, str]
    passages: tuple[str, ...]


def _best(
    base: sqlite3.Connection, best: Mapping[int, tuple[float, int]], most: int
) -> list[_Best]:
    scores = sorted((score for score, _ in best.values()), reverse=True)[:most]
    found = []
    for document, (score, row) in best.items():
        if score >= scores[-1]:
            path, text, *about = base.execute(
                "SELECT path, text, title, kind, date, projects FROM document"
                " JOIN file ON file.id = file JOIN body ON body.document = document.id"
                " WHERE document.id = ?",
                (document,),
            ).fetchone()
            place = -row % MOST
            window = passages(zlib.decompress(text).decode())[max(0, place - 1) : place + 2]
            found.append(_Best(-score, path, -row, tuple(about), window))
    return sorted(found)[:most]


def _hits(units: list[str], found: list[_Best]) -> list[Hit]:
    words = iter(matching(units, [text for one in found for text in one.passages]))
    return [_hit(one, [next(words) for _ in one.passages]) for one in found]


def _hit(found: _Best, words: list[set[str]]) -> Hit:
    """Show the passage of the window that has most of the words itself, else the middle one."""
    counts = [len({word.lower() for word in those}) for those in words]
    middle = min(found.row % MOST, 1)
    order = sorted(range(len(counts)), key=lambda at: (-counts[at], at != middle, at))
    title, kind, date, projects = found.about
    return Hit(
        found.path,
        title,
        kind,
        date,
        ", ".join(projects.split("\n")),
        float(f"{-found.negative_score:.4g}"),
        found.passages[order[0]] if order else "",
    )


def matching(units: Iterable[str], texts: Sequence[str]) -> list[set[str]]:
    """Give the words of each text that the index takes for one of the units, which are quoted."""
    if not texts:
        return []
    found: list[set[str]] = [set() for _ in texts]
    match = _any(units)
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, {TOKENS})")
        new = "INSERT INTO words(rowid, text) VALUES (?, ?)"
        base.executemany(new, enumerate(map(spread, texts)))
        marked = (
            "SELECT rowid, highlight(words, 0, char(1), char(2)) FROM words WHERE words MATCH ?"
        )
        for at, text in base.execute(marked, (match,)):
            found[at] = pieces(" ".join(_MARKED.findall(text)))
    return found
