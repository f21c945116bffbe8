"""Define what carries facts between the machines of a team.

To push twice is to push once, the order does not count, a pull from any cursor brings all that came
since, and the author of a fact is who wrote it (tests/team/test_exchange.py asks it of each).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from memoria.errors import MemoriaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.team.fact import Fact


class TeamError(MemoriaError):
    """The team's exchange cannot be used; the text never holds a password."""


class Batch(NamedTuple):
    """What a pull brought: `cursor` is where the next one begins, "" stands for the beginning.

    `projects` are those that this person may see, None for all. `more` says that some are left.
    """

    facts: tuple[Fact, ...]
    cursor: str
    projects: frozenset[str] | None = None
    more: bool = False


class Exchange(Protocol):
    """Carries facts; `author` is the name of the person, `identity` tells two exchanges apart."""

    author: str
    identity: str

    def push(self, facts: Sequence[Fact]) -> None:
        """Bring facts of this author to the others; TeamError where that fails."""

    def pull(self, cursor: str) -> Batch:
        """Give facts that came since a cursor, those of this author among them."""

    def close(self) -> None:
        """Let go of the connection, if there is one."""
