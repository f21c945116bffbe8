"""Link what was decided to the later decision that replaces it.

A decision replaces the one earlier subject of its project that is most like it. It says so in words
that mean little else (capture/subjects.py), or in ordinary ones ("that has to change", "legal wants
30 days instead"): of these only, where the sentence names an old value and there is a new one. By
words alone hundreds of chats would replace another, by likeness alone one in three that only speaks
of the same thing. It is made anew with each change of the index: likeness hangs on how rare words
are, and must not depend on the order in which sessions came in.
"""

import re
import sqlite3
from collections.abc import Iterable
from math import log

from memoria.capture.subjects import says_changed
from memoria.search.index.matches import TextIndex, cosine
from memoria.search.prompt_match import GRAMMAR

# the cosine of two subjects' words by how rare they are, and how many terms they share, where one
# says that it amends; where it changes a value, and where it need not say which. python -m
# bench.delivery.amendments tells what they link
MIN_LIKENESS, MIN_SHARED = 0.25, 3
MIN_LIKENESS_CHANGED, SURE_LIKENESS = 0.2, 0.4
_NUMBER_OR_WORD = re.compile(r"\d+(?:[.,']\d+)?|[a-z]+", re.IGNORECASE)  # "1,500", "ten"
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FIGURES = {word: str(number) for number, word in enumerate(_NUMBER_WORDS, 1)}
# they say that something is changed, and not what
_CHANGE_WORDS = """
    agreed agreement amend amended amendment changed change decision decisions earlier former
    forward going longer mind minds old original overrule overruled plan policy previous replaces
    revise revised rule rules supersede superseded supersedes void
"""
# the words of a subject that weigh most name the earlier ones that are compared with it
_MAX_TERMS, _MAX_COMPARED = 40, 20
_AMENDING = """SELECT passage.id, projects, date || moment, coalesce(searched, text), amends = 2
    FROM passage JOIN document ON document.id = document WHERE amends ORDER BY date, moment"""
_EARLIER = """SELECT passage.id, coalesce(searched, text)
    FROM words JOIN passage ON passage.id = words.rowid JOIN document ON document.id = document
    WHERE words MATCH ? AND heard AND projects = ? AND date || moment < ? AND passage.id != ?
    ORDER BY rank, passage.id LIMIT ?"""
_CAME_TO = "SELECT text FROM line WHERE passage = ? AND kind = 'conclusion' ORDER BY id"


def rate_strength(says_so: bool, came_to: Iterable[str]) -> int:  # noqa: FBT001 - a column of the index
    """Give 2 for what says that it amends, 1 for what changes something, 0 for all else."""
    return 2 if says_so else int(any(map(says_changed, came_to)))


def link_passages(base: sqlite3.Connection) -> None:
    """Link each passage to the one that replaces it; the caller has begun a transaction."""
    amending = base.execute(_AMENDING).fetchall()
    # terms that say nothing of what a subject is about
    empty_terms, newer = set[str](), dict[int, int]()
    if amending:
        (empty_terms,) = TextIndex().find_all_terms([" ".join((*GRAMMAR, _CHANGE_WORDS))])
    for number, projects, moment, text, says_so in amending:
        terms = TextIndex().find_all_terms([text])[0] - empty_terms
        weights = _weigh_terms(base, terms)
        ordered = sorted(terms, key=lambda term: (-weights[term], term))
        if not ordered:
            continue
        match = " OR ".join(f'"{term}"' for term in ordered[:_MAX_TERMS])
        values = (match, projects, moment, number, _MAX_COMPARED)
        earlier = base.execute(_EARLIER, values).fetchall()
        others = TextIndex().find_all_terms([text for _, text in earlier])
        best_id, least_likeness = 0, MIN_LIKENESS if says_so else MIN_LIKENESS_CHANGED
        for (candidate, _), other_terms in zip(earlier, others, strict=True):
            worths = weights | _weigh_terms(base, other_terms - empty_terms)
            likeness = cosine(terms, other_terms - empty_terms, worths)
            if likeness >= least_likeness and len(terms & other_terms) >= MIN_SHARED:
                best_id, least_likeness = candidate, likeness
        if best_id and (says_so or _is_changed(base, best_id, number, least_likeness)):
            newer[best_id] = number
    former = dict(base.execute("SELECT id, newer FROM passage WHERE newer IS NOT NULL"))
    ids = former.keys() | newer.keys()
    changes = [(newer.get(old), old) for old in ids if former.get(old) != newer.get(old)]
    base.executemany("UPDATE passage SET newer = ? WHERE id = ?", changes)


def _is_changed(base: sqlite3.Connection, older: int, newer: int, likeness: float) -> bool:
    """Whether what a subject came to has a new value, and names an old one that changes.

    Of two of a `likeness` that hardly any have, to say that something changes is enough.
    """
    old, new = ([text for (text,) in base.execute(_CAME_TO, (row,))] for row in (older, newer))
    old_numbers = _find_numbers(" ".join(old))
    if _find_numbers(" ".join(new)) <= old_numbers:
        return False
    around = zip(new, [*new[1:], ""], strict=True)
    changing = (f"{text} {following}" for text, following in around if says_changed(text))
    return any(likeness >= SURE_LIKENESS or old_numbers & _find_numbers(text) for text in changing)


def _find_numbers(text: str) -> frozenset[str]:
    """Give the numbers of a text, those that are written as words, too."""
    words = (word.lower() for word in _NUMBER_OR_WORD.findall(text))
    figures = (_FIGURES.get(word, word) for word in words)
    return frozenset(figure for figure in figures if figure[0].isdigit())


def _weigh_terms(base: sqlite3.Connection, terms: Iterable[str]) -> dict[str, float]:
    (total,) = base.execute("SELECT count(*) FROM passage").fetchone()
    query = "SELECT doc FROM vocabulary WHERE term = ?"
    rows = ((term, base.execute(query, (term,)).fetchone()) for term in terms)
    return {term: log(total / row[0]) ** 2 if row else 0.0 for term, row in rows}
