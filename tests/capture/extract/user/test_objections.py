"""Which sentences say that the agent did wrong; none of them is from a real session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.user.objections import admits, blames_nobody, objection

WRONG = """
no, that is wrong
That's not what I asked for
this isn't right
not like that
wrong branch
you're in the wrong folder
that's incorrect, the port is 8080
this is not entirely true, it would only rename the first
I told you not to touch the config
I already said that we use pnpm
as I said, no default exports
how many times do I have to say it
I didn't ask you to refactor
you forgot the tests
you missed the second case
you didn't run the tests
you have not changed anything
you deleted my notes!
you should have asked first
you were supposed to update the docs as well
you made that up
you keep adding comments
why did you remove the logging?!
why didn't you run the linter?
why is it still red
stop adding comments
don't do that again
what are you doing?
are you kidding me
"""
REVERT = """
revert that
undo
can you undo your last change please
please revert your changes
put it back how it was
go back to the previous version
bring back the function you removed
"""
FAILING = """
it still doesn't work
still getting the same error
that doesn't work
that didn't fix it
tests are failing now
"make test" fails
the build is broken
now it crashes
it's not working
same error
lint fails
"""
NOTHING = """
no problem
no worries, go ahead
no, that's fine
actually let's use a queue instead
thinking again: let's drop the command
on second thought, revert that
sorry, I forgot to save
my mistake, I meant the other file
can you fix the failing test?
what's wrong with this test?
is this wrong?
if the tests fail, mend them
make sure that the test fails first
what happens if the build fails?
why did you choose a mutex here?
did you run the tests?
you can ignore the warning
you should have access now
tell me what you missed so far
in case you missed it, the port is 8080
stop the server
stop sending mails to inactive users
add an undo button
is there a way to undo a commit?
let's revert pull request 12
don't forget to update the changelog
I told you about the new API yesterday, now implement it
the user sees an error when the password is wrong
`this is wrong` should be the message
the message "that is not right" is too long
wrong answers should be shown in red
looks good, commit
"""


def rows(text):
    return text.strip().splitlines()


@pytest.mark.parametrize("sentence", rows(WRONG))
def test_told_to_be_wrong(sentence):
    assert objection(sentence) == "wrong"


@pytest.mark.parametrize("sentence", rows(REVERT))
def test_told_to_take_it_back(sentence):
    assert objection(sentence) == "revert"


@pytest.mark.parametrize("sentence", rows(FAILING))
def test_told_that_it_does_not_work(sentence):
    assert objection(sentence) == "failing"


@pytest.mark.parametrize("sentence", ["no, use the other endpoint", "don't run the whole suite"])
def test_no_is_an_objection_only_where_nothing_was_asked(sentence):
    assert objection(sentence) == "no"


@pytest.mark.parametrize("sentence", rows(NOTHING))
def test_no_objection(sentence):
    assert objection(sentence) is None


def test_who_takes_the_fault_on_themselves_blames_nobody():
    assert blames_nobody("sorry, my mistake: I meant the other one")
    assert not blames_nobody("that is wrong")


def test_typographic_quotes_are_quotes():
    assert objection("that\u2019s wrong") == "wrong"
    assert objection("the label \u201cthis is wrong\u201d is cut off") is None


@pytest.mark.parametrize(
    "reply",
    [
        "You're right, I was wrong about the lock.",
        "You\u2019re absolutely right. My test would not have caught it.",
        "You're right, let me fix that.",
        "You are right, let me re-check the order of the calls.",
        "I apologize for the confusion.",
        "Ah, I missed the second caller.",
        "I should have asked before the commit.",
        "Sorry, my mistake: the port is another one.",
        "I misread the schema.",
    ],
)
def test_a_named_fault_is_admitted(reply):
    assert admits(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Good point. Let me think about what could become stale.",
        "Good question! Let me look.",
        "You're right - that would be more forgiving.",
        "You're right, that is the better name. Renaming it.",
        "Great idea, let me add it.",
        "Understood.",
        "I was asked to fix the parser, and it is done.",
        "The test should have failed and did.",
        "Here is a long answer. " * 30 + "I was wrong.",
    ],
)
def test_agreement_is_no_admission(reply):
    assert not admits(reply)


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    assert objection(text) in {None, "wrong", "revert", "failing", "no"}


@pytest.mark.parametrize(
    "piece",
    ["no ", "you did not ", "still ", "that is so very ", "why did you ", "the new ", "wait, "],
)
def test_a_flood_is_read_in_linear_time(piece):
    objection(piece * 20_000)
