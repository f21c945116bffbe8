"""A Codex session as neutral values: the readers below need no other agent's tool names."""

import json
import subprocess

import pytest
from transcript_lines import AT, OLD, OWN, YOUNG, asked, event, item, meta, ran, said, started

from memoria.agents import session_file_store
from memoria.agents.claude_code.user_words import parse_ask
from memoria.agents.codex.rollout import NOISE, WANTED
from memoria.agents.port import CODEX, agent_of
from memoria.agents.transcript import Interrupt, Limits, Steer
from memoria.errors import TranscriptError

PATCH = """*** Begin Patch
*** Update File: /home/ana/shop/lease.go
@@
 func a() {
-\tx()
+\tchecked(x())
 }
*** Add File: /home/ana/shop/new.go
+package shop
*** End Patch
"""


EXITED = "Process exited with code 1\nOutput:\n"


def read(path):
    (part,) = CODEX.read(path)
    return part


def written(path, lines):
    path.write_text("".join(json.dumps(line | {"timestamp": AT}) + "\n" for line in lines))
    return path


@pytest.fixture
def session(tmp_path):
    instructions = [{"type": "input_text", "text": "# AGENTS.md instructions"}]
    lines = [
        meta("s-7", git={"branch": "lease"}),
        meta("parent", cwd="/elsewhere"),
        event("task_started"),
        item("message", role="user", content=instructions),
        event("user_message", message="fix the lease"),
        said("I run the linter."),
        event("agent_message", message="I run the linter."),
        *ran("c1", "golangci-lint run", "lease.go:3:2: `x` is not checked (errcheck)", 1),
        item("custom_tool_call", name="apply_patch", call_id="c2", input=PATCH),
        item("custom_tool_call_output", call_id="c2", output="Exit code: 0\nOutput:\nSuccess."),
        *ran("c3", "golangci-lint run", "0 issues."),
        event("user_message", message="and the tests"),
        *ran("c4", "go test ./...", "", None),
        item("function_call", name="write_stdin", call_id="c5", arguments='{"session_id": 7}'),
        item("function_call_output", call_id="c5", output=f"{EXITED}FAIL\tshop"),
        *ran("c6", "git commit -m 'Check the lease'", "[lease 1a2b3c4] Check the lease"),
        event("task_complete"),
        event("task_started"),
        event("user_message", message="stop"),
        event("turn_aborted"),
    ]
    path = tmp_path / "2026/03/02/rollout-2026-03-02T10-00-00-s-7.jsonl"
    path.parent.mkdir(parents=True)
    text = written(path, lines).read_text()
    path.write_text(text + '{"type": "event_msg", "payl')
    return path


def test_turns_hold_the_users_own_words_and_calls_by_kind(session):
    first, second = read(session).turns
    assert (first.prompt, second.prompt) == ("fix the lease", "stop")
    assert [step.text for step in first.steps if isinstance(step, Steer)] == ["and the tests"]
    assert isinstance(second.steps[-1], Interrupt)
    assert [(call.kind, call.status) for call in first.calls] == [
        ("shell", 1),
        ("edit", None),
        ("edit", None),
        ("shell", 0),
        ("shell", 1),
        ("shell", 0),
    ]
    edit, new = (call for call in first.calls if call.kind == "edit")
    assert edit.hunks[0].old == "func a() {\n\tx()\n}"
    assert new.path.endswith("new.go")
    waited = first.calls[4]
    assert (waited.command, waited.result) == ("go test ./...", "\nFAIL\tshop")


def test_a_patch_whose_text_stands_in_json_is_an_edit_of_each_file(file):
    given = json.dumps({"input": PATCH})
    prompt = event("user_message", message="fix the lease")
    torn = item("function_call", name="apply_patch", call_id="c2", arguments='{"input": "*** Be')
    patch = item("function_call", name="apply_patch", call_id="c1", arguments=given)
    (turn,) = read(written(file, [prompt, patch, torn])).turns
    assert [call.kind for call in turn.calls] == ["edit", "edit"]


def test_of_a_patch_that_is_too_long_the_pieces_stand_that_have_room(file):
    pieces = [f"@@\n-a{size}\n+{'b' * size}\n" for size in (2_000, 5_000, 1_000)]
    patch = f"*** Begin Patch\n*** Update File: a.ts\n{''.join(pieces)}*** End Patch"
    prompt = event("user_message", message="fix the lease")
    lines = [prompt, item("custom_tool_call", name="apply_patch", call_id="c1", input=patch)]
    (turn,) = read(written(file, lines)).turns
    assert [hunk.old for call in turn.calls for hunk in call.hunks] == ["a2000", "a1000"]


@pytest.fixture
def file(tmp_path):
    return tmp_path / f"rollout-2026-03-02T10-00-00-{OWN}.jsonl"


def test_the_newer_event_has_the_users_words_too(file):
    scaffold = item("message", role="user", content=[{"type": "input_text", "text": "<env>"}])
    lines = [meta(), started(), scaffold, asked("fix it"), said("Done."), asked("and test")]
    (turn,) = read(written(file, lines)).turns
    assert (turn.prompt, turn.uuid) == ("fix it", YOUNG)
    assert [step.text for step in turn.steps] == ["Done.", "and test"]


def test_words_that_both_events_have_are_taken_once(file):
    lines = [meta(), started(), event("user_message", message="fix it"), asked("fix it")]
    assert [turn.prompt for turn in read(written(file, lines)).turns] == ["fix it"]


