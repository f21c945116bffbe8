"""Carry facts over PostgreSQL: rows of their author, under row-level security by project.

Rows become visible in another order than they were numbered in, so a pull takes only transactions
older than all that still run. A driver's error may quote the address, which holds the password.

The owner of the database makes it, invites, admits, and removes members. The author of a row is the
role that wrote it; forced row-level security shows a project's rows to those admitted. A sequence's
numbers become visible out of order, so a row also has its transaction; and a policy's subquery is
subject to policies itself.
"""

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from memoria.team.fact import AUTHOR, TOMBSTONE, Batch, TeamError, TeamFact, decode_fact
from memoria.team.membership_store import strip_password

Connection = psycopg.Connection[tuple[Any, ...]]

# of the schema
VERSION = 1
# a server that is away is away for this flush; a statement that takes longer hangs
_CONNECT_SECONDS, _STATEMENT_MILLISECONDS = 5, 20_000
# rows of a pull: a day of a team of a hundred, 2 MB
_PAGE_ROWS = 5_000
_COLUMNS = ("project", "kind", "day", "text", "link", "title", "detail", "generation", "machine")
_TYPES = ", ".join("%s::integer[]" if name == "generation" else "%s::text[]" for name in _COLUMNS)
# a batch is one statement: a row at a time takes ten times as long
_PUT = f"""INSERT INTO memoria_team.fact (id, {", ".join(_COLUMNS)})
    SELECT * FROM unnest(%s::text[], {_TYPES}) AS new (id, {", ".join(_COLUMNS)})
    WHERE NOT EXISTS (
        SELECT 1 FROM memoria_team.fact AS gone WHERE author = current_user
            AND gone.kind = 'tombstone' AND gone.text = new.id
            AND gone.generation >= new.generation)
    ON CONFLICT DO NOTHING"""  # noqa: S608 - names of columns alone
_TAKE_OUT = """DELETE FROM memoria_team.fact AS fact
    USING unnest(%s::text[], %s::integer[]) AS gone (id, generation)
    WHERE author = current_user AND fact.id = gone.id AND kind <> 'tombstone'
        AND fact.generation <= gone.generation"""
_PULL = f"""SELECT author, {", ".join(_COLUMNS)}, xact::text, seq FROM memoria_team.fact
    WHERE project = %s AND (xact, seq) > (%s::xid8, %s)
        AND xact < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY xact, seq LIMIT %s"""  # noqa: S608 - as above
_IS_ABOVE = """SELECT rolsuper OR rolbypassrls OR pg_has_role(oid, (SELECT relowner FROM pg_class
        WHERE oid = 'memoria_team.fact'::regclass), 'MEMBER')
    FROM pg_roles WHERE rolname = current_user"""
_UNFORCED_TABLES = """SELECT relname FROM pg_class WHERE relnamespace = 'memoria_team'::regnamespace
    AND relname IN ('fact', 'access', 'member')
    AND NOT (relrowsecurity AND relforcerowsecurity)"""


class PostgresExchange:
    """The exchange of a team on one database; the author is the role of the connection."""

    def __init__(self, address: str) -> None:
        """Connect; TeamError says why that cannot be, or may not."""
        self._base = connect(address)
        try:
            with translate_errors():
                self.author, self.identity = _check_database(self._base)
        except TeamError:
            self._base.close()
            raise

    def push(self, facts: Sequence[TeamFact]) -> None:
        """Insert facts, and delete what they withdraw; whole or not at all."""
        if not facts:
            return
        self._require({fact.project for fact in facts if fact.kind != TOMBSTONE})
        tombstones = [fact for fact in facts if fact.kind == TOMBSTONE]
        withdrawn = [fact.text for fact in tombstones], [fact.generation for fact in tombstones]
        with translate_errors(), self._base.transaction():
            rows = [[getattr(fact, name) for fact in facts] for name in ("id", *_COLUMNS)]
            self._base.execute(_PUT, rows)
            self._base.execute(_TAKE_OUT, withdrawn)

    def _require(self, projects: set[str]) -> None:
        """Refuse projects that this person is not admitted to, and say who can change that."""
        with translate_errors():
            missing = sorted(projects - {row[0] for row in self._base.execute(_PROJECTS)})
        if missing:
            raise TeamError(
                f"you are not admitted to {missing[0]}: the owner of the database runs "
                f"`memoria team admit {missing[0]} {self.author}`, the next flush shares it then"
            )

    def pull(self, cursor: str) -> Batch:
        """Give what came since in the projects that this person was admitted to."""
        cursors: dict[str, list[Any]] = json.loads(cursor) if cursor else {}
        facts, room = list[TeamFact](), _PAGE_ROWS
        with translate_errors():
            projects = sorted(row[0] for row in self._base.execute(_PROJECTS))
            # of a project that was left the next admission begins anew
            places = {name: cursors.get(name, ["0", 0]) for name in projects}
            for name, (xact, seq) in places.items():
                if room:
                    rows = self._base.execute(_PULL, (name, xact, seq, room)).fetchall()
                    cells = ((str(row[0]), zip(_COLUMNS, row[1:-2], strict=True)) for row in rows)
                    decoded = (decode_fact(dict(pairs), author) for author, pairs in cells)
                    facts += [fact for fact in decoded if fact]
                    room -= len(rows)  # those, too, that only a newer client can read
                    places[name] = list(rows[-1][-2:]) if rows else [xact, seq]
        return Batch(tuple(facts), json.dumps(places), frozenset(projects), not room)

    def close(self) -> None:
        """Close the connection."""
        self._base.close()


