"""What every agent's reader promises, on sessions of our own making and on real ones.

With MEMORIA_BENCH_DATA naming a folder with transcripts_codex and transcripts_copilot the same is
asked of those.
"""

import json
import os
import tracemalloc
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
import transcript_lines as lines_of
from hypothesis import given
from hypothesis import strategies as st
from transcript_lines import assistant, line, result, say, tool, user

from memoria.agents.pieces import Limits
from memoria.agents.port import AGENTS, CLAUDE_CODE, CODEX, COPILOT, agent_of, agent_of_folder
from memoria.agents.transcript import Say
from memoria.errors import TranscriptError

# -- The same turns as each agent writes them ------------------------------------------------------
# A turn is (prompt, steps), a step ("say", text) or ("run", command, output, code).

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
SESSION = lines_of.OWN


def stamped(lines):
    """Give the lines with the time of each, a second apart."""
    for number, one in enumerate(lines):
        at = (START + timedelta(seconds=number)).isoformat().replace("+00:00", "Z")
        yield {**one, "timestamp": at}


class ClaudeSession:
    """Claude Code, as tests/fixtures/transcript_lines.py writes it."""

    agent = CLAUDE_CODE
    name = f"-home-ana-shop/{SESSION}.jsonl"

    def head(self):
        return [line("mode", sessionId=SESSION)]

    def turn(self, number, prompt, steps):
        yield user(prompt, number, sessionId=SESSION)
        for at, (kind, *told) in enumerate(steps):
            key = f"c-{number}-{at}"
            if kind == "say":
                yield say(told[0], number, sessionId=SESSION)
            else:
                command, output, code = told
                yield assistant(tool(key, command=command), at=number, sessionId=SESSION)
                text = f"Exit code {code}\n{output}" if code else output
                yield result(key, text, number, error=bool(code), sessionId=SESSION)


class CodexSession:
    """Codex 0.142: each message twice, the person's own words in an event of their own."""

    agent = CODEX
    name = f"sessions/2026/03/02/rollout-2026-03-02T10-00-00-{SESSION}.jsonl"

    def head(self):
        return [lines_of.meta(git={"branch": "main"}, cli_version="0.142.5")]

    def asked(self, prompt, _):
        return [lines_of.item("message", role="user", content=[]), lines_of.typed(prompt)]

    def turn(self, number, prompt, steps):
        name = f"019ed91c-{number:04x}-7aaa-8bbb-b274cd3ba498"
        yield lines_of.started(name)
        yield {"type": "turn_context", "payload": {"turn_id": name, "model": "m"}}
        yield from self.asked(prompt, name)
        for at, (kind, *told) in enumerate(steps):
            if kind == "say":
                yield lines_of.event("agent_message", message=told[0])
                yield lines_of.said(told[0])
            else:
                yield from lines_of.ran(f"c-{number}-{at}", *told)
        yield lines_of.event("task_complete", turn_id=name)


class NewCodexSession(CodexSession):
    """Codex 0.169: the words in another event, and no event of the reply."""

    def head(self):
        return [lines_of.meta(cli_version="0.169.0"), {"type": "world_state", "payload": {}}]

    def asked(self, prompt, name):
        content = [{"type": "input_text", "text": "<environment_context>"}]
        return [
            lines_of.item("message", role="user", content=content),
            lines_of.asked(prompt, name),
        ]


class CopilotSession:
    """Copilot CLI 1.0.68: a command's exit code stands in its text alone."""

    agent = COPILOT
    name = f"{SESSION}/events.jsonl"

    def __init__(self):
        self._ids = count()

    def event(self, kind, **data):
        return {"type": kind, "data": data, "id": f"e-{next(self._ids)}", "parentId": None}

    def head(self):
        context = {"cwd": "/home/ana/shop", "branch": "main"}
        data = {"sessionId": SESSION, "copilotVersion": "1.0.68", "context": context}
        return [self.event("session.start", **data), self.event("system.message", content="x")]

    def turn(self, number, prompt, steps):
        yield self.event("hook.start", input={"prompt": prompt})
        yield self.event("user.message", content=prompt, transformedContent=f"<x>{prompt}")
        for at, (kind, *told) in enumerate(steps):
            key = f"c-{number}-{at}"
            if kind == "say":
                yield self.event("assistant.message", content=told[0], outputTokens=3)
            else:
                command, output, code = told
                call = {"toolCallId": key, "toolName": "bash", "arguments": {"command": command}}
                yield self.event("tool.execution_start", **call)
                text = f"{output}\n<shellId: {at} completed with exit code {code}>"
                content = {"toolCallId": key, "success": True, "result": {"content": text}}
                yield self.event("tool.execution_complete", **content)


