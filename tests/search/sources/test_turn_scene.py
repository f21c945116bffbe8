from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.agents.claude_code import tools
from memoria.agents.transcript import Say, Steer, Turn
from memoria.search.sources.turn_scene import scene

COMMIT = "Build the index concurrently, in batches"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
LOCK = "The advisory lock ends with its connection, so that a killed run blocks nobody."
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you "
    "how to proceed, the user said:\nNever push to main directly, open a branch first."
)


def at(minute):
    return START + timedelta(minutes=minute)


def turn(number, prompt, *steps):
    return Turn(f"u{number}", at(10 * number), at(10 * number + 9), prompt, "main", steps)


def call(minute, result="", *, error=False, **arguments):
    return tools.call("c", "Bash", tuple(arguments.items()), result, error, True, at(minute))


TURNS = (
    turn(0, "Why does the migration hang?", Say("I look into it.", at(1))),
    turn(
        1,
        "Can a killed run block the next one?",
        call(11, LOCK, command="make migrate"),
        Say(f"Good question.\n\n## Answer\n\nYes and no.\n{LOCK}\nMore text follows.", at(12)),
    ),
    turn(2, "Thanks. Use batches of 5,000 rows for the backfill.", Steer("Stop there", at(21))),
    turn(3, "Push it.", call(31, REFUSED, error=True, command="git push")),
    turn(4, "Commit.", call(41, "[main abc]", command=f"git commit -m '{COMMIT}'")),
)


@pytest.mark.parametrize(
    ("words", "expected", "index", "who", "minute"),
    [
        (LOCK, 1, 1, "assistant", 12),
        (LOCK, -1, 1, "assistant", 12),
        (LOCK, 0, 1, "assistant", 12),
        (LOCK, 99, 1, "assistant", 12),
        ("Use batches of 5,000 rows for the backfill", 2, 2, "user", 20),
        ("Never push to main directly, open a branch first.", -1, 3, "user", 31),
        (COMMIT, 4, 4, "assistant", 41),
    ],
)
def test_words_are_found_with_who_said_them(words, expected, index, who, minute):
    found = scene(words, TURNS, expected)
    assert (found.turn, found.who, found.at) == (index, who, at(minute))
    assert words.split()[0] in found.passage


def test_a_passage_comes_with_the_person_s_question():
    found = scene(LOCK, TURNS, 1)
    assert found.asked == "Can a killed run block the next one?"
    assert found.passage == LOCK


def test_what_only_a_tool_printed_is_found_last():
    found = scene(LOCK, (TURNS[0], turn(1, "x", call(11, LOCK))), 1)
    assert found.who == "tool"


def test_words_over_two_lines():
    one = turn(
        0,
        "q",
        Say(
            "The advisory lock ends with its\nconnection, so that a killed run blocks\nnobody.",
            at(1),
        ),
    )
    assert scene(LOCK, [one], 0).who == "assistant"


def test_without_the_words_the_turn_alone_is_given():
    found = scene("Cookies hold a session for a week in the browser.", TURNS, 1)
    assert (found.turn, found.asked, found.who, found.passage) == (
        1,
        "Can a killed run block the next one?",
        "",
        "",
    )
    assert scene("Cookies hold a session.", TURNS, -1) is None
    assert scene(LOCK, [], 0) is None


def test_a_long_passage_and_question_are_shortened():
    long = " ".join(f"word{n}" for n in range(400))
    found = scene(long, [turn(0, long, Say(long, at(1)))], 0)
    assert len(found.passage) <= 510
    assert len(found.asked) <= 310


def test_the_same_words_with_megabytes_of_output_take_no_time():
    big = turn(0, "q", call(1, "line of output\n" * 500_000), Say(LOCK, at(2)))
    assert scene(LOCK, [big], 0).who == "assistant"


@given(st.text(max_size=80), st.integers(-2, 7))
def test_any_words_have_a_scene_or_none(words, expected):
    found = scene(words, TURNS, expected)
    assert found is None or 0 <= found.turn < len(TURNS)
