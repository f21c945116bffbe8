"""What a conversation came to: the reply that restates it, and what the user said besides."""

import pytest
from transcript_lines import fold, say, user

from memoria.capture.extract.observed import observe
from memoria.capture.subjects import RESTATED, content_words, says_amended, subjects

ASKS = "The upstream blocks us with 429s, the retrier is too aggressive. Please look at it."
FIRST = "The retrier is aggressive: the upstream blocks with 429s. I will set MAX_ATTEMPTS to 5."
TALK = (
    ASKS,
    FIRST,
    "5 leaves retries on the table, we measured the window.",
    "What did the measurement land on?",
    "Seven. Eight trips it.",
    "MAX_ATTEMPTS is seven, as measured: eight trips the window, 5 left retries on the table.",
    "Thanks!",
    "You are welcome.",
)


def found(*texts):
    lines = [(say if at % 2 else user)(text, at) for at, text in enumerate(texts)]
    (part,) = fold(lines)
    return subjects(observe(part))


def test_the_reply_that_restates_what_the_user_said_comes_first():
    (subject,) = found(*TALK)
    assert subject.conclusions[0].text == TALK[5]
    assert subject.conclusions[0].origin == "assistant"


def test_all_that_was_said_is_there_to_be_found_by():
    (subject,) = found(*TALK)
    assert all(text in subject.words for text in TALK)


def test_a_short_answer_of_the_user_stands_with_the_next_sentence():
    (subject,) = found(*TALK[:5], "Good.")
    assert "User: Seven. Eight trips it." in [line.text for line in subject.conclusions]


def test_a_question_is_no_conclusion():
    (subject,) = found(ASKS, "Is the retrier aggressive, do 429s block the upstream?")
    assert subject.conclusions == ()


def test_of_a_long_reply_the_sentences_that_restate_are_told():
    filler = "I have looked through a lot of other things in the meantime. " * 20
    (subject,) = found(*TALK[:5], f"{filler}{TALK[5]}")
    told = subject.conclusions[0].text
    assert "MAX_ATTEMPTS is seven" in told
    assert len(told) <= RESTATED


def test_a_long_session_has_several_subjects():
    many = [text * 30 for text in TALK] * 3
    parts = found(*many)
    assert len(parts) > 1
    assert [part.turn for part in parts] == sorted({part.turn for part in parts})


@pytest.mark.parametrize(
    ("text", "amends"),
    [
        ("Amendment to the merge rule from last month.", True),
        ("This supersedes the thirty days.", True),
        ("We changed our mind about the cache.", True),
        ("From now on passwords need 16 characters.", True),
        ("The old rule no longer holds.", True),
        ("Use uv instead of pip here.", False),
        ("It no longer crashes.", False),
        ("Please commit the amendable records.", False),
    ],
)
def test_what_changes_a_decision_says_so(text, amends):
    assert says_amended(text) is amends


def test_numbers_and_parts_of_names_are_words():
    assert {"7", "attempt"} <= content_words("MAX_ATTEMPTS = 7")
