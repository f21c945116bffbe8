"""Which sentences of the assistant are worth keeping, and as what."""

from talk import edit, say, transcript, turn

from memoria.capture.extract.assistant_findings import insights
from memoria.capture.extract.sentences import told
from memoria.capture.extract.work import work

FILE = "/home/ana/shop/worker.py"


def found(*steps):
    session = transcript(turn("go", *steps))
    return list(insights(told(session), work(session).busy))


def kinds(*steps):
    return [one.kind for one in found(*steps)]


CAUSE = "The worker stops because `renew()` is never called in its loop."
CHOICE = "`pop()` now uses a fencing token instead of the broker's timestamp."


def test_a_cause_is_a_lesson():
    assert kinds(say(CAUSE)) == ["lesson"]


def test_a_choice_is_a_decision_only_if_something_was_changed():
    assert kinds(edit(FILE), say(CHOICE)) == ["decision"]
    (talked,) = found(say(CHOICE))
    (done,) = found(edit(FILE), say(CHOICE))
    assert talked.kind == "answer"
    assert talked.score < done.score


def test_a_plain_change_is_a_change():
    assert kinds(edit(FILE), say("Added a retry to `pop()` that waits for the broker.")) == [
        "change"
    ]


def test_the_last_text_of_a_turn_counts_more():
    early, late = found(say(CAUSE), say(CAUSE))
    assert early.score < late.score


def test_what_is_for_later_counts_less():
    (later,) = found(say(f"## Suggestions\n\n{CAUSE}"))
    (now,) = found(say(CAUSE))
    assert later.score < now.score


def test_a_sentence_can_define_a_term():
    text = "A `lease lock` is a lock that the broker gives away for a while."
    (definition,) = found(say(text))
    assert (definition.kind, definition.text) == ("definition", text)


def test_what_speaks_of_the_moment_defines_nothing():
    for text in (
        "The `lease lock` is a problem in this branch of the project.",
        "This is a lock that the broker gives away for a while, mostly.",
        "The fix is a lock that the broker gives away for a while, mostly.",
    ):
        assert "definition" not in kinds(say(text))


def test_short_long_and_open_sentences_are_left_out():
    assert found(say("It fails because of it.")) == []
    assert found(say("It fails because of " + "the very long lease and " * 20 + "it.")) == []
    assert found(say("The worker of the shop stops because of these things:")) == []
