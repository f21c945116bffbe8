"""Do the owner's work on a team's database: make it, invite, admit, and remove members.

The author of a row is the role that wrote it; forced row-level security shows a project's rows to
those admitted. A sequence's numbers become visible out of order, so a row also has its transaction;
and a policy's subquery is subject to policies itself.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from memoria.team.fact import AUTHOR, TeamError
from memoria.team.postgres_store import VERSION, connect, failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.team.postgres_store import Connection

# any number: of two that migrate at once the second waits
_LOCK = 7_201_946
_PASSWORD_BYTES = 24
# in their order; a released one never changes. `{group}` is the role that all members belong to,
# `{owner}` the one that made it; an id of a fact is the first 32 hex digits of a hash
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE SCHEMA memoria_team",
        "REVOKE ALL ON SCHEMA memoria_team FROM PUBLIC",
        "CREATE TABLE memoria_team.meta (version integer NOT NULL, identity uuid NOT NULL)",
        "INSERT INTO memoria_team.meta VALUES (0, gen_random_uuid())",
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
    ),
)


class Members:
    """The members of a team, for its owner."""

    def __init__(self, address: str) -> None:
        self._base = connect(address)

    def make(self) -> int:
        """Bring the schema to this version; give the one that was there."""
        with self._step() as base:
            base.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            known = self._one("SELECT to_regclass('memoria_team.meta')") is not None
            before = int(self._one("SELECT version FROM memoria_team.meta")) if known else 0
            if before > VERSION:
                raise TeamError(f"the schema is {before}, and this Memoria knows {VERSION}: update")
            role = "SELECT 1 FROM pg_roles WHERE rolname = %s"
            if not known and not self._one(role, self._group()):
                self._run("CREATE ROLE %I NOLOGIN", self._group())
            quoted = "SELECT quote_ident(%s), quote_ident(current_user)"
            group, owner = base.execute(quoted, (self._group(),)).fetchone() or ("", "")
            for statement in chain.from_iterable(MIGRATIONS[before:]):
                is_template = "{" in statement
                text = statement.format(group=group, owner=owner) if is_template else statement
                base.execute(text)
            base.execute("UPDATE memoria_team.meta SET version = %s", (VERSION,))
        return before

    def invite(self, name: str) -> str:
        """Make a role for a member, and give its password, which is kept nowhere."""
        if not AUTHOR.fullmatch(name) or name != name.lower():
            raise TeamError(f"{name!r} cannot be a name: lower-case letters, digits, - and _")
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        with self._step() as base:
            if self._one("SELECT 1 FROM pg_roles WHERE rolname = %s", name):
                raise TeamError(f"{name} is a role of this server already: take another name")
            self._run("CREATE ROLE %I LOGIN INHERIT PASSWORD %L", name, password)
            # SET FALSE: who could become the group would write in nobody's name, uncounted
            self._run("GRANT %I TO %I WITH INHERIT TRUE, SET FALSE", self._group(), name)
            base.execute("INSERT INTO memoria_team.member (name) VALUES (%s)", (name,))
        return password

    def admit(self, project: str, name: str) -> None:
        """Let a member read a project, and share lines of it."""
        new = "INSERT INTO memoria_team.access VALUES (%s, %s) ON CONFLICT DO NOTHING"
        with self._step() as base:
            self._require(name)
            base.execute(new, (project, name))

    def remove(self, name: str) -> None:
        """Take a member off the team; what they shared stays, until they withdraw it."""
        with self._step() as base:
            self._require(name)
            self._run("REVOKE %I FROM %I", self._group(), name)
            self._run("ALTER ROLE %I NOLOGIN", name)
            base.execute("DELETE FROM memoria_team.member WHERE name = %s", (name,))

    def close(self) -> None:
        """Close the connection."""
        self._base.close()

    @contextmanager
    def _step(self) -> Iterator[Connection]:
        with failures(), self._base.transaction():
            yield self._base

    def _require(self, name: str) -> None:
        if not self._one("SELECT 1 FROM memoria_team.member WHERE name = %s", name):
            raise TeamError(f"{name} is no member of this team: `memoria team invite {name}`")

    def _group(self) -> str:
        return f"memoria_{self._one('SELECT current_database()')}"

    def _run(self, statement: str, *values: str) -> None:
        """Run a statement that takes no parameters, with values as the database quotes them."""
        marks = ", ".join("%s::text" for _ in values)
        self._base.execute(self._one(f"SELECT format(%s, {marks})", statement, *values))

    def _one(self, query: str, *values: str) -> Any:  # noqa: ANN401 - any column
        row = self._base.execute(query, values).fetchone()
        return row[0] if row else None
