import os
from pathlib import Path

import pytest
import steps
from limits import HANGS

from memoria.errors import BadReply, OverBudget, UsageError
from memoria.llm import budget as module
from memoria.llm.budget import Governed, engine
from memoria.llm.port import Offline, Request, Scripted
from memoria.vault.storage.state import State

ASK = Request("flush", "prompt", {}, None)


@pytest.fixture
def state(tmp_path):
    found = State(tmp_path / "state")
    found.create()
    return found


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 1_800_000_000.0

    monkeypatch.setattr(module.time, "time", lambda: Clock.now)
    return Clock


def answering(state, most, answers=1000):
    return Governed(Scripted([{"n": n} for n in range(answers)]), state, most)


def test_so_many_calls_an_hour_and_no_more(state, clock):
    model = answering(state, 3)
    for _ in range(3):
        model.ask(ASK)
    clock.now += 3599
    with pytest.raises(OverBudget, match="3 model calls in the last hour") as said:
        model.ask(ASK)
    assert "MEMORIA_CALLS_PER_HOUR" in str(said.value)
    assert said.value.later
    clock.now += 1
    assert model.ask(ASK).value == {"n": 3}


def test_an_attempt_that_fails_counts(state, clock):
    model = Governed(Scripted([BadReply("no")] * 9), state, 2)
    for _ in range(2):
        with pytest.raises(BadReply):
            model.ask(ASK)
    with pytest.raises(OverBudget):
        model.ask(ASK)


@steps.forking
def test_a_recursion_of_many_processes_gets_no_more_calls_than_one(state):
    """Eight processes ask as fast as they can; the ledger of their answers is what they got."""
    log = state.root / "answers"
    log.write_bytes(b"")

    def ask_on():
        model = answering(state, 10)
        handle = os.open(log, os.O_WRONLY | os.O_APPEND)
        for _ in range(5):
            try:
                model.ask(ASK)
            except OverBudget:
                continue
            os.write(handle, b"x")

    children = []
    for _ in range(8):
        child = os.fork()
        if not child:
            try:
                ask_on()
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert log.read_bytes() == b"x" * 10


@pytest.mark.parametrize(
    "data", [b"", b"{", b"{}", b"7", b'"x"', b"null", b'["x", null, {}]', b"[1e999, NaN, -1e999]"]
)
def test_a_broken_count_begins_anew(state, data):
    (state.root / "calls.json").write_bytes(data)
    model = answering(state, 1)
    model.ask(ASK)
    with pytest.raises(OverBudget):
        model.ask(ASK)


def make(state, name, environment=None, home=Path("/nonexistent")):
    return engine(
        name,
        state=state,
        models={"flush": "haiku", "compile": "sonnet"},
        calls_per_hour=7,
        seconds=HANGS,
        environment=environment or {},
        home=home,
    )


def test_offline_is_not_governed(state):
    assert isinstance(make(state, "offline"), Offline)
    assert isinstance(make(state, "auto"), Offline)


@pytest.mark.parametrize("name", ["claude", "auto"])
def test_claude_is(state, name, tmp_path):
    found = make(state, name, {"ANTHROPIC_API_KEY": "sk-" + "x" * 20}, tmp_path)
    assert isinstance(found, Governed)
    assert (found.name, found.reads) == ("claude", "prompt")


def test_a_script_of_answers(state, tmp_path):
    path = tmp_path / "answers.json"
    path.write_text('[{"title": "caf\u00e9"}]', encoding="utf-8")
    model = make(state, f"scripted:{path}")
    assert (model.name, model.ask(ASK).value) == ("scripted", {"title": "caf\u00e9"})
    with pytest.raises(BadReply):
        model.ask(ASK)


@pytest.mark.parametrize("text", [None, "", "{}", '{"a": 1}', "[1]", "\x00"])
def test_a_script_that_is_none_is_named(state, tmp_path, text):
    path = tmp_path / "answers.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=r"answers\.json"):
        make(state, f"scripted:{path}")
