"""Numbers with their nouns, and dollars, as people write them."""

import pytest

from memoria.text.numbers import counted, dollars


@pytest.mark.parametrize(
    ("value", "wanted"), [(0, "$0.00"), (0.0042, "$0.0042"), (0.5, "$0.50"), (1234.5, "$1,234.50")]
)
def test_dollars(value, wanted):
    assert dollars(value) == wanted


@pytest.mark.parametrize(
    ("count", "wanted"), [(0, "no sessions"), (1, "1 session"), (2_000, "2,000 sessions")]
)
def test_counts(count, wanted):
    assert counted(count, "session") == wanted
    assert counted(2, "family", "families") == "2 families"
