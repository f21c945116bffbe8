"""The best documents are those that looking at every document with its excerpt would give."""

import sqlite3
from dataclasses import replace

from hypothesis import given, strategies as st

from memoria.search.index.passages import Document, HeardSubject, split_passages
from memoria.search.index.ranking import find_matching_words
from memoria.search.index.store import SearchIndex

# few words, so that many documents are as good as each other
WORDS = ("tokens", "expire", "queue", "retry", "webhook", "TokenStore", "lease", "batch")
# some are long enough for several passages
LINE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join)
TEXT = st.lists(LINE, min_size=1, max_size=6).map("\n".join)
NOTE = st.tuples(TEXT, st.lists(TEXT, max_size=3), st.integers(0, 2), st.booleans())


def document(number, note):
    text, heard, project, is_team = note
    folder = "daily/team/ana" if is_team else "daily"
    subjects = tuple(HeardSubject(turn, words) for turn, words in enumerate(heard))
    path, link = f"{folder}/{number % 5}.md", f"daily/2026-03-01#^e-{number}"
    about = ("Title", "entry", "2026-03-01", (f"p{project}",), (), text)
    return Document(path, str(number), *about, link=link, heard=subjects)


def replaced(path, pairs):
    """Let passages be replaced by others, as the index links what was amended."""
    with sqlite3.connect(path) as base:
        base.executemany("UPDATE passage SET newer = ? WHERE id = ?", pairs)


def exhaustive(path, units, is_wanted):
    """Rank all documents by their best row, ties by path and place: link, score and excerpt."""
    match = " OR ".join(f'"{unit}"' for unit in units)
    with sqlite3.connect(path) as base:
        scores = "SELECT rowid, -bm25(words, 1.0, 4.0) FROM words WHERE words MATCH ?"
        best = {}
        for row, score in base.execute(scores, (match,)):
            (number,) = base.execute("SELECT document FROM passage WHERE id = ?", (row,)).fetchone()
            best[number] = max(score, best.get(number, score))
        query = """SELECT path, projects, link, text FROM document JOIN file ON file.id = file
            JOIN passage ON document = document.id AND NOT heard WHERE document.id = ?"""
        about = {number: base.execute(query, (number,)).fetchone() for number in best}
    order = sorted(best, key=lambda number: (-best[number], about[number][0], number))
    rows = ((best[one], *about[one]) for one in order if is_wanted(*about[one][:2]))
    return [(link, float(f"{best:.4g}"), excerpt(text, units)) for best, _, _, link, text in rows]


def excerpt(text, units):
    """Choose the passage with most of the words by itself, in a table of its own."""
    parts = split_passages(text)
    quoted = [f'"{unit}"' for unit in units]
    words = (find_matching_words(quoted, [part])[0] for part in parts)
    counts = [len({word.lower() for word in row}) for row in words]
    return parts[counts.index(max(counts))]


# what is asked for, and whether a document of that path and projects is it
WANTED = [
    ({}, lambda path, projects: True),
    ({"project": "p1"}, lambda path, projects: projects == "p1"),
    ({"scope": "team"}, lambda path, projects: "/team/" in path),
    ({"scope": "own"}, lambda path, projects: "/team/" not in path),
]
UNITS = st.lists(st.sampled_from(WORDS[:4]), unique=True, min_size=1)


@given(st.lists(NOTE, min_size=1, max_size=30), UNITS, st.integers(1, 12))
def test_the_best_are_those_of_all(tmp_path_factory, notes, units, most):
    path = tmp_path_factory.mktemp("index") / "search.sqlite"
    index = SearchIndex(path)
    index.sync_documents([document(number, note) for number, note in enumerate(notes)])
    for asked, is_wanted in WANTED:
        hits = index.find(" ".join(units), limit=most, **asked)
        got = [(hit.link, hit.score, hit.passage) for hit in hits]
        assert got == exhaustive(path, units, is_wanted)[:most]


def test_of_many_that_are_as_good_the_first_by_path_is_given_whichever_came_first(tmp_path):
    index = SearchIndex(tmp_path / "search.sqlite")
    notes = [document(number, ("queue", [], 0, False)) for number in (4, 3, 2, 1, 0)]
    for count in range(1, 6):
        index.sync_documents(notes[:count])
    assert [hit.link[-1] for hit in index.find("queue", limit=1)] == ["0"]


def test_documents_of_many_passages_leave_room_for_others(tmp_path):
    subjects = tuple(HeardSubject(turn, "queue") for turn in range(40))
    many = replace(document(0, ("queue", [], 0, False)), heard=subjects)
    others = [document(number, (f"queue {'lease ' * number}", [], 0, False)) for number in (1, 2)]
    index = SearchIndex(tmp_path / "search.sqlite")
    index.sync_documents([many, *others])
    assert len(index.find("queue", limit=3)) == 3


def test_what_was_replaced_stands_behind_what_replaced_it(tmp_path):
    path = tmp_path / "search.sqlite"
    index = SearchIndex(path)
    texts = ("queue queue", "queue lease", "queue batch retry")
    index.sync_documents([document(at, (text, [], 0, False)) for at, text in enumerate(texts)])
    replaced(path, [(3, 1)])
    hits = index.find("queue", limit=3)
    assert [hit.link[-1] for hit in hits] == ["1", "2", "0"]
    assert [hit.status for hit in hits] == ["current", "current", "replaced"]
    assert hits[1].replaces == hits[2].link
