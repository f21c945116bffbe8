"""What a conversation came to."""

from cases import cased
from transcript_lines import fold, say, user

from memoria.capture.conclusions import (
    FITTED,
    ROOM,
    Message,
    MessageSentence,
    build_answer_sentence,
    build_candidates,
    find_message_words,
    parse_message_sentences,
)
from memoria.capture.extract.observed import observe
from memoria.capture.extract.weights import estimate_worth
from memoria.capture.subjects import find_subjects, says_amended, says_changed

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
    return find_subjects(observe(part))


def told(subject):
    return " ".join(line.text for line in subject.conclusions)


def test_the_sentence_that_sums_up_is_told_and_what_it_repeats_is_not():
    (subject,) = found(*TALK)
    assert TALK[5] in told(subject)
    assert "I will set MAX_ATTEMPTS to 5." not in told(subject)
    assert len(told(subject)) <= ROOM


def test_what_a_first_reply_proposes_is_no_conclusion_where_the_talk_goes_on():
    asks = "Put a limiter in front of the API."
    proposal = "I put a limiter of 60 a minute in front of the API, always by client address."
    confirmed = "So: the limiter takes at most 120 a minute by device id, 5 a minute at login."
    wanted = "No, 120 a minute by device id, and at login 5 a minute."
    assert proposal in told(found(asks, proposal)[0])
    (subject,) = found(asks, proposal, wanted, confirmed)
    assert proposal not in told(subject)
    assert confirmed in told(subject)
    # a first reply that confirms what the user has decided proposes nothing
    (subject,) = found(f"{asks} {wanted}", confirmed, "Thanks!", "You are welcome.")
    assert confirmed in told(subject)


def test_what_is_confirmed_and_what_answers_counts_more():
    texts = ((True, "Which wait?"), (False, "90 ms between tries."), (True, "yes, 3 tries."))
    messages = [
        Message(users, at, (MessageSentence(text),)) for at, (users, text) in enumerate(texts)
    ]
    _, proposal, answer = build_candidates(messages)
    assert (proposal.features["confirmed"], answer.features["confirmed"]) == (1.0, 0.0)
    alone = proposal.features | {"confirmed": 0.0}
    assert estimate_worth(proposal.features, FITTED) > estimate_worth(alone, FITTED)


@cased()
def test_of_options_the_chosen_one_is_told(labels, answer, told):
    text = f"{labels[0]} Hard cut.\n{labels[1]} Grace: it stays open.\nHow long?"
    messages = [
        Message(False, 0, tuple(parse_message_sentences(text))),
        Message(True, 1, (MessageSentence(answer),)),
    ]
    texts = [
        one.text.removeprefix(f"{label} ") for one in build_candidates(messages) for label in labels
    ]
    assert [text for text in dict.fromkeys(texts) if text in told] == told


def test_all_that_was_said_is_there_to_be_found_by():
    (subject,) = found(*TALK)
    assert all(text in subject.words for text in TALK)


def test_a_long_session_has_several_subjects():
    many = [text * 30 for text in TALK] * 3
    parts = found(*many)
    assert len(parts) > 1
    assert [part.turn for part in parts] == sorted({part.turn for part in parts})


@cased()
def test_what_changes_a_decision_says_so(text, amends):
    assert says_amended(text) is amends


@cased()
def test_ordinary_words_say_that_something_changes(text, changes):
    assert says_changed(text) is changes


def test_numbers_and_parts_of_names_are_words():
    assert {"7", "attempt"} <= find_message_words("MAX_ATTEMPTS = 7")


def test_rows_of_a_table_are_sentences():
    table = "| link | up to 40 MB | larger |\n|---|---|---|\n| roaming | never | same |"
    assert [one.text for one in parse_message_sentences(table)] == [
        "roaming - up to 40 MB: never; larger: same"
    ]


@cased()
def test_an_answer_is_told_with_its_question(before, text, question):
    assert build_answer_sentence(before, text) == MessageSentence(text, asked=question)
