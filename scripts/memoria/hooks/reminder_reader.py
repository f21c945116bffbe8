"""The hooks' database -> the rules, passages and remedies that a prompt or an error may need.

It is opened read-only and without waiting: where a flush is just writing it, a prompt gets nothing,
which is what most prompts get. The interpreter's own module is loaded, since the package around it
costs three times as much. The traps: a word that everything has brings thousands of rows and tells
nothing, so the rarest words are looked up first and only so many rows are; and a path may hold what
means something in the address that SQLite wants.
"""

from __future__ import annotations

import json
import os

from memoria.search.reminders import prompt_match

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    import _sqlite3
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from memoria.hooks import protocol

    Row = tuple[Any, ...]

# search/reminders/store.py writes it
VERSION = 1
# older SQLites take no more than 999 values at once
_AT_ONCE = 500
# words of a prompt: its first 3,000 characters have up to 300
_WORDS = 300
# rows that are counted: half a millisecond
_ROWS = 1_000
# rules that are compared; three of them are given
_RULES_LOOKED_AT = 50
# articles whose passages are read: a tenth of a millisecond each
_LOOKED_AT = 6
_FRESH = """SELECT name, hash, text FROM rule WHERE scope IN ('', ?) AND since > ?
    ORDER BY since DESC, id"""


class Lookup:
    """The database of a vault for one project; what is not there finds nothing."""

    def __init__(self, place: protocol.Place, project: str) -> None:
        self._path = place.path("recall.sqlite")
        self._project = project
        self._base = self._opened()

    def _opened(self) -> _sqlite3.Connection | None:
        if not os.path.isfile(self._path):
            return None
        # here, where it may be missing without an end of the program: not every Python has it
        import _sqlite3  # noqa: PLC0415

        path = self._path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        if os.sep != "/":
            path = "/" + path.replace(os.sep, "/")
        base = _sqlite3.connect(f"file:{path}?mode=ro", timeout=0, uri=True)
        (version,) = base.execute("PRAGMA user_version").fetchone()
        return base if version == VERSION else None

    def _rows(self, query: str, *values: object) -> list[Row]:
        return self._base.execute(query, values).fetchall() if self._base else []

    def _among(self, query: str, chosen: Collection[object], *values: object) -> list[Row]:
        """Run a query that has {} where a list of values belongs, as often as these are many."""
        wanted, found = list(chosen), []
        for at in range(0, len(wanted), _AT_ONCE):
            part = wanted[at : at + _AT_ONCE]
            marks = ",".join("?" * len(part))
            found += self._rows(query.format(marks), *part, *values)
        return found

    def fresh(self, since: float) -> list[Row]:
        """Give the rules (id, hash, text) that a person has decided on after that moment.

        The ledger has whole seconds, so one of the same second counts as later.
        """
        return self._rows(_FRESH, self._project, since - 1.0)

    def rules(self, prompt: Sequence[str]) -> list[Row]:
        """Give the rules (id, hash, text, how well it fits) that fit these words, best first."""
        words = dict.fromkeys(prompt)
        wanted = prompt_match.rule_wanted(len(words))
        scores: dict[int, float] = {}
        for number, shared, weights, total, occasion, occasions in self._among(
            _RULES, list(words)[:_WORDS], self._project, wanted, _RULES_LOOKED_AT
        ):
            scores[number] = prompt_match.rule_fits(
                shared,
                weights,
                total,
                is_occasion=0 < occasions == occasion,
                different=len(words),
            )
        best = sorted((-score, number) for number, score in scores.items() if score)
        rows = {row[0]: row[1:] for row in self._among(_NAMED, [number for _, number in best])}
        return [(*rows[number], -negative) for negative, number in best]

    def passages(self, prompt: Sequence[str]) -> list[Row]:
        """Give the passages (path, title, day, hash, text) that fit these words, best first."""
        words = dict.fromkeys(prompt)
        rows = self._words(list(words)[:_WORDS])
        (of,) = self._rows(_ARTICLES, self._project)[0] if rows else (0,)
        weights = prompt_match.telling(
            ((text, having, bool(common)) for _, text, common, having in rows), of, len(words)
        )
        numbers = {number: weights[text] for number, text, _, _ in rows if text in weights}
        scores: dict[int, float] = {}
        for word, article in self._among(_POSTINGS, _rarest(rows, numbers), self._project):
            scores[article] = scores.get(article, 0.0) + numbers[word]
        scores = {
            one: score for one, score in scores.items() if prompt_match.can_fit(score, len(words))
        }
        best = sorted(scores, key=lambda article: (-scores[article], article))[:_LOOKED_AT]
        found = []
        for path, title, day, passages in self._among(_ARTICLE, best):
            named = prompt_match.words(title)
            for at, (sha, text) in enumerate(json.loads(passages)):
                if not prompt_match.can_fit(_most(text, named, weights), len(words)):
                    continue
                score = prompt_match.passage_fits(prompt, named, prompt_match.words(text), weights)
                if score:
                    found.append((-score, path, at, (path, title, day, sha, text)))
        return [row for _, _, _, row in sorted(found)]

    def _words(self, words: list[str]) -> list[Row]:
        query = """SELECT word.id, text, common, sum(articles) FROM word
            JOIN count ON count.word = word.id
            WHERE text IN ({}) AND scope IN (0, (SELECT id FROM scope WHERE project = ?))
            GROUP BY word.id HAVING sum(articles) > 0"""
        return self._among(query, words, self._project)

    def remedies(self, tool: str, text: str) -> list[dict[str, str]]:
        """Give the remedies that may be for an error of this text, this project's first, latest."""
        from memoria.search.reminders import failure_match  # noqa: PLC0415 - a prompt needs none

        found = failure_match.tokens(text)
        names = ("signature", "project", "day", "log", "line", "change", "how")
        rows = [
            dict(zip(names, row, strict=True))
            for must, *row in self._among(_REMEDIES, found, tool)
            if found.issuperset(must.split())
        ]
        rows.sort(key=lambda row: (row["project"] == self._project, row["day"], row["change"]))
        return [
            row
            for row in reversed(rows)
            if failure_match.may_fit(row["signature"], row["line"], row["change"], text, found)
        ]


