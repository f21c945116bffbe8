"""Bring this vault and its team to one state: pull, then push what is shared and has changed here.

What the team has of this person is in the mirror, so pushing needs no record of it: an edited,
forgotten or unshared line is withdrawn without anybody saying so.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.capture.provenance.marks import build_line_key, find_sayable_part
from memoria.privacy.clean import clean_value
from memoria.team import membership_store
from memoria.team.fact import (
    FOREVER,
    MAX_TEXT,
    RULE,
    UNIT,
    Exchange,
    TeamFact,
    build_tombstone,
    decode_fact,
    encode_fact,
)
from memoria.team.mirror_store import NAME, Mirror
from memoria.vault.citations import cite
from memoria.vault.storage import disk
from memoria.vault.storage.state import State, encode_json

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from memoria.search.cures.from_ledger import Cure
    from memoria.team.membership_store import Membership
    from memoria.vault.entry import Entry

# lists of a draft, and the kind of their lines
_KINDS_OF_LISTS = (
    ("decisions", "decision"),
    ("lessons", "lesson"),
    ("exchanges", "answer"),
    ("actions", "action"),
)
# tombstones of what was forgotten and is to be withdrawn
_FORGOTTEN = "team_forgotten.json"
# of one flush: a team's year comes in with the first few of them
_MAX_PAGES = 40
# facts of one push: a transaction of a second
_PUSH_SIZE = 1_000


def build_entry_facts(
    author: str, entry: Entry, sayable: Container[str], *, everything: bool
) -> Iterator[TeamFact]:
    """Give the lines of an entry: those of own origin, or `everything`."""
    link, day = cite(entry.day, entry.id).target, str(entry.day)
    title = entry.draft.title
    is_own = bool(find_sayable_part(title)) and build_line_key(title) in sayable
    title = title if is_own or everything else ""
    for name, kind in _KINDS_OF_LISTS:
        for line in getattr(entry.draft, name):
            if everything or (find_sayable_part(line) == line and build_line_key(line) in sayable):
                yield TeamFact(author, entry.project, kind, day, line, link, title)


def build_fix_fact(author: str, cure: Cure) -> TeamFact:
    """Give a fix: the error's line, and what it went away after."""
    text = " ".join(f"{cure.line} → {cure.change}".split())
    return TeamFact(author, cure.project, "fix", cure.day, text, cure.log, "Errors and fixes")


def build_rule_fact(
    author: str, project: str, day: str, text: str, evidence: Mapping[str, Any]
) -> TeamFact:
    """Give a rule in force as a proposal for others; `evidence` says how often it was said."""
    detail = json.dumps(evidence, sort_keys=True, separators=(",", ":"))
    return TeamFact(author, project, RULE, day, text, detail=detail)


def redact_facts(facts: Iterable[TeamFact], secrets: Iterable[str]) -> Iterator[TeamFact]:
    """Redact facts; a text that is too long to be one is left out."""
    for fact in facts:
        safe_fact = fact if fact.kind == UNIT else clean_value(fact, secrets)
        text = safe_fact.text
        if len(text) <= MAX_TEXT and text.strip() and "\n" not in text:
            yield safe_fact


def build_forget_tombstones(
    facts: Iterable[TeamFact],
    entries: Container[str],
    projects: Container[str],
    match: str,
    machine: str,
) -> list[TeamFact]:
    """Give tombstones of what is forgotten, by its entry, its project or a text in lower case.

    Whichever machine pushed it: what a person forgets on one they forget on all.
    """
    return [
        build_tombstone(fact, FOREVER, machine)
        for fact in facts
        if fact.link.partition("#^")[2] in entries
        or fact.project in projects
        or (match and match in " ".join(f"{fact.title} {fact.text}".split()).casefold())
    ]


def find_additions(
    facts: Iterable[TeamFact],
    present: Iterable[TeamFact],
    withdrawn: Mapping[str, int],
    machine: str,
) -> list[TeamFact]:
    """Give the facts that the team does not have, each of a generation that is not taken back.

    `present` are this person's facts that the team has, `withdrawn` the generations they took back.
    """
    by_id = {fact.id: fact for fact in facts}
    alive = {fact.id for fact in present}
    return [
        replace(fact, generation=withdrawn.get(identity, -1) + 1, machine=machine)
        for identity, fact in by_id.items()
        if identity not in alive and withdrawn.get(identity, -1) < FOREVER
    ]


