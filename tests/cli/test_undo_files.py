"""Steps that the journal keeps: which there are, and what they did to each file."""

import pytest

from memoria.cli.undo_files import list_past_steps, read_file_changes
from memoria.vault.storage import disk
from memoria.vault.storage.journal import Append, Journal, OutsideChange, Write, WriteScope


def opened(root):
    """Open the journal of a vault in root/vault."""
    return Journal(root / "state/journal", WriteScope(root / "vault", root / "state"))


@pytest.fixture
def vault(tmp_path):
    return disk.make_folder(tmp_path / "vault")


def test_transactions_of_a_step_are_one_and_follow_upon_one_another(tmp_path, vault):
    journal, path = opened(tmp_path), vault / "a.md"
    for old, new in ((b"", b"1"), (b"1", b"2"), (b"2", b"3")):
        expected = disk.sha(old) if old else ""
        journal.commit([Write(path, new, expected)], label="compile", step="s1")
    journal.commit([Write(path, b"4", disk.sha(b"3"))], label="lint", step="s2")
    one, other = list_past_steps(journal)
    assert (one.number, one.label, one.id, one.paths) == (1, "compile", "s1", (str(path),))
    assert [(two.before, two.after) for two in read_file_changes(journal, one)] == [(None, b"3")]
    assert [(two.before, two.after) for two in read_file_changes(journal, other)] == [(b"3", b"4")]


def test_an_edit_between_two_transactions_keeps_both(tmp_path, vault):
    journal, path = opened(tmp_path), vault / "a.md"
    journal.commit([Write(path, b"1", "")], label="compile", step="s1")
    path.write_bytes(b"mine")
    journal.commit([Write(path, b"2", disk.sha(b"mine"))], label="compile", step="s1")
    (one,) = list_past_steps(journal)
    assert [(two.before, two.after) for two in read_file_changes(journal, one)] == [
        (b"mine", b"2"),
        (None, b"1"),
    ]


def test_a_file_that_goes_and_one_that_somebody_else_writes(tmp_path, vault):
    journal, path = opened(tmp_path), vault / "a.md"
    path.write_bytes(b"old")
    outside = OutsideChange(tmp_path / "CLAUDE.md", None, b"rules")
    changes = [
        Write(path, None, disk.sha(b"old")),
        Write(vault / "index.md", b"rows", "", derived=True),
        outside,
        Append(tmp_path / "state/ledger", b"x\n"),
    ]
    journal.commit(changes, label="undo", step="s1")
    assert not path.exists()
    assert not (tmp_path / "CLAUDE.md").exists()
    (one,) = list_past_steps(journal)
    # of what is derived, and of the ledger, nothing is kept
    assert sorted(path.name for path in one.folders[0].iterdir()) == ["0.old", "2.new", "COMMIT"]
    assert {two.path[-5:]: (two.before, two.after) for two in read_file_changes(journal, one)} == {
        "/a.md": (b"old", None),
        "DE.md": (None, b"rules"),
    }


def test_twenty_steps_of_each_label_are_kept_and_forget_drops_all(tmp_path, vault):
    journal, path = opened(tmp_path), vault / "a.md"
    for number in range(25):
        old = disk.sha(str(number - 1).encode()) if number else ""
        label = "compile" if number == 0 else "review"
        journal.commit([Write(path, str(number).encode(), old)], label=label, step=f"s{number}x")
    assert [one.label for one in list_past_steps(journal)] == ["compile", *["review"] * 20]
    (tmp_path / "state/journal/done/notes.txt").write_text("a person's")
    journal.forget()
    assert list_past_steps(journal) == ()


def test_a_vault_and_a_state_that_were_moved_name_their_files_where_they_are(tmp_path, vault):
    journal, outside = opened(tmp_path), tmp_path / "CLAUDE.md"
    changes = [Write(vault / "a.md", b"1", ""), OutsideChange(outside, None, b"2")]
    journal.commit(changes, label="compile", step="s1")
    (tmp_path / "elsewhere").mkdir()
    vault.rename(tmp_path / "elsewhere/vault")
    (tmp_path / "state").rename(tmp_path / "elsewhere/state")
    (one,) = list_past_steps(opened(tmp_path / "elsewhere"))
    assert set(one.paths) == {str(tmp_path / "elsewhere/vault/a.md"), str(outside)}
