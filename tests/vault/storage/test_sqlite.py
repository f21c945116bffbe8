"""Whose fault a failure of SQLite is."""

import sqlite3

import pytest

from memoria.vault.storage.sqlite import is_damage


def failure(path, statement):
    with pytest.raises(sqlite3.DatabaseError) as caught, sqlite3.connect(path) as base:
        base.execute(statement)
    return caught.value


def test_a_file_that_is_no_database_is_damaged(tmp_path):
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"no database at all, but long enough to be read" * 30)
    assert is_damage(failure(path, "SELECT * FROM t"))


def test_a_folder_that_is_not_there_is_not_the_file_s_fault(tmp_path):
    with pytest.raises(sqlite3.DatabaseError) as caught:
        sqlite3.connect(tmp_path / "none" / "x.sqlite")
    assert not is_damage(caught.value)


def test_a_lock_is_not_either(tmp_path):
    path = tmp_path / "x.sqlite"
    with sqlite3.connect(path, isolation_level=None) as base:
        base.execute("CREATE TABLE t (x)")
        base.execute("BEGIN EXCLUSIVE")
        with sqlite3.connect(path, timeout=0) as other, pytest.raises(sqlite3.Error) as caught:
            other.execute("INSERT INTO t VALUES (1)")
    assert not is_damage(caught.value)
