"""Bring this vault and its team to one state: pull, then push what has changed here.

What the team has of this person is in the mirror, so pushing needs no record of it. A team that
cannot be reached is tried again after a while that doubles. Nothing here runs in a hook.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.team import fact, membership_store, outgoing
from memoria.team.exchange import TeamError
from memoria.team.fact import EVERYTHING
from memoria.team.mirror_store import NAME, Mirror
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from memoria.team.exchange import Exchange
    from memoria.team.fact import Fact
    from memoria.team.membership_store import Membership
    from memoria.vault.storage.state import State

_RETRY = "team_retry.json"
# tombstones of what was forgotten and is to be withdrawn
_FORGOTTEN = "team_forgotten.json"
# a minute at first, an hour at most: a server that restarts, a weekend without a network
_FIRST_SECONDS, _LONGEST_SECONDS = 60.0, 3_600.0
# of one flush: a team's year comes in with the first few of them
_PAGES = 40
# facts of one push: a transaction of a second
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What an exchange did: facts that came and that went, those withdrawn among them.

    `has_left` says that this person left the team on another machine, so nothing is shared here.
    """

    pulled: int = 0
    pushed: int = 0
    has_left: bool = False


def mirror(state: State) -> Mirror:
    """Give the mirror of a vault's team."""
    return Mirror(state.root / NAME)


def is_due(state: State, now: float) -> bool:
    """Whether the team is to be tried: it was reached the last time, or a while ago."""
    after = state.read_json(state.root / _RETRY).get("after", 0.0)
    # a time far ahead is that of a clock that was put back since
    return not (isinstance(after, int | float) and now < after <= now + _LONGEST_SECONDS)


def exchanged(state: State, member: Membership, wanted: Sequence[Fact], now: float) -> Exchanged:
    """Pull and push; a failure is written down, so that the next flushes leave the team alone."""
    try:
        exchange = membership_store.exchange(member)
        try:
            done = synced(mirror(state), exchange, member, wanted, _forgotten(state, member))
        finally:
            exchange.close()
    except TeamError:
        _wait(state, now)
        raise
    (state.root / _RETRY).unlink(missing_ok=True)
    (state.root / _FORGOTTEN).unlink(missing_ok=True)
    return done


def forget(
    state: State, entries: Container[str], projects: Container[str], match: str = ""
) -> None:
    """Take what this person shared and forgets now out of the mirror, and note to withdraw it.

    The note holds no words; the next exchange withdraws it for good, whichever machine shared it.
    """
    member = membership_store.membership(state)
    if member:
        held = mirror(state)
        own = held.facts(author=member.author)
        ends = outgoing.forgotten(own, entries, projects, match, member.machine)
        rows = [fact.encode(one) for one in (*_forgotten(state, member), *ends)]
        disk.replace(state.root / _FORGOTTEN, encode({"tombstones": rows}))
        held.withdraw(ends)


def _forgotten(state: State, member: Membership) -> list[Fact]:
    rows = state.read_json(state.root / _FORGOTTEN).get("tombstones") or ()
    return [one for one in (fact.decode(row, member.author) for row in rows) if one]


def times_left(held: Mirror, author: str) -> int:
    """Say how often a person left the team with all that they had shared, -1 for never."""
    return held.withdrawn(author).get(EVERYTHING, -1)


def synced(
    held: Mirror,
    exchange: Exchange,
    member: Membership,
    wanted: Sequence[Fact],
    gone: Sequence[Fact] = (),
) -> Exchanged:
    """Pull all that came, push what changed, and pull that back; `gone` was forgotten here."""
    pulled = _pull(held, exchange)
    times = times_left(held, exchange.author)
    has_left = bool(member.projects) and times > member.left
    if has_left:
        member, wanted = member.withdrawing(), ()
    dead = {end.text for end in gone}
    wanted = [fact for fact in wanted if fact.id not in dead]
    own = held.facts(author=exchange.author)
    if member.leaving:
        back = [*gone, *outgoing.leaving(own, times, member.machine)]
    else:
        back = [*gone, *outgoing.withdrawals(wanted, own, member)]
    new = outgoing.additions(wanted, own, held.withdrawn(exchange.author), member.machine)
    # first, and apart: who may share no more today can take back
    for facts in (back, new):
        for at in range(0, max(1, len(facts)), _AT_ONCE):
            exchange.push(facts[at : at + _AT_ONCE])
    _pull(held, exchange)
    return Exchanged(pulled, len(back) + len(new), has_left)


def _pull(held: Mirror, exchange: Exchange) -> int:
    count = 0
    for _ in range(_PAGES):
        batch = exchange.pull(held.cursor(exchange.identity))
        held.put(batch, exchange.identity)
        count += len(batch.facts)
        if not batch.more:
            break
    return count


def _wait(state: State, now: float) -> None:
    known = state.read_json(state.root / _RETRY).get("seconds", 0.0)
    before = known if isinstance(known, int | float) else 0.0
    seconds = min(max(2 * before, _FIRST_SECONDS), _LONGEST_SECONDS)
    disk.replace(state.root / _RETRY, encode({"seconds": seconds, "after": now + seconds}))
