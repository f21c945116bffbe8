import sqlite3
from dataclasses import fields

import pytest

from memoria.errors import VaultError
from memoria.hooks import failure_answer
from memoria.search.cures.known_cures import Cure
from memoria.search.cures.store import write


def cure(key, anchor="lease", change="- x"):
    return Cure(
        key, anchor, "shell exit no", "make", "p", "2026-03-02", "", "no", "edit", change, ""
    )


def rows(path):
    with sqlite3.connect(path) as base:
        return base.execute("SELECT key, change FROM cure ORDER BY key").fetchall()


def test_the_file_holds_what_it_was_brought_to(tmp_path):
    path = tmp_path / "cures.sqlite"
    write(path, [cure("a"), cure("b")])
    assert rows(path) == [("a", "- x"), ("b", "- x")]
    before = path.stat().st_ino
    write(path, [cure("a"), cure("b")])
    assert path.stat().st_ino == before  # nothing has changed
    write(path, [cure("b", change="- y")])
    assert rows(path) == [("b", "- y")]
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4000])
def test_what_is_broken_is_made_again(tmp_path, damage):
    path = tmp_path / "cures.sqlite"
    path.write_bytes(damage)
    path.with_name("cures.sqlite.new").write_bytes(b"half")
    write(path, [cure("a")])
    assert rows(path) == [("a", "- x")]


def test_a_lone_surrogate_of_the_ledger_can_be_kept(tmp_path):
    write(tmp_path / "cures.sqlite", [cure("a", change="- lea\ud83cse")])
    assert len(rows(tmp_path / "cures.sqlite")) == 1


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "cures.sqlite").mkdir()
    with pytest.raises((VaultError, OSError)):
        write(tmp_path / "cures.sqlite", [cure("a")])


def test_both_sides_speak_of_the_same_columns():
    assert set(failure_answer._COLUMNS) <= {field.name for field in fields(Cure)}
