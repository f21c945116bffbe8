"""Keep which team this machine belongs to, and what of the vault is shared with it.

It lies in the state, 0600. The trap: an address may hold a password, so nobody prints one.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.team.fact import AUTHOR, TeamError
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from memoria.team.fact import Exchange
    from memoria.vault.storage.state import State

_NAME = "team.json"
# a password in an address, in either of the two forms that libpq takes
_PASSWORD = re.compile(
    r"(?P<url>://[^:/@\s]*:)\S*(?=@)|(?P<word>password\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^\s&]+)"
)


@dataclass(frozen=True, slots=True)
class Membership:
    """A team that this machine joined: `where` is a folder or the address of a database.

    `projects` are those that are shared, `with_facts` those with lines of outside origin, too.
    """

    where: str
    author: str
    machine: str
    projects: tuple[str, ...] = ()
    with_facts: tuple[str, ...] = ()

    @property
    def is_database(self) -> bool:
        """Whether the team is on PostgreSQL."""
        return is_address(self.where)

    @property
    def shown(self) -> str:
        """Say where the team is, without a password."""
        return without_password(self.where)

    def sharing(self, project: str, *, with_facts: bool = False) -> Membership:
        """Share a project."""
        facts = {*self.with_facts, project} if with_facts else {*self.with_facts} - {project}
        projects = tuple(sorted({*self.projects, project}))
        return replace(self, projects=projects, with_facts=tuple(sorted(facts)))

    def unsharing(self, project: str) -> Membership:
        """Share a project no more."""
        lists = (self.projects, self.with_facts)
        projects, facts = (tuple(one for one in names if one != project) for names in lists)
        return replace(self, projects=projects, with_facts=facts)


def is_address(where: str) -> bool:
    """Whether a text is the address of a database, and no folder."""
    return "://" in where or "=" in where


def without_password(address: str) -> str:
    """Take the password out of an address."""
    return _PASSWORD.sub(lambda found: f"{found['url'] or found['word']}...", address)


def membership(state: State) -> Membership | None:
    """Give the team that this machine belongs to, None for none."""
    value = state.read_json(state.root / _NAME)
    where, author, machine = (str(value.get(name) or "") for name in ("where", "author", "machine"))
    lists = [tuple(map(str, value.get(name) or ())) for name in ("projects", "with_facts")]
    return Membership(where, author, machine, *lists) if value else None


def keep(state: State, member: Membership) -> None:
    """Write down which team this machine belongs to."""
    disk.replace(state.root / _NAME, encode(asdict(member)))


def drop(state: State) -> None:
    """Belong to no team any more."""
    (state.root / _NAME).unlink(missing_ok=True)


def new_member(where: str, author: str) -> Membership:
    """Make a membership for this machine; TeamError for a name that cannot be one."""
    if not AUTHOR.fullmatch(author):
        raise TeamError(
            f"{author!r} cannot be a name in a team: use letters, digits, - and _, at most 32, a "
            "letter first (--name)"
        )
    place = where if is_address(where) else str(Path(where).expanduser().resolve())
    return Membership(place, author, os.urandom(4).hex())


def exchange(member: Membership) -> Exchange:
    """Open the exchange of a team; TeamError where it cannot be reached."""
    if member.is_database:
        # the driver is an extra, and costs a third of a second
        from memoria.team.postgres_store import PostgresExchange  # noqa: PLC0415 - as above

        return PostgresExchange(member.where)
    from memoria.team.folder_store import FolderExchange  # noqa: PLC0415 - as above

    return FolderExchange(Path(member.where), member.author, member.machine)