WAYS = (ClaudeSession, CodexSession, NewCodexSession, CopilotSession)


def encoded(lines):
    """Give each line's bytes."""
    return [json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in stamped(lines)]


TURNS = [
    ("fix the lock", [("say", "I look."), ("run", "make test", "1 failed", 2), ("say", "Hm.")]),
    ("and the tests", [("run", "make test", "ok", 0), ("say", "Fixed.")]),
    ("thanks", [("say", "Gladly.")]),
]
EXPECTED = [
    ("fix the lock", "I look.", ("Bash", "make test", 2, True), "Hm."),
    ("and the tests", ("Bash", "make test", 0, False), "Fixed."),
    ("thanks", "Gladly."),
]


class Session:
    """A session on disk, in one agent's way of writing it."""

    def __init__(self, way, folder, turns=TURNS):
        self.way = way()
        self.agent = self.way.agent
        self.folder = folder
        self.path = folder / self.way.name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        made = [self.way.head()]
        made += [list(self.way.turn(at, *turn)) for at, turn in enumerate(turns)]
        lines = encoded(one for part in made for one in part)
        self.lines = lines
        # where each turn begins
        self.starts = []
        seen = 0
        for part in made[:-1]:
            seen += len(part)
            self.starts.append(sum(map(len, lines[:seen])))
        self.write(b"".join(lines))

    def write(self, data):
        self.data = data
        self.path.write_bytes(data)

    def read(self, **options):
        return list(self.agent.read(self.path, **options))

    def turns(self, **options):
        return [shown(turn) for part in self.read(**options) for turn in part.turns]


def shown(turn):
    steps = [
        step.text
        if isinstance(step, Say)
        else (step.name, step.command, step.status, step.is_error)
        for step in turn.steps
    ]
    return (turn.prompt, *steps)


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def session(request, tmp_path):
    return Session(request.param, tmp_path)


def test_the_order_and_whose_words_they_are(session):
    assert session.turns() == EXPECTED
    (part,) = session.read()
    times = [turn.at for turn in part.turns] + [part.turns[-1].until]
    assert times == sorted(times)


def test_the_session_its_folder_and_its_agent(session):
    (part,) = session.read()
    (found,) = session.agent.found(session.folder)
    assert part.session == found.session == SESSION
    assert (part.cwd, part.agent) == ("/home/ana/shop", session.agent.name)
    assert (found.path, found.size, part.end) == (session.path, part.end, len(session.data))
    assert (agent_of(session.path), agent_of_folder(session.folder)) == (session.agent,) * 2
    assert session.agent.last_moment(session.path).startswith("2026-03-02T10:00:")
    assert dict(part.skipped) == {}


def test_turns_have_names_that_stay(session):
    names = [turn.uuid for part in session.read() for turn in part.turns]
    assert len(set(names)) == len(TURNS)
    assert all(names)
    for at, start in enumerate(session.starts):
        again = [turn.uuid for part in session.read(start=start) for turn in part.turns]
        assert again == names[at:]
    known = session.read(known={names[0]})
    assert [turn.uuid for part in known for turn in part.turns] == names[1:]


def test_what_follows_a_watermark_is_all_that_is_read(session):
    whole = session.data
    for at, start in enumerate(session.starts[1:], 1):
        session.write(whole[:start])
        (first,) = session.read()
        tail = session.agent.tail_hash(session.path, first.end)
        assert session.read(start=first.end, empty=True) == []
        session.write(whole)
        assert session.agent.extends(session.path, first.end, tail)
        assert session.turns(start=first.end) == EXPECTED[at:]
        (rest,) = session.read(start=first.end)
        assert (rest.session, rest.cwd) == (first.session, first.cwd)
    session.write(whole[::-1])
    assert not session.agent.extends(session.path, first.end, tail)


def test_an_open_turn_is_left_for_later(session):
    (part,) = session.read(leave_open=True)
    assert [shown(turn) for turn in part.turns] == EXPECTED[:-1]
    (rest,) = session.read(start=part.end)
    (whole,) = session.read()
    assert [shown(turn) for turn in rest.turns] == EXPECTED[-1:]
    assert (*part.turns, *rest.turns) == whole.turns


