from datetime import UTC, datetime, timedelta

import pytest

from memoria.search.cures import from_ledger
from memoria.search.cures.from_ledger import build_cures
from memoria.vault.storage.history import RecordedMistake
from memoria.vault.storage.ledger_records import NO_TURN, Capture, Mistake, Resolution

AT = datetime(2026, 4, 1, 22, 30, tzinfo=UTC)
MARK = "shell exception:ValueError no lease in row <n>"
LINE = "ValueError: no lease in row 12"


def seen(number=0, **more):
    fields = {"line": LINE, "change": "- a\n+ b", "mark": MARK, "project": "p", "file": ""}
    fields |= {"how": "edit", "tool": "shell"} | more
    at = AT + timedelta(days=number)
    solved = Resolution(fields["how"], fields["change"] or "", at, fields["file"])
    solved = None if fields["change"] is None else solved
    kind = fields["mark"].split()[1]
    mistake = Mistake(
        fields["mark"], fields["tool"], kind, fields["line"], "c", NO_TURN, at, solved, "pytest"
    )
    return RecordedMistake(mistake, "s-1", fields["project"])


def captures(*days, session="s-1"):
    rows = (Capture(f"e-{n}", session, "p", day, f"{day}T10:00", "x") for n, day in enumerate(days))
    return {row.entry: row for row in rows}


def test_a_resolved_mistake_becomes_a_cure_with_its_log():
    (one,) = build_cures(
        [seen()], captures("2026-04-02")
    )  # the local day of what ended after midnight
    assert (one.action, one.signature, one.project, one.how) == ("pytest", MARK, "p", "edit")
    assert (one.line, one.change) == (LINE, "- a\n+ b")
    assert (one.day, one.log) == ("2026-04-02", "daily/2026-04-02")
    assert one.anchor == "lease"


def test_the_part_that_ended_first_after_it_tells_of_it():
    found = captures("2026-03-30", "2026-04-01", "2026-04-05")
    assert build_cures([seen()], found)[0].log == "daily/2026-04-01"
    assert build_cures([seen()], captures("2026-03-31"))[0].log == "daily/2026-03-31"
    (one,) = build_cures([seen()], captures("2026-04-01", session="other"))
    assert (one.day, one.log) == ("2026-04-01", "")


def test_what_tells_nothing_is_no_cure():
    assert build_cures([seen(change=None), seen(change=""), seen(change=" \n")], {}) == ()
    assert build_cures([seen(mark="shell exit pytest", line="pytest failed")], {}) == ()
    assert build_cures([seen(mark="shell exit pytest", line="no matches found: x*")], {}) == ()
    assert build_cures([seen(mark="shell exit <n>", line="12")], {}) == ()


def test_what_goes_away_by_itself_in_most_cases_has_no_cure():
    itself = [seen(n, how="retry", change="") for n in (1, 2)]
    assert build_cures([seen(), *itself], {}) == ()
    assert len(build_cures([seen(), seen(3, change="- c"), *itself[:1]], {})) == 2


def test_another_command_is_a_cure_where_it_is_that_in_most_cases():
    fixed = [seen(n, how="command", change=f"make fmt {n}") for n in (1, 2)]
    edited = [seen(n) for n in (3, 4)]
    assert {one.how for one in build_cures([*fixed, *edited[:1]], {})} == {"command", "edit"}
    assert {one.how for one in build_cures([*fixed, *edited], {})} == {"edit"}
    assert build_cures([seen(how="command", change="")], {}) == ()
    assert build_cures([seen(how="rephrase", change="")], {}) == ()


@pytest.mark.parametrize(
    ("commands", "unknown", "known", "is_told"),
    [(2, 2, 0, True), (1, 1, 0, False), (2, 3, 0, False), (2, 2, 1, False), (2, 0, 2, False)],
)
def test_an_edit_of_which_nothing_is_known_is_no_other_way(commands, unknown, known, is_told):
    ways = [{"how": "command", "change": "make test"}] * commands
    ways += [{"change": ""}] * unknown + [{"change": "- a"}] * known
    cures = build_cures([seen(number, **way) for number, way in enumerate(ways)], {})
    assert ("command" in {one.how for one in cures}) == is_told


@pytest.mark.parametrize("tool", ["read", "edit", "Skill", "user"])
def test_errors_of_the_agents_own_tools_have_none(tool):
    assert build_cures([seen(tool=tool)], {}) == ()
    assert build_cures([seen(mark="shell conflict CONFLICT in a file", line="CONFLICT")], {}) == ()


def test_an_edit_is_known_by_its_lines_or_by_its_file():
    (one,) = build_cures([seen(change="", file="src/tokens.py")], {})
    assert (one.change, one.file) == ("", "src/tokens.py")


def test_the_latest_of_the_same_error_and_change_stands_for_all():
    again = [seen(0), seen(2, line=LINE.replace("12", "900")), seen(1)]
    (one,) = build_cures(again, captures("2026-04-09"))
    assert one.line.endswith("900")
    others = [seen(project="q"), seen(change="- c"), seen(line="ValueError: no till")]
    assert len({one.key for one in build_cures([*again, *others], {})}) == 4


def test_only_so_many_are_kept_and_their_order_is_that_of_their_keys(monkeypatch):
    monkeypatch.setattr(from_ledger, "MAX_CURES", 3)
    found = build_cures([seen(n, change=f"- {n}") for n in range(9)], {})
    assert {one.change for one in found} == {"- 6", "- 7", "- 8"}
    assert [one.key for one in found] == sorted(one.key for one in found)
