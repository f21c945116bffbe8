"""OpenCode's database, in use and damaged, and what its messages have beside the contract."""

import json
import sqlite3
from contextlib import closing

import pytest
from agents.written_sessions import TURNS, OpenCodeSession, made, shown
from cases import cased

from memoria.agents.port import OPENCODE
from memoria.errors import TranscriptError


@pytest.fixture
def session(tmp_path):
    return made(OpenCodeSession, tmp_path)


@pytest.fixture
def database(session):
    return session.path.parent


def test_what_was_taken_back_is_not_told(session):
    (whole,) = session.read()
    tail = OPENCODE.tail_hash(session.path, whole.end)
    with session.opened() as db:
        db.execute("""update session set revert = '{"messageID":"msg_0002a"}'""")
    (part,) = session.read()
    assert [turn.prompt for turn in part.turns] == [turn[0] for turn in TURNS[:2]]
    with session.opened() as db:
        db.execute("delete from message where id >= 'msg_0002a'")
    assert not OPENCODE.extends(session.path, whole.end, tail)


def test_a_prompt_of_run_has_no_quotes_and_a_summary_is_a_compaction(session):
    lines = [
        {"id": "msg_1", "info": {"role": "user"}, "parts": [text('"fix the lock"')]},
        {"id": "msg_2", "info": reply(summary=True), "parts": [text("It was about a lock.")]},
        {"id": "msg_3", "info": {"role": "user"}, "parts": [text('say "a" or "b"')]},
        {"id": "msg_4", "info": reply(error={"name": "MessageAbortedError"}), "parts": []},
    ]
    session.put([json.dumps(line).encode() for line in lines])
    (part,) = session.read()
    steps = [[type(step).__name__ for step in turn.steps] for turn in part.turns]
    assert [turn.prompt for turn in part.turns] == ["fix the lock", 'say "a" or "b"']
    assert steps == [["Compaction"], ["Interrupt"]]


def text(words):
    return {"type": "text", "text": words}


def reply(**more):
    return {"role": "assistant", "time": {"completed": 1}, **more}


@cased()
def test_a_call_ended_as_its_state_says(session, state, is_refused, is_error, answered):
    part = {"type": "tool", "tool": "bash", "callID": "c-1", "state": {**state, "input": {}}}
    lines = [
        {"id": "msg_1", "info": {"role": "user"}, "parts": [text("do it")]},
        {"id": "msg_2", "info": reply(), "parts": [part]},
    ]
    session.put([json.dumps(line).encode() for line in lines])
    (call,) = session.read()[0].calls
    told = (call.is_refused, call.is_error, call.answered, call.status)
    assert told == (is_refused, is_error, answered, None)


def test_a_database_in_use_is_read_and_its_writer_never_waits(session, database):
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("begin immediate")
        db.execute("delete from message")
        assert [shown(turn)[0] for turn in session.read()[0].turns] == [one[0] for one in TURNS]
        reading = OPENCODE.read(session.path)
        next(reading)
        db.execute("commit")
    assert session.read(empty=True) == []


def test_a_locked_database_is_named_in_one_line_and_read_later(session, database):
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("begin exclusive")
        (found,) = OPENCODE.sessions(session.folder)
        assert found.path == database
        with pytest.raises(TranscriptError, match="locked"):
            list(OPENCODE.read(database))
        db.execute("rollback")
    assert list(OPENCODE.read(database)) == []
    assert [one.path for one in OPENCODE.sessions(session.folder)] == [session.path]


@pytest.mark.parametrize("damage", ["nothing", "text", "cut", "other"])
def test_a_damaged_database_is_named_in_one_line(session, database, damage):
    whole = database.read_bytes()
    database.unlink()
    if damage == "other":
        with closing(sqlite3.connect(database)) as db:
            db.execute("create table session (id)")
    else:
        cut = {"nothing": b"", "text": b"no database", "cut": whole[:5000]}[damage]
        database.write_bytes(cut)
    before = database.read_bytes()
    (found,) = OPENCODE.sessions(session.folder)
    with pytest.raises(TranscriptError, match=r"opencode\.db"):
        list(OPENCODE.read(found.path))
    assert database.read_bytes() == before


def test_import_names_it_and_loses_nothing(place, tmp_path):
    talk = [("Why does the token check fail?", [("say", "The clock is local, not UTC.")])] * 2
    session = made(OpenCodeSession, tmp_path / "data", talk)
    place.run("init")
    with session.opened() as db:
        db.execute("begin exclusive")
        done = place.run("import", "--from", str(session.folder))
        db.execute("rollback")
    assert "locked" in done[2]
    assert done[0] == 1
    for _ in range(2):  # a second time there is nothing new
        assert place.run("import", "--from", str(session.folder))[0] == 0
    assert [record["agent"] for record in place.ledger("session")] == ["opencode"]
