"""Where the user said that the agent had done wrong; the sessions are made up."""

from dataclasses import replace

import pytest
from cases import cased
from talk import AT, bash, edit, refused, say, stop, transcript, turn

from memoria.capture.extract.user.corrections import find_corrections, find_objection

DONE = (edit("src/store.py", "old", "new"), say("Done. The store is cached now."))


def found(*turns):
    return [(one.kind, one.line) for one in find_corrections(transcript(*turns))]


def after(prompt, *steps):
    """A session in which the agent has done something, and what the user said then."""
    return found(turn("cache the store", *DONE), turn(prompt, *steps))


@cased()
def test_an_objection_after_work_is_a_correction(prompt, kind):
    assert [one for one, _ in after(prompt)] == [kind]


def test_there_has_to_be_something_to_object_to():
    assert found(turn("you forgot the tests in the last session")) == []
    assert found(turn("make test fails, have a look"), turn("go on")) == []
    # nothing was edited, so what fails is not of the agent's making
    looked = turn("look at the store", bash("ls"), say("It is there."))
    assert found(looked, turn("make test fails")) == []
    # a part that begins in the middle of a session has its past elsewhere
    later = replace(transcript(turn("no, that is wrong")), start=100)
    assert len(find_corrections(later)) == 1


def test_a_refusal_corrects_if_it_says_no():
    stopped = refused("Bash", "no, I did not say commit anything", command="git commit")
    session = transcript(turn("cache the store", *DONE, stopped, say("Understood.")))
    (one,) = find_corrections(session)
    assert (one.kind, one.call, one.words) == ("correction", stopped.id, "anyth commit not")
    other = refused("Bash", "use the shared cache", command="make")
    assert found(turn("cache the store", *DONE, other)) == []
    running = refused("Bash", "don't run the whole suite, it is too slow", command="make e2e")
    assert [kind for kind, _ in found(turn("go", *DONE, running))] == ["correction"]


def test_a_log_under_the_users_words_is_a_failure():
    log = "2031-01-02 10:11:12 ERROR store is locked\n2031-01-02 10:11:13 ERROR giving up"
    assert after(f"now I'm getting this:\n\n{log}") == [
        ("correction:failing", "now I'm getting this:")
    ]
    assert found(turn(f"I'm getting this:\n\n{log}")) == []


def test_how_it_ended_is_told_by_what_the_user_said_next():
    mending = edit("src/store.py", "new", "newer")
    session = transcript(
        turn("cache the store", *DONE),
        turn("no, that is wrong", mending, say("Mended.")),
        turn("it still does not work", edit("b.py"), say("Now.")),
        turn("thanks, commit"),
    )
    first, second = find_corrections(session)
    assert [call.argument("file_path") for call in first.work] == ["src/store.py", "b.py"]
    assert [call.argument("file_path") for call in second.work] == ["b.py"]
    assert first.ended == second.ended == AT
    open_end = transcript(*session.turns[:2])
    assert find_corrections(open_end)[0].ended is None
    stopped = transcript(session.turns[0], turn("no, that is wrong", mending, stop()), turn("hm"))
    assert find_corrections(stopped)[0].ended is None


@pytest.mark.parametrize("piece", ["no ", "you did not ", "it still ", "why did you ", "\n", ". "])
def test_a_flood_is_read_in_linear_time(piece):
    after((piece * 50_000)[:100_000])


# -- Which sentences object; none of them is from a real session -----------------------------------


@cased()
def test_how_a_sentence_objects(kind, sentence):
    assert find_objection(sentence) == kind
