import pytest

from memoria.vault.storage.sync_services import copies, is_placeholder


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("a/plan (Ana's conflicted copy 2026-03-02).md", "a/plan.md"),
        ("a/plan conflicted copy.md", "a/plan.md"),
        ("a/plan.sync-conflict-20260302-101010-ABCDEFG.md", "a/plan.md"),
        ("daily/2026-03-02.sync-conflict-20260303-080000-ABCDEFG.md", "daily/2026-03-02.md"),
        ("a/plan 2.md", "a/plan.md"),
        ("a/plan (1).md", "a/plan.md"),
    ],
)
def test_what_a_sync_client_calls_another_state_of_a_note(name, of):
    assert copies([name, "a/plan.md", "daily/2026-03-02.md"]) == {name: of}


@pytest.mark.parametrize("name", ["a/plan 2.md", "a/synced.md", "a/phase 2.md", "a/Sync notes.md"])
def test_a_note_of_its_own_is_none(name):
    assert copies([name]) == {}


@pytest.mark.parametrize(
    ("name", "expected"), [(".plan.md.icloud", True), ("plan.icloud", False), (".plan.md", False)]
)
def test_a_file_whose_content_is_elsewhere(name, expected):
    assert is_placeholder(name) is expected
