"""Hold the SQL of a team's database: its migrations, in their order; a released one never changes.

The author of a row is the role that wrote it, by a column that nobody may fill; forced row-level
security shows a project's rows to those admitted. `{group}` is the role that all members belong to,
`{owner}` the one that made it. A sequence's numbers become visible out of order, so a row also has
its transaction; and a policy's subquery is subject to policies itself.
"""

VERSION = 1
# lines of a member: the first share of ten busy years takes some days, a flood fills no disk soon
MOST_A_DAY = 10_000
# tombstones beyond what was shared: those that end the sharing when somebody leaves, one a project
SPARE = 1_000
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
        # a flood of one member: counted by the server's clock, whatever days the rows claim
        """CREATE TABLE memoria_team.quota (
            member name, day date, facts bigint NOT NULL, tombstones bigint NOT NULL,
            PRIMARY KEY (member, day))""",
        f"""CREATE FUNCTION memoria_team.count_rows() RETURNS trigger LANGUAGE plpgsql
            SECURITY DEFINER SET search_path = pg_catalog AS $$
            DECLARE
                whole record;
                today date := (now() AT TIME ZONE 'UTC')::date;
            BEGIN
                INSERT INTO memoria_team.quota AS held
                    SELECT session_user, today, count(*) FILTER (WHERE kind <> 'tombstone'),
                        count(*) FILTER (WHERE kind = 'tombstone') FROM added
                    ON CONFLICT (member, day) DO UPDATE SET facts = held.facts + excluded.facts,
                        tombstones = held.tombstones + excluded.tombstones;
                SELECT sum(facts) AS facts, sum(tombstones) AS tombstones,
                    coalesce(sum(facts) FILTER (WHERE day = today), 0) AS facts_today
                    INTO whole FROM memoria_team.quota WHERE member = session_user;
                IF EXISTS (SELECT FROM added WHERE kind <> 'tombstone')
                    AND whole.facts_today > {MOST_A_DAY} THEN
                    RAISE 'one member shares at most {MOST_A_DAY} lines a day, the rest tomorrow';
                END IF;
                -- what was shared can always be taken back, and nothing else need be
                IF whole.tombstones > whole.facts + {SPARE} THEN
                    RAISE 'more is taken back than was ever shared';
                END IF;
                RETURN NULL;
            END $$""",  # noqa: S608 - numbers alone
        """CREATE TRIGGER counted AFTER INSERT ON memoria_team.fact
            REFERENCING NEW TABLE AS added FOR EACH STATEMENT
            EXECUTE FUNCTION memoria_team.count_rows()""",
    ),
)