_PROJECTS = "SELECT project FROM memoria_team.access WHERE member = current_user"


def connect(address: str) -> Connection:
    """Connect to a database; the address names a host or a service by itself."""
    try:
        base = psycopg.connect(address, autocommit=True, connect_timeout=_CONNECT_SECONDS)
        base.execute(f"SET statement_timeout = {_STATEMENT_MILLISECONDS}")
        # functions and operators of no other schema are taken for PostgreSQL's own
        base.execute("SET search_path = pg_catalog")
    except psycopg.Error as error:
        raise TeamError(f"the team's database cannot be reached: {_error_line(error)}") from None
    return base


@contextmanager
def translate_errors() -> Iterator[None]:
    """Tell an error of the database in one line."""
    try:
        yield
    except psycopg.Error as error:
        raise TeamError(f"the team's database failed: {_error_line(error)}") from None


def _error_line(error: psycopg.Error) -> str:
    text = strip_password(str(error)).strip() or type(error).__name__
    return text.splitlines()[0]


def _check_database(base: Connection) -> tuple[str, str]:
    """Give the author and the identity of a database that keeps to its promises."""
    if base.execute("SELECT to_regclass('memoria_team.meta')").fetchone() == (None,):
        raise TeamError("the database has no team yet: its owner makes it with `memoria team init`")
    row = base.execute("SELECT current_user, version, identity FROM memoria_team.meta").fetchone()
    author, version, identity = row or ("", 0, "")
    if version != VERSION:
        raise TeamError(
            f"the team's database has schema {version}, and this Memoria knows {VERSION}: update it"
        )
    if base.execute(_IS_ABOVE).fetchone() != (False,):
        raise TeamError(
            f"the role {author} stands above row-level security (a superuser, or the owner of the "
            "tables): join with a role of your own, which `memoria team invite NAME` makes"
        )
    if base.execute(_UNFORCED_TABLES).fetchone():
        raise TeamError("the team's tables do not force row-level security: not joined")
    return str(author), f"database {identity}"


# -- The owner's work ------------------------------------------------------------------------------

# any number: of two that migrate at once the second waits
_LOCK = 7_201_946
_PASSWORD_BYTES = 24
# `{group}` is the role that all members belong to, `{owner}` the one that made it; an id of a fact
# is the first 32 hex digits of a hash
SCHEMA = (
    "CREATE SCHEMA memoria_team",
    "REVOKE ALL ON SCHEMA memoria_team FROM PUBLIC",
    "CREATE TABLE memoria_team.meta (version integer NOT NULL, identity uuid NOT NULL)",
    "INSERT INTO memoria_team.meta VALUES ({version}, gen_random_uuid())",
    """CREATE TABLE memoria_team.member (
            name name PRIMARY KEY, since timestamptz NOT NULL DEFAULT now())""",
    """CREATE TABLE memoria_team.access (
            project text, member name REFERENCES memoria_team.member ON DELETE CASCADE,
            PRIMARY KEY (project, member))""",
    """CREATE TABLE memoria_team.fact (
            author name NOT NULL DEFAULT current_user, id text NOT NULL,
            generation integer NOT NULL, project text NOT NULL, kind text NOT NULL,
            day text NOT NULL, text text NOT NULL, link text NOT NULL, title text NOT NULL,
            detail text NOT NULL, machine text NOT NULL,
            xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
            seq bigint GENERATED ALWAYS AS IDENTITY,
            PRIMARY KEY (author, id, generation),
            CHECK (length(project) <= 200 AND length(kind) <= 20 AND length(day) = 10),
            CHECK (length(text) <= 2000 AND length(detail) <= 4000),
            CHECK (length(link) <= 120 AND length(title) <= 200),
            CHECK (length(id) = 32 AND length(machine) = 8),
            -- who is of no project writes these, so they say nothing
            CHECK (kind <> 'tombstone' OR (text ~ '^[0-9a-f]{{32}}$'
                AND link = '' AND title = '' AND detail = '')))""",
    "CREATE INDEX fact_pull ON memoria_team.fact (project, xact, seq)",
    """CREATE INDEX fact_withdrawn ON memoria_team.fact (author, text)
            WHERE kind = 'tombstone'""",
    *(
        f"ALTER TABLE memoria_team.{table} {change} ROW LEVEL SECURITY"
        for table in ("fact", "access", "member")
        for change in ("ENABLE", "FORCE")
    ),
    "CREATE POLICY owned ON memoria_team.access TO {owner} USING (true)",
    "CREATE POLICY owned ON memoria_team.member TO {owner} USING (true)",
    """CREATE POLICY own ON memoria_team.access FOR SELECT TO {group}
            USING (member = current_user)""",
    "CREATE POLICY listed ON memoria_team.member FOR SELECT TO {group} USING (true)",
    """CREATE POLICY admitted ON memoria_team.fact FOR SELECT TO {group} USING (
            author = current_user OR project IN (
                SELECT access.project FROM memoria_team.access WHERE member = current_user))""",
    # who was taken off a project may still take back what they said there
    """CREATE POLICY say ON memoria_team.fact FOR INSERT TO {group} WITH CHECK (
            author = current_user AND (kind = 'tombstone' OR project IN (
                SELECT access.project FROM memoria_team.access WHERE member = current_user)))""",
    """CREATE POLICY take_back ON memoria_team.fact FOR DELETE TO {group}
            USING (author = current_user)""",
    "GRANT USAGE ON SCHEMA memoria_team TO {group}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA memoria_team TO {group}",
    "GRANT DELETE ON memoria_team.fact TO {group}",
    """GRANT INSERT (id, generation, project, kind, day, text, link, title, detail, machine)
            ON memoria_team.fact TO {group}""",
)


