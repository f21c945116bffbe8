from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from talk import AT, bash, call, commit, edit, refused, say, steer, stop, transcript, turn

from memoria.stages.detour import detours
from memoria.stages.journey import MOST_CHAPTERS, Matter, journey
from memoria.stages.mistake import mistakes
from memoria.stages.outline import outline
from memoria.stages.sample import edits
from memoria.stages.work import work

ERROR = "Exit code 1\nE   ValueError: can't compare naive and aware datetimes\n1 failed"
ROOT = "/home/ana/shop/"


def timed(*turns):
    minutes = iter(range(10_000))
    return [
        replace(
            one,
            steps=tuple(
                replace(step, at=AT + timedelta(minutes=next(minutes))) for step in one.steps
            ),
        )
        for one in turns
    ]


def tell(*turns, **more):
    session = transcript(*timed(*turns))
    done = work(session)
    found = detours(session, mistakes(session))
    return journey(Matter(session, done, found, edits(session, done.files), **more))


def test_a_session_without_words_has_no_journey():
    assert tell() == ""
    assert tell(turn("")) == ""


def test_a_chapter_begins_with_what_was_asked_and_ends_with_the_answer():
    text = tell(turn("Why does the login fail east of Greenwich?", say("Because of **UTC**.")))
    assert text == "### 1. Why does the login fail east of Greenwich?\n\nBecause of **UTC**."


def test_a_long_ask_is_quoted_below_its_heading():
    asked = (
        "Please look at the login. It fails for all users east of Greenwich since Monday morning."
    )
    text = tell(turn(asked, say("It compares local times.")))
    assert f"\n\n> {asked}\n\n" in text


def test_what_is_told_elsewhere_is_left_out():
    turns = turn(
        "Fix the login of users in other zones, which fails since Monday", say("Now in UTC.")
    )
    assert "Now in UTC." not in tell(turns, aside=0)
    assert ">" not in tell(turns, known=0)
    assert "Now in UTC." not in tell(turns, told=frozenset({"now in utc"}))


