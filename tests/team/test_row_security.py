"""Members who are hostile: what a database holds of a project is its members' alone."""

import pytest
from bench.team.machines import MACHINES, line
from cases import cased

from memoria.team.fact import FOREVER, TeamError, build_tombstone

psycopg = pytest.importorskip("psycopg")
SECRET = "Project Nightjar ships in May"
FACT = "memoria_team.fact"
COLUMNS = "(id, generation, project, kind, day, text, link, title, detail, machine"
CELLS = f"'{0:032x}', 0, 'p', 'decision', '2026-11-02', 'x', '', '', '', 'eeeeeeee'"


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


@cased()
def test_who_is_not_of_a_project_reads_and_changes_nothing_of_it(attacked, query):
    tombstone = CELLS.replace("decision", "tombstone")
    query = query.format(
        fact=FACT, columns=COLUMNS, row=CELLS, tombstone=tombstone, id=line(SECRET).id
    )
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
    mine.push([build_tombstone(line(SECRET), FOREVER, MACHINES["eve"])])
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
