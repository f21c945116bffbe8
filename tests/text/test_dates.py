from datetime import UTC, date, datetime

import pytest

from memoria.errors import UsageError
from memoria.text.dates import day, moment

AT = datetime(2026, 4, 1, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("2026-04-01T12:30:00+00:00", AT),
        ("2026-04-01T12:30:00Z", AT),
        ("2026-04-01T12:30:00", AT),
        ("2026-04-01T14:30:00+02:00", AT),
        ("yesterday", None),
        ("", None),
        (None, None),
        (1775046600, None),
        (["2026-04-01"], None),
    ],
)
def test_a_moment(value, found):
    assert moment(value) == found


def test_a_day():
    assert day("2026-04-01") == date(2026, 4, 1)
    assert day("") is None
    assert day(None) is None


@pytest.mark.parametrize("text", ["soon", "2026-02-30", "2026-04-01T12:30:00", "x" * 500])
def test_what_is_no_day_says_what_to_write(text):
    with pytest.raises(UsageError, match=r"^--date '.{1,40}': use a date, YYYY-MM-DD$"):
        day(text, "--date")
