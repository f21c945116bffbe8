"""The hooks' database: what was written step by step is what is written at once."""

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.errors import VaultError
from memoria.hooks import reminder_reader as lookup
from memoria.search.reminders import store as recall
from memoria.search.reminders.rows import Found, Known
from memoria.search.reminders.store import Content, Recall

NOW = datetime(2026, 3, 2, tzinfo=UTC)
COMMON = frozenset({"test", "commit"})


def rule(name, *words, scope="", since=0.0, occasion=""):
    cut = tuple((word, 0.9, word == occasion) for word in words)
    return Known(name, f"hash-{name}", f"The rule {name}.", scope, since, cut)


def article(path, text, *scopes, sha="1"):
    words = tuple(dict.fromkeys(text.split()))
    return Found(path, sha, path.split("/")[1], "2026-03-02", scopes or ("",), words, (text,))


def content(rules=(), articles=()):
    made = {one.path: one for one in articles}
    return Content(
        tuple(rules), {path: one.sha for path, one in made.items()}, made.__getitem__, COMMON
    )


def state(path):
    """Give all that a lookup can find, without the numbers that hold it together."""
    with sqlite3.connect(path) as base:
        postings = """SELECT word.text, common, project, path FROM posting
            JOIN word ON word.id = word JOIN scope ON scope.id = scope
            JOIN article ON article.id = article"""
        queries = {
            "rules": "SELECT * FROM rule JOIN rule_word ON rule = id",
            "articles": "SELECT path, sha, title, day, passages FROM article",
            "postings": postings,
            "counts": """SELECT text, project, count.articles FROM count
                JOIN word ON word.id = word JOIN scope ON scope.id = scope
                WHERE count.articles""",
            "scopes": "SELECT project, articles FROM scope WHERE articles",
        }
        return {name: sorted(base.execute(query)) for name, query in queries.items()}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "recall.sqlite"


WORD = st.sampled_from(["lease", "till", "retry", "test", "store", "push"])
WORDS = st.lists(WORD, max_size=4).map(" ".join)
ARTICLES = st.dictionaries(
    st.sampled_from(["concepts/a", "concepts/b", "qa/c"]),
    st.tuples(
        WORDS, st.lists(st.sampled_from(["p", "q", ""]), min_size=1, max_size=2, unique=True)
    ),
).map(
    lambda found: [
        article(path, text, *scopes, sha=f"{text}{scopes}")
        for path, (text, scopes) in found.items()
    ]
)
RULES = st.lists(st.sampled_from(["wf-1", "wf-2"]), unique=True).map(
    lambda names: [rule(name, "lease", name) for name in names]
)
CONTENTS = st.builds(content, RULES, ARTICLES)


@settings(max_examples=60)
@given(st.lists(CONTENTS, min_size=1, max_size=4))
def test_step_by_step_is_at_once(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("recall")
    for step in steps:
        Recall(folder / "slow.sqlite").update(step)
    Recall(folder / "once.sqlite").update(steps[-1])
    assert state(folder / "slow.sqlite") == state(folder / "once.sqlite")


def test_only_what_changed_is_made_again(path):
    made = []

    def looked_at(found):
        return replace(found, make=lambda path: made.append(path) or found.make(path))

    first = [article("concepts/a", "lease"), article("concepts/b", "till")]
    Recall(path).update(looked_at(content(articles=first)))
    changed = [article("concepts/a", "lease"), article("concepts/b", "till retry", sha="2")]
    Recall(path).update(looked_at(content(articles=changed)))
    assert made == ["concepts/a", "concepts/b", "concepts/b"]
    before = path.read_bytes()
    Recall(path).update(looked_at(content(articles=changed)))
    assert path.read_bytes() == before


def test_more_articles_than_are_written_at_once(path, monkeypatch):
    monkeypatch.setattr(recall, "_BATCH", 3)
    many = [article(f"concepts/a-{n}", f"lease w{n}") for n in range(10)]
    Recall(path).update(content(articles=many[:8]))
    Recall(path).update(content(articles=many[1:]))
    found = state(path)
    assert len(found["articles"]) == 9
    assert ("lease", "", 9) in found["counts"]


@pytest.mark.parametrize(
    "damage", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4000, "version", "middle"]
)
def test_what_is_broken_or_of_another_version_is_made_again(path, damage):
    wanted = content([rule("wf-1", "lease")], [article("concepts/a", "lease " * 2000)])
    Recall(path).update(wanted)
    good = state(path)
    if isinstance(damage, bytes):
        path.write_bytes(damage)
    elif damage == "version":
        with sqlite3.connect(path) as base:
            base.execute("PRAGMA user_version = 99")
    else:
        data = path.read_bytes()
        path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    Recall(path).update(wanted)
    assert state(path) == good
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_a_process_that_died_has_left_is_cleared(path):
    path.with_name("recall.sqlite.new").write_bytes(b"half")
    path.with_name("recall.sqlite-journal").write_bytes(b"of the one before")
    Recall(path).update(content([rule("wf-1", "lease")]))
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "recall.sqlite").mkdir()
    with pytest.raises((VaultError, OSError)):
        Recall(tmp_path / "recall.sqlite").update(content())


def test_a_lock_of_another_is_no_reason_to_throw_it_away(path, monkeypatch):
    monkeypatch.setattr(recall, "_PATIENCE_SECONDS", 0.05)
    Recall(path).update(content([rule("wf-1", "lease")]))
    before = path.read_bytes()
    with sqlite3.connect(path) as base:
        base.execute("BEGIN EXCLUSIVE")
        with pytest.raises(VaultError, match="locked"):
            Recall(path).update(content([rule("wf-2", "lease")]))
    assert path.read_bytes() == before


def test_both_sides_speak_of_the_same_version():
    assert lookup.VERSION == recall.VERSION