def test_a_torn_line_is_left_for_later(session):
    whole, last = session.data, session.lines[-1]
    for cut in (1, len(last) // 2, len(last) - 2):
        session.write(whole[: len(whole) - len(last) + cut])
        ends = [part.end for part in session.read(empty=True)]
        assert ends == [len(whole) - len(last)]


def test_a_hard_link_is_read_as_the_file_that_it_is_of(session, tmp_path):
    link = tmp_path / "20-1-x.jsonl"
    os.link(session.path, link)
    (part,) = session.agent.read(link, source=session.path)
    assert (part.session, len(part.turns)) == (SESSION, len(TURNS))


def test_what_is_no_session_is_refused(session, tmp_path):
    session.path.unlink()
    for make in (
        session.path.mkdir,
        lambda: os.mkfifo(session.path),
        lambda: session.path.symlink_to(tmp_path / "elsewhere"),
    ):
        make()
        assert list(session.agent.found(session.folder)) == []
        with pytest.raises(TranscriptError):
            session.read()
        session.path.rmdir() if session.path.is_dir() else session.path.unlink()
    with pytest.raises(TranscriptError):
        session.read()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("way", WAYS)
@given(data=st.data())
def test_no_line_can_stop_a_reading(way, data, tmp_path_factory):
    session = Session(way, tmp_path_factory.mktemp("hostile"))
    lines = list(session.lines)
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = data.draw(st.binary(max_size=40).map(lambda raw: raw + b"\n") | broken(lines[at]))
    session.write(b"".join(lines))
    for part in session.read(empty=True):
        assert part.start <= part.end <= len(session.data)
        json.dumps([shown(turn) for turn in part.turns])


@st.composite
def broken(draw, raw):
    """Put a value of any type somewhere into a line."""
    record = json.loads(raw)
    here = record
    while True:
        key = draw(st.sampled_from(sorted(here)))
        inner = here[key]
        if not (isinstance(inner, dict) and inner and draw(st.booleans())):
            here[key] = draw(VALUES)
            return json.dumps(record, separators=(",", ":")).encode() + b"\n"
        here = inner


def test_bombs_and_long_lines_are_passed_over(session):
    deep = b'{"type":' + b"[" * 100_000 + b"\n"
    wide = b'{"type":"user.message","payload":[' + b"{}," * 300_000 + b"{}]}\n"
    long = b'{"a":"' + b"x" * 40_000 + b'"}\n'
    head, rest = session.lines[0], b"".join(session.lines[1:])
    session.write(head + deep + wide + long + rest)
    assert session.turns(limits=Limits(line=30_000)) == EXPECTED


def test_a_file_of_any_length_is_read_in_bounded_memory(session, tmp_path):
    steps = [("run", "make", "x" * 3_000, 0), ("say", "y" * 500)] * 4
    long = Session(type(session.way), tmp_path / "long", [("go on", steps)] * 600)
    assert len(long.data) > 8_000_000
    limits = Limits(part=256 << 10)
    tracemalloc.start()
    turns = sum(len(part.turns) for part in long.agent.read(long.path, limits=limits))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert turns == 600
    assert peak < 4_000_000  # a second of a part, and the reading's own buffers


def test_every_agent_is_asked():
    assert {way.agent.name for way in WAYS} == {one.name for one in AGENTS}


# -- Real sessions ---------------------------------------------------------------------------------

DATA = os.environ.get("MEMORIA_BENCH_DATA", "")
REAL = {CODEX: "transcripts_codex", COPILOT: "transcripts_copilot"}


@pytest.mark.skipif(not DATA, reason="MEMORIA_BENCH_DATA names no folder of real sessions")
@pytest.mark.parametrize("agent", REAL, ids=lambda agent: agent.name)
def test_real_sessions_keep_the_contract(agent):
    for found in agent.found(Path(DATA) / REAL[agent]):
        parts = list(agent.read(found.path))
        turns = [turn for part in parts for turn in part.turns]
        assert {part.session for part in parts} == {found.session}
        assert len({turn.uuid for turn in turns}) == len(turns)
        assert [dict(part.skipped) for part in parts] == [{}] * len(parts)
        assert not any(turn.prompt.startswith(("<", "# AGENTS.md")) for turn in turns)
        told = [(turn.uuid, turn.prompt, len(turn.steps)) for turn in turns]
        half = next(agent.read(found.path, leave_open=True, empty=True), None)
        if half is not None and len(parts) == 1:
            rest = [turn for part in agent.read(found.path, start=half.end) for turn in part.turns]
            again = [*half.turns, *rest]
            assert [(turn.uuid, turn.prompt, len(turn.steps)) for turn in again] == told
