"""What a conversation decided by words alone."""

import pytest
from talk import call, edit, say, transcript, turn

from memoria.capture.extract.lines.discussion import decided, left_open
from memoria.capture.extract.observed import observe
from memoria.capture.extract.session_extract import extract

RECAP = (
    "So: the lease ends after 90 seconds, measured by the clock of the broker; a sleeping worker "
    "keeps its token and never its lock."
)


def talk():
    return (
        turn("The workers of the shop lose their leases at night.", say("Shall we poll faster?")),
        turn(
            "No polling. The lease ends after 90 seconds by the clock of the broker.",
            say("And what happens with the lock of a worker that sleeps?"),
        ),
        turn("A sleeping worker keeps its token, never its lock.", say(RECAP)),
        turn("good, thanks", say("Anything else today?")),
    )


def lines(*turns):
    return [one.text for one in decided(observe(transcript(*turns))).lines]


def test_the_reply_that_repeats_what_the_user_said_stands_with_all_its_values():
    assert RECAP in lines(*talk())


def test_a_conversation_beside_a_few_calls_is_told_like_one_without():
    tools = turn("go on", call("Read", "x", file_path="/a/b.py"), say("Read."))
    assert RECAP in lines(*talk(), tools)


def test_where_an_agent_works_no_reply_stands_for_a_decision():
    reads = [call("Read", str(at), file_path="/a/b.py") for at in range(20)]
    assert RECAP not in lines(*talk(), turn("go on", *reads, say("Read.")))


OPTIONS = (
    "Three ways:\n\na) one try only\nb) 3 tries, 40 ms apart, then the last good value\n"
    "c) try until it answers"
)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("b", "User chose: 3 tries, 40 ms apart, then the last good value"),
        ("ok, option b please", "User chose: 3 tries, 40 ms apart, then the last good value"),
        ("the last one", "User chose: try until it answers"),
        ("yes, all c", None),
        ("b seems slow to me?", None),
        ("d", None),
    ],
)
def test_an_option_stands_with_what_it_says(answer, line):
    calls = [call("Read", str(at), file_path="/a/b.py") for at in range(9)]
    found = lines(turn("the sensors lose frames", *calls, say(OPTIONS)), turn(answer, say("Done.")))
    assert found == ([line] if line else [])


TRIES = "After the first heartbeat. If 4 boots pass without it, the other slot is started."


def told(proposal, *answers):
    turns = [turn("the update fails", say("Why?")), turn("it is the image", say(proposal))]
    return lines(*turns, *(turn(answer, say("Noted.")) for answer in answers))


def test_what_was_agreed_to_stands_with_its_figures():
    assert TRIES in told(TRIES, "fine by me")


@pytest.mark.parametrize(
    ("reply", "answer", "stands"),
    [
        ("The thumbnails are rendered at 320 px.", "Good.", False),
        ("The thumbnails are rendered at 320 px.", "ok do that", True),
        ("Thumbnails should be rendered at 320 px.", "Good.", True),
    ],
)
def test_praise_of_a_report_decides_nothing(reply, answer, stands):
    told = lines(turn("Look at the pictures.", say(reply)), turn(answer, say("Done.")))
    assert any("320" in line for line in told) is stands


def test_agreeing_to_a_long_report_decides_none_of_its_parts():
    report = " ".join(f"Variant {at} keeps {at} days of history on the disk." for at in range(9))
    long = turn("What could we do?", say(f"{report}\n\n" * 3))
    assert lines(long, turn("ok do that", say("Done."))) == []


def test_an_order_for_a_summary_decides_nothing():
    said = turn("can you do me a full summary of the approach with option 5", say("Sure."))
    assert not any("summary" in line for line in lines(turn("Hi.", say("Hello.")), said))


def test_what_was_not_agreed_to_does_not_stand():
    assert told(TRIES, "no, what else could it be") == []


def test_a_bare_figure_stands_with_what_it_is_about():
    assert told(TRIES, "why so many?", "ok 4") == [f"{TRIES} -> User: 4"]