def build_withdrawals(
    facts: Iterable[TeamFact], present: Iterable[TeamFact], member: Membership
) -> list[TeamFact]:
    """Give tombstones of what is not wanted any more; a machine leaves alone what others pushed.

    A line that is gone from a shared project is gone for good; what was only unshared can come
    again.
    """
    names, machine = {fact.id for fact in facts}, member.machine
    return [
        build_tombstone(
            fact, FOREVER if fact.project in member.projects else fact.generation, machine
        )
        for fact in present
        if fact.machine == machine and fact.id not in names
    ]


class ExchangeCounts(NamedTuple):
    """What an exchange did: facts that came and that went, those withdrawn among them."""

    pulled: int = 0
    pushed: int = 0


def open_mirror(state: State) -> Mirror:
    """Give the mirror of a vault's team."""
    return Mirror(state.root / NAME)


def exchange_facts(state: State, member: Membership, facts: Sequence[TeamFact]) -> ExchangeCounts:
    """Pull and push; TeamError where the team cannot be reached."""
    exchange = membership_store.open_exchange(member)
    try:
        pending = _read_pending(state, member)
        counts = sync_facts(open_mirror(state), exchange, member, facts, pending)
    finally:
        exchange.close()
    (state.root / _FORGOTTEN).unlink(missing_ok=True)
    return counts


def forget(
    state: State,
    member: Membership,
    facts: Sequence[TeamFact],
    lost: tuple[Container[str], Container[str], str],
) -> None:
    """Take what this person shared and forgets now out of the mirror, and note to withdraw it.

    `lost` has the entries, projects and text that go, `facts` are what the vault still gives: a
    rule or a fix names no entry. The note holds no words; the next exchange withdraws it for good,
    of what is lost whichever machine shared it.
    """
    mirror_ = open_mirror(state)
    own_facts = mirror_.facts(author=member.author)
    tombstones = build_forget_tombstones(own_facts, *lost, member.machine)
    tombstones += build_withdrawals(facts, own_facts, member)
    rows = [encode_fact(fact) for fact in (*_read_pending(state, member), *tombstones)]
    disk.replace(state.root / _FORGOTTEN, encode_json({"tombstones": rows}))
    mirror_.withdraw(tombstones)


def _read_pending(state: State, member: Membership) -> list[TeamFact]:
    rows = state.read_json(state.root / _FORGOTTEN).get("tombstones") or ()
    return [fact for fact in (decode_fact(row, member.author) for row in rows) if fact]


def sync_facts(
    target: Mirror,
    exchange: Exchange,
    member: Membership,
    facts: Sequence[TeamFact],
    forgotten: Sequence[TeamFact] = (),
) -> ExchangeCounts:
    """Pull all that came, push what changed, and pull that back; `forgotten` are tombstones."""
    pulled = _pull(target, exchange)
    forgotten_ids = {tombstone.text for tombstone in forgotten}
    facts = [fact for fact in facts if fact.id not in forgotten_ids]
    present = target.facts(author=exchange.author)
    withdrawals = [*forgotten, *build_withdrawals(facts, present, member)]
    withdrawn = target.find_withdrawn(exchange.author)
    additions = find_additions(facts, present, withdrawn, member.machine)
    # first, and apart: who may share no more can take back
    for changes in (withdrawals, additions):
        for at in range(0, max(1, len(changes)), _PUSH_SIZE):
            exchange.push(changes[at : at + _PUSH_SIZE])
    _pull(target, exchange)
    return ExchangeCounts(pulled, len(withdrawals) + len(additions))


def _pull(target: Mirror, exchange: Exchange) -> int:
    count = 0
    for _ in range(_MAX_PAGES):
        batch = exchange.pull(target.cursor(exchange.identity))
        target.put(batch, exchange.identity)
        count += len(batch.facts)
        if not batch.more:
            break
    return count
