from dataclasses import replace
from datetime import UTC, date, datetime

from memoria.capture.session_draft import session_draft
from memoria.vault.entry import Draft, Entry, Extract, Mistake, Resolution, Statement

AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
LOG = Draft(
    "Expiry in UTC",
    "Tokens looked expired. Branch `main`.",
    exchanges=("Why does it fail? -> Because of zones.", "Fix it"),
    decisions=("Compare in <b>UTC</b>",),
    lessons=("JWT expiry is in seconds",),
)
ENTRY = Entry("e-1", date(2026, 3, 2), datetime(2026, 3, 2), "shop", "s-1", "offline", LOG)  # noqa: DTZ001
SAID = Statement("Never push on a Friday", "q", "workflow", True, 3.0)
FOUND = Extract(LOG, (), (SAID,), files=("app/a.py",), checks=(("pytest", True), ("ruff", False)))


def mistake(signature="a", change="- x\n+ y"):
    return Mistake(
        signature, "Bash", "exit", "E   ValueError: ``` bad", "c1", -1, AT,
        Resolution("edit", change, AT) if change else None,
    )  # fmt: skip


def test_log_extract_and_ledger_make_a_draft():
    found = session_draft(
        [ENTRY], [FOUND], [mistake(), mistake(), mistake("b", ""), mistake("c", "read it")]
    )
    bodies = dict(found.sections)
    assert found.title == "Expiry in UTC"
    assert bodies["The Goal"] == LOG.context
    assert bodies["What We Built"] == "- Compare in &lt;b>UTC&lt;/b>\n\n**Files**\n\n- `app/a.py`"
    assert (
        bodies["Test Results"] == "- `pytest`: passed when last run\n- `ruff`: failed when last run"
    )
    journey = bodies["The Journey"]
    assert journey.count("**Error:**") == 3
    assert "````text\nE   ValueError: ``` bad\n````" in journey
    assert "What fixed it:\n\n```diff\n- x\n+ y\n```" in journey
    assert "What fixed it: read it." in journey
    assert found.improvements == (
        ("workflow", "Never push on a Friday"),
        ("domain_knowledge", "JWT expiry is in seconds"),
        ("domain_knowledge", "Compare in &lt;b>UTC&lt;/b>"),
    )


def test_an_objection_is_told_as_one():
    objection = replace(mistake(change=""), kind="correction", line="No, in UTC!")
    journey = dict(session_draft([ENTRY], [], [objection]).sections)["The Journey"]
    assert journey.endswith("**The user objected:**\n\n> No, in UTC!")


def test_nothing_left_is_no_draft_and_no_error():
    found = session_draft([], [], [])
    assert found.title == ""
    assert {body for _, body in found.sections} == {""}
