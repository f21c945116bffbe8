"""Bring this vault and its team to one state: pull, then push what has changed here.

What the team has of this person is in the mirror, so pushing needs no record of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoria.team import fact, membership_store, outgoing
from memoria.team.mirror_store import NAME, Mirror
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from memoria.team.fact import Exchange, Fact
    from memoria.team.membership_store import Membership
    from memoria.vault.storage.state import State

# tombstones of what was forgotten and is to be withdrawn
_FORGOTTEN = "team_forgotten.json"
# of one flush: a team's year comes in with the first few of them
_PAGES = 40
# facts of one push: a transaction of a second
_AT_ONCE = 1_000


class Exchanged(NamedTuple):
    """What an exchange did: facts that came and that went, those withdrawn among them."""

    pulled: int = 0
    pushed: int = 0


def mirror(state: State) -> Mirror:
    """Give the mirror of a vault's team."""
    return Mirror(state.root / NAME)


def exchanged(state: State, member: Membership, wanted: Sequence[Fact]) -> Exchanged:
    """Pull and push; TeamError where the team cannot be reached."""
    exchange = membership_store.exchange(member)
    try:
        done = synced(mirror(state), exchange, member, wanted, _forgotten(state, member))
    finally:
        exchange.close()
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


def synced(
    held: Mirror,
    exchange: Exchange,
    member: Membership,
    wanted: Sequence[Fact],
    gone: Sequence[Fact] = (),
) -> Exchanged:
    """Pull all that came, push what changed, and pull that back; `gone` was forgotten here."""
    pulled = _pull(held, exchange)
    dead = {end.text for end in gone}
    wanted = [fact for fact in wanted if fact.id not in dead]
    own = held.facts(author=exchange.author)
    back = [*gone, *outgoing.withdrawals(wanted, own, member)]
    new = outgoing.additions(wanted, own, held.withdrawn(exchange.author), member.machine)
    # first, and apart: who may share no more can take back
    for facts in (back, new):
        for at in range(0, max(1, len(facts)), _AT_ONCE):
            exchange.push(facts[at : at + _AT_ONCE])
    _pull(held, exchange)
    return Exchanged(pulled, len(back) + len(new))


def _pull(held: Mirror, exchange: Exchange) -> int:
    count = 0
    for _ in range(_PAGES):
        batch = exchange.pull(held.cursor(exchange.identity))
        held.put(batch, exchange.identity)
        count += len(batch.facts)
        if not batch.more:
            break
    return count
