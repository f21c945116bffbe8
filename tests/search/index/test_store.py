import random
import sqlite3
import time

import pytest
from cases import cased
from hypothesis import given, settings, strategies as st

from memoria.errors import VaultError
from memoria.search.index import store as search
from memoria.search.index.passages import Document
from memoria.search.index.store import FileContent, SearchIndex

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
    index.sync_documents(documents(notes))


@pytest.fixture
def index(tmp_path):
    found = SearchIndex(tmp_path / "state" / "search.sqlite")
    fill(found, NOTES)
    return found


def results(index):
    words = ("expiry", "token expired", "webhooks retrying", "the queue", "partial INDEX", "lease")
    return {word: index.find_related(word, 8) for word in words}


def test_the_best_come_first_and_a_title_counts_more_than_the_text(index):
    assert index.find_related("what is the expiry of a token?", 8)[0] == "concepts/expiry"
    assert index.find_related("retries of webhooks", 1) == ["concepts/storm"]
    assert index.find_related("indexes", 8) == ["concepts/index"]
    assert index.find_related("expiry", 8) == ["concepts/expiry", "qa/why"]
    assert index.find_related("unknown words alone", 8) == []
    assert index.find_related(" ,.!? ", 8) == []
    two, eight = (index.find_related("expiry token queue webhook", most) for most in (2, 8))
    assert two == eight[:2]


def test_without_an_index_nothing_is_related(tmp_path):
    assert SearchIndex(tmp_path / "search.sqlite").find_related("expiry", 8) == []
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("order", [1, -1])
def test_ties_are_in_order_of_the_paths(tmp_path, order):
    index = SearchIndex(tmp_path / "search.sqlite")
    paths = [f"concepts/{letter}" for letter in "abcdef"]
    fill(index, ((path, path, "Same title", "same text") for path in paths[::order]))
    assert index.find_related("same title", 9) == paths


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
    index.find_related("expiry", 8)  # gives something or nothing, and no error
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
    grown, fresh = SearchIndex(root / "grown"), SearchIndex(root / "fresh")
    fill(grown, first)
    fill(grown, second)
    fill(fresh, second)
    assert results(grown) == results(fresh)


@pytest.mark.parametrize(
    "text",
    [
        '"quoted" OR title:x',
        "a* NEAR(b c) -d ^e",
        "'; DROP TABLE note",
        'expiry" OR "',
        "AND OR NOT",
        "expiry\0storm",
        '"',
        "(((",
        "*",
        "-",
        "\ud800",
        "x" * 10_000,
        "expiry " * 2000,
        " ".join(f"w{number}" for number in range(3000)),
        "\u00b2 \u00aa \u2460 \U0001f600 \u0e01\u0e33",
    ],
)
def test_the_language_of_queries_is_not_spoken(index, text):
    index.find_related(text, 8)
    found = index.find(text)
    assert bool(found) == ("expiry" in text or text == "AND OR NOT")
    assert index.find_related("expiry", 8)


def test_a_lock_of_another_process_is_no_reason_to_throw_the_index_away(
    index, tmp_path, monkeypatch
):
    monkeypatch.setattr(search, "_PATIENCE_SECONDS", 0)
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
    assert index.find_related("expiry", 8)


def test_it_is_for_this_user_alone(index, tmp_path):
    path = tmp_path / "state" / "search.sqlite"
    assert [one.stat().st_mode & 0o777 for one in (path, path.parent)] == [0o600, 0o700]


def note(path="knowledge/concepts/x.md", text="", **cells):
    known = {"sha": f"{path} {text}", "title": "A title", "kind": "concept", "date": ""}
    return Document(path=path, text=text, **({"projects": (), "tags": ()} | known | cells))


def index_of(tmp_path, *notes):
    found = SearchIndex(tmp_path / "search.sqlite")
    found.sync_documents(notes)
    return found


def found(index, query, **filters):
    return [hit.path.split("/")[-1].removesuffix(".md") for hit in index.find(query, **filters)]


@cased()
def test_names_are_found_as_wholes_and_by_their_parts(tmp_path, text, queries, others):
    index = index_of(tmp_path, note(text=text), note("knowledge/concepts/y.md", "something else"))
    assert all(found(index, query) == ["x"] for query in queries.split())
    assert found(index, others) == []


def test_a_whole_name_counts_more_than_its_parts(tmp_path):
    index = index_of(
        tmp_path,
        note("a/parts.md", "a store of every token, and a token for the store"),
        note("b/whole.md", "a token store is where they are kept, says the guide"),
        note("c/camel.md", "class TokenStore"),
    )
    assert found(index, "TokenStore") == ["camel", "whole", "parts"]
    assert found(index, '"token store"')[-1] == "parts"


FILTERED = [
    note("daily/2026-03-01.md", "expiry one", kind="entry", date="2026-03-01", title="Monday"),
    note("daily/2026-03-01.md", "expiry two", kind="entry", date="2026-03-01", title="Evening"),
    note(
        "knowledge/concepts/shop.md",
        "expiry",
        date="2026-02-01",
        projects=("github.com/ana/Shop", "github.com/ana/trail"),
        tags=("auth/tokens", "Urgent"),
    ),
    note("knowledge/rules/wf-1.md", "expiry", kind="rule", projects=("github.com/ana/other",)),
]


