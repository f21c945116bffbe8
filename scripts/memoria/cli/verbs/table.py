"""Join the groups of verbs: all by name, and the names of each group under its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.cli.verbs import begin, evidence, loop, notebook, rules, team, upkeep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.cli.verbs.verb import Verb

_GROUPS = (begin, loop, notebook, rules, evidence, team, upkeep)
VERBS: Mapping[str, Verb] = {name: verb for group in _GROUPS for name, verb in group.VERBS.items()}
# what `memoria --help` shows
GROUPS = {group.TITLE: tuple(group.VERBS) for group in _GROUPS}
