"""Globs of words and paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.text("a*?/", max_size=12), st.text("ab/", max_size=12))
def test_a_glob_of_anything_fits_whatever_it_is_put_around(glob, word):
    assert fits_word(f"*{word}*", f"x{word}y")
    assert fits_path("**/" + word.strip("/") if word.strip("/") else "**", word.strip("/") or "x")
    assert fits_word(glob, word) in {True, False}


def test_a_hostile_glob_ends():
    assert not fits_word("*a" * 60 + "b", "a" * 200)
    assert not fits_path("**/a/" * 50 + "b", "a/" * 200 + "c")
