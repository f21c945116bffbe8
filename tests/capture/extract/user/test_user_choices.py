"""What the user chose, known by its form."""

import pytest
from cases import cased
from talk import bash, call, refused, say, transcript, turn

from memoria.capture.extract.observed import observe
from memoria.capture.extract.user.user_choices import user_choices

QUESTION = "Which port should the proxy use?"
LABELS = f'[{{"question": "{QUESTION}", "options": [{{"label": "3001"}}, {{"label": "8080"}}]}}]'


def choices(*steps, prompt="make it so"):
    found = user_choices(observe(transcript(turn(prompt, *steps))))
    assert all(one.origin == "user" and one.kind == "decision" for one in found)
    return [one.text for one in found]


def answered(text, question=QUESTION):
    said = f'User has answered your questions: "{question}"="{text}". You can continue.'
    return call("AskUserQuestion", said, questions=LABELS.replace(QUESTION, question))


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (
            refused("Bash", "don't run it, too slow", command="make e2e"),
            "User, refusing `make e2e`: don't run it, too slow",
        ),
        (
            refused("Edit", "never touch the lock", file_path="/a/app/lock.py"),
            "User, refusing an edit of `lock.py`: never touch the lock",
        ),
        (refused("ExitPlanMode", "take the token", plan="x"), "User, on the plan: take the token"),
        (answered("3001"), f"{QUESTION} -> 3001"),
        (answered("the one of the broker"), "User: the one of the broker"),
        (answered("- the one of the broker"), "User: the one of the broker"),
    ],
)
def test_a_choice_is_told_by_what_it_was_about(step, line):
    assert choices(step) == [line]


@pytest.mark.parametrize(
    "step",
    [
        refused("Bash", "pull first", command="git push"),
        refused("Bash", "I'll do it myself, never mind", command="git push"),
        refused("ExitPlanMode", "is there no other way?", plan="x"),
        answered("3001", "Ready to proceed?"),
        bash("make e2e", "the user said: never do it", error=True),
    ],
)
def test_what_only_steers_is_no_choice(step):
    assert choices(step) == []


def test_what_is_said_twice_is_told_once():
    twice = refused("ExitPlanMode", "take the token of the broker", plan="x")
    assert len(choices(answered("take the token of the broker"), twice)) == 1


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
    assert [one.text for one in user_choices(seen)] == [f"User chose: {option}"] * bool(option)
