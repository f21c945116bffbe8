"""Hold the SQL of a team's database: its migrations, in their order; a released one never changes.

Authority is the database's: each member has a role of their own, the author of a row is that role
by a column that nobody may fill, and forced row-level security shows a project's rows to those who
were admitted to it. Rows are inserted and deleted by their author and updated by nobody. `{group}`
is the role that all members of this database belong to, `{owner}` the one that made it. The traps:
a sequence's numbers become visible out of order, so a row also has its transaction (exchange pulls
below the oldest that still runs); and a policy's subquery is subject to policies itself.
"""

VERSION = 1
# an id of a fact is the first 32 hex digits of a hash
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
            CHECK (length(id) = 32 AND length(machine) = 8))""",
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
