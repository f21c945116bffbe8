"""Read the index of lines with the standard library alone, for the hooks.

It is opened read-only and without waiting: where a flush is just writing it, a prompt gets nothing,
which is what most prompts get. The interpreter's own module is loaded, since the package around it
costs three times as much. A prompt is cut into words by SQLite itself, in memory, as the index was,
and compared in two steps: its rarest words name some passages, which are then scored with all of
its words. The traps: to score by common words costs a hundred times as much as all else, so they
are only counted within those few passages; and a path may hold what means something in the address
that SQLite wants.
"""

from __future__ import annotations

import os
from math import log, sqrt

from memoria.search.prompt_match import NAMED, coded

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    import _sqlite3
    from collections.abc import Collection, Sequence
    from typing import Any

    Row = tuple[Any, ...]

# search/index/store.py writes it: raise it with any change to the tables or to what stands in them
VERSION = 5
# BM25 as everybody has it
_K1, _B = 1.2, 0.75
# words of a prompt: what is longer is a plan or a log, which has some words of everything
_WORDS = 120
# the rarest words find the passages, so many of them or more while these have few rows together, as
# in a small vault; and so many passages are scored: more changed no result
_RAREST, _FEW_ROWS, _SCORED = 5, 200, 20
# a word of more rows tells little, and to look at them takes longer than all else; of a prompt that
# has no rarer ones the rarest two are looked at, as far as that
_ROWS = 1_000
# texts that a name may stand in and still say which of them is meant
_FEW = 2
# of a small vault every word is rare: as if there were so many more passages without any of them
_UNSEEN = 20
# passages whose project is asked for, best first, to come to the number that is scored
_TRIED = 60
# older SQLites take no more than 999 values at once
_AT_ONCE = 500


class Passage:
    """A passage that a prompt fits: `score` is comparable between prompts and vaults.

    `newer` is the number of the passage that replaces it, 0 for none.
    """

    def __init__(self, number: int, score: float, newer: int, document: int) -> None:
        self.number, self.score, self.newer, self.document = number, score, newer, document


