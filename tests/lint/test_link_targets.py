"""Targets of links -> files, as Obsidian opens them."""

import pytest

from memoria.lint.checks import FileNames

FILES = (
    "README.md", "daily/2026-04-01.md", "knowledge/concepts/session-tokens.md",
    "knowledge/concepts/caf\u00e9.md", "knowledge/concepts/v1.2.md",
    "knowledge/concepts/two words.md", "knowledge/tools/make.md", "knowledge/projects/make.md",
    "knowledge/picture.PNG",
)  # fmt: skip
NAMES = FileNames(FILES)
HERE = "knowledge/concepts/x.md"


@pytest.mark.parametrize(
    ("target", "file"),
    [
        ("concepts/session-tokens", "knowledge/concepts/session-tokens.md"),
        ("knowledge/concepts/session-tokens", "knowledge/concepts/session-tokens.md"),
        ("/knowledge/concepts/session-tokens", "knowledge/concepts/session-tokens.md"),
        ("session-tokens", "knowledge/concepts/session-tokens.md"),
        ("Session-Tokens", "knowledge/concepts/session-tokens.md"),
        ("session-tokens.md", "knowledge/concepts/session-tokens.md"),
        ("./session-tokens", "knowledge/concepts/session-tokens.md"),
        ("../tools/make", "knowledge/tools/make.md"),
        ("cafe\u0301", "knowledge/concepts/caf\u00e9.md"),
        ("two\u00a0words", "knowledge/concepts/two words.md"),
        ("v1.2", "knowledge/concepts/v1.2.md"),
        ("daily/2026-04-01", "daily/2026-04-01.md"),
        ("2026-04-01", "daily/2026-04-01.md"),
        ("picture.png", "knowledge/picture.PNG"),
        ("readme", "README.md"),
        ("", HERE),
    ],
)
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