def test_of_a_figure_that_was_changed_the_later_stands_last_and_the_same_is_not_said_twice():
    found = told("Which limit?", "the limit is 30 seconds", "the limit is 90 seconds")
    assert "90 seconds" in found[-1]
    again = "the limit of the worker is 90 seconds"
    assert told("I see.", again, again) == [f"User: {again}"]


@pytest.mark.parametrize(
    "said",
    ["run the suite", "good, commit it", "why 4?", "lunch", "the unit 12 is off, no idea why"],
)
def test_orders_and_questions_decide_nothing(said):
    assert told("It is done.", said) == []


def test_a_long_clause_is_parted_and_never_cut():
    long = "; ".join(
        f"the {name} of the broker keeps {number}0 leases of the workers for {number} seconds each"
        for number, name in enumerate(("shelf", "queue", "index", "store", "timer"), 1)
    )
    said = turn(long, say(f"Recap: {long}."))
    found = lines(turn("The leases are lost.", say("Tell me more.")), said)
    assert len(found) > 1
    assert all(f"{number}0 leases" in " ".join(found) for number in range(1, 6))
    assert not any("\u2026" in line for line in found)


@pytest.mark.parametrize(
    ("question", "answer", "line"),
    [
        (
            "After how many days does a token expire?",
            "Seven.",
            "After how many days does a token expire? -> User: Seven.",
        ),
        (
            "Should I store the lease in Redis or in Postgres?",
            "yes, Postgres",
            "Should I store the lease in Redis or in Postgres? -> User: yes, Postgres",
        ),
        ("Want me to commit the changes of the lease?", "yes", None),
        ("Which store keeps the lease of the worker?", "what do you mean?", None),
        ("Which store keeps the lease of the worker?", "do these first", None),
    ],
)
def test_a_short_answer_stands_with_its_question(question, answer, line):
    found = lines(turn("the lease is lost", say(f"I see. {question}")), turn(answer, say("Done.")))
    assert [one for one in found if "->" in one] == ([line] if line else [])


def test_beside_tools_only_an_answer_that_settles_stands():
    asked = turn("x", edit("/a/b.py"), say("Which store keeps the lease of the worker?"))
    assert lines(asked, turn("umm, the build is red")) == []
    assert len(lines(asked, turn("use Postgres"))) == 1


@pytest.mark.parametrize(
    "turns",
    [
        (
            turn("How long do we keep the sessions of a guest?", say("7 or 30 days are usual.")),
            turn("30 days, legal wants it", say("Noted.")),
        ),
        (
            turn("The exports are garbled.", say("I'd take the platform's table.")),
            turn("No. Pin .csv to text/csv.", say("Done.")),
        ),
    ],
)
def test_two_exchanges_are_an_entry_with_the_decision(turns):
    draft = extract(observe(transcript(*turns))).draft
    assert draft.worth_keeping
    told = " ".join((*draft.decisions, *draft.exchanges, *draft.lessons))
    assert "30 days" in told or "text/csv" in told


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (
            "Which of the two stores should keep the lease?",
            "Not answered: Which of the two stores should keep the lease?",
        ),
        ("Which approach do you prefer? I can open a branch for whichever you choose.", ""),
        (
            "Two ways:\n\n1. Keep it in Redis\n2. Keep it in Postgres\n\nWhich one do you prefer?",
            "Not answered: Which one do you prefer? (Keep it in Redis; Keep it in Postgres)",
        ),
        ("Would you like me to keep the lease in Redis or in Postgres?", ""),
        ("Shall I commit the lease of the worker?", ""),
        ("The lease is kept in Postgres.", ""),
    ],
)
def test_a_choice_that_nobody_answered_is_left_open(asked, line):
    seen = observe(transcript(turn("keep the lease", edit("/a/b.py"), say(f"Done. {asked}"))))
    assert left_open(seen) == line
    assert extract(seen).draft.actions == ((line,) if line else ())
    answered = observe(transcript(*(one.turn for one in seen.turns), turn("Postgres", say("Ok."))))
    assert left_open(answered) == ""
