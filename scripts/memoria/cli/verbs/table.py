"""Join the groups of verbs: all by name, and the names of each group under its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.cli.verbs import rules, vault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.cli.verbs.verb import Verb

# page of the reference, title in the help, verbs
_GROUPS = (
    ("begin", "set up", vault.BEGIN),
    ("loop", "capture and compile (hooks do it for you)", vault.LOOP),
    ("notebook", "notebook", vault.NOTEBOOK),
    ("rules", "rules", rules.RULES),
    ("evidence", "does it help?", rules.EVIDENCE),
    ("team", "team", rules.TEAM),
    ("upkeep", "upkeep", vault.UPKEEP),
)
VERBS: Mapping[str, Verb] = {name: verb for *_, group in _GROUPS for name, verb in group.items()}
# What a person needs from day to day; `memoria --help` shows it first.
DAILY = tuple("start install status search query review remember undo forget report doctor".split())  # noqa: SIM905 - reads best as text
# other names -> the words that they stand for
ALIASES = {"ask": ("query",), "rules": ("status", "--rules")}
GROUPS = {title: tuple(verbs) for _, title, verbs in _GROUPS}
PAGES = {title: page for page, title, _ in _GROUPS}
