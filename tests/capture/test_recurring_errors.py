"""Which errors come back, what they cost, what fixes them: one count for all who tell of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from cases import cased

from memoria.capture.recurring_errors import find_recurring_errors
from memoria.vault.storage.history import RecordedMistake
from memoria.vault.storage.ledger_records import USER, Mistake, Resolution

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def seen(session, line="no such table: users", *, kind="exit", tool="Bash", minutes=None, **fix):
    at = START + timedelta(hours=session)
    end = None
    if minutes is not None:
        passed = at + timedelta(minutes=minutes)
        end = Resolution(fix.get("how", "edit"), fix.get("change", ""), passed)
    mistake = Mistake(f"{tool} {kind} {line}", tool, kind, line, "c", 0, at, end)
    return RecordedMistake(mistake, f"s{session}", "p")


def test_what_two_sessions_met_comes_back_and_the_most_sessions_come_first():
    found = [
        *(seen(session, "no such table: users") for session in (1, 2)),
        *(seen(session, "port is taken") for session in (1, 2, 3)),
        *(seen(1, "met twice in one session") for _ in range(2)),
    ]
    errors = find_recurring_errors(found)
    assert [(one.line, one.sessions) for one in errors] == [
        ("port is taken", 3),
        ("no such table: users", 2),
    ]


def test_minutes_add_up_without_pauses():
    found = [seen(1, minutes=4), seen(2, minutes=5), seen(3, minutes=300), seen(4)]
    (error,) = find_recurring_errors(found)
    assert error.minutes == 9
    assert error.format_line(7) == "4 of 7 sessions, cost at least 9 minutes: no such table: users"


def test_the_agents_own_slips_are_nobody_else_s():
    slip = {"kind": "not-found", "tool": "Read"}
    assert find_recurring_errors([seen(1, "File does not exist.", **slip) for _ in range(2)]) == ()
    both = [seen(session, "File does not exist.", **slip) for session in (1, 2)]
    assert find_recurring_errors(both) == ()


@cased()
def test_a_fix_is_told_where_it_is_sure(fixes, fix):
    found = [seen(number, minutes=1, **one) for number, one in enumerate(fixes)]
    (error,) = find_recurring_errors(found)
    assert error.fix == fix
    assert error.format_line(9).endswith(f"-> {fix}" if fix else "users")


def test_the_last_edit_of_one_line_is_the_example_of_an_error_with_a_code():
    changes = ("- a\n+ b", "- return err\n+ return wrap(err)", "+ more\n+ lines")
    found = [
        seen(number, "unwrapped", kind="lint:wrapcheck", minutes=1, change=change)
        for number, change in enumerate(changes)
    ]
    (error,) = find_recurring_errors(found)
    assert error.example == "`err` became `wrap(err)`"
    assert error.is_worth_telling
    (plain,) = find_recurring_errors([seen(n, minutes=1, change=changes[n]) for n in (0, 1)])
    assert not plain.example
    assert not plain.is_worth_telling


@cased()
def test_the_command_that_makes_a_rule_of_it(more, command):
    (error,) = find_recurring_errors([seen(1, **more), seen(2, **more)])
    assert error.command() == command
    assert not error.command([f"Always: `{error.fix or 'pnpm test'}`"]) or not error.fix


@cased()
def test_a_rule_speaks_of_an_error(more, rule):
    (error,) = find_recurring_errors([seen(1, **more), seen(2, **more)])
    assert error.is_covered_by([rule])
    assert not error.is_covered_by(["Never commit to main", "Never say that it is failing"])


def test_a_count_of_many_lines_shows_no_name_of_one():
    lines = [f"Error return value of `{name}` is not checked (errcheck)" for name in ("a", "b.C")]
    (error,) = find_recurring_errors(
        seen(session, line, kind="lint:errcheck") for session, line in enumerate(lines)
    )
    assert (
        error.format_line(9)
        == "2 of 9 sessions: Error return value of \u2026 is not checked (errcheck)"
    )


def test_lines_that_share_too_little_stand_as_one_of_many():
    lines = ["make test is failing", "the target is red again: failing"]
    found = [
        seen(session, line, kind="correction:failing", tool=USER)
        for session, line in enumerate(lines)
    ]
    same = [one._replace(mistake=replace(one.mistake, signature="user failing")) for one in found]
    (error,) = find_recurring_errors(same)
    assert error.format_line(3).startswith(f"2 of 3 sessions: you said, or the like: {lines[1]}")
