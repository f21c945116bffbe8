"""The draft as a whole; what a sample session gives is kept as a golden file.

UPDATE_GOLDEN=1 writes it anew; read the difference before you keep it.
"""

import os
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
from talk import bash, commit, edit, say, transcript, turn

from memoria.edges import resource, transcripts
from memoria.stages import gate
from memoria.stages.entry import Draft, Entry, Statement
from memoria.stages.extract import extract
from memoria.stages.mistake import mistakes
from memoria.stages.template import blank, filled
from memoria.stages.tutorial import improvements, public, tutorial
from memoria.stages.written import SECTIONS, written

GOLDEN = Path(__file__).parents[1] / "golden" / "tutorial.md"
SAMPLE = "-home-robin-code-shop-api/c92a1969-07c5-5852-bc8d-df506945562f.jsonl"
CWD = "/home/ana/shop"


def sample():
    (part,) = transcripts.read(resource.SAMPLES / SAMPLE)
    return gate.clean(gate.without_private(part))


def draft(session, entries=()):
    found = mistakes(session)
    return tutorial(session, found, extract(session, found), entries)


def test_the_draft_of_a_sample_session():
    session = sample()
    found = draft(session)
    template = resource.text("templates/_TEMPLATE.md")
    text = blank(template, title=found.title, day=date(2026, 10, 8), slug="logged-out")
    text = filled(text, found.sections, found.improvements, {"session": session.session})
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
    # the promises of a draft: the error as printed, what was said, the way that worked, no secret
    assert "E           RuntimeError: TEST_DATABASE_URL is not set" in text
    assert "> No! Then the tests empty my development database." in text
    assert "$ make test\ntest database on port 54329\n79 passed in 10.31s" in text
    assert "hunter2" not in text
    assert "/home/robin" not in text
    assert [name for name, _ in found.sections] == list(SECTIONS[:-1])
    assert all(body for _, body in found.sections)
    read = written(text)
    assert len(read.improvements) == len(found.improvements)
    assert {one.category for one in read.improvements} >= {"tool_usage", "architectural"}


@pytest.mark.parametrize(
    "path", sorted(resource.SAMPLES.glob("*/*.jsonl")), ids=lambda p: p.stem[:8]
)
def test_every_sample_makes_a_draft(path):
    parts = [gate.clean(part) for part in transcripts.read(path)]
    session = replace(parts[0], turns=tuple(turn for part in parts for turn in part.turns))
    found = draft(session)
    assert found.title
    bodies = dict(found.sections)
    assert bodies["The Goal"]
    assert bodies["The Journey"]
    text = "\n\n".join(f"## {name}\n\n{body}" for name, body in found.sections)
    assert "/home/robin" not in text
    assert found == draft(session)


def test_a_session_in_which_nothing_happened():
    found = draft(transcript())
    assert [body for _, body in found.sections] == [""] * 5
    assert found.improvements == ()


def test_the_parts_come_from_what_was_done():
    body = "Tokens looked expired, because a local time was compared with a UTC one."
    found = draft(
        transcript(
            turn(
                "Fix the login for users east of Greenwich, please",
                edit(f"{CWD}/app/tokens.py", "a = local()\nb\nc", "a = utc()\nb\nc"),
                edit(f"{CWD}/app/new.py", "", "x = 1\ny = 2\nz = 3"),
                bash("pytest", "12 passed"),
                commit(f"Compare in UTC\n\n{body}"),
                say(
                    "The login now compares in UTC, so that users of all zones stay logged in. " * 2
                ),
            )
        )
    )
    bodies = dict(found.sections)
    assert bodies["The Goal"] == "> Fix the login for users east of Greenwich, please"
    assert bodies["What We Built"].startswith("The login now compares in UTC")
    assert "- `app/tokens.py` (changed)\n- `app/new.py` (written)" in bodies["What We Built"]
    assert f"- Compare in UTC\n\n  {body}" in bodies["What We Built"]
    assert bodies["Test Results"].startswith("`pytest` **passed** when last run:")
    # the outcome is told once
    assert "The login now compares" not in bodies["The Journey"]


def test_a_plan_is_the_goal():
    plan = "Implement the following plan:\n\n# Zones\n\n## Context\n\nUsers are logged out.\n"
    found = draft(transcript(turn("hello there you"), turn(plan, say("Done."))))
    assert dict(found.sections)["The Goal"] == "**Zones**\n\n**Context**\n\nUsers are logged out."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"in {CWD}/app/a.py: x", "in app/a.py: x"),
        (f"cd {CWD}", "cd ."),
        (f"{CWD}-old/a", "~/shop-old/a"),
        ("see ~/shop/app/a.py", "see app/a.py"),
        ("/home/bo/x and /Users/bo.z/y", "~/x and ~/y"),
        (r"C:\Users\bo\x", r"~\x"),
        ("/homework/a", "/homework/a"),
    ],
)
def test_paths_of_the_machine_are_taken_out(text, shown):
    assert public(text, CWD) == shown


def test_improvements_begin_with_the_users_own_and_say_nothing_twice():
    said = Statement("Always run the tests with `make test`", "q", "tool_usage", True, 3.0)
    log = Draft(
        "T",
        "C",
        decisions=(
            "fix(auth): compare in UTC",
            "Which format? -> JSON",
            "User, on the plan: Always run the tests with `make test`, please",
            "Can we do it?",
            "The service owns the retry policy",
        ),
        lessons=("VAT is rounded per line", "bad -> `a` became `b`"),
    )
    entry = Entry("e-1", date(2026, 3, 2), datetime(2026, 3, 2), "p", "s", "offline", log)  # noqa: DTZ001
    found = list(improvements((said,), [entry], ["VAT is rounded for each line", "New <b>one</b>"]))
    assert found == [
        ("tool_usage", "Always run the tests with `make test`"),
        ("domain_knowledge", "VAT is rounded per line"),
        ("architectural", "The service owns the retry policy"),
        ("domain_knowledge", "New &lt;b>one&lt;/b>"),
    ]


def test_improvements_are_few():
    lessons = [f"{word} is stored in the {word} table" for word in "abcdefghijklmnop"]
    assert len(list(improvements((), (), [f"{one} of {one * 2}" for one in lessons]))) <= 10