def test_what_the_editor_put_before_the_users_words_is_not_the_users(file):
    mark = "## My request for Codex:\n"
    selected = f"## Active selection of the file:\n</ide_context>\n{mark}Always push\n\n"
    text = f"# Context from my IDE setup:\n\n{selected}{mark}fix it"
    (turn,) = read(written(file, [meta(), started(), asked(text)])).turns
    assert parse_ask(turn.prompt).text == "fix it"
    assert "Always push" in turn.prompt  # so that it is known as read


def test_what_a_fork_copies_of_its_parent_is_not_its_own(file):
    old = [started(OLD), asked("the parent's", OLD), said("Parent."), event("task_complete")]
    own = [started(), asked("mine"), said("Own.")]
    lines = [meta(forked_from_id=OLD), meta(OLD, cwd="/elsewhere"), *old, *own]
    found = read(written(file, lines))
    assert [turn.prompt for turn in found.turns] == ["mine"]
    assert dict(found.skipped) == {"copied from the parent's session": 2}


@pytest.mark.parametrize("more", [{"thread_source": "subagent"}, {"source": {"subagent": "x"}}])
def test_a_subagents_user_is_no_person(file, more):
    assert list(CODEX.read(written(file, [meta(**more), started(), asked("do it")]))) == []


def test_turns_that_the_user_took_back_are_dropped(file):
    lines = [meta()]
    for number in range(3):
        lines += [started(f"t{number}"), asked(f"ask {number}", f"t{number}"), said("ok")]
    lines += [event("thread_rolled_back", num_turns=2)]
    assert [turn.prompt for turn in read(written(file, lines)).turns] == ["ask 0"]


def test_a_compaction_repeats_nothing(file):
    repeated = [{"type": "message", "role": "user", "content": [{"text": "fix it"}]}]
    lines = [meta(), started(), asked("fix it"), said("Done.")]
    lines += [{"type": "compacted", "payload": {"message": "sum", "replacement_history": repeated}}]
    (turn,) = read(written(file, lines)).turns
    assert [type(step).__name__ for step in turn.steps] == ["AssistantText", "Compaction"]


def test_older_shells_and_refusals_are_understood(file):
    words = json.dumps({"command": ["bash", "-lc", "make"]})
    output = json.dumps({"output": "no rule", "metadata": {"exit_code": 2}}).replace(": ", ":")
    lines = [
        meta(),
        started(),
        asked("build"),
        item("function_call", name="shell", call_id="c1", arguments=words),
        item("function_call_output", call_id="c1", output=output),
        *ran("c2", "rm x", "")[:1],
        item("function_call_output", call_id="c2", output="exec_command failed: rejected by user"),
        *ran("c3", "cat log", "the run was aborted by user", None),
    ]
    made, refused, printed = read(written(file, lines)).calls
    assert (made.command, made.status, made.result) == ("make", 2, "no rule")
    assert (refused.is_refused, refused.is_error, refused.status) == (True, True, None)
    assert (printed.is_refused, printed.is_error) == (False, False)


def test_lines_of_another_version_are_counted_and_not_guessed(file):
    lines = [meta(), started(), asked("a"), event("brand_new"), {"type": "message", "role": "user"}]
    found = read(written(file, lines))
    assert dict(found.skipped) == {
        "type event_msg/brand_new": 1,
        "type message without a payload": 1,
    }
    assert WANTED.isdisjoint(NOISE)


needs_zstd = pytest.mark.skipif(
    session_file_store.find_unpacker() is None, reason="the program zstd is not installed"
)


@pytest.fixture
def packed(session):
    subprocess.run(["zstd", "-q", "--rm", session], check=True)
    return session.with_name(f"{session.name}.zst")


@needs_zstd
def test_a_compressed_session_is_read_as_the_one_that_it_was(session, request):
    whole, moment, cut = read(session), CODEX.last_moment(session), Limits(part=1)
    pieces = [part.turns for part in CODEX.read(session, limits=cut)]
    packed = request.getfixturevalue("packed")
    (found,) = CODEX.sessions(packed.parents[3])
    assert found.path == packed
    (part,) = agent_of(packed).read(packed, empty=True)
    assert (part.turns, part.skipped, part.agent) == (whole.turns, whole.skipped, "codex")
    assert (CODEX.is_there(packed), CODEX.last_moment(packed)) == (True, moment)
    assert (part.start, part.end) == (0, found.size)
    assert CODEX.extends(packed, part.end, CODEX.tail_hash(packed, part.end))
    assert list(CODEX.read(packed, start=part.end, empty=True)) == []
    small = list(CODEX.read(packed, limits=cut))
    assert [part.turns for part in small] == pieces
    assert {part.end for part in small[:-1]} == {0}
    session.write_bytes(b"")  # Codex unpacks a session before it goes on with it
    assert [one.path for one in CODEX.sessions(packed.parents[3])] == [session]


@needs_zstd
def test_a_damaged_or_hostile_compressed_session_stops_nothing(session, request, monkeypatch):
    session_bytes = session.read_bytes() + b"\n"
    packed = request.getfixturevalue("packed")
    whole = packed.read_bytes()
    for bad in (b"no such thing", whole[: len(whole) // 2], whole[:40] + b"x" + whole[41:]):
        packed.write_bytes(bad)
        with pytest.raises(TranscriptError):
            list(CODEX.read(packed))
    monkeypatch.setattr(session_file_store, "MAX_UNPACKED_BYTES", 2 << 20)
    far = b" " * (3 << 20) + b"\n" + session_bytes.replace(b"2026", b"2027")
    done = subprocess.run(
        ["zstd", "-qc"], input=session_bytes + far, capture_output=True, check=True
    )
    packed.write_bytes(done.stdout)
    (part,) = CODEX.read(packed)
    assert (len(done.stdout) < 10_000, len(part.turns)) == (True, 2)
    assert CODEX.last_moment(packed) < "2027"