class Members:
    """The members of a team, for its owner."""

    def __init__(self, address: str) -> None:
        self._base = connect(address)

    def make(self) -> bool:
        """Make the schema; False where it is there already."""
        with self._transaction() as base:
            base.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            if self._fetch_value("SELECT to_regclass('memoria_team.meta')") is not None:
                return False
            if not self._fetch_value(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", self._group_role()
            ):
                self._run("CREATE ROLE %I NOLOGIN", self._group_role())
            quoted = "SELECT quote_ident(%s), quote_ident(current_user)"
            group, owner = base.execute(quoted, (self._group_role(),)).fetchone() or ("", "")
            for statement in SCHEMA:
                base.execute(statement.format(group=group, owner=owner, version=VERSION))
        return True

    def invite(self, name: str) -> str:
        """Make a role for a member, and give its password, which is kept nowhere."""
        if not AUTHOR.fullmatch(name) or name != name.lower():
            raise TeamError(f"{name!r} cannot be a name: lower-case letters, digits, - and _")
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        with self._transaction() as base:
            if self._fetch_value("SELECT 1 FROM pg_roles WHERE rolname = %s", name):
                raise TeamError(f"{name} is a role of this server already: take another name")
            self._run("CREATE ROLE %I LOGIN INHERIT PASSWORD %L", name, password)
            # SET FALSE: who could become the group would write in nobody's name, uncounted
            self._run("GRANT %I TO %I WITH INHERIT TRUE, SET FALSE", self._group_role(), name)
            base.execute("INSERT INTO memoria_team.member (name) VALUES (%s)", (name,))
        return password

    def admit(self, project: str, name: str) -> None:
        """Let a member read a project, and share lines of it."""
        new = "INSERT INTO memoria_team.access VALUES (%s, %s) ON CONFLICT DO NOTHING"
        with self._transaction() as base:
            self._require(name)
            base.execute(new, (project, name))

    def remove(self, name: str) -> None:
        """Take a member off the team; what they shared stays, until they withdraw it."""
        with self._transaction() as base:
            self._require(name)
            self._run("REVOKE %I FROM %I", self._group_role(), name)
            self._run("ALTER ROLE %I NOLOGIN", name)
            base.execute("DELETE FROM memoria_team.member WHERE name = %s", (name,))

    def close(self) -> None:
        """Close the connection."""
        self._base.close()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with translate_errors(), self._base.transaction():
            yield self._base

    def _require(self, name: str) -> None:
        if not self._fetch_value("SELECT 1 FROM memoria_team.member WHERE name = %s", name):
            raise TeamError(f"{name} is no member of this team: `memoria team invite {name}`")

    def _group_role(self) -> str:
        return f"memoria_{self._fetch_value('SELECT current_database()')}"

    def _run(self, statement: str, *values: str) -> None:
        """Run a statement that takes no parameters, with values as the database quotes them."""
        marks = ", ".join("%s::text" for _ in values)
        self._base.execute(self._fetch_value(f"SELECT format(%s, {marks})", statement, *values))

    def _fetch_value(self, query: str, *values: str) -> Any:  # noqa: ANN401 - any column
        row = self._base.execute(query, values).fetchone()
        return row[0] if row else None
