"""Gather what this vault shares with its team, from its logs, fixes, rules and experiments.

The rooms that know these stand above the room of teams, so they are put together here. A log that
cannot be read stops it: what it holds would be taken for forgotten, and withdrawn for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.evidence import service as evidence
from memoria.rules.decisions import rulebook
from memoria.rules.model import holds_in
from memoria.search.cures.known_cures import cures
from memoria.team import outgoing
from memoria.vault.entry import DETECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.team.fact import Fact
    from memoria.team.membership_store import Membership
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace


def wanted(work: Workspace, member: Membership) -> list[Fact]:
    """Give all that is shared, redacted; nothing where no project is."""
    if not member.projects or member.leaving:
        return []
    history = work.vault.history()
    found = [
        *_lines(work, member),
        *_fixes(member, history),
        *_rules(work, member),
        *_units(work, member, history),
    ]
    return list(outgoing.gated(found, work.settings.secrets))


def _lines(work: Workspace, member: Membership) -> Iterator[Fact]:
    told = work.vault.lines.told
    for day in work.vault.logs():
        for block in work.vault.log(day).blocks:
            project = block.entry.project
            if project in member.projects:
                everything = project in member.with_facts
                yield from outgoing.of_entry(
                    member.author, block.entry, told, everything=everything
                )


def _fixes(member: Membership, history: History) -> Iterator[Fact]:
    for cure in cures(history.mistakes, history.captures):
        # what a linter or a program printed is not the person's: with the rest alone
        if cure.project in member.with_facts and cure.change:
            yield outgoing.of_fix(member.author, cure)


def _rules(work: Workspace, member: Membership) -> Iterator[Fact]:
    book = rulebook(work)
    for rule in book.rules:
        if book.is_in_force(rule):
            for project in member.projects:
                if holds_in(rule, project):
                    seen = {"category": rule.category, "sessions": rule.frequency}
                    day = rule.created or rule.updated
                    yield outgoing.of_rule(member.author, project, day, rule.text, seen)


def _units(work: Workspace, member: Membership, history: History) -> Iterator[Fact]:
    for experiment in evidence.experiments(work, history):
        if experiment.design != "coin":
            continue
        about = {
            "error_class": experiment.error_class,
            "days": experiment.days,
            "sessions": experiment.sessions,
        }
        for unit in evidence.studied(work, experiment, history).units:
            if unit.project in member.projects and unit.is_tossed:
                yield outgoing.of_unit(member.author, unit, about, DETECTOR)