# most rules share a word with a prompt; what they have to share in all is asked right there
_RULES = """SELECT rule, count(*), sum(weight), total, sum(occasion), occasions
    FROM rule_word JOIN rule ON id = rule WHERE word IN ({}) AND scope IN ('', ?)
    GROUP BY rule HAVING sum(weight) >= ? OR 0 < occasions AND sum(occasion) = occasions
    ORDER BY sum(weight) DESC, rule LIMIT ?"""
_NAMED = "SELECT id, name, hash, text FROM rule WHERE id IN ({})"
_REMEDIES = """SELECT must, signature, project, day, log, line, change, how
    FROM anchor JOIN remedy ON id = remedy WHERE word IN ({}) AND tool = ?"""
_ARTICLES = "SELECT coalesce(sum(articles), 0) FROM scope WHERE project IN ('', ?)"
_POSTINGS = """SELECT word, article FROM posting
    WHERE word IN ({}) AND scope IN (0, (SELECT id FROM scope WHERE project = ?))"""
_ARTICLE = "SELECT path, title, day, passages FROM article WHERE id IN ({})"


def _most(text: str, title: list[str], weights: Mapping[str, float]) -> float:
    """Say what the words weigh that a passage can share at most, without cutting it into words."""
    small = text.casefold()
    # a stem is the beginning of its word but for its last letter
    return sum(one for word, one in weights.items() if word[:-1] in small or word in title)


def _rarest(rows: list[Row], numbers: Collection[int]) -> list[int]:
    """Choose the words to look up: the rarest first, until they bring many rows."""
    found: list[int] = []
    total = 0
    for number, _, _, count in sorted(rows, key=lambda row: (row[3], row[1])):
        if number in numbers:
            total += count
            if total > _ROWS and found:
                break
            found.append(number)
    return found
