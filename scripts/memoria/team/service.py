"""Bring this vault and its team to one state: pull, then push what has changed here.

To pull first makes pushing exact without a record of it: what the team has of this person is in the
mirror, whichever process died before. Nothing here runs in a hook; a team that cannot be reached is
tried again after a while that doubles, and what is shared waits in the vault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.team import membership_store
from memoria.team.exchange import TeamError
from memoria.team.mirror_store import NAME, Mirror
from memoria.team.outgoing import changes
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.team.exchange import Exchange
    from memoria.team.fact import Fact
    from memoria.team.membership_store import Membership
    from memoria.vault.storage.state import State

_RETRY = "team_retry.json"
# a minute at first, an hour at most: a server that restarts, a weekend without a network
_FIRST_SECONDS, _LONGEST_SECONDS = 60.0, 3_600.0
# of one flush: a team's year comes in with the first few of them
_PAGES = 40
# facts of one push: a transaction of a second
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What an exchange did: facts that came and that went, those withdrawn among them."""

    pulled: int = 0
    pushed: int = 0


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
            done = synced(mirror(state), exchange, member, wanted)
        finally:
            exchange.close()
    except TeamError:
        _wait(state, now)
        raise
    (state.root / _RETRY).unlink(missing_ok=True)
    return done


def synced(
    held: Mirror, exchange: Exchange, member: Membership, wanted: Sequence[Fact]
) -> Exchanged:
    """Pull all that came, push what changed, and pull that back."""
    pulled = _pull(held, exchange)
    own = held.facts(author=exchange.author)
    withdrawn = held.withdrawn(exchange.author)
    new = changes(wanted, own, withdrawn, member.projects, member.machine)
    for at in range(0, len(new), _AT_ONCE):
        exchange.push(new[at : at + _AT_ONCE])
    _pull(held, exchange)
    return Exchanged(pulled, len(new))


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
