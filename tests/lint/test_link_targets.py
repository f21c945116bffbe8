"""Targets of links -> files, as Obsidian opens them."""

import pytest
from cases import cased

from memoria.lint.checks import FileNames

FILES = (
    "README.md", "daily/2026-04-01.md", "knowledge/concepts/session-tokens.md",
    "knowledge/concepts/caf\u00e9.md", "knowledge/concepts/v1.2.md",
    "knowledge/concepts/two words.md", "knowledge/tools/make.md", "knowledge/projects/make.md",
    "knowledge/picture.PNG",
)  # fmt: skip
NAMES = FileNames(FILES)
HERE = "knowledge/concepts/x.md"


@cased(("", HERE))
def test_resolves(target, file):
    assert NAMES.resolve(target, HERE) == file


@pytest.mark.parametrize(
    "target",
    ["tools/session-tokens", "tokens/jwt", "session tokens", "okens", "../make", "/make", "x.png"],
)
def test_does_not_resolve(target):
    assert NAMES.resolve(target, HERE) == ""


def test_of_several_the_nearest_comes_first():
    assert NAMES.resolve("make", "knowledge/projects/y.md") == "knowledge/projects/make.md"
    assert NAMES.resolve("make", HERE) == "knowledge/projects/make.md"
