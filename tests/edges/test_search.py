import sqlite3
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.edges.search import Search
from memoria.errors import VaultError
from memoria.stages.passage import Document

NOTES = [
    ("concepts/expiry", "h1", "Token expiry", "Tokens expire in UTC and nowhere else."),
    ("concepts/storm", "h2", "Retry storms", "A webhook that times out is retried, tokens or not."),
    ("concepts/index", "h3", "Index choice", "A partial index serves the queue."),
    ("qa/why", "h4", "Why does the queue stall?", "Expiry of the lease; the expiry is in UTC."),
]


def documents(notes):
    """Give notes of (path, hash, title, text) as what is searched."""
    for path, sha, title, text in notes:
        yield Document(f"knowledge/{path}.md", sha, title, "concept", "", (), (), text)


def fill(index, notes):
    index.refresh(documents(notes))


@pytest.fixture
def index(tmp_path):
    found = Search(tmp_path / "state" / "search.sqlite")
    fill(found, NOTES)
    return found


def results(index):
    words = ("expiry", "token expired", "webhooks retrying", "the queue", "partial INDEX", "lease")
    return {word: index.related(word, 8) for word in words}


def test_the_best_come_first_and_a_title_counts_more_than_the_text(index):
    assert index.related("what is the expiry of a token?", 8)[0] == "concepts/expiry"
    assert index.related("retries of webhooks", 1) == ["concepts/storm"]
    assert index.related("indexes", 8) == ["concepts/index"]
    assert index.related("expiry", 8) == ["concepts/expiry", "qa/why"]
    assert index.related("unknown words alone", 8) == []
    assert index.related(" ,.!? ", 8) == []
    assert (
        index.related("expiry token queue webhook", 2)
        == index.related("expiry token queue webhook", 8)[:2]
    )


def test_without_an_index_nothing_is_related(tmp_path):
    assert Search(tmp_path / "search.sqlite").related("expiry", 8) == []
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("order", [1, -1])
def test_ties_are_in_order_of_the_paths(tmp_path, order):
    index = Search(tmp_path / "search.sqlite")
    paths = [f"concepts/{letter}" for letter in "abcdef"]
    fill(index, ((path, path, "Same title", "same text") for path in paths[::order]))
    assert index.related("same title", 9) == paths


def test_changed_new_and_deleted_notes_are_found_by_their_hash(index):
    changed = ("concepts/expiry", "h9", "Session length", "A session lasts an hour.")
    kept = ("concepts/storm", "h2", "IGNORED", "the hash says that nothing changed")
    new = ("concepts/new", "h8", "Backfill", "Backfill in batches of thousands.")
    fill(index, (changed, kept, new))
    assert index.related("expiry", 8) == []
    assert index.related("session length", 8) == ["concepts/expiry"]
    assert index.related("storms", 8) == ["concepts/storm"]
    assert index.related("ignored", 8) == []
    assert index.related("backfills", 8) == ["concepts/new"]
    fill(index, [])
    assert not any(results(index).values())


def damage(path, how):
    if how == "gone":
        path.unlink()
    elif how == "garbage":
        path.write_bytes(b"this is no data base" * 500)
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    elif how == "overwritten":
        data = bytearray(path.read_bytes())
        data[4096:] = b"\x55" * (len(data) - 4096)
        path.write_bytes(data)
    elif how == "older":
        path.unlink()
        base = sqlite3.connect(path)
        base.executescript(
            "CREATE TABLE note(path TEXT PRIMARY KEY, sha TEXT NOT NULL);"
            "CREATE VIRTUAL TABLE passage USING fts5(path UNINDEXED, title, body);"
            "INSERT INTO note VALUES ('concepts/expiry', 'old');"
        )
        base.close()


@pytest.mark.parametrize("how", ["gone", "garbage", "empty", "cut", "overwritten", "older"])
def test_a_damaged_index_is_made_again_with_the_same_results(index, tmp_path, how):
    before = results(index)
    damage(tmp_path / "state" / "search.sqlite", how)
    index.related("expiry", 8)  # gives something or nothing, and no error
    fill(index, NOTES)
    assert results(index) == before
    assert all(before.values())


@given(
    first=st.lists(st.sampled_from(NOTES), unique=True),
    second=st.lists(st.sampled_from(NOTES), unique=True),
)
@settings(max_examples=8, deadline=None)
def test_an_index_of_any_history_gives_what_a_fresh_one_gives(tmp_path_factory, first, second):
    root = tmp_path_factory.mktemp("search")
    grown, fresh = Search(root / "grown"), Search(root / "fresh")
    fill(grown, first)
    fill(grown, second)
    fill(fresh, second)
    assert results(grown) == results(fresh)


@given(st.text())
@settings(max_examples=100, deadline=None)
def test_any_text_can_be_asked_for(index_of_all, text):
    assert set(index_of_all.related(text, 8)) <= {path for path, *_ in NOTES}


@pytest.fixture(scope="module")
def index_of_all(tmp_path_factory):
    found = Search(tmp_path_factory.mktemp("index") / "search.sqlite")
    fill(found, NOTES)
    return found


@pytest.mark.parametrize(
    "text", ['"quoted" OR title:x', "a* NEAR(b c) -d ^e", "'; DROP TABLE note"]
)
def test_the_language_of_queries_is_not_spoken(index, text):
    index.related(text, 8)
    assert index.related("expiry", 8)


def test_a_lock_of_another_process_is_no_reason_to_throw_the_index_away(index, tmp_path):
    path = tmp_path / "state" / "search.sqlite"
    inode = path.stat().st_ino
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    real = sqlite3.connect
    sqlite3.connect = lambda *names, **more: real(*names, **more | {"timeout": 0})
    try:
        with pytest.raises(VaultError, match=r"search\.sqlite cannot be used: database is locked"):
            fill(index, [])
    finally:
        sqlite3.connect = real
        other.close()
    assert path.stat().st_ino == inode
    assert index.related("expiry", 8)


def test_a_folder_in_its_place_is_named(tmp_path):
    (tmp_path / "search.sqlite").mkdir()
    with pytest.raises(VaultError, match=r"search\.sqlite cannot be used"):
        fill(Search(tmp_path / "search.sqlite"), NOTES)


def test_it_is_for_this_user_alone(index, tmp_path):
    path = tmp_path / "state" / "search.sqlite"
    assert [one.stat().st_mode & 0o777 for one in (path, path.parent)] == [0o600, 0o700]


def test_its_cost_is_linear(tmp_path):
    """Finding passages by their path read the whole index each time: 13 s instead of 0.5."""
    index = Search(tmp_path / "search.sqlite")
    words = "webhook retry expiry token queue index lease batch migrate schema".split()  # noqa: SIM905
    notes = [
        (f"concepts/n-{n}", f"h{n}", f"Note {n}", " ".join(words[n % 10 :] * 20))
        for n in range(3000)
    ]
    begin = time.perf_counter()
    fill(index, notes)
    fill(index, ((path, sha + "x", title, text) for path, sha, title, text in notes))
    assert time.perf_counter() - begin < 6
