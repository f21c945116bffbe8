from datetime import date, timedelta

from memoria.evidence.report.captured_sessions import Waiting, intake, most_said
from memoria.vault.storage.history import Capture


def capture(session, day, engine="offline"):
    return Capture(f"e-{session}-{day}", session, "shop", str(day), f"{day}T10:00:00+00:00", engine)


DAY = date(2026, 4, 1)


def test_sessions_are_counted_by_day_once():
    found = intake(
        [
            capture("a", DAY), capture("a", DAY), capture("a", DAY + timedelta(days=2)),
            capture("b", DAY, "claude"), capture("c", "no day"),
        ],
        Waiting(),
    )  # fmt: skip
    assert (found.sessions, found.days) == (2, 2)
    assert found.engines == (("offline", 3), ("claude", 1))
    assert found.latest == "3 Apr 2026"
    (figure,) = found.figures
    assert figure.rows == (("3 Apr 2026", "1"), ("1 Apr 2026", "2"))
    assert figure.says == "3 sessions on 2 days, 1 to 3 Apr 2026."


def test_only_the_last_two_months_are_pictured():
    found = intake([capture(f"s{n}", DAY + timedelta(days=n)) for n in range(200)], Waiting())
    (figure,) = found.figures
    marks = [one for one in figure.narrow.traces if one.role.startswith("mark")]
    assert len(marks) == len(figure.rows) == 60
    assert figure.rows[0][0] == found.latest


def test_one_day_or_none_is_no_picture():
    assert intake([], Waiting(2)).waiting.waiting == 2
    assert intake([], Waiting()).figures == ()
    assert intake([capture("a", DAY)], Waiting()).figures == ()


def test_the_reason_told_most_often():
    assert most_said([]) == ""
    assert most_said(["", ""]) == ""
    assert most_said(["", "no login", "overloaded", "no login"]) == "no login"
    assert Waiting(since=DAY).oldest == "1 Apr 2026"
    assert Waiting().oldest == ""
