"""What the user chose, known by its form."""

from dataclasses import replace

from cases import cased
from talk import call, refused, say, steps, transcript, turn

from memoria.agents.transcript import UserAnswer
from memoria.capture.extract.observed import observe
from memoria.capture.extract.user.user_choices import find_user_choices

QUESTION = "Which port should the proxy use?"
LABELS = f'[{{"question": "{QUESTION}", "options": [{{"label": "3001"}}, {{"label": "8080"}}]}}]'


def choices(*steps, prompt="make it so"):
    found = find_user_choices(observe(transcript(turn(prompt, *steps))))
    assert all(one.origin == "user" and one.kind == "decision" for one in found)
    return [one.text for one in found]


def answered(text, question=QUESTION):
    said = f'User has answered your questions: "{question}"="{text}". You can continue.'
    return call("AskUserQuestion", said, questions=LABELS.replace(QUESTION, question))


def made(row):
    """Make a step of a case."""
    return answered(*row[1:]) if row[0] == "answered" else steps(row)[0]


@cased()
def test_a_choice_is_told_by_what_it_was_about(row, line):
    assert choices(made(row)) == [line]


@cased()
def test_what_only_steers_is_no_choice(row):
    assert choices(made(row)) == []


def test_what_is_said_twice_is_told_once():
    twice = refused("ExitPlanMode", "take the token of the broker", plan="x")
    assert len(choices(answered("take the token of the broker"), twice)) == 1


def test_an_answer_to_a_question_without_words_is_left_out():
    asked = replace(answered("3001"), answers=(UserAnswer(" ", "3001", free=False),))
    assert choices(asked) == []


def test_a_stated_decision_is_a_choice():
    prompt = "we decided to use the token of the broker for leases"
    assert choices(say("Ok."), prompt=prompt) == [f"User: {prompt}"]


OPTIONS = (
    "Three ways:\n\na) one try only\nb) 3 tries, 40 ms apart, then the last good value\n"
    "c) try until it answers"
)


@cased()
def test_an_option_stands_with_what_it_says(answer, option):
    seen = observe(transcript(turn("the sensors lose frames", say(OPTIONS)), turn(answer)))
    assert [one.text for one in find_user_choices(seen)] == [f"User chose: {option}"] * bool(option)
