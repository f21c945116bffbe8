"""What was learned reaches the next session's request, whole and below the client's limit."""

import pytest
from client import until
from keeper import BEGINNING, INJECTED, TALKS, Keeper, answers
from loopback import prompt_text

A, B, C, D = TALKS
# of the answer about A
CAUSE, FIX = "`cache.py` never evicts an entry", "The fix drops the oldest one on insert"
RULE = "Always run the linter before you commit, because CI is slow."
STOPPED = "Where the last session of this work stopped"
LIMIT = 10_000  # the client's, in UTF-16 units; what is longer arrives as a preview of 2 KB


@pytest.fixture(scope="module")
def learned(server, tmp_path_factory):
    """A room in which a session was captured and compiled, with a rule that the user gave."""
    server.script()
    with Keeper(tmp_path_factory.mktemp("learned"), server, "offline") as room:
        room.on_branch("leaks")
        room.ask(f"{TALKS[A][0]} {RULE}")
        room.kept()
        room.do("compile")
        yield room


@pytest.fixture
def room(learned, loop):
    loop.fallback = answers
    yield learned
    learned.settle()


def injected(loop, number=-1):
    """Give what Memoria added to a request."""
    text = prompt_text(loop.bodies[number])
    return [match[0] for match in INJECTED.finditer(text)]


def units(text):
    return len(text.encode("utf-16-le")) // 2


def test_rules_and_entries_reach_the_next_session_of_the_project(room, loop):
    room.ask("ping")
    (text,) = injected(loop)
    assert "- Always run the linter before you commit" in text
    stopped = text.partition(STOPPED)[2]
    assert stopped.count(CAUSE) == stopped.count(FIX) == 1
    assert units(text) <= LIMIT


def test_a_session_in_a_terminal_gets_them_too_and_again_when_it_starts_anew(room, loop):
    with room.terminal() as terminal:
        question, answer = TALKS[B]
        terminal.type(question)
        terminal.shows(answer[:BEGINNING])
        assert [text.count(STOPPED) for text in injected(loop)] == [1]
        terminal.type("/clear")
        until(lambda: answer[:BEGINNING] not in terminal.screen, "the empty screen")
        terminal.type(TALKS[C][0])
        terminal.shows(TALKS[C][1][:BEGINNING])
        (text,) = injected(loop)
        assert "- Always run the linter before you commit" in text
        assert STOPPED in text


def test_a_resumed_session_gets_what_came_since(room, loop):
    room.ask(TALKS[D][0])
    session = room.transcripts()[-1].stem
    room.settle()
    room.ask("ping", "--resume", session)
    assert D in injected(loop)[-1]


def test_stated_in_one_session_and_told_in_the_next_with_no_compile_between(loop, tmp_path):
    title = "## Standing rules of the user for this project"
    with Keeper(tmp_path, loop, "offline") as room:
        room.ask(f"{TALKS[A][0]} {RULE}")
        room.kept()
        (rule,) = room.json("status")["rules"]
        assert rule["in_force"]
        assert room.json("review") == []
        room.ask("ping")
        (text,) = injected(loop)
        assert title in text
        assert "run the linter before you commit" in text
        assert "follow" not in text
        room.settle()
        (room.project / "CLAUDE.md").write_text(f"# Ours\n\n- {rule['rule']}\n")
        room.ask("ping")
        assert not any(title in text for text in injected(loop))
