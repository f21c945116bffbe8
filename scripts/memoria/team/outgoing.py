"""Choose what of a vault its person shares: the facts of the projects that they opted in.

What is shared is compared with what was shared before, so that an edited, forgotten or unshared
line is withdrawn without anybody saying so.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memoria.capture.provenance.marks import known_by, said_part
from memoria.privacy.clean import clean
from memoria.team.fact import FOREVER, RULE, Fact, tombstone
from memoria.vault.citations import cite

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from memoria.search.cures.known_cures import Cure
    from memoria.team.membership_store import Membership
    from memoria.vault.entry import Entry

# lists of a draft, and the kind of their lines
_LISTS = (
    ("decisions", "decision"),
    ("lessons", "lesson"),
    ("exchanges", "answer"),
    ("actions", "action"),
)


def of_entry(
    author: str, entry: Entry, told: Container[str], *, everything: bool
) -> Iterator[Fact]:
    """Give the lines of an entry: those of own origin, or `everything`."""
    link, day = cite(entry.day, entry.id).target, str(entry.day)
    is_own = bool(said_part(entry.draft.title)) and known_by(entry.draft.title) in told
    title = entry.draft.title if is_own or everything else ""
    for name, kind in _LISTS:
        for line in getattr(entry.draft, name):
            if everything or (said_part(line) == line and known_by(line) in told):
                yield Fact(author, entry.project, kind, day, line, link, title)


def of_fix(author: str, cure: Cure) -> Fact:
    """Give a fix: the error's line, and what it went away after."""
    text = " ".join(f"{cure.line} → {cure.change}".split())
    return Fact(author, cure.project, "fix", cure.day, text, cure.log, "Errors and fixes")


def of_rule(author: str, project: str, day: str, text: str, evidence: Mapping[str, Any]) -> Fact:
    """Give a rule in force as a proposal for others; `evidence` says how often it was said."""
    return Fact(author, project, RULE, day, text, detail=_json(evidence))


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def gated(facts: Iterable[Fact], secrets: Iterable[str], excess: int = 2_000) -> Iterator[Fact]:
    """Redact facts; a text that is too long to be one is left out."""
    for fact in facts:
        cleaned = clean(fact, secrets)
        if len(cleaned.text) <= excess and cleaned.text.strip() and "\n" not in cleaned.text:
            yield cleaned


def forgotten(
    facts: Iterable[Fact],
    entries: Container[str],
    projects: Container[str],
    match: str,
    machine: str,
) -> list[Fact]:
    """Give tombstones of what is forgotten, by its entry, its project or a text in lower case.

    Whichever machine pushed it: what a person forgets on one they forget on all.
    """
    return [
        tombstone(fact, FOREVER, machine)
        for fact in facts
        if fact.link.partition("#^")[2] in entries
        or fact.project in projects
        or (match and match in " ".join(f"{fact.title} {fact.text}".split()).casefold())
    ]


def additions(
    wanted: Iterable[Fact], held: Iterable[Fact], withdrawn: Mapping[str, int], machine: str
) -> list[Fact]:
    """Give the facts that the team does not have, each of a generation that is not taken back.

    `held` are this person's facts that the team has, `withdrawn` the generations they took back.
    """
    by_id = {fact.id: fact for fact in wanted}
    alive = {fact.id for fact in held}
    return [
        replace(fact, generation=withdrawn.get(identity, -1) + 1, machine=machine)
        for identity, fact in by_id.items()
        if identity not in alive and withdrawn.get(identity, -1) < FOREVER
    ]


def withdrawals(wanted: Iterable[Fact], held: Iterable[Fact], member: Membership) -> list[Fact]:
    """Give tombstones of what is not wanted any more; a machine leaves alone what others pushed.

    A line that is gone from a shared project is gone for good; what was only unshared can come
    again.
    """
    names, machine = {fact.id for fact in wanted}, member.machine
    return [
        tombstone(fact, FOREVER if fact.project in member.projects else fact.generation, machine)
        for fact in held
        if fact.machine == machine and fact.id not in names
    ]
