"""Carry facts over PostgreSQL: rows of their author, under row-level security by project.

Rows become visible in another order than they were numbered in, so a pull takes only transactions
older than all that still run. A driver's error may quote the address, which holds the password.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from memoria.team.fact import TOMBSTONE, Batch, Fact, TeamError, decode
from memoria.team.membership_store import without_password

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Connection = psycopg.Connection[tuple[Any, ...]]

# of the schema
VERSION = 1
# a server that is away is away for this flush; a statement that takes longer hangs
_CONNECT_SECONDS, _STATEMENT_MILLISECONDS = 5, 20_000
# rows of a pull: a day of a team of a hundred, 2 MB
_PAGE = 5_000
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
_ABOVE = """SELECT rolsuper OR rolbypassrls OR pg_has_role(oid, (SELECT relowner FROM pg_class
        WHERE oid = 'memoria_team.fact'::regclass), 'MEMBER')
    FROM pg_roles WHERE rolname = current_user"""
_UNFORCED = """SELECT relname FROM pg_class WHERE relnamespace = 'memoria_team'::regnamespace
    AND relname IN ('fact', 'access', 'member')
    AND NOT (relrowsecurity AND relforcerowsecurity)"""


class PostgresExchange:
    """The exchange of a team on one database; the author is the role of the connection."""

    def __init__(self, address: str) -> None:
        """Connect; TeamError says why that cannot be, or may not."""
        self._base = connect(address)
        try:
            with failures():
                self.author, self.identity = _checked(self._base)
        except TeamError:
            self._base.close()
            raise

    def push(self, facts: Sequence[Fact]) -> None:
        """Insert facts, and delete what they withdraw; whole or not at all."""
        if not facts:
            return
        self._require({fact.project for fact in facts if fact.kind != TOMBSTONE})
        ends = [fact for fact in facts if fact.kind == TOMBSTONE]
        gone = [fact.text for fact in ends], [fact.generation for fact in ends]
        with failures(), self._base.transaction():
            rows = [[getattr(fact, name) for fact in facts] for name in ("id", *_COLUMNS)]
            self._base.execute(_PUT, rows)
            self._base.execute(_TAKE_OUT, gone)

    def _require(self, projects: set[str]) -> None:
        """Refuse projects that this person is not admitted to, and say who can change that."""
        with failures():
            missing = sorted(projects - {row[0] for row in self._base.execute(_PROJECTS)})
        if missing:
            raise TeamError(
                f"you are not admitted to {missing[0]}: the owner of the database runs "
                f"`memoria team admit {missing[0]} {self.author}`, the next flush shares it then"
            )

    def pull(self, cursor: str) -> Batch:
        """Give what came since in the projects that this person was admitted to."""
        known: dict[str, list[Any]] = json.loads(cursor) if cursor else {}
        facts: list[Fact] = []
        with failures():
            projects = sorted(row[0] for row in self._base.execute(_PROJECTS))
            # of a project that was left the next admission begins anew
            places = {name: known.get(name, ["0", 0]) for name in projects}
            for name, (xact, seq) in places.items():
                left = _PAGE - len(facts)
                if left:
                    rows = self._base.execute(_PULL, (name, xact, seq, left)).fetchall()
                    decoded = (
                        decode(dict(zip(_COLUMNS, row[1:-2], strict=True)), str(row[0]))
                        for row in rows
                    )
                    facts += [fact for fact in decoded if fact]
                    places[name] = list(rows[-1][-2:]) if rows else [xact, seq]
        more = len(facts) >= _PAGE
        return Batch(tuple(facts), json.dumps(places), frozenset(projects), more)

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
        raise TeamError(f"the team's database cannot be reached: {_said(error)}") from None
    return base


@contextmanager
def failures() -> Iterator[None]:
    """Tell an error of the database in one line."""
    try:
        yield
    except psycopg.Error as error:
        raise TeamError(f"the team's database failed: {_said(error)}") from None


def _said(error: psycopg.Error) -> str:
    text = without_password(str(error)).strip() or type(error).__name__
    return text.splitlines()[0]


def _checked(base: Connection) -> tuple[str, str]:
    """Give the author and the identity of a database that keeps to its promises."""
    if base.execute("SELECT to_regclass('memoria_team.meta')").fetchone() == (None,):
        raise TeamError("the database has no team yet: its owner makes it with `memoria team init`")
    row = base.execute("SELECT current_user, version, identity FROM memoria_team.meta").fetchone()
    author, version, identity = row or ("", 0, "")
    if version > VERSION:
        raise TeamError(
            f"the team's database has schema {version}, and this Memoria knows {VERSION}: update it"
        )
    if version < VERSION:
        raise TeamError(
            f"the team's database has schema {version}: its owner runs `memoria team init` again"
        )
    if base.execute(_ABOVE).fetchone() != (False,):
        raise TeamError(
            f"the role {author} stands above row-level security (a superuser, or the owner of the "
            "tables): join with a role of your own, which `memoria team invite NAME` makes"
        )
    if base.execute(_UNFORCED).fetchone():
        raise TeamError("the team's tables do not force row-level security: not joined")
    return str(author), f"database {identity}"
