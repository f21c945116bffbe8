"""Numbers with their nouns, and dollars, as people write them."""

import pytest

from memoria.text.numbers import format_count, format_dollars


@pytest.mark.parametrize(
    ("value", "wanted"), [(0, "$0.00"), (0.0042, "$0.0042"), (0.5, "$0.50"), (1234.5, "$1,234.50")]
)
def test_dollars(value, wanted):
    assert format_dollars(value) == wanted


@pytest.mark.parametrize(
    ("count", "wanted"), [(0, "no sessions"), (1, "1 session"), (2_000, "2,000 sessions")]
)
def test_counts(count, wanted):
    assert format_count(count, "session") == wanted
    assert format_count(2, "family", "families") == "2 families"
