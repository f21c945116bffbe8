"""However a session ends, each of its prompts is delivered to the daily log exactly once."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import find_client, until
from keeper import BEGINNING, TALKS, Keeper, answers, told
from loopback import fails, task_of

A, B, C, D = TALKS
# where an ending and the engine meet; the other endings differ in what the hooks do alone
with_claude = pytest.mark.parametrize("kept", ["claude"], indirect=True)
with_both = pytest.mark.parametrize("kept", ["claude", "offline"], indirect=True)


@pytest.fixture(params=["offline"])
def kept(loop, tmp_path, request):
    with Keeper(tmp_path, loop, request.param) as room:
        yield room


def talk(terminal, *words):
    for word in words:
        question, answer = TALKS[word]
        terminal.type(question)
        terminal.shows(answer[:BEGINNING])


def client_of(room):
    """Give the process of the session in the terminal."""
    client = str(find_client())
    return until(
        lambda: [pid for pid, line in room.processes().items() if line.startswith(client)],
        "the client",
    )[0]


def test_a_session_without_a_terminal(kept):
    done = kept.ask(TALKS[A][0])
    assert done.stdout.strip() == TALKS[A][1]
    kept.kept()
    kept.delivered_once(A, parts=1)
    assert kept.entries()[0].entry.project == str(kept.project)


def test_first_sessions_of_a_sentence_each_leave_their_trace(loop, tmp_path):
    """Both had left daily/ empty, while the doctor said that all was captured."""
    with Keeper(tmp_path, loop, "offline") as room:
        for prompt in (
            "always quote the css paths",
            "We decided to use X for the cache because it is fast",
            "thanks",
        ):
            assert room.ask(prompt).stdout.strip() == "ok"
            room.kept()
        assert len(room.texts()) == 2
        (log,) = (room.vault / "daily").glob("????-??-??.md")
        sessions = {one["session"] for one in room.ledger("session") if one["turns"]}
        assert len(sessions) == 3
        assert all(f'"session": "{one}"' in log.read_text() for one in sessions)
        room.do("compile")
        room.ask("hello")
        assert "quote the css paths" in str(loop.bodies[-1]).lower()


@with_both
def test_a_compaction_in_the_middle(kept):
    with kept.terminal() as terminal:
        talk(terminal, A, B)
        terminal.type("/compact")
        terminal.shows("Compacted")
        until(kept.texts, "the first part")
        talk(terminal, C)
        terminal.type("/exit")
        terminal.ended()
    kept.kept()
    kept.delivered_once(A, B, C, parts=2)


@with_claude
def test_a_session_in_which_nothing_was_said(kept):
    with kept.terminal() as terminal:
        terminal.type("/clear")
        terminal.type("/exit")
        terminal.ended()
    kept.kept()
    assert kept.texts() == []
    assert kept.loop.bodies == []  # and nobody paid for hearing so


@with_claude
def test_a_session_that_is_resumed_after_its_end(kept):
    kept.ask(TALKS[A][0])
    kept.kept()
    (transcript,) = kept.transcripts()
    kept.ask(TALKS[B][0], "--resume", transcript.stem)
    kept.kept()
    assert kept.transcripts() == [transcript]
    kept.delivered_once(A, B, parts=2)


def test_a_fork_brings_only_what_is_new_in_it(kept):
    kept.ask(TALKS[A][0])
    kept.kept()
    (transcript,) = kept.transcripts()
    kept.ask(TALKS[B][0], "--resume", transcript.stem, "--fork-session")
    kept.kept()
    assert len(kept.transcripts()) == 2
    kept.delivered_once(A, B, parts=2, sessions=2)


def test_a_session_that_is_terminated(kept):
    with kept.terminal() as terminal:
        talk(terminal, A)
        os.kill(client_of(kept), signal.SIGTERM)
        terminal.ended()
    kept.kept()
    kept.delivered_once(A, parts=1)


@with_claude
def test_a_session_that_is_killed_comes_in_at_the_next_start(kept):
    with kept.terminal() as terminal:
        talk(terminal, A)
        (transcript,) = until(kept.transcripts, "the transcript")
        until(lambda: TALKS[A][1][:BEGINNING] in transcript.read_text(), "its last line")
        os.kill(client_of(kept), signal.SIGKILL)
        terminal.ended()
    kept.settle()
    assert kept.texts() == []
    kept.ask(TALKS[B][0])
    kept.kept()  # it may go on any moment, for all that one can see
    kept.delivered_once(B, parts=1)
    kept.idle()
    kept.ask(TALKS[C][0])
    kept.kept()
    kept.delivered_once(A, B, C, parts=3, sessions=3)


@with_claude  # whose flushes are the longest, so that they meet
def test_sessions_that_end_at_the_same_moment(kept):
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda word: kept.ask(TALKS[word][0]), (A, B, C)))
    assert [one.returncode for one in done] == [0, 0, 0]
    kept.kept()
    kept.delivered_once(A, B, C, parts=3, sessions=3)


@with_claude  # the other engine never waits
def test_a_session_that_goes_on_while_its_first_part_waits(kept, loop):
    down = fails(529, "overloaded_error", "Overloaded")
    loop.fallback = lambda body: down if task_of(body) else told(body)
    kept.ask(TALKS[A][0])
    kept.settle()
    (transcript,) = kept.transcripts()
    kept.ask(TALKS[B][0], "--resume", transcript.stem)
    kept.settle()
    assert kept.texts() == []
    loop.script()
    loop.fallback = answers
    assert kept.flush()[0] == 0
    kept.delivered_once(A, B, parts=1)
    assert kept.waiting() == []