class Reader:
    """The index of a vault for one project; what is not there finds nothing."""

    def __init__(self, path: str, project: str, session: str = "") -> None:
        """Open it for a project; what the session itself left there is not looked at."""
        self._project, self._session = project, session
        self._base = _opened(path)

    def rows(self, query: str, *values: object) -> list[Row]:
        """Run a query; [] without an index."""
        return self._base.execute(query, values).fetchall() if self._base else []

    def among(self, query: str, chosen: Collection[object], *values: object) -> list[Row]:
        """Run a query that has {} where a list of values belongs, as often as these are many."""
        wanted, rows = list(chosen), []
        for at in range(0, len(wanted), _AT_ONCE):
            part = wanted[at : at + _AT_ONCE]
            marks = ",".join("?" * len(part))
            rows += self.rows(query.format(marks), *part, *values)
        return rows

    def fresh(self, since: float) -> list[Row]:
        """Give the rules (id, hash, text) that a person has decided on after that moment.

        The ledger has whole seconds, so one of the same second counts as later.
        """
        return self.rows(_FRESH, self._project, since - 1.0)

    def lines(self, passage: int) -> list[Row]:
        """Give the lines of a passage that may be told: key, kind, weight, text, day, link."""
        return self.rows(_LINES, passage)

    def latest(self, kinds: Sequence[str], most: int, branch: str = "") -> list[Row]:
        """Give the project's latest lines of some kinds that may be told, or one branch's.

        A row is key, kind, text, day, link, branch.
        """
        marks = ",".join("?" * len(kinds))
        query = _LATEST.format(marks, "AND branch = ?" if branch else "")
        return self.rows(query, self._project, *kinds, *([branch] if branch else []), most)

    def cures(self, words: Collection[str]) -> list[dict[str, str]]:
        """Give the cures that may be for an error with these words, each by its fields' names."""
        query = _CURES.format(", ".join(_CURE), "{}")
        return [dict(zip(_CURE, row, strict=True)) for row in self.among(query, sorted(words))]

    def replaced(self, passage: int) -> list[Row]:
        """Give (day, link) of what a passage replaces, the latest first."""
        return self.rows(_REPLACED, passage)

    def past(self, passage: int) -> list[str]:
        """Give the lines of what a passage replaces, told or not."""
        return [text for (text,) in self.rows(_PAST, passage)]

    def newest(self, passage: Passage) -> int:
        """Give the number of what is current of a passage: itself, or what replaced it at last."""
        number, newer = passage.number, passage.newer
        while newer:
            number = newer
            ((newer,),) = self.rows("SELECT coalesce(newer, 0) FROM passage WHERE id = ?", number)
        return number

    def fitting(
        self, words: Sequence[str], most: int = 1, names: Sequence[str] = ()
    ) -> list[Passage]:
        """Give the passages that a prompt of these words and names fits best, best first.

        Of those alone that have something to tell.
        """
        if not self._base or not words:
            return []
        texts = _Texts()
        terms = texts.terms(words[:_WORDS])
        having: dict[str, int] = dict(
            self.among("SELECT term, doc FROM vocabulary WHERE term IN ({})", terms)
        )
        ((total, characters),) = self.rows("SELECT rows, characters FROM measure")
        whole = total + _UNSEEN
        weights = {term: _weight(having[term], whole) for term in terms if term in having}
        rarest = _rarest({term: having[term] for term in weights})
        numbers = self._candidates({terms[term]: weights[term] for term in rarest})
        if not numbers:
            return []
        rows = self.among(_TEXTS, numbers)
        counts = texts.counted([row[1] for row in rows], weights)
        scores = _scores(counts, rows, characters / total, weights)
        scale = sqrt(len(terms)) * log(whole)
        named = _named([row[1] for row in rows], names)
        telling = {row for (row,) in self.among(_TELLING, numbers)}
        fits = [
            Passage(row[0], score / scale + NAMED * share, row[2] or 0, row[4])
            for score, share, row in zip(scores, named, rows, strict=True)
            if row[0] in telling
        ]
        return sorted(fits, key=lambda fit: (-fit.score, fit.number))[:most]

    def _candidates(self, weights: dict[str, float]) -> list[int]:
        """Give the passages with most of these words, those of this project and of all."""
        sums: dict[int, float] = {}
        for word, weight in weights.items():
            for (row,) in self.rows(_ROWS_OF, f'"{word}"', _ROWS):
                sums[row] = sums.get(row, 0.0) + weight
        best = sorted(sums, key=lambda row: (-sums[row], -row))[:_TRIED]
        ours = {row for (row,) in self.among(_OURS, best, self._session, self._project)}
        return [row for row in best if row in ours][:_SCORED]


_ROWS_OF = "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?"
_FRESH = """SELECT name, hash, text FROM rule WHERE scope IN ('', ?) AND since > ?
    ORDER BY since DESC, rowid"""
_OURS = """SELECT passage.id FROM passage JOIN document ON document.id = document
    WHERE passage.id IN ({}) AND asked AND kind != 'rule' AND session IS NOT nullif(?, '')
        AND (projects = ''
        OR instr(char(10) || projects || char(10), char(10) || ? || char(10)))"""
_TEXTS = """SELECT passage.id, title || char(10) || coalesce(searched, text), newer,
        length(text), document
    FROM passage JOIN document ON document.id = document WHERE passage.id IN ({})"""
_TELLING = """SELECT DISTINCT passage FROM line
    WHERE passage IN ({}) AND told AND (kind = 'conclusion' OR weight > 1)"""
# a colleague's line (search/team_lines.py) is told with the name of its author before the day
_LINES = """SELECT key, line.kind, weight, line.text,
        iif(document.link LIKE 'team/%', author || ', ', '') || date, document.link
    FROM line JOIN passage ON passage.id = passage JOIN document ON document.id = document
    WHERE passage = ? AND told AND line.link = '' AND (document.kind = 'entry' OR EXISTS
        (SELECT 1 FROM line AS name WHERE name.passage = line.passage AND name.kind = 'name'
            AND name.told))
    ORDER BY line.id"""
_LATEST = """SELECT key, line.kind, line.text, date, document.link, branch
    FROM line JOIN passage ON passage.id = passage JOIN document ON document.id = document
    WHERE projects = ? AND line.kind IN ({}) AND told AND newer IS NULL
        AND document.link NOT LIKE 'team/%' {}
    ORDER BY date DESC, moment DESC, line.id LIMIT ?"""
