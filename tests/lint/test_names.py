"""Inline code -> the names that lint looks for, and what it tells of those that are gone."""

import pytest
from linted import SCHEMA, article

from memoria.lint.names import Looked, collect_names, find_stale_names, parse_name
from memoria.lint.note import dump_note, read_note, restore_note

PATH = "knowledge/concepts/a.md"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("PendingCheckpointID", "PendingCheckpointID"),
        ("snake_case_name", "snake_case_name"),
        ("TestTurn_Ends", "TestTurn_Ends"),
        ("MEMORIA_VAULT", "MEMORIA_VAULT"),
        ("HTTPServer", "HTTPServer"),
        ("__init_subclass__", "__init_subclass__"),
        ("Foo.barBazQux()", "barBazQux"),
        ("crate::store::read_all", "read_all"),
        ("*state.PendingCheckpointID", "PendingCheckpointID"),
        ("SetLogLevel(GetLogLevel)", "SetLogLevel"),
        # short, or without a sign of being joined
        ("Foo.bar()", ""),
        ("TestX_Y", ""),
        ("condense", ""),
        ("_condensed", ""),
        ("ENVIRONMENT", ""),
        ("deadbeef12345678", ""),
        # paths, commands, options, values
        ("strategy/manual_commit.go", ""),
        ("manual_commit_hooks.go", ""),
        ("cmd/run_all_tests", ""),
        ("git rev_parse_all", ""),
        ("--no_color_at_all", ""),
        ("total_committed=12", ""),
        ("parse_all(a, b)", ""),
        ("<session_token>", ""),
        ("x" * 200 + "_y", ""),
    ],
)
def test_what_is_a_name_of_code(code, name):
    assert parse_name(code) == name


def read(body, front="projects: [shop]\n"):
    return read_note(PATH, article(body, front=front), SCHEMA)


@pytest.mark.parametrize(
    "line",
    [
        "`PendingTurnID` is gone.",
        "`PendingTurnID` was removed with the queue.",
        "`TurnQueue2` was renamed from `PendingTurnID`.",
        "A list replaces `PendingTurnID`.",
        "Turns are counted instead of kept in `PendingTurnID`.",
        "The plan names `PendingTurnID`, which does not exist yet.",
        "Is `PendingTurnID` written?",
        "    PendingTurnID",
        "PendingTurnID is no code here.",
        "[[concepts/PendingTurnID]]",
        "## Before the Change\n\n- `PendingTurnID` holds the turn.",
        "## Open\n\n- `PendingTurnID` has no test.",
    ],
)
def test_a_line_that_does_not_tell_of_it_as_there(line):
    assert read(line).names == ()


def test_a_line_that_tells_of_it_as_there():
    note = read("- It holds.\n- `PendingTurnID` and `a.PendingTurnID` are set by `removed_all()`.")
    assert note.names == (("PendingTurnID", 16), ("removed_all", 16))
    assert note.projects == ("shop",)
    assert restore_note(dump_note(note)) == note
    assert collect_names([note, read("None.")]) == {
        "shop": frozenset({"PendingTurnID", "removed_all"})
    }


def test_neither_a_derived_page_nor_a_rule_is_asked_about():
    assert read("- `PendingTurnID` is set.", "made: h0123456789a\n").names == ()
    rule = article(title="Set `PendingTurnID` at once")
    assert read_note("knowledge/rules/a.md", rule, SCHEMA).names == ()


GONE = Looked(frozenset({"PendingTurnID"}), frozenset({"PendingTurnID"}))


@pytest.mark.parametrize(
    ("projects", "looked", "count"),
    [
        ("[shop]", {"shop": GONE}, 1),
        # the project is not on this machine
        ("[shop]", {}, 0),
        ("[]", {"shop": GONE}, 0),
        # it never had the name: it may be a library's
        ("[shop]", {"shop": Looked(GONE.absent)}, 0),
        # another project of the article has it, or may have it, or never had it
        ("[shop, till]", {"shop": GONE, "till": Looked(frozenset({"other_name"}))}, 0),
        ("[shop, till]", {"shop": GONE}, 0),
        ("[shop, till]", {"shop": GONE, "till": Looked(GONE.absent)}, 1),
    ],
)
def test_a_name_is_told_that_each_project_lacks_and_one_had(projects, looked, count):
    note = read("- `PendingTurnID` is set.", f"projects: {projects}\n")
    found = list(find_stale_names([note], looked))
    assert len(found) == count
    for finding in found:
        assert (finding.check, finding.severity) == ("stale-names", "suggestion")
        assert (finding.path, finding.line) == (PATH, 15)
        assert finding.message == (
            "`PendingTurnID` stands nowhere in the project's code any more: is the line still true?"
        )
