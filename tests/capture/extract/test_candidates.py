"""The sentences that could stand in an entry, and where they stood."""

from cases import cased
from hypothesis import given, strategies as st
from talk import call, commit, refused, say, transcript, turn

from memoria.capture.extract.candidates import LONGEST, PASSAGE_CHARS, SHORTEST, gather_candidates
from memoria.capture.extract.observed import observe

DROPS = "The broker drops the token of every worker that sleeps."
BREAKS = "This breaks the lease of the queue."


def gathered(*turns):
    return gather_candidates(observe(transcript(*turns)))


def texts(*turns):
    return [one.text for one in gathered(*turns)]


def test_a_sentence_that_points_back_comes_with_the_one_before_or_not_at_all():
    assert texts(turn("why?", say(f"{DROPS} {BREAKS}"))) == [DROPS, f"{DROPS} {BREAKS}"]
    assert texts(turn("why?", say(f"{DROPS}\n\n{BREAKS}")))[1] == f"{DROPS} {BREAKS}"
    assert texts(turn("why?", say(f"- {DROPS}\n- {BREAKS}"))) == [DROPS]
    assert texts(turn("why?", say(BREAKS))) == []


@cased()
def test_a_sentence_is_shown_with_its_neighbours_of_the_paragraph_that_tell_something(said, whole):
    found = {one.whole for one in gathered(turn("fix it", say(said)))}
    assert whole in found
    assert all(len(one) <= PASSAGE_CHARS for one in found)


@cased("x" * (LONGEST + 1))
def test_what_cannot_stand_in_a_log_is_no_candidate(said):
    assert texts(turn("why?", say(said))) == []


def test_a_refused_plan_was_never_the_plan():
    plan = "- The worker renews its lease at half of the time, so that it is never late."
    shown = call("ExitPlanMode", "Approved", plan=plan)
    assert [one.source for one in gathered(turn("plan it", shown))] == ["plan"]
    assert texts(turn("plan it", refused("ExitPlanMode", "no, use a token", plan=plan))) == []


def test_housekeeping_has_no_subject():
    assert texts(turn("x", commit("fix lint"))) == []


_TEXT = st.text(max_size=400)


@given(st.lists(st.tuples(_TEXT, _TEXT), max_size=3))
def test_candidates_are_lines_of_some_length_in_the_order_of_time(said):
    found = gathered(*(turn(prompt, say(text)) for prompt, text in said))
    positions = [(one.turn, one.step, one.place) for one in found]
    assert positions == sorted(positions)
    for one in found:
        assert "\n" not in one.text
        assert SHORTEST <= len(one.text) <= LONGEST
