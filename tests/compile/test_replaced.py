"""Which earlier line a later one replaces, and which it only resembles."""

import pytest

from memoria.compile.points import replaces

OLD = "A lease lasts 30 seconds, so that workers renew it in time."


@pytest.mark.parametrize(
    "later",
    [
        "A lease lasts 90 seconds, so that workers renew it in time.",
        "A lease no longer lasts 30 seconds, workers renew it in a minute's time.",
        "Workers now renew a lease in time: it lasts a minute instead of 30 seconds.",
    ],
)
def test_another_value_or_a_word_of_change_replaces(later):
    assert replaces(later, OLD)


@pytest.mark.parametrize(
    "later",
    [
        OLD,
        "A lease lasts 30 seconds, so that workers renew it in time and never early.",
        "A lease of a boat now lasts 90 days, since the harbour bills it monthly.",
        "Workers now drain queues in order.",
        "It now lasts 90 seconds.",
    ],
)
def test_the_same_and_something_else_do_not(later):
    assert not replaces(later, OLD)


def test_a_line_that_tells_of_a_change_is_not_replaced_by_its_copy():
    said = "A lease now lasts 90 seconds instead of 30, so that workers renew it."
    again = "Now a lease lasts 90 seconds instead of 30, so that workers can renew it."
    assert not replaces(again, said)
