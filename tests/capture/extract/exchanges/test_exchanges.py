"""What was asked in a session and what came of it, turn by turn."""

from talk import edit, say, steer, stop, transcript, turn

from memoria.capture.extract.exchanges.exchanges import exchanges, offer
from memoria.capture.extract.sentences import told
from memoria.capture.extract.work import work


def pairs(*turns):
    session = transcript(*turns)
    return exchanges(session, told(session), work(session).busy)


def lines(*turns):
    return [one.text for one in pairs(*turns)]


CAUSE = say("The worker stops because the lease is never renewed in `loop()`.")
FILE = "/home/ana/shop/worker.py"


def test_a_question_is_paired_with_its_answer():
    (line,) = lines(turn("why does the worker stop?", CAUSE))
    assert line == (
        "Why does the worker stop? -> "
        "The worker stops because the lease is never renewed in `loop()`."
    )


def test_a_steer_does_not_open_a_pair_of_its_own():
    assert len(pairs(turn("why does the worker stop?", steer("look at the clock"), CAUSE))) == 1


def test_yes_means_what_was_offered():
    offered = say("It is the lease. Would you like me to add a timer that renews it?")
    done = say("Added a timer to `loop()` that renews the lease at half of the time.")
    assert lines(turn("why does it stop?", offered), turn("yes", edit(FILE), done))[1] == (
        "Agreed: “add a timer that renews it” -> Added a timer to `loop()` that renews the lease "
        "at half of the time."
    )


def test_yes_to_a_choice_or_to_nothing_says_nothing():
    choice = say("Would you like me to add a timer or a thread?")
    assert len(pairs(turn("why does it stop?", choice), turn("yes", CAUSE))) == 1
    assert pairs(turn("yes", CAUSE)) == ()


def test_continue_goes_on_with_the_last_ask():
    done = say("Replaced the sleep in `loop()` with a timer that renews the lease.")
    found = pairs(
        turn("make the worker renew its lease", say("Let me look."), stop()),
        turn("continue", edit(FILE), done),
    )
    assert [one.answer for one in found] == [done.text]


def test_a_stopped_turn_that_was_asked_anew_has_no_answer():
    guess = say("The real issue is the disk of the worker, because it is full.")
    found = pairs(turn("why does it stop?", guess, stop()), turn("no, it is the lease", CAUSE))
    assert [bool(one.answer) for one in found] == [False, True]
    assert [one.correction for one in found] == [False, True]


def test_what_was_not_edited_is_only_proposed():
    answer = say("Removed the word lease from the message, since nobody knows it.")
    assert pairs(turn("make the message shorter", answer))[0].answer.startswith("Proposed: Removed")
    assert pairs(turn("make the message shorter", edit(FILE), answer))[0].answer == answer.text


def test_a_pasted_log_without_words_is_asked_by_its_error():
    (found,) = pairs(turn("$ make\nERROR: lease was lost in the broker", CAUSE))
    assert found.question == "ERROR: lease was lost in the broker"


def test_an_ask_without_an_answer_stays_open():
    (found,) = pairs(turn("why does the worker stop?"))
    assert (found.answer, found.text) == ("", "Why does the worker stop?")


def test_an_offer_counts_where_the_turn_ends_with_it():
    text = "It is the lease. Do you want me to add a timer to the worker?"
    assert offer(turn("why?", say(text))) == "add a timer to the worker"
    assert offer(turn("why?", say(text), edit(FILE))) == ""
    assert offer(turn("why?", say("Want me to apply the fix?"))) == ""
    assert offer(turn("why?")) == ""


def test_a_slice_that_begins_in_the_middle_has_no_question():
    assert pairs(turn("", CAUSE)) == ()
