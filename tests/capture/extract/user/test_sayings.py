from talk import bash, call, edit, refused, say, steer, transcript, turn

from memoria.agents.transcript import Call
from memoria.capture.extract.user.sayings import between, earlier, reply, sayings

FIRST, TYPED = edit("a.py"), steer("and the lock")
STOPPED = refused("Bash", "not there", command="make")
SESSION = transcript(
    turn("fix the worker", say("I look."), FIRST, TYPED, say("Yes."), STOPPED, say("Then here.")),
    turn("/review 12", say("Fine.")),
    turn("thanks, and the docs?", bash("ls")),
)


def test_each_has_its_place_and_the_users_own_words():
    assert [(one.place, one.own) for one in sayings(SESSION)] == [
        ((0, 0), "fix the worker"),
        ((0, 3), "and the lock"),
        ((0, 5), "not there"),
        ((1, 0), ""),
        ((2, 0), "thanks, and the docs?"),
    ]


def test_what_came_before_and_after():
    asked, typed, stopped, _, last = sayings(SESSION)
    assert list(earlier(SESSION, asked)) == []
    assert list(earlier(SESSION, typed))[1] is FIRST
    # the refused call did not happen
    assert STOPPED not in list(earlier(SESSION, stopped))
    assert next(earlier(SESSION, last)).text == "Fine."
    assert [reply(SESSION, one) for one in (asked, typed, stopped)] == [
        "I look.",
        "Yes.",
        "Then here.",
    ]
    assert reply(SESSION, last) == ""


def test_between_two_places():
    steps = list(between(SESSION, (0, 3), (2, 0)))
    assert [isinstance(step, Call) for step in steps] == [False, True, False, False]
    assert list(between(SESSION, (2, 0), (3, 0))) == list(SESSION.turns[2].steps)
    assert list(between(SESSION, (2, 1), (3, 0))) == []


def test_two_steers_of_the_same_words_have_two_places():
    again = transcript(turn("go", steer("and the lock"), call("Read"), steer("and the lock")))
    assert [one.step for one in sayings(again)] == [0, 1, 3]