_REPLACED = """SELECT date, link FROM passage JOIN document ON document.id = document
    WHERE newer = ? ORDER BY date DESC, moment DESC"""
_PAST = "SELECT text FROM line WHERE passage IN (SELECT id FROM passage WHERE newer = ?)"
# of a Cure (search/cures/known_cures.py) what a failed call is told by
_CURE = ("signature", "action", "project", "day", "log", "line", "how", "change", "file")
_CURES = "SELECT {} FROM cure WHERE anchor IN ({})"


def _opened(path: str) -> _sqlite3.Connection | None:
    if not os.path.isfile(path):
        return None
    # here, where it may be missing without an end of the program: not every Python has it
    import _sqlite3  # noqa: PLC0415

    address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.sep != "/":
        address = "/" + address.replace(os.sep, "/")
    base = _sqlite3.connect(f"file:{address}?mode=ro", timeout=0, uri=True)
    (version,) = base.execute("PRAGMA user_version").fetchone()
    return base if version == VERSION else None


def _rarest(having: dict[str, int]) -> list[str]:
    """Give the terms to look for; `having` are the rows of each."""
    taken: list[str] = []
    rows = 0
    for term in sorted(having, key=lambda term: (having[term], term)):
        rows += having[term]
        is_rare = len(taken) < _RAREST and having[term] <= _ROWS
        if len(taken) < 2 or is_rare or rows <= _FEW_ROWS:  # noqa: PLR2004 - as said at _ROWS
            taken.append(term)
    return taken


def _weight(having: int, total: int) -> float:
    return log(1.0 + (max(total, having) - having + 0.5) / (having + 0.5))


def _scores(
    counts: dict[int, dict[str, int]], rows: list[Row], usual: float, weights: dict[str, float]
) -> list[float]:
    """Score texts by BM25; `usual` is the length of a text."""
    scores = []
    for at, row in enumerate(rows, 1):
        long = _K1 * (1 - _B + _B * row[3] / usual)
        found = counts.get(at, {})
        scores.append(
            sum(weights[term] * many * (_K1 + 1) / (many + long) for term, many in found.items())
        )
    return scores


def _named(texts: Sequence[str], names: Sequence[str]) -> list[float]:
    """Say for each text how much a name of the prompt's that stands in it is worth.

    One that more than two texts have counts as less: it is at home everywhere.
    """
    if not names:
        return [0.0] * len(texts)
    known = [coded(text, names) for text in texts]
    worth = [0.0] * len(texts)
    for name in names:
        having = [at for at, own in enumerate(known) if name in own]
        for at in having:
            worth[at] = max(worth[at], 1.0 if len(having) <= _FEW else 1.0 / len(having))
    return worth


class _Texts:
    """Texts in memory, cut into words as the index is."""

    def __init__(self) -> None:
        import _sqlite3  # noqa: PLC0415 - there, since the index was opened with it

        self._base = _sqlite3.connect(":memory:")
        self._base.execute(
            "CREATE VIRTUAL TABLE texts USING fts5"
            "(text, content='', columnsize=0, tokenize='porter unicode61')"
        )
        self._base.execute("CREATE VIRTUAL TABLE found USING fts5vocab(texts, 'instance')")

    def terms(self, words: Sequence[str]) -> dict[str, str]:
        """Give the different terms of some words in their order, each with its word."""
        rows = ((-at, word) for at, word in enumerate(words, 1))
        self._base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", rows)
        found = self._base.execute("SELECT term, -doc FROM found ORDER BY doc DESC, offset")
        terms: dict[str, str] = {}
        for term, at in found:
            terms.setdefault(term, words[at - 1])
        return terms

    def counted(self, texts: Sequence[str], terms: Collection[str]) -> dict[int, dict[str, int]]:
        """Say how often each text (the first is 1) has each of these terms."""
        self._base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", enumerate(texts, 1))
        counts: dict[int, dict[str, int]] = {}
        for term in terms:
            rows = self._base.execute(
                "SELECT doc, count(*) FROM found WHERE term = ? AND doc > 0 GROUP BY doc", (term,)
            )
            for number, many in rows:
                counts.setdefault(number, {})[term] = many
        return counts
