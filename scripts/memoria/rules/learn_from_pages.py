"""Entries that a person wrote -> the notes of the rules in their Improvements.

What a person writes by hand counts as said by the user, so a line with a standing cue comes in
force by itself and the others wait for a review; a review's file or a draft that nobody changed
holds others' words and gives none. The trap: a file may be edited at any time, so it is read again
whenever its text changes, and what it already gave counts no second time (its name is its session).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.extract.user.statements import FOUND, statement
from memoria.privacy import clean as gate
from memoria.rules.insights.distill import read
from memoria.rules.model import MAX_RULE, MIN_RULE
from memoria.rules.sightings import Sighting
from memoria.rules.skill import coded
from memoria.vault.entry import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.rules.insights.notebook import Leaf, Pattern
    from memoria.workspace import Workspace


def fresh(work: Workspace, compiled: Mapping[str, str]) -> list[Leaf]:
    """Give the written entries that are new or were changed since they were compiled."""
    leaves = [leaf for leaf in read(work).leaves if leaf.kind == "written"]
    return [leaf for leaf in leaves if compiled.get(key(leaf)) != leaf.digest]


def key(leaf: Leaf) -> str:
    """Name a written entry as the ledger has it."""
    return f"daily/{leaf.source}"


def sightings(leaf: Leaf, secrets: tuple[str, ...]) -> list[Sighting]:
    """Read the rules out of a written entry."""
    source = f"daily/{leaf.source.removesuffix('.md')}"
    return [
        Sighting(_statement(one), leaf.day, one.project, "", leaf.entry, source)
        for one in gate.clean(leaf.patterns, secrets)
        if one.origin == "written" and MIN_RULE <= len(one.insight) <= MAX_RULE
    ]


def _statement(one: Pattern) -> Statement:
    said = statement(one.insight)
    # its place under Improvements says that it is meant for later; what stands there is a rule
    score = max(said.score, FOUND)
    return Statement(one.insight, one.insight, coded(one.category), said.standing, score)
