"""Teams to try the exchanges with: in a folder or on PostgreSQL, and machines of their members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from memoria.team.fact import FOREVER, TeamFact, build_tombstone
from memoria.team.membership_store import FolderExchange, Membership
from memoria.team.mirror_store import Mirror
from memoria.team.service import sync_facts

if TYPE_CHECKING:
    from pathlib import Path

    from memoria.team.fact import Exchange

MACHINES = {"ana": "aaaaaaaa", "ben": "bbbbbbbb", "eve": "eeeeeeee"}


class Team(Protocol):
    """Gives the exchange of a member's machine."""

    def of(self, name: str, machine: str = "") -> Exchange:
        """Open it."""


class Folder:
    """A team of a folder; anybody may be anybody's machine."""

    def __init__(self, root: Path) -> None:
        self.root = root / "shared"
        self.root.mkdir()

    def of(self, name: str, machine: str = "") -> Exchange:
        """Open the exchange of a machine."""
        return FolderExchange(self.root, name, machine or MACHINES[name])


class Database:
    """A team on PostgreSQL: ana and ben are in project p, eve is in none."""

    def __init__(self, uri: str) -> None:
        from memoria.team.postgres_store import Members  # noqa: PLC0415 - needs the driver

        self.uri = uri
        self.owner = Members(uri)
        self.owner.make()
        self.passwords = {name: self.owner.invite(name) for name in MACHINES}
        for name in ("ana", "ben"):
            self.owner.admit("p", name)

    def address(self, name: str) -> str:
        """Give the address of a member."""
        from psycopg.conninfo import make_conninfo  # noqa: PLC0415 - as above

        return make_conninfo(self.uri, user=name, password=self.passwords[name])

    def of(self, name: str, machine: str = "") -> Exchange:  # noqa: ARG002 - as the folder's
        """Open the exchange of a member."""
        from memoria.team.postgres_store import PostgresExchange  # noqa: PLC0415 - as above

        return PostgresExchange(self.address(name))

    def clear(self) -> None:
        """Throw away what was shared."""
        self._run("TRUNCATE memoria_team.fact")

    def close(self) -> None:
        """Throw away schema and roles."""
        self.owner.close()
        roles = (*MACHINES, "memoria_postgres")
        gone = (f"DROP OWNED BY {name}; DROP ROLE {name}" for name in roles)
        self._run("; ".join(("DROP SCHEMA memoria_team CASCADE", *gone)))

    def _run(self, statements: str) -> None:
        import psycopg  # noqa: PLC0415 - as above

        with psycopg.connect(self.uri, autocommit=True) as base:
            for statement in statements.split("; "):
                base.execute(statement.encode())


def line(text: str, author: str = "ana", project: str = "p", **more: Any) -> TeamFact:  # noqa: ANN401 - any of its cells
    """Make a line of an entry."""
    cells = {"day": "2026-11-02", "link": "daily/2026-11-02#^e-000000000001", **more}
    machine = cells.pop("machine", MACHINES[author])
    return TeamFact(
        author, project, cells.pop("kind", "decision"), text=text, machine=machine, **cells
    )


class Machine:
    """A machine of a person with a vault of lines, which is offline until it exchanges."""

    def __init__(self, team: Team, name: str, folder: Path, machine: str = "") -> None:
        self.team, self.name = team, name
        self.member = Membership("x", name, machine or MACHINES[name], ("p",))
        self.mirror = Mirror(folder / f"{name}{machine}.sqlite")
        self.lines: set[str] = set()
        self.forgotten: set[str] = set()

    def wanted(self) -> list[TeamFact]:
        """Give what the vault shares."""
        return [line(text, self.name, machine="") for text in sorted(self.lines)]

    def sync(self) -> None:
        """Exchange."""
        exchange = self.team.of(self.name, self.member.machine)
        gone = [build_tombstone(line(text, self.name), FOREVER, "0" * 8) for text in self.forgotten]
        try:
            sync_facts(self.mirror, exchange, self.member, self.wanted(), gone)
        finally:
            exchange.close()

    def seen(self) -> set[tuple[str, str]]:
        """Give all lines that the mirror holds, by author."""
        return {(fact.author, fact.text) for fact in self.mirror.facts()}
