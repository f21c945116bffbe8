"""Calls -> Checks: each test run, linter, type check and build, with how each run ended.

The trap: a selection of tests says nothing of the rest, so it is a run but no whole one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.observing.call_outcomes import check_outcomes
from memoria.capture.extract.observing.values import Check, Run
from memoria.text.shell.actions import verb

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.capture.extract.observing.values import CheckKind, ObservedCall

_SELECTED = re.compile(
    r"-run|-k|-t|-g|--?(?:filter|grep|testNamePattern|tests?|only)(?:=.*)?|.*::.*|.*\.(?:py"
    r"|[jt]sx?|rb|go|rs)|--no-run|--collect-only|--?list(?:Tests)?"
)
_KINDS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    ("types", re.compile(r"mypy|pyright|\btsc\b|type-?check|\btypes\b|\bty\b")),
    (
        "lint",
        re.compile(
            r"lint|ruff|flake8|biome|clippy|\bvet\b|prettier|format|\bfmt\b|staticcheck|rubocop"
            r"|shellcheck|black|pre-commit"
        ),
    ),
    (
        "test",
        re.compile(r"tests?\b|jest|vitest|mocha|rspec|phpunit|\btox\b|\bnox\b|e2e|spec|bats|unit"),
    ),
    ("build", re.compile(r"build|compile|make|cmake|ninja|javac|gcc|clang|rustc|cargo check")),
)


def checks(calls: Iterable[ObservedCall]) -> tuple[Check, ...]:
    """Gather the checks with all their runs; the order is that of their last runs."""
    runs: dict[str, list[Run]] = {}
    for one in calls:
        for command, ended in check_outcomes(one.call):
            name = verb(command)
            if name == "git commit":
                continue
            found = runs.pop(name, [])
            run = Run(one.turn, one.step, one.call.at, ended, is_whole(command.words))
            runs[name] = [*found, run]
    return tuple(Check(name, kind(name), tuple(found)) for name, found in runs.items())


def is_whole(words: Sequence[str]) -> bool:
    """Say whether a command runs all of a check, and no selection or folder of it."""
    if tuple(words[:2]) == ("go", "test") and "-c" in words:  # it only compiles
        return False
    folders = any("/" in word and not word.endswith("./...") for word in words[2:])
    return not folders and not any(map(_SELECTED.fullmatch, words))


def kind(name: str) -> CheckKind:
    """Say what a check of that name checks."""
    return next((kind for kind, pattern in _KINDS if pattern.search(name)), "check")
