"""Which candidates an entry shows: the laws, and the kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.candidates import Candidate
from memoria.capture.extract.selection import SAME, budget, kind_of, line, select
from memoria.text.word_overlap import containment, stems

_WORDS = st.sampled_from(
    ["queue", "lease", "token", "clock", "broker", "shelf", "index", "worker", "timer", "lock"]
)
_SENTENCES = st.lists(_WORDS, min_size=1, max_size=8).map(" ".join)
_WEIGHED = st.lists(st.tuples(_SENTENCES, st.floats(0, 1)), max_size=30)


def candidate(text, source="closing", number=0, **more):
    return Candidate(text, source, number, 0, stems=stems(text), **more)


def chosen(weighed, **more):
    gathered = [candidate(text, number=at) for at, (text, _) in enumerate(weighed)]
    values = [value for _, value in weighed]
    return gathered, select(gathered, values, among=range(len(values)), **more)


@given(_WEIGHED, st.floats(0, 1))
def test_the_best_that_say_something_new_are_taken_within_floor_and_budget(weighed, floor):
    said = [stems("queue lease token clock broker")]
    gathered, numbers = chosen(weighed, floor=floor, said=said)
    words = [*said, *(gathered[number].stems for number in numbers)]
    assert all(
        containment(one, other) <= SAME for at, one in enumerate(words) for other in words[:at]
    )
    values = [weighed[number][1] for number in numbers]
    assert values == sorted(values, reverse=True)
    assert all(value >= floor for value in values)
    assert len(numbers) <= budget(len(weighed))
    assert set(numbers) <= set(chosen(weighed, floor=0.0, said=said)[1])


def test_a_line_may_tell_more_than_the_title_and_not_less():
    longer, shorter = candidate("queue lease token clock broker"), candidate("queue lease")
    title = stems("the lease of the queue")
    assert select([longer, shorter], [0.8, 0.9], among=(0, 1), title=title) == (0,)


def test_only_what_may_stand_is_taken():
    one, other = candidate("queue lease token"), candidate("clock broker shelf")
    assert select([one, other], [0.9, 0.8], among=(1,)) == (1,)


def test_the_budget_grows_slower_than_the_session():
    assert [budget(count) for count in (0, 4, 25, 100, 10_000)] == [2, 4, 7, 10, 10]


@pytest.mark.parametrize(
    ("text", "source", "kind"),
    [
        ("we take the token", "user", "decision"),
        ("Renew early", "subject", "decision"),
        ("Replaced the sleep by a timer.", "closing", "decision"),
        ("The worker uses a token instead of a lease.", "closing", "decision"),
        ("The worker stops because the clock jumps.", "closing", "lesson"),
        ("The lease is never renewed.", "body", "lesson"),
        ("The broker gives out a token for each lease.", "closing", "lesson"),
        ("Use a token for each lease.", "plan", "decision"),
        ("Verified the lease of the worker.", "closing", "lesson"),
        ("The worker now has a lease.", "closing", "lesson"),
        ("A token for each lease.", "plan", "lesson"),
    ],
)
def test_kinds(text, source, kind):
    assert kind_of(candidate(text, source), frozenset()) == kind


def test_a_closing_text_of_a_turn_that_only_asked_answers():
    assert kind_of(candidate("The clock jumps."), frozenset({0})) == "answer"
    assert kind_of(candidate("The clock jumps.", place=1), frozenset({0})) == "lesson"
    assert kind_of(candidate("The clock jumps.", "narration"), frozenset({0})) == "lesson"


@pytest.mark.parametrize(
    ("one", "busy", "text"),
    [
        (candidate("take the token", "user"), {0}, "User: take the token"),
        (candidate("Renew early", "subject"), {0}, "Committed: Renew early"),
        (
            candidate("The lease ends early.", "plan", heading="Context"),
            {0},
            "Reason for the change: The lease ends early.",
        ),
        (
            candidate("The lease ends early.", "plan", heading="Context"),
            set(),
            "The lease ends early.",
        ),
        (candidate("A token for each lease.", "plan"), {0}, "A token for each lease."),
        # nothing was changed: it is not decided
        (candidate("Use a token for it.", "plan"), set(), "Planned: Use a token for it."),
    ],
)
def test_a_line_stands_alone(one, busy, text):
    made = line(one, 0.5, busy=frozenset(busy), asked=frozenset())
    assert made.text == text
    assert made.origin == ("user" if one.source == "user" else "assistant")


def test_a_fault_of_what_was_edited_later_says_that_edits_followed():
    one = candidate("The lease is never renewed.", "narration")
    made = line(one, 0.5, busy=frozenset({0}), asked=frozenset(), is_early=True)
    assert (made.kind, made.text) == ("lesson", f"Found (edits followed): {one.text}")
