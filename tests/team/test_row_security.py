"""Members who are hostile: what a database holds of a project is its members' alone."""

import pytest
from bench.team.machines import MACHINES, line

from memoria.team import postgres_schema
from memoria.team.exchange import TeamError
from memoria.team.fact import FOREVER, tombstone

psycopg = pytest.importorskip("psycopg")
SECRET = "Project Nightjar ships in May"
FACT = "memoria_team.fact"
ROW = "(id, generation, project, kind, day, text, link, title, detail, machine)"
CELLS = "'{}', {}, '{}', 'decision', '2026-11-02', 'x', '', '', '', 'eeeeeeee'"


def row(number=0, project="p", generation=0):
    return CELLS.format(f"{number:032x}", generation, project)


@pytest.fixture
def attacked(database):
    """A database that holds a line of ana's; what eve does to it changes nothing of that."""
    ana = database.of("ana")
    ana.push([line(SECRET)])
    yield database
    seen = [fact for fact in database.of("ben").pull("").facts if fact.kind != "tombstone"]
    assert [fact.text for fact in seen] == [SECRET]
    assert {fact.text for fact in database.of("eve").pull("").facts} <= {"of eve"}


def eve(database):
    return psycopg.connect(database.address("eve"), autocommit=True)


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT text FROM {FACT}",
        f"SELECT text FROM {FACT} WHERE author = 'ana'",
        f"SELECT text FROM {FACT} WHERE ctid = '(0,1)'",
        f"SELECT text FROM {FACT} WHERE id = '{line(SECRET).id}'",
        f"UPDATE {FACT} SET text = 'x' RETURNING text",
        f"DELETE FROM {FACT} RETURNING text",
        f"DELETE FROM {FACT} WHERE author = 'ana' RETURNING text",
        f"INSERT INTO {FACT} {ROW} VALUES ({row()}) RETURNING text",
        f"INSERT INTO {FACT} {ROW[:-1]}, author) VALUES ({row()}, 'ana') RETURNING text",
        f"INSERT INTO {FACT} {ROW[:-1]}, xact) VALUES ({row()}, '3') RETURNING text",
        f"INSERT INTO {FACT} {ROW} VALUES ({row()}) ON CONFLICT DO UPDATE SET text = 'x'",
        f"TRUNCATE {FACT}",
        f"ALTER TABLE {FACT} DISABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {FACT} OWNER TO eve",
        f"CREATE POLICY all_of_it ON {FACT} USING (true)",
        f"GRANT SELECT ON {FACT} TO PUBLIC",
        "CREATE TABLE memoria_team.mine (text text)",
        "INSERT INTO memoria_team.access VALUES ('p', 'eve')",
        "UPDATE memoria_team.access SET member = 'eve' RETURNING member",
        "SELECT project FROM memoria_team.access",
        "INSERT INTO memoria_team.member (name) VALUES ('postgres')",
        f"INSERT INTO {FACT} {ROW} VALUES ({row().replace('decision', 'tombstone')})",
        "UPDATE memoria_team.meta SET version = 0",
        "SELECT facts FROM memoria_team.quota",
        "DELETE FROM memoria_team.quota",
        "SET ROLE memoria_postgres",
        "SET ROLE ana",
        "SET row_security = off; SELECT text FROM memoria_team.fact",
        f"COPY {FACT} FROM PROGRAM 'true'",
        "ALTER ROLE eve BYPASSRLS",
        "SELECT memoria_team.count_rows()",
    ],
)
def test_who_is_not_of_a_project_reads_and_changes_nothing_of_it(attacked, query):
    with eve(attacked) as base:
        try:
            cursor = base.execute(query)
        except psycopg.Error:
            return
        assert cursor.description is None or cursor.fetchall() == []
        # a GRANT of what one does not have is a warning
        assert not query.startswith(("SET", "ALTER", "CREATE", "TRUNCATE", "COPY"))


def test_a_condition_of_ones_own_sees_no_row_of_others(attacked):
    """A cheap function in WHERE would be asked first, were the policy no barrier."""
    told = []
    with eve(attacked) as base:
        base.add_notice_handler(lambda notice: told.append(notice.message_primary))
        base.execute(
            "CREATE FUNCTION pg_temp.tell(text) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS"
            " $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
        )
        rows = base.execute(f"SELECT 1 FROM {FACT} WHERE pg_temp.tell(text)").fetchall()
    assert (rows, told) == ([], [])


def test_the_id_of_anothers_line_gives_no_hold_on_it(attacked):
    mine = attacked.of("eve")
    mine.push([tombstone(line(SECRET), FOREVER, MACHINES["eve"])])
    attacked.owner.admit("own", "eve")
    mine.push([line("of eve", "eve", "own")])


def test_who_was_removed_sees_nothing_any_more(attacked):
    attacked.owner.admit("p", "eve")
    with eve(attacked) as base:
        assert base.execute(f"SELECT text FROM {FACT}").fetchall() == [(SECRET,)]
        attacked.owner.remove("eve")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            base.execute(f"SELECT text FROM {FACT}")
    with pytest.raises(TeamError):
        attacked.of("eve")
    with psycopg.connect(attacked.uri, autocommit=True) as base:
        base.execute("ALTER ROLE eve LOGIN")
        base.execute("GRANT memoria_postgres TO eve WITH SET FALSE")


@pytest.fixture
def small(monkeypatch):
    """A team whose members share 20 lines a day, and take back 5 more than they shared."""
    for number, limit in (("MOST_A_DAY", 20), ("SPARE", 5)):
        whole = str(getattr(postgres_schema, number))
        steps = tuple(
            tuple(
                one.replace(f"> {whole}", f"> {limit}").replace(f"+ {whole}", f"+ {limit}")
                for one in statements
            )
            for statements in postgres_schema.MIGRATIONS
        )
        monkeypatch.setattr(postgres_schema, "MIGRATIONS", steps)
        monkeypatch.setattr("memoria.team.members_store.MIGRATIONS", steps)


def test_a_flood_ends_at_the_days_limit_and_leaves_what_takes_back(small, request):
    database = request.getfixturevalue("database")
    ana = database.of("ana")
    facts = [line(f"line {n}", day=f"20{n:02}-01-01") for n in range(21)]
    ana.push(facts[:15])
    ana.push(facts[:15])
    with pytest.raises(TeamError, match="lines a day"):
        ana.push(facts[15:])
    one_by_one = psycopg.connect(database.address("ana"), autocommit=True)
    rows = ", ".join(f"({row(number)})" for number in range(6))
    with one_by_one as base, pytest.raises(psycopg.errors.RaiseException, match="lines a day"):
        base.execute(f"INSERT INTO {FACT} {ROW} VALUES {rows}")
    ana.push([tombstone(fact, FOREVER, MACHINES["ana"]) for fact in facts[:15]])
    with pytest.raises(TeamError, match="more is taken back"):
        ana.push([tombstone(line(f"never {n}"), 0, MACHINES["ana"]) for n in range(20)])
    # of another member nothing is counted here
    database.of("ben").push([line(f"line {n}", "ben") for n in range(20)])
