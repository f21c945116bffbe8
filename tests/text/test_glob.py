"""Globs of words and paths."""

import pytest

from memoria.text.glob import fits_path, fits_word


@pytest.mark.parametrize(
    ("glob", "word", "fits"),
    [
        ("push", "push", True),
        ("push", "Push", False),
        ("pu*", "push", True),
        ("*", "", True),
        ("p?sh", "push", True),
        ("p?sh", "psh", False),
        ("*Co-Authored-By*", "Fix\n\nCo-Authored-By: me", True),
        ("+*", "+main", True),
        ("[a]", "a", False),
    ],
)
def test_words(glob, word, fits):
    assert fits_word(glob, word) is fits


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "src/a.py", True),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/**", "src/x/a.py", True),
        ("src/", "src/x/a.py", True),
        ("migrations/", "app/migrations/1.sql", True),
        ("migrations/", "app/migrations", False),
        ("src/**/test_*.py", "src/test_a.py", True),
        ("/etc/**", "/etc/passwd", True),
        ("./a.py", "x/a.py", True),
        (".env", "app/.env", True),
        (".env", ".envrc", False),
    ],
)
def test_paths(glob, path, fits):
    assert fits_path(glob, path) is fits


def test_a_hostile_glob_ends():
    assert not fits_word("*a" * 60 + "b", "a" * 200)
    assert not fits_path("**/a/" * 50 + "b", "a/" * 200 + "c")
