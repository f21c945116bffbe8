"""What every exchange promises, on the folder and on a real PostgreSQL."""

import json
import random
from dataclasses import replace

import pytest
from bench.team.machines import MACHINES, Folder, Machine, line

from memoria.team import postgres_store
from memoria.team.fact import FOREVER, Batch, TeamError, build_tombstone, encode_fact
from memoria.team.mirror_store import Mirror

psycopg = pytest.importorskip("psycopg")


def texts(batch):
    return sorted(fact.text for fact in batch.facts)


def test_what_one_pushes_the_others_pull_once(team):
    ana, ben = team.of("ana"), team.of("ben")
    ana.push([line("one"), line("two")])
    first = ben.pull("")
    ana.push([line("two"), line("three")])
    assert texts(first) == ["one", "two"]
    held = {fact.key for fact in first.facts}
    second = ben.pull(first.cursor)
    assert {fact.text for fact in second.facts if fact.key not in held} == {"three"}
    assert ben.pull(second.cursor).facts == ()
    assert {fact.author for fact in first.facts} == {"ana"}


def test_nobody_pushes_in_anothers_name(team):
    ben = team.of("ben")
    ben.push([line("I am ana", author="ana")])
    assert {fact.author for fact in team.of("ana").pull("").facts} == {"ben"}


def test_the_words_that_were_forgotten_are_gone_from_the_exchange(team, tmp_path):
    ana = team.of("ana")
    ana.push([line("Project Nightjar"), line("kept")])
    ana.push([build_tombstone(line("Project Nightjar"), FOREVER, MACHINES["ana"])])
    ana.push([line("Project Nightjar")])  # a machine that had not heard of it
    found = team.of("ben").pull("")
    alive = Mirror(tmp_path / "m.sqlite")
    alive.put(found, "x")
    assert [fact.text for fact in alive.facts()] == ["kept"]
    for path in tmp_path.rglob("ana.*.jsonl"):
        assert path.read_text().count("Nightjar") <= 1


@pytest.mark.parametrize(
    "text",
    ["'; DROP TABLE memoria_team.fact; --", "%s {} $1 \\", "ünïcödé → 決定", "a" * 2_000, "\"\n'"],
)
def test_any_text_is_data(team, text):
    team.of("ana").push([line(text, title=text[:200], detail=text)])
    (fact,) = team.of("ben").pull("").facts
    assert (fact.text, fact.title, fact.detail) == (text, text[:200], text)


def test_two_machines_of_one_person_leave_each_others_lines_alone(team, tmp_path):
    desk = Machine(team, "ana", tmp_path)
    laptop = Machine(team, "ana", tmp_path, "cccccccc")
    desk.lines, laptop.lines = {"of the desk"}, {"of the laptop"}
    for machine in (desk, laptop, desk):
        machine.sync()
    assert desk.seen() == {("ana", "of the desk"), ("ana", "of the laptop")}
    desk.lines = set()
    for machine in (desk, laptop):
        machine.sync()
    assert desk.seen() == laptop.seen() == {("ana", "of the laptop")}


def test_what_one_machine_forgets_the_other_shares_no_more(team, tmp_path):
    desk = Machine(team, "ana", tmp_path)
    laptop = Machine(team, "ana", tmp_path, "cccccccc")
    ben = Machine(team, "ben", tmp_path)
    desk.lines = {"Project Nightjar", "kept"}
    for machine in (desk, laptop):
        machine.sync()
    laptop.forgotten = {"Project Nightjar"}
    for machine in (laptop, desk, ben):
        machine.sync()
    assert desk.seen() == laptop.seen() == ben.seen() == {("ana", "kept")}
    # the desk still has the line, and its file has it no more
    assert "Project Nightjar" in desk.lines
    for path in tmp_path.rglob("ana.*.jsonl"):
        assert "Nightjar" not in path.read_text()


def test_what_a_newer_client_writes_is_passed_over(tmp_path):
    team = Folder(tmp_path)
    ana, ben = team.of("ana"), Machine(team, "ben", tmp_path)
    ana.push([line("one")])
    newer = [
        {**encode_fact(line("more")), "also": 1},
        {**encode_fact(line("x")), "kind": "drawing"},
    ]
    with (team.root / "ana.aaaaaaaa.jsonl").open("a") as file:
        file.write("".join(f"{json.dumps(row)}\n" for row in newer))
    ben.sync()
    assert ben.seen() == {("ana", "one"), ("ana", "more")}


def test_behind_a_page_of_what_a_newer_client_wrote_the_rest_comes_at_once(
    database, tmp_path, monkeypatch
):
    monkeypatch.setattr(postgres_store, "_PAGE_ROWS", 2)
    ana, ben = database.of("ana"), Machine(database, "ben", tmp_path)
    newer = [replace(line(f"{number}"), kind="drawing") for number in range(6)]
    ana.push(newer)
    ana.push([line("one")])
    ben.sync()
    assert ben.seen() == {("ana", "one")}


def test_a_schema_of_another_version_is_refused(database):
    with psycopg.connect(database.uri, autocommit=True) as base:
        base.execute("UPDATE memoria_team.meta SET version = 99")
        with pytest.raises(TeamError, match="update it"):
            database.of("ana")
        base.execute("UPDATE memoria_team.meta SET version = 1")
    assert not database.owner.make()


def test_a_role_above_the_rows_rules_is_refused(database):
    with pytest.raises(TeamError, match="above row-level security"):
        type(database.of("ana"))(database.uri)
    with psycopg.connect(database.uri, autocommit=True) as base:
        base.execute("ALTER TABLE memoria_team.fact NO FORCE ROW LEVEL SECURITY")
    with pytest.raises(TeamError, match="do not force"):
        database.of("ana")


def test_what_was_unshared_can_be_shared_again(team, tmp_path):
    ana = Machine(team, "ana", tmp_path)
    ana.lines = {"one"}
    ana.sync()
    shared = ana.member
    ana.member, ana.lines = replace(shared, projects=()), set()
    ana.sync()
    assert ana.seen() == set()
    ana.member, ana.lines = shared, {"one"}
    ana.sync()
    ben = Machine(team, "ben", tmp_path)
    ben.sync()
    assert ana.seen() == ben.seen() == {("ana", "one")}


@pytest.mark.parametrize("seed", range(20))
def test_facts_and_tombstones_in_any_order_are_the_same(tmp_path, seed):
    rng = random.Random(seed)
    facts = [line(f"line {n}", generation=n % 2) for n in range(12)]
    facts += [build_tombstone(fact, rng.choice([0, FOREVER]), "aaaaaaaa") for fact in facts[::3]]
    # of another author, who withdraws nothing of ana's
    facts += [replace(facts[-1], author="ben")]
    seen = []
    for n in range(2):
        mirror = Mirror(tmp_path / f"{n}.sqlite")
        rng.shuffle(facts)
        for at in range(0, len(facts), 3):
            mirror.put(Batch(tuple(facts[at : at + 3]), str(at)), "x")
        mirror.put(Batch(tuple(facts), ""), "x")
        seen.append(mirror.facts())
    assert seen[0] == seen[1]
    assert 0 < len(seen[0]) < 12
