"""Teams for tests: in a folder or on a real PostgreSQL, and the machines of their members."""

from memoria.team.fact import Fact
from memoria.team.folder_store import FolderExchange
from memoria.team.membership_store import Membership
from memoria.team.mirror_store import Mirror
from memoria.team.service import synced

MACHINES = {"ana": "aaaaaaaa", "ben": "bbbbbbbb", "eve": "eeeeeeee"}


class Folder:
    """A team of a folder; anybody may be anybody's machine."""

    def __init__(self, root):
        self.root = root / "shared"
        self.root.mkdir()

    def of(self, name, machine=""):
        return FolderExchange(self.root, name, machine or MACHINES[name])


class Database:
    """A team on PostgreSQL: ana and ben are in project p, eve is in none."""

    def __init__(self, uri):
        from memoria.team.members_store import Members

        self.uri = uri
        self.owner = Members(uri)
        self.owner.make()
        self.passwords = {name: self.owner.invite(name) for name in MACHINES}
        for name in ("ana", "ben"):
            self.owner.admit("p", name)

    def address(self, name):
        from psycopg.conninfo import make_conninfo

        return make_conninfo(self.uri, user=name, password=self.passwords[name])

    def of(self, name, machine=""):
        from memoria.team.postgres_store import PostgresExchange

        return PostgresExchange(self.address(name))

    def close(self):
        import psycopg

        self.owner.close()
        with psycopg.connect(self.uri, autocommit=True) as base:
            base.execute("DROP SCHEMA memoria_team CASCADE")
            for name in (*MACHINES, "memoria_postgres"):
                base.execute(f"DROP OWNED BY {name}")
                base.execute(f"DROP ROLE {name}")


def line(text, author="ana", project="p", **more):
    cells = {"day": "2026-11-02", "link": "daily/2026-11-02#^e-000000000001", **more}
    machine = cells.pop("machine", MACHINES[author])
    return Fact(author, project, cells.pop("kind", "decision"), text=text, machine=machine, **cells)


class Machine:
    """A machine of a person with a vault of lines, which is offline or not."""

    def __init__(self, team, name, folder, machine=""):
        self.team, self.name = team, name
        self.member = Membership("x", name, machine or MACHINES[name], ("p",))
        self.mirror = Mirror(folder / f"{name}{machine}.sqlite")
        self.lines = set()

    def wanted(self):
        return [line(text, self.name, machine="") for text in sorted(self.lines)]

    def sync(self):
        exchange = self.team.of(self.name, self.member.machine)
        try:
            synced(self.mirror, exchange, self.member, self.wanted())
        finally:
            exchange.close()

    def seen(self):
        return {(fact.author, fact.text) for fact in self.mirror.facts()}
