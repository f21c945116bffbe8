"""Exchange with the team: at the end of a detached flush, or when a person asks for it.

What this vault shares comes from its logs, fixes, rules and experiments. The rooms that know these
stand above the room of teams, so they are put together here. A log that cannot be read stops it:
what it holds would be taken for forgotten, and withdrawn for good.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memoria.errors import MemoriaError
from memoria.evidence import service as evidence
from memoria.rules.decisions import rulebook
from memoria.rules.model import holds_in
from memoria.search.cures.known_cures import cures
from memoria.team import membership_store, outgoing
from memoria.team import service as team
from memoria.vault.entry import DETECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.team.fact import Fact
    from memoria.team.membership_store import Membership
    from memoria.team.service import Exchanged
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace


def exchange(work: Workspace, member: Membership) -> Exchanged:
    """Pull and push; one process at a time. What came changes what hooks read."""
    with work.vault.state.lock("team"):
        facts = _facts(work, member) if member.projects and not member.leaving else ()
        wants = list(outgoing.gated(list(facts), work.settings.secrets))
        done = team.exchanged(work.vault.state, member, wants, time.time())
        if done.has_left:
            membership_store.keep(work.vault.state, member.withdrawing())
    if done.pulled or done.pushed:
        work.vault.changed = True
    return done


def after_flush(work: Workspace) -> list[str]:
    """Exchange with the team if there is one and it is due; give what went wrong."""
    state = work.vault.state
    try:
        member = membership_store.membership(state)
        if member and team.is_due(state, time.time()):
            exchange(work, member)
    except MemoriaError as error:
        return [f"team: {error}"]
    return []


def _facts(work: Workspace, member: Membership) -> Iterator[Fact]:
    """Give all that is shared, before it is redacted."""
    told, author, history = work.vault.lines.told, member.author, work.vault.history()
    for day in work.vault.logs():
        for block in work.vault.log(day).blocks:
            project = block.entry.project
            if project in member.projects:
                whole = project in member.with_facts
                yield from outgoing.of_entry(author, block.entry, told, everything=whole)
    for cure in cures(history.mistakes, history.captures):
        # what a linter or a program printed is not the person's: with the rest alone
        if cure.project in member.with_facts and cure.change:
            yield outgoing.of_fix(author, cure)
    book = rulebook(work)
    for rule in filter(book.is_in_force, book.rules):
        for project in member.projects:
            if holds_in(rule, project):
                seen = {"category": rule.category, "sessions": rule.frequency}
                made = rule.created or rule.updated
                yield outgoing.of_rule(author, project, made, rule.text, seen)
    yield from _units(work, member, history)


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
