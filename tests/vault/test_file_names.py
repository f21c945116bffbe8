import unicodedata

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.vault.file_names import MAX_SLUG_CHARS, SLUG, find_sync_copies, slugify
from memoria.vault.schema import RESERVED


@cased(("word " * 40, "-".join(["word"] * 12)))
def test_names(title, name):
    assert slugify(title) == name


@given(st.text(max_size=150))
def test_a_slug_is_a_legal_file_name_or_none(title):
    name = slugify(title)
    assert not name or SLUG.match(name)
    assert name not in RESERVED
    assert len(name) <= MAX_SLUG_CHARS


@given(st.lists(st.text(max_size=60), max_size=8))
def test_slugs_that_differ_differ_on_every_disk(titles):
    names = {slugify(title) for title in titles}
    # one case, one form, no ending that Windows drops, nothing that means a stream or a folder
    assert len({unicodedata.normalize("NFD", name).casefold() for name in names}) == len(names)
    for name in names - {""}:
        assert not set(name) & set('\\/:*?"<>|%~. ')
        assert not name.startswith("-")


@pytest.mark.parametrize(
    "given_",
    [
        *("../x", "..", ".", "a/b", "a\\b", "a.md:stream", "a.", "a ", "%2e%2e", "CON", "con.md"),
        *("~", "-x", "x" * 81, "", "a\0", "a\n", "\u0430", "A", "nul", "lpt1", "com0", "/etc/x"),
        "a\u202eb",
    ],
)
def test_what_a_model_may_not_name_a_note(given_):
    assert given_ in RESERVED or not SLUG.match(given_)


@cased()
def test_what_a_sync_client_calls_another_state_of_a_note(name, of):
    assert find_sync_copies([name, "a/plan.md", "daily/2026-03-02.md"]) == {name: of}


@pytest.mark.parametrize("name", ["a/plan 2.md", "a/synced.md", "a/phase 2.md", "a/Sync notes.md"])
def test_a_note_of_its_own_is_none(name):
    assert find_sync_copies([name]) == {}
