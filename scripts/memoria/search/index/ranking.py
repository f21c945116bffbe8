"""Rank what fits the words and phrases that are sought, from the index of words.

A query is words and never a language: quotes, stars, colons and brackets are only borders of words.
A name such as `create_payment`, `TokenStore` or `a-b` is sought as a whole and by its parts, and
`expand_names` gives the index the same parts. In scripts without spaces characters are words of
their own and are sought in pairs. BM25 ranks whole texts: of an entry its own and each subject of
its session, and a document counts as much as its best one (bench/RESULTS.md has what else was
tried).
What was replaced stands right behind what replaced it. Ties are broken by path and place.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from math import log
from typing import Literal, NamedTuple

from memoria.search.index.passages import split_passages

# a page that was pasted as a query has more; those that it has most often say what it is about
_MAX_QUERY = 400
# words of a phrase: longer ones occur nowhere but in the note that they were copied from
_MAX_PHRASE = 12
# what questions are made of; a query of nothing else is sought all the same
_STOP_WORDS = frozenset(
    """
    a about all am an and any are as at be been but by can could did do does for from get had has
    have how i if in into is it its me my no not of on or our shall should so some than that the
    their them then there these they this those to too us was we were what when where which who why
    will with would you your
    """.split()  # noqa: SIM905 - a list of words reads best as text
)
# what Chinese, Japanese and Korean are written with
_SIGNS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SIGN = re.compile(f"[{_SIGNS}]")
_QUOTED = re.compile(r'"([^"]{3,})"')
# words with what joins the parts of names, paths and addresses: "user_id", "src/app.py", "a::b"
_NAME = re.compile(r"[^\W_]+(?:[-_./:@'\u2019\\]{1,3}[^\W_]+)*")
_WORD = re.compile(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")
# a name in humps, TokenStore or sha256Sum, looked for where a word begins, since all of a vault
# goes through it; and its humps: "HTTP" and "Server" of HTTPServer
_HUMPED = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]))[A-Za-z][A-Za-z0-9]+"
)
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
Scope = Literal["articles", "daily", "own", "team", "all"]
TOKENS = "tokenize='porter unicode61'"
_HIGHLIGHT = re.compile("\x01([^\x02]*)\x02")  # a word that SQLite found, between these two
# units of a long text that are ranked, those that it has often and the index rarely: of 20, 40, 60
# and 100 forty found most on documentation (recall@8 0.69; the rarest 0.65, the longest 0.64)
_MAX_UNITS = 40
# documents that are looked at more closely, for each that is wanted: some have several passages,
# and of two of which one replaced the other both are to be seen
_ROWS_PER_HIT = 3
# A title names the topic: a word of it counts as much as several in the text. A cross join stays in
# that order, the index of words first, which gives the best first.
_MATCHING = """SELECT -rank, document, passage.id, path FROM words
    CROSS JOIN passage ON passage.id = words.rowid
    CROSS JOIN document ON document.id = document
    CROSS JOIN file ON file.id = file
    WHERE words MATCH :match AND rank MATCH 'bm25(1.0, 4.0)' {}
    ORDER BY rank"""
_DOCUMENT = "SELECT title, kind, date, projects, link, session, author FROM document WHERE id = ?"
_TEXT = "SELECT text FROM passage WHERE document = ? AND NOT heard"
_HEARD = "SELECT id FROM passage WHERE document = ? AND heard ORDER BY id"
_NEWER = """SELECT link, date FROM document
    WHERE id = (SELECT document FROM passage WHERE id = (SELECT newer FROM passage WHERE id = ?))"""
_OLDER = """SELECT link FROM document
    WHERE id IN (SELECT document FROM passage WHERE newer = ?) ORDER BY date DESC, moment DESC"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that fits a query, with the passage that fits best.

    `path` is relative to the vault, with ending; several projects are joined by ", "; a higher
    `score` is better, and scores of one query alone can be compared. `link` cites it: an entry by
    its block. `author` is the engine that wrote it, "hand" for a person, "" where that is unknown.
    `status` is "current", or "replaced" with the link and day of what replaced it; `replaces` is
    what it replaced itself.
    """

    path: str
    title: str
    kind: str
    date: str
    project: str
    score: float
    passage: str
    link: str = ""
    session: str = ""
    author: str = ""
    status: str = "current"
    replaced_by: str = ""
    replaced_on: str = ""
    replaces: str = ""


class SearchFilter(NamedTuple):
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
            "path LIKE 'daily/%'": self.scope in {"daily", "own"},
            "path NOT LIKE 'daily/%'": self.scope == "articles",
            "path NOT LIKE 'daily/team/%'": self.scope == "own",
            "path LIKE 'daily/team/%'": self.scope == "team",
            "instr(lower(projects), :project)": self.project,
            "date >= :since": self.since,
            "kind = :kind": self.kind,
            # a tag of Obsidian holds those below it: area, area/billing
            "(instr(tags, :tag || char(10)) OR instr(tags, :tag || '/'))": tag,
        }
        values = self._asdict() | {"project": self.project.lower(), "tag": f"\n{tag}"}
        clean = {key: text.encode("utf-8", "replace").decode() for key, text in values.items()}
        return "".join(
            f" AND {clause}" for clause, is_asked in conditions.items() if is_asked
        ), clean


class _PassageRow(NamedTuple):
    """A passage that matches: its score, its document, its number, and the path of its file."""

    score: float
    document: int
    passage: int
    path: str


def rank_documents(
    base: sqlite3.Connection, units: Mapping[str, int], filters: SearchFilter, limit: int
) -> list[Hit]:
    """Give the best documents, best first, each with the passage that has most of the words."""
    names = _choose_units(base, units)
    if not names or limit < 1:
        return []
    condition, values = filters.where()
    rows = base.execute(_MATCHING.format(condition), {"match": " OR ".join(names), **values})
    best_rows = _choose_rows(map(_PassageRow._make, rows), limit * _ROWS_PER_HIT)
    hits = _order_replaced([(row.document, _read_hit(base, row)) for row in best_rows])[:limit]
    texts = [base.execute(_TEXT, (document,)).fetchone() or ("",) for document, _ in hits]
    parts = [split_passages(text) for (text,) in texts]
    words_of = find_matching_words(names, [part for parted in parts for part in parted])
    counts = iter([len({word.lower() for word in words}) for words in words_of])
    excerpts = [max(parted, key=lambda _: next(counts), default="") for parted in parts]
    return [replace(hit, passage=part) for (_, hit), part in zip(hits, excerpts, strict=True)]


def _choose_units(base: sqlite3.Connection, units: Mapping[str, int]) -> list[str]:
    """Give the units, quoted, that tell most: often here and rarely in the index."""
    if len(units) <= _MAX_UNITS:
        return [f'"{unit}"' for unit in units]
    (total,) = base.execute("SELECT count(*) FROM passage").fetchone()
    weights: dict[str, float] = {}
    for unit, times in units.items():
        query = "SELECT count(*) FROM words WHERE words MATCH ?"
        (count,) = base.execute(query, (f'"{unit}"',)).fetchone()
        if count:
            # as BM25 does: its row's surprise, nothing where half of all rows have it
            surprise = log((max(total, count) - count + 0.5) / (count + 0.5))
            weights[unit] = times * max(0.0, surprise)
    order = sorted(weights, key=lambda unit: (-weights[unit], unit))
    return [f'"{unit}"' for unit in order[:_MAX_UNITS]]


def _choose_rows(rows: Iterable[_PassageRow], limit: int) -> list[_PassageRow]:
    """Give the best row of each document, of so many documents; ties in order of path and place."""
    best: dict[int, _PassageRow] = {}
    last_score = 0.0
    for row in rows:
        if len(best) >= limit and row.score < last_score:
            break
        last_score = row.score
        leader = best.setdefault(row.document, row)
        if (row.score, -row.passage) > (leader.score, -leader.passage):
            best[row.document] = row
    return sorted(best.values(), key=lambda row: (-row.score, row.path, row.document))[:limit]


def _read_hit(base: sqlite3.Connection, row: _PassageRow) -> Hit:
    """Make a hit, but for its passage."""
    cells = base.execute(_DOCUMENT, (row.document,)).fetchone()
    title, kind, date, projects, link, session, author = cells
    heard_ids = [number for (number,) in base.execute(_HEARD, (row.document,))]
    # what replaced the one subject of an entry replaced the entry
    passage = heard_ids[0] if len(heard_ids) == 1 else row.passage
    newer, newer_day = base.execute(_NEWER, (passage,)).fetchone() or ("", "")
    (older,) = base.execute(_OLDER, (passage,)).fetchone() or ("",)
    project, score = ", ".join(projects.split("\n")), float(f"{row.score:.4g}")
    status = "replaced" if newer else "current"
    values = (row.path, title, kind, date, project, score, "", link, session, author)
    return Hit(*values, status, newer, newer_day, older)


def _order_replaced(hits: Sequence[tuple[int, Hit]]) -> list[tuple[int, Hit]]:
    """Put what was replaced right behind what replaced it, where both fit."""
    links = {hit.link for _, hit in hits if hit.link}
    older = [hit for hit in hits if hit[1].replaced_by in links]
    ordered: list[tuple[int, Hit]] = []
    for hit in hits:
        chain = [hit] if hit not in older else []
        while chain:
            ordered.append(chain.pop())
            chain += [old for old in older if old[1].replaced_by == ordered[-1][1].link][::-1]
    return ordered


def find_matching_words(units: Iterable[str], texts: Sequence[str]) -> list[set[str]]:
    """Give the words of each text that the index takes for one of the units, which are quoted."""
    words: list[set[str]] = [set() for _ in texts]
    query = "SELECT rowid, highlight(words, 0, char(1), char(2)) FROM words WHERE words MATCH ?"
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE VIRTUAL TABLE words USING fts5(text, {TOKENS})")
        insertion = "INSERT INTO words(rowid, text) VALUES (?, ?)"
        base.executemany(insertion, enumerate(map(expand_names, texts)))
        for place, text in base.execute(query, (" OR ".join(units),)):
            words[place] = split_words(" ".join(_HIGHLIGHT.findall(text)))
    return words


def parse_query(query: str, *, everything: bool = False) -> dict[str, int]:
    """Give words and phrases (joined by a space) of a query, and how often it has them."""
    phrases = (_join_phrase(_WORD.findall(quoted)) for quoted in _QUOTED.findall(query))
    units = Counter(unit.lower() for phrase in phrases for unit in phrase)
    units.update(unit.lower() for name in _NAME.findall(query) for unit in _split_name(name))
    telling = (
        (unit, times)
        for unit, times in units.most_common()
        if everything or (unit not in _STOP_WORDS and (len(unit) > 1 or not unit.isascii()))
    )
    return dict(islice(telling, _MAX_QUERY))


def _split_name(name: str) -> Iterator[str]:
    words = _WORD.findall(name)
    if _SIGN.search(name):
        yield from (f"{first} {second}" for first, second in pairwise(words))
        yield from (word for word in words if len(words) == 1 or not _SIGN.match(word))
        return
    yield from _join_phrase(words)
    for word in words:
        yield word
        humps = _HUMP.findall(word) if _HUMPED.fullmatch(word) else []
        yield from _join_phrase(humps)
        yield from humps


def _join_phrase(words: list[str]) -> list[str]:
    return [" ".join(words)] if 1 < len(words) <= _MAX_PHRASE else []


def expand_names(text: str) -> str:
    """Give a text with the parts of its names behind it, and the signs of such scripts apart."""
    names = dict.fromkeys(_HUMPED.findall(text))
    parts = "".join(f"\n{' '.join(_HUMP.findall(name))}" for name in names)
    return _SIGN.sub(r" \g<0> ", text) + parts


def split_words(text: str) -> set[str]:
    """Give the words of a text, and the humps of those that have any."""
    words = set(_WORD.findall(text))
    return words.union(*(_HUMP.findall(word) for word in words if _HUMPED.fullmatch(word)))
