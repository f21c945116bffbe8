"""Cases of tests that differ in data alone: cases.txt beside the tests has a line for each.

A part begins with `## TEST: NAME, NAME`, the names of a test and of its parameters. A line below
it is a case, its values as Python writes literals; a line that begins with `# ` is a comment.
"""

import re
from ast import literal_eval
from functools import cache
from pathlib import Path

import pytest

_HEAD = re.compile(r"^## (\w+): (.+)\n", re.MULTILINE)


def cased(*more):
    """Try a test on each case of its part of cases.txt, and on these."""

    def decorated(test):
        names, rows = parts(Path(test.__code__.co_filename).parent)[test.__name__]
        return pytest.mark.parametrize(names, [*rows, *more])(test)

    return decorated


@cache
def parts(folder):
    """Give the parts of a folder's cases: by a test's name, its parameters and their values."""
    _, *found = _HEAD.split((folder / "cases.txt").read_text(encoding="utf-8"))
    heads = zip(found[::3], found[1::3], found[2::3], strict=True)
    return {name: (names, _rows(text)) for name, names, text in heads}


def _rows(text):
    lines = (line for line in text.split("\n") if line and not line.startswith("# "))
    return [literal_eval(line) for line in lines]
