"""Which candidates an entry shows: the laws, and the kinds."""

from cases import cased
from hypothesis import given, strategies as st
from talk import edit, say, steps, transcript, turn

from memoria.capture.extract.candidates import Candidate, gather_candidates
from memoria.capture.extract.features import describe_candidates
from memoria.capture.extract.observed import observe
from memoria.capture.extract.selection import (
    SAME,
    build_line,
    choose_candidates,
    count_allowed_lines,
    find_eligible,
    is_early,
    kind_of,
)
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
    return gathered, choose_candidates(gathered, values, range(len(values)), **more)


@given(_WEIGHED, st.floats(0, 1), st.floats(0, 0.2))
def test_the_best_that_say_something_new_are_taken_within_floor_and_budget(weighed, floor, rise):
    said = [stems("queue lease token clock broker")]
    gathered, numbers = chosen(weighed, floor=floor, rise=rise, shown=said)
    words = [*said, *(gathered[number].stems for number in numbers)]
    assert all(
        containment(one, other) <= SAME for at, one in enumerate(words) for other in words[:at]
    )
    values = [weighed[number][1] for number in numbers]
    assert values == sorted(values, reverse=True)
    assert all(value >= floor + rise * at for at, value in enumerate(values))
    assert len(numbers) <= count_allowed_lines(len(weighed))
    assert set(numbers) <= set(chosen(weighed, floor=0.0, rise=0.0, shown=said)[1])


def test_a_line_may_tell_more_than_the_title_and_not_less():
    longer, shorter = candidate("queue lease token clock broker"), candidate("queue lease")
    title = stems("the lease of the queue")
    assert choose_candidates([longer, shorter], [0.8, 0.9], (0, 1), title=title) == (0,)


def test_the_budget_grows_slower_than_the_session():
    assert [count_allowed_lines(count) for count in (0, 4, 25, 100, 10_000)] == [2, 3, 4, 7, 8]


def test_a_closing_text_of_a_turn_that_only_asked_answers():
    assert kind_of(candidate("The clock jumps."), frozenset({0})) == "answer"
    assert kind_of(candidate("The clock jumps.", place=1), frozenset({0})) == "lesson"
    assert kind_of(candidate("The clock jumps.", "narration"), frozenset({0})) == "lesson"


@cased()
def test_a_line_stands_alone(one, busy, text):
    said, source, more = one
    one = candidate(said, source, **more)
    made = build_line(one, 0.5, busy=frozenset(busy), asked=frozenset())
    assert made.text == text
    assert made.origin == ("user" if one.source == "user" else "assistant")


def test_a_fault_of_what_was_edited_later_says_that_edits_followed():
    one = candidate("The lease is never renewed.", "narration")
    made = build_line(one, 0.5, busy=frozenset({0}), asked=frozenset(), is_early=True)
    assert (made.kind, made.text) == ("lesson", f"Found (edits followed): {one.text}")


FILE = "/home/ana/shop/worker.py"


def told(*turns):
    seen = observe(transcript(*turns))
    gathered = gather_candidates(seen)
    numbers = find_eligible(gathered, describe_candidates(gathered, seen))
    return [gathered[number].text for number in numbers]


@cased()
def test_what_may_stand_in_an_entry(turns, expected):
    assert told(*(turn(asked, *steps(*rows)) for asked, *rows in turns)) == expected


@cased()
def test_labels_chatter_and_inventories_do_not_stand(said):
    assert told(turn("do it", edit(FILE), say(said))) == []


def test_a_fault_in_what_was_edited_later_is_early():
    fault = "`renewLease` is never called because `pop` returns early in the loop of the worker."
    change = edit(FILE, "def pop(): return", "def pop(): renewLease()")
    seen = observe(transcript(turn("why?", say(fault)), turn("fix it", change)))
    gathered = gather_candidates(seen)
    assert [
        is_early(one, each)
        for one, each in zip(gathered, describe_candidates(gathered, seen), strict=True)
    ] == [True]
