"""Which candidates an entry shows: the laws, and the kinds."""

import pytest
from cases import cased
from hypothesis import given, strategies as st
from talk import edit, say, transcript, turn

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
STATE = "The worker of the shop reads the clock of the broker in each of its loops."
CAUSE = "The worker of the shop loses its lease because the clock of the broker jumps."


def told(*turns):
    seen = observe(transcript(*turns))
    gathered = gather_candidates(seen)
    numbers = find_eligible(gathered, describe_candidates(gathered, seen))
    return [gathered[number].text for number in numbers]


def test_what_was_told_before_all_edits_does_not_stand_but_what_a_commit_says():
    changes = [edit(f"/home/ana/shop/{name}.py") for name in "abcdef"]
    edits, why = turn("fix it", *changes), say(f"{STATE} {CAUSE}")
    assert told(turn("why?", why), edits) == [CAUSE]  # as found before them
    assert told(turn("why?", why, *changes, say("Done."))) == []
    assert told(edits, turn("why?", say(f"{STATE} {CAUSE}"))) == [STATE, CAUSE]


@cased()
def test_labels_chatter_and_inventories_do_not_stand(said):
    assert told(turn("do it", edit(FILE), say(said))) == []


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("You're right, the clock is fine.", []), ("No, the clock jumps.", [CAUSE])],
)
def test_what_the_user_refuted_and_the_agent_took_back_does_not_stand(reply, expected):
    first = turn("why?", edit(FILE), say(CAUSE))
    assert told(first, turn("but the clock of the broker jumps never", say(reply))) == expected


def test_a_user_who_only_asks_or_pastes_a_finding_decides_nothing():
    finding = "The worker of the shop stops because the clock is only read in one of its loops."
    for asked in (finding, f"what happens if I stop the worker? {finding}"):
        assert not any(one == finding for one in told(turn(asked, say("Well."))))


def test_a_guess_stands_only_where_nothing_followed():
    guess = "The worker of the shop probably loses its lease when the clock jumps."
    assert told(turn("why?", edit(FILE), say(guess))) == [guess]
    assert told(turn("why?", say(guess)), turn("fix it", edit(FILE))) == []


def test_a_fault_in_what_was_edited_later_is_early():
    fault = "`renewLease` is never called because `pop` returns early in the loop of the worker."
    change = edit(FILE, "def pop(): return", "def pop(): renewLease()")
    seen = observe(transcript(turn("why?", say(fault)), turn("fix it", change)))
    gathered = gather_candidates(seen)
    assert [
        is_early(one, each)
        for one, each in zip(gathered, describe_candidates(gathered, seen), strict=True)
    ] == [True]


def test_who_thinks_aloud_between_calls_has_found_nothing_yet():
    found = [say(CAUSE), edit(FILE), say("Done.")]
    assert told(turn("do it", edit(FILE), *found)) == [CAUSE]
    found[0] = say(f"{CAUSE} But wait, the broker has no clock.")
    assert told(turn("do it", edit(FILE), *found)) == []


def test_where_the_work_stands_in_git_is_told_by_an_answer_alone():
    stands = "The branch of the worker was never rebased because the clock of the broker jumps."
    assert told(turn("do it", edit(FILE), say(stands))) == [stands]
    assert told(turn("do it", edit(FILE), say(stands), edit(FILE), say("Done."))) == []


@pytest.mark.parametrize(
    "asked", ["can you look at the broker instead?", "perhaps we need only one broker here"]
)
def test_what_the_user_asks_or_wonders_decides_nothing(asked):
    assert told(turn(f"the lease is short - {asked}", edit(FILE))) == []


def test_a_part_of_a_list_does_not_stand():
    part = "There are three ways in which the worker may keep the lease:\n\n- " + STATE
    assert told(turn("why?", say(f"{CAUSE}\n\n{part}"))) == [CAUSE]
