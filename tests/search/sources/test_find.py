from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notes import entry, hostile

from memoria.agents.claude_code import tools
from memoria.agents.transcript import Say, Steer, Turn
from memoria.search.sources.find import NO_TURN, Source, scene
from memoria.search.sources.service import account
from memoria.vault import daily
from memoria.vault.entry import Draft, Extract, Fact, Statement

LOCK = "The advisory lock ends with its connection, so that a killed run blocks nobody."
ALWAYS = "Always run the migrations through `make migrate`."
COMMIT = "Build the index concurrently, in batches"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you "
    "how to proceed, the user said:\nNever push to main directly, open a branch first."
)


def source(number, *facts, statements=(), draft=None):
    """Make an entry of a log, as it is read from there, with what was found in its session."""
    one = entry(number, lessons=tuple(fact.text for fact in facts))
    (block,) = daily.blocks(daily.render(one), one.day)
    return Source(block, Extract(draft or one.draft, facts, statements))


def fact(text, turn=0, origin="assistant", kind="lesson"):
    return Fact(kind, text, origin, 4.0, turn)


FIRST = source(1, fact(LOCK, 2), fact("Nothing else was learned on that day.", 1))
SAID = Statement(ALWAYS, ALWAYS, "workflow", standing=True, score=3.0)
DECIDED = Draft("t", "", decisions=("JSON was chosen over YAML for the config file",))


@pytest.mark.parametrize(
    ("words", "one", "turn", "origin"),
    [
        (LOCK.upper(), FIRST, 2, "assistant"),
        ("the advisory lock ends with its connection", FIRST, 2, "assistant"),
        (LOCK, Source(FIRST.block), NO_TURN, ""),
        (DECIDED.decisions[0], source(4, draft=DECIDED), NO_TURN, ""),
        (ALWAYS, source(1, statements=(SAID,)), NO_TURN, "user"),
        (
            ALWAYS,
            source(1, fact(f"User, refusing `alembic`: {ALWAYS}", 3, "user"), statements=(SAID,)),
            3,
            "user",
        ),
    ],
)
def test_the_turn_of_a_line_is_looked_up_in_its_entry(words, one, turn, origin):
    found = one.trace(words)
    assert (found.sure, found.turn, found.origin) == ("exact", turn, origin)


def test_a_line_of_something_else_is_not_the_entry_s():
    for line in ("Postgres has arrays.", "the lock", "blocks nobody", "", "!!!"):
        assert FIRST.trace(line) is None


@given(hostile)
def test_any_line_has_a_source_or_none(words):
    assert FIRST.trace(words) is None or FIRST.trace(words).sure == "exact"


# -- The turns of a transcript ---------------------------------------------------------------------


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


def test_a_passage_comes_with_the_person_s_question_and_what_a_tool_printed_last():
    found = scene(LOCK, TURNS, 1)
    assert (found.asked, found.passage) == ("Can a killed run block the next one?", LOCK)
    assert scene(LOCK, (TURNS[0], turn(1, "x", call(11, LOCK))), 1).who == "tool"
    two = "The advisory lock ends with its\nconnection, so that a killed run blocks\nnobody."
    assert scene(LOCK, [turn(0, "q", Say(two, at(1)))], 0).who == "assistant"


def test_without_the_words_the_turn_alone_is_given():
    found = scene("Cookies hold a session for a week in the browser.", TURNS, 1)
    assert found[0::2] == (1, "Can a killed run block the next one?", "")
    assert found.who == ""
    assert scene("Cookies hold a session.", TURNS, -1) is None
    assert scene(LOCK, [], 0) is None


def test_long_texts_are_cut_before_they_are_searched_and_shown():
    long = " ".join(f"word{n}" for n in range(400))
    found = scene(long, [turn(0, long, Say(long, at(1)))], 0)
    assert len(found.passage) <= 510
    assert len(found.asked) <= 310
    big = turn(0, "q", call(1, "line of output\n" * 500_000), Say(LOCK, at(2)))
    assert scene(LOCK, [big], 0).who == "assistant"


@given(st.text(max_size=80), st.integers(-2, 7))
def test_any_words_have_a_scene_or_none(words, expected):
    found = scene(words, TURNS, expected)
    assert found is None or 0 <= found.turn < len(TURNS)


# -- What is printed -------------------------------------------------------------------------------


def test_a_rule_in_lines():
    decision = {"at": "2026-04-02", "id": "wf-1", "status": "retired", "by": "review"}
    found = {
        "kind": "rule", "id": "wf-1", "text": "Use tabs", "in_force": False,
        "why_not": "it was retired", "status": "retired", "scope": [], "category": "workflow",
        "frequency": 2, "path": None, "aliases": ["Tabs"],
        "evidence": [{"words": "Use tabs", "path": "rules/x", "note": "said at the terminal"}],
        "decisions": [decision | {"superseded_by": "wf-2"}],
    }  # fmt: skip
    assert "\n".join(account(found)) == (
        "wf-1  Use tabs\n"
        "  retired, not used: it was retired\n"
        "  workflow, seen 2x, holds in every project\n"
        "  also: Tabs\n"
        'said: "Use tabs"\n'
        "  rules/x: said at the terminal\n"
        "decided: 2026-04-02 retired by review, overruled by wf-2"
    )