def test_a_wrong_turn_stands_where_it_was_met_with_its_real_error():
    text = tell(
        turn(
            "Fix the login",
            bash("pytest", ERROR, error=True),
            say("The two datetimes have different kinds of zones."),
            edit(ROOT + "a.py", "expiry = naive()", "expiry = aware(datetimes)"),
            bash("pytest", "1 passed"),
            commit("Compare in UTC"),
            say("It compares in UTC."),
        )
    )
    marks = [
        "### 1. Fix the login",
        "**Wrong turn.**",
        "E   ValueError: can't compare naive and aware datetimes",
        "What resolved it:",
        "+ expiry = aware(datetimes)",
        "The two datetimes have different kinds of zones.",
        "*Edited `a.py`; `pytest` passed; committed `Compare in UTC`.*",
        "It compares in UTC.",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_an_error_is_over_when_the_next_run_fails_of_something_else():
    other = "Exit code 1\nE   KeyError: 'the missing key of the cache'\n1 failed"
    text = tell(
        turn(
            "Go",
            bash("pytest", "Exit code 1\nE   RuntimeError: TEST_URL is not set here", error=True),
            bash("TEST_URL=a pytest", other, error=True),
            edit(ROOT + "a.py", "x = 1", "x = 2"),
            bash("TEST_URL=a pytest", ERROR, error=True),
        )
    )
    assert "The next run got past it: `TEST_URL=a pytest`" in text
    assert "The next run got past it, after edits to `a.py`." in text


def test_the_same_failure_again_is_only_named():
    text = tell(turn("Go", *[bash("pytest", ERROR, error=True) for _ in range(3)]))
    assert text.count("**Wrong turn.**") == 1
    assert "`pytest` failed again" in text


def test_what_the_user_said_meanwhile_is_quoted():
    text = tell(
        turn(
            "Fix it all",
            steer("no, the other file"),
            steer("no, the other file!"),
            refused("Bash", "Never push on a Friday", command="git push"),
            call("AskUserQuestion", 'x "Which one?"="The second". You can', questions="[]"),
            stop(),
        )
    )
    assert text.count("> no, the other file") == 1
    assert "The user refused `git push` and said:\n\n> Never push on a Friday" in text
    assert "> **Which one?**\n>\n> The second" in text
    assert "*The user stopped the assistant here.*" in text


def test_an_objection_is_quoted_even_where_the_heading_says_it():
    turns = (
        turn("Fix the login", say("It now sleeps.")),
        turn("No sleeping in tests!", say("Right.")),
    )
    assert "**The user objected:**\n\n> No sleeping in tests!" in tell(
        *turns, objected=frozenset({1})
    )
    assert "objected" not in tell(*turns)


def test_a_yes_goes_on_with_the_chapter():
    text = tell(
        turn("Why does the login fail?", say("Because of UTC. Would you like me to fix it?")),
        turn("yes", say("It is fixed.")),
        turn("Where are sessions kept?", say("In Redis. Would you like me to move them?")),
    )
    assert text.count("###") == 2
    # what was agreed to is part of the story, what was not is none
    assert "Would you like me to fix it?\n\n> yes\n\nIt is fixed." in text
    assert "move them" not in text


def test_a_message_that_was_stopped_and_sent_again_is_one_chapter():
    text = tell(
        turn("Why does the login fail in other zones?", stop()),
        turn("Why does the login fail in other zones today?", say("Because of UTC.")),
    )
    assert text == "### 1. Why does the login fail in other zones today?\n\nBecause of UTC."


def test_announcements_are_left_out():
    text = tell(
        turn(
            "Fix it",
            say("Let me look at the file."),
            bash("ls", "a"),
            say("`strings` is already imported."),
            bash("ls", "a"),
            say("The cache is never cleared because `flush` returns early."),
            bash("ls", "a"),
            say("Fixed."),
        )
    )
    assert "Let me look" not in text
    assert "imported" not in text
    assert "The cache is never cleared because `flush` returns early." in text


def test_of_many_chapters_the_fullest_are_told_and_the_others_named():
    turns = [turn(f"Question number {n} about the login", say("Short.")) for n in range(20)]
    turns[7] = turn("The one that failed", bash("pytest", ERROR, error=True), say("Long " * 90))
    text = tell(*turns)
    assert text.count("###") == MOST_CHAPTERS
    assert "The one that failed" in text
    assert "*Asked in between: " in text
    numbers = [line.split(".")[0] for line in text.split("\n") if line.startswith("###")]
    assert numbers == [f"### {n}" for n in range(1, MOST_CHAPTERS + 1)]


def test_a_long_chapter_keeps_its_wrong_turns_and_its_end():
    steps = []
    for number in range(60):
        reason = "because the cache of the worker is never cleared in this case"
        steps += [say(f"Function `f{number}` fails {reason}."), bash("ls", "a")]
    text = tell(turn("Go", *steps, bash("pytest", ERROR, error=True), say("The end of it.")))
    assert len(text) < 5_000
    assert "**Wrong turn.**" in text
    assert "The end of it." in text


@given(
    st.lists(
        st.sampled_from(
            [
                "# x",
                "## The Goal",
                "```",
                "~~~",
                "<div>",
                "![i](//x.example/y)",
                "[[a]]",
                "- b",
                "<!--",
            ]
        ),
        min_size=1,
        max_size=4,
    ).map("\n".join)
)
def test_nothing_of_a_session_makes_headings_or_active_content(text):
    told = tell(
        turn(
            text,
            say(text),
            bash(text, f"Exit code 1\n{text}", error=True),
            refused("Bash", text, command=text),
            steer(text),
            bash("pytest", f"Exit code 1\n{text}\nE   ValueError: {text}", error=True),
            say(text),
        )
    )
    found = outline(f"## Before\n\n{told}\n\n## After\n")
    assert [block.text for block in found.blocks if block.level == 2] == ["Before", "After"]
    assert found.images == ()
    assert found.links == ()
