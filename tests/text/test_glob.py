"""Globs of words and paths."""

from cases import cased

from memoria.text.glob import fits_path, fits_word


@cased()
def test_words(glob, word, fits):
    assert fits_word(glob, word) is fits


@cased()
def test_paths(glob, path, fits):
    assert fits_path(glob, path) is fits


def test_a_hostile_glob_ends():
    assert not fits_word("*a" * 60 + "b", "a" * 200)
    assert not fits_path("**/a/" * 50 + "b", "a/" * 200 + "c")