@cased()
def test_filters(tmp_path, filters, names):
    assert sorted(found(index_of(tmp_path, *FILTERED), "expiry", **filters)) == names


def test_a_hit_says_what_it_is_and_shows_where(tmp_path):
    text = "\n".join(f"- line {number}: {'filler ' * 20}" for number in range(20))
    hit_line = "- the lease expires at noon"
    cells = {"title": "uv", "kind": "tool", "date": "2026-02-01", "projects": ("a", "b")}
    tool = note("knowledge/tools/uv.md", f"{text}\n{hit_line}\n{text}", **cells)
    (hit,) = index_of(tmp_path, tool).find("expired leases")
    assert (hit.path, hit.title, hit.kind) == ("knowledge/tools/uv.md", "uv", "tool")
    assert (hit.date, hit.project) == ("2026-02-01", "a, b")
    assert hit.score > 0
    assert hit_line in hit.passage
    assert len(hit.passage) < 800


def reader(texts, log):
    def read(path):
        log.append(path)
        text = texts[path]
        return FileContent(text, (note(path, text, sha=text),) if text else ())

    return read


def test_only_files_with_a_new_stamp_are_read(tmp_path):
    index, log = SearchIndex(tmp_path / "search.sqlite"), []
    texts = {"a/one.md": "token", "a/two.md": "storm"}
    stamps = {"a/one.md": (1, 1, 1), "a/two.md": (1, 1, 2)}
    assert not index.is_current({})
    index.sync_files(stamps, reader(texts, log))
    assert log == ["a/one.md", "a/two.md"]
    assert index.is_current(stamps)
    index.sync_files(stamps, reader(texts, log))
    assert len(log) == 2
    texts["a/two.md"] = "queue"
    stamps["a/two.md"] = (2, 1, 2)
    assert not index.is_current(stamps)
    index.sync_files(stamps, reader(texts, log))
    assert log[2:] == ["a/two.md"]
    assert (found(index, "queue"), found(index, "storm")) == (["two"], [])
    del stamps["a/one.md"]
    assert not index.is_current(stamps)
    index.sync_files(stamps, reader(texts, log))
    assert found(index, "token") == []
    assert len(log) == 3


def test_a_file_that_cannot_be_read_is_not_read_again_until_it_changes(tmp_path):
    index, log = SearchIndex(tmp_path / "search.sqlite"), []
    stamps = {"a/x.md": (1, 1, 1)}
    index.sync_files(stamps, reader({"a/x.md": ""}, log))
    assert index.is_current(stamps)
    index.sync_files({"a/x.md": (2, 2, 1)}, reader({"a/x.md": "token"}, log))
    assert found(index, "token") == ["x"]


def test_a_file_that_was_just_written_is_looked_at_again(tmp_path):
    index, stamps = SearchIndex(tmp_path / "search.sqlite"), {"a/x.md": (time.time_ns(), 1, 1)}
    index.sync_files(stamps, reader({"a/x.md": "token"}, []))
    assert not index.is_current(stamps)


def test_an_index_that_is_broken_where_only_a_search_reads_it_is_mended(tmp_path):
    path = tmp_path / "search.sqlite"
    notes = [note(f"a/{number}.md", f"token number{number} " * 30) for number in range(300)]
    mended = []

    def mend(index):
        mended.append(index)
        index.reset()
        index.sync_documents(notes)

    index = SearchIndex(path, mend)
    index.sync_documents(notes)
    base = sqlite3.connect(path)
    base.execute("UPDATE words_data SET block = x'55' WHERE id > 10")
    base.commit()
    base.close()
    assert found(index, "number7") == ["7"]
    assert mended == [index]
    assert found(index, "number8") == ["8"]
    assert len(mended) == 1


def test_an_index_of_another_version_is_made_again(tmp_path, monkeypatch):
    index = index_of(tmp_path, note(text="token"))
    monkeypatch.setattr(search, "VERSION", 99)
    assert found(index, "token") == []
    index.sync_documents([note("a/new.md", "token")])
    assert found(index, "token") == ["new"]


def test_it_is_no_larger_than_twice_the_text_and_does_not_grow_by_changes(tmp_path):
    words = [f"word{number}" for number in range(5000)]
    shuffled = random.Random(5)
    path = tmp_path / "search.sqlite"

    def notes(sha):
        for number in range(200):
            lines = (" ".join(shuffled.choices(words, k=20)) for _ in range(20))
            yield note(f"knowledge/concepts/note-{number}.md", "\n".join(lines), sha=sha)

    first = list(notes("a"))
    index = SearchIndex(path)
    index.sync_documents(first)
    size = sum(len(one.text) for one in first)
    assert path.stat().st_size < 2 * size
    for sha in "bcdef":
        index.sync_documents(notes(sha))
    assert path.stat().st_size < 4 * size
