"""Which of the things that were said answers what was asked."""

from memoria.capture.extract.exchanges.replies import asks_opinion, first_verb, is_polar, reply
from memoria.capture.extract.exchanges.reply_lines import Wanted
from memoria.capture.extract.sentences import passage, stems


def answer(question, *texts, order=False, pointing=False, borrowed=False, said=()):
    want = Wanted(
        words=stems(question),
        verb=first_verb(question),
        opinion=asks_opinion(question),
        order=order,
        pointing=pointing,
        polar=not order and is_polar(question),
        borrowed=borrowed,
        said=set(said),
        closed=[],
    )
    passages = [passage(text) for text in texts]
    return reply(want, passages[-1:], passages[:-1]).text


def test_nothing_said_is_no_reply():
    assert answer("why?", "") == ""
    assert answer("why?", "Let me look.") == ""


def test_is_it_so_is_answered_by_the_yes():
    text = "Good question! The broker is old and slow because of its disk. No — the lease is safe."
    assert answer("is the lease safe?", text).startswith("No — the lease is safe.")


def test_you_are_right_is_a_yes():
    text = "You're right - the second worker is idle. It waits because the lease is taken."
    assert answer("the second worker is idle, right?", text).startswith(
        "The second worker is idle."
    )


def test_why_is_answered_by_the_cause():
    text = "The worker has three states. The worker stops because the lease is never renewed."
    assert answer("why does the worker stop?", text) == (
        "The worker stops because the lease is never renewed."
    )


def test_an_order_is_answered_by_what_was_changed():
    text = "The worker currently sleeps until the lease ends. Replaced the sleep with a timer."
    assert answer("make the worker wake up", text, order=True).startswith("Replaced the sleep")


def test_the_verb_of_an_order_finds_its_answer():
    text = "- Added a comment on the lease\n\n- Removed the two old workers"
    assert answer("remove the first two", text, order=True).startswith(
        "Removed the two old workers"
    )


def test_a_status_gives_way_to_what_was_found_before():
    texts = (
        "Let me look.",
        "The worker stops because `renew()` is never called in `loop()`.",
        "All tests pass. Now let me also run the linter.",
    )
    assert answer("why does the worker stop?", *texts).startswith("The worker stops because")


def test_a_guess_from_the_middle_is_no_reply():
    texts = ("The worker probably stops because the disk of the worker is full.", "All tests pass.")
    assert "disk" not in answer("why does the worker stop?", *texts)


def test_an_opinion_may_speak_in_the_first_person():
    text = "Both ways work with the broker. I'd lean toward the token, it needs no lock."
    assert answer("what do you think of the token?", text).startswith("I'd lean toward the token")


def test_a_repeated_answer_is_passed_over():
    old = "The lease of the worker is lost because the clock of the broker jumps."
    text = f"{old}\n\nThe queue of the worker fills up because nobody drops the lease."
    assert answer("what else does the worker do?", text, said=[old]).startswith("The queue of the")


def test_a_pasted_finding_is_not_answered_by_its_own_words():
    finding = "The renew function of the worker never checks the clock of the broker"
    text = f"{finding} because it is old. Switched to a fencing token in `pop()`."
    assert answer(finding, text, order=True, borrowed=True).startswith(
        "Switched to a fencing token"
    )


def test_a_heading_with_a_list_answers_what_it_takes_up():
    text = "## Checks that the worker lacks\n\n- a clock\n- a token\n\n## Other\n\nIt is old."
    assert answer("which checks does the worker lack?", text).startswith(
        "Checks that the worker lacks: A clock; A token"
    )
