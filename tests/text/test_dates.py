from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from cases import cased

from memoria.errors import UsageError
from memoria.text.dates import parse_day, parse_midnight, parse_moment


@cased()
def test_a_moment(value, found):
    assert parse_moment(value) == (found and datetime.fromisoformat(found))


def test_a_day():
    assert parse_day("2026-04-01") == date(2026, 4, 1)
    assert parse_day("") is None
    assert parse_day(None) is None


@pytest.mark.parametrize("text", ["soon", "2026-02-30", "2026-04-01T12:30:00", "x" * 500])
def test_what_is_no_day_says_what_to_write(text):
    with pytest.raises(UsageError, match=r"^--date '.{1,40}': use a date, YYYY-MM-DD$"):
        parse_day(text, "--date")


def test_a_day_begins_at_midnight_of_the_persons_clock():
    east = timezone(timedelta(hours=14))
    assert parse_midnight("2026-04-01", east) == datetime(2026, 3, 31, 10, tzinfo=UTC)
    assert (
        parse_midnight("", east)
        == parse_midnight("0001-01-01", east)
        < parse_midnight("1971-01-01", None)
    )
