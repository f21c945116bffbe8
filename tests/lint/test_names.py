"""Inline code -> the names that lint looks for, and what it tells of those that are gone."""

import pytest
from cases import cased
from linted import SCHEMA, article

from memoria.lint.names import NamesGone, collect_names, find_stale_names, parse_name
from memoria.lint.note import dump_note, read_note, restore_note

PATH = "knowledge/concepts/a.md"


@cased(("x" * 200 + "_y", ""))
def test_what_is_a_name_of_code(code, name):
    assert parse_name(code) == name


def read(body, front="projects: [shop]\n"):
    return read_note(PATH, article(body, front=front), SCHEMA)


@cased()
def test_a_line_that_does_not_tell_of_it_as_there(line):
    assert read(line).names == ()


def test_a_line_that_tells_of_it_as_there():
    note = read("- It holds.\n- `PendingTurnID` and `a.PendingTurnID` are set by `removed_all()`.")
    assert note.names == (("PendingTurnID", 16), ("removed_all", 16))
    assert note.projects == ("shop",)
    assert restore_note(dump_note(note)) == note
    names = frozenset({"PendingTurnID", "removed_all"})
    assert collect_names([note, read("None.")]) == {"shop": names}


def test_neither_a_derived_page_nor_a_rule_is_asked_about():
    assert read("- `PendingTurnID` is set.", "made: h0123456789a\n").names == ()
    rule = article(title="Set `PendingTurnID` at once")
    assert read_note("knowledge/rules/a.md", rule, SCHEMA).names == ()


GONE = NamesGone(frozenset({"PendingTurnID"}), frozenset({"PendingTurnID"}))


@pytest.mark.parametrize(
    ("projects", "looked", "count"),
    [
        ("[shop]", {"shop": GONE}, 1),
        # the project is not on this machine
        ("[shop]", {}, 0),
        ("[]", {"shop": GONE}, 0),
        # it never had the name: it may be a library's
        ("[shop]", {"shop": NamesGone(GONE.absent)}, 0),
        # another project of the article has it, or may have it, or never had it
        ("[shop, till]", {"shop": GONE, "till": NamesGone(frozenset({"other_name"}))}, 0),
        ("[shop, till]", {"shop": GONE}, 0),
        ("[shop, till]", {"shop": GONE, "till": NamesGone(GONE.absent)}, 1),
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
