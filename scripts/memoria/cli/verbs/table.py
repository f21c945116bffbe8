"""Join the groups of verbs: all by name, and the names of each group under its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.cli.verbs import begin, evidence, loop, notebook, rules, team, upkeep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.cli.verbs.verb import Verb

_GROUPS = (begin, loop, notebook, rules, evidence, team, upkeep)
VERBS: Mapping[str, Verb] = {name: verb for group in _GROUPS for name, verb in group.VERBS.items()}
# What a person needs from day to day; `memoria --help` shows it first.
DAILY = (
    "start",
    "install",
    "status",
    "search",
    "query",
    "review",
    "remember",
    "undo",
    "forget",
    "report",
    "doctor",
)
# other names -> the words that they stand for
ALIASES = {"ask": ("query",), "rules": ("status", "--rules")}
GROUPS = {group.TITLE: tuple(group.VERBS) for group in _GROUPS}
