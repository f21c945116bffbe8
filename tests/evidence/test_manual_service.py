"""Sessions and mistakes that a person logged."""

import pytest
from ledgers import EXPERIMENT, SHOP, START, moment, started

from memoria.evidence import manual_service as hand
from memoria.evidence.experiment import experiments
from memoria.evidence.manual_service import ManualSession, manual_log, near, signature
from memoria.learning import randomness as chance

SESSION = ManualSession("hand-1", EXPERIMENT, SHOP, "control", 0.5, START, rules=("wf-0123456789",))


def test_a_session_from_its_start_to_its_end():
    assert manual_log([hand.began(SESSION)]).sessions == (SESSION,)
    found = manual_log([hand.began(SESSION), hand.ended(START.replace(hour=9), SESSION)])
    assert found.sessions[0].ended == START.replace(hour=9)
    assert found.open(EXPERIMENT) is None
    assert manual_log([hand.began(SESSION)]).open(EXPERIMENT) == SESSION
    assert manual_log([hand.began(SESSION)]).open("x-other") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Forgot to handle null case", "forgot to handle null case.", True),
        ("Forgot to handle null case", "The null case was not handled", False),
        ("Forgot to handle null case", "Null case: forgot handling", True),
        ("Returned 200 for error case", "Returned 500 for error case", True),
        ("Forgot to handle null case", "Wrong import order", False),
        ("忘れた", "忘れた", True),
        ("忘れた", "別の間違い", False),
    ],
)
def test_the_same_description_in_other_words_order_and_tense(one, other, same):
    assert (signature("type-errors", one) == signature("type-errors", other)) is same


def test_near_descriptions_are_one_family():
    texts = ("Forgot to handle null case", "Forgot to handle the null user case", "Wrong imports")
    rows = [hand.mistaken(START, "hand-1", SHOP, "types", text) for text in texts]
    table = near(manual_log(rows))
    marks = [signature("types", text) for text in texts]
    assert table[marks[0]] == table[marks[1]] != table[marks[2]]
    other = signature("lint", texts[1])
    assert near(manual_log(rows), other)[other] == other


def test_the_coin_is_the_hook_s():
    (one,) = experiments([started(p=0.3)])
    arms = [hand.toss(one, f"session-{number}") for number in range(2000)]
    assert 0.26 < arms.count("treated") / 2000 < 0.34
    coin = chance.uniform(chance.bits(chance.seed("session-1"), f"experiment {EXPERIMENT}"))
    assert hand.toss(one, "session-1") == ("treated" if coin < 0.3 else "control")


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"action": "start", "session": "h"},
        {"action": "start", "at": "never", "session": "h"},
        {"action": "end", "at": moment(0), "session": "h"},
        {"action": "start", "at": moment(0), "session": ""},
    ],
)
def test_what_is_no_record_is_passed_over(record):
    assert manual_log([record]).sessions == ()


@pytest.mark.parametrize("p", [None, "x", 7, float("nan"), 10**400, [1]])
def test_a_chance_that_is_none_is_told_apart(p):
    (one,) = manual_log([hand.began(SESSION) | {"p": p}]).sessions
    assert one.p == -1.0
