import pytest

from memoria.capture.extract.user.admissions import admits


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
