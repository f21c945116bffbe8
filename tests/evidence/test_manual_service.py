"""Sessions and mistakes that a person logged."""

from functools import partial

import pytest
from cases import cased
from ledgers import EXPERIMENT, SHOP, START, started

from memoria.evidence import manual_service
from memoria.evidence.experiment import fold_experiments
from memoria.evidence.manual_service import ManualSession, find_families, fold_manual_log, signature
from memoria.learning import randomness

SESSION = ManualSession("hand-1", EXPERIMENT, SHOP, "control", 0.5, START, rules=("wf-0123456789",))


def test_a_session_from_its_start_to_its_end():
    start, end = manual_service.build_start_record(SESSION), START.replace(hour=9)
    begun = fold_manual_log([start])
    assert begun.sessions == (SESSION,)
    assert (begun.open(EXPERIMENT), begun.open("x-other")) == (SESSION, None)
    found = fold_manual_log([start, manual_service.build_end_record(end, SESSION)])
    assert (found.sessions[0].ended, found.open(EXPERIMENT)) == (end, None)


@cased()
def test_the_same_description_in_other_words_order_and_tense(one, other, same):
    assert (signature("type-errors", one) == signature("type-errors", other)) is same


def test_near_descriptions_are_one_family():
    texts = ("Forgot to handle null case", "Forgot to handle the null user case", "Wrong imports")
    build = partial(manual_service.build_mistake_record, START, "hand-1", SHOP, "types")
    rows = list(map(build, texts))
    table = find_families(fold_manual_log(rows))
    marks = [signature("types", text) for text in texts]
    assert table[marks[0]] == table[marks[1]] != table[marks[2]]
    other = signature("lint", texts[1])
    assert find_families(fold_manual_log(rows), other)[other] == other


def test_the_coin_is_the_hook_s():
    (one,) = fold_experiments([started(p=0.3)])
    arms = [manual_service.toss_coin(one, f"session-{number}") for number in range(2000)]
    assert 0.26 < arms.count("treated") / 2000 < 0.34
    bits = randomness.bits(randomness.seed("session-1"), f"experiment {EXPERIMENT}")
    coin = randomness.uniform(bits)
    assert manual_service.toss_coin(one, "session-1") == ("treated" if coin < 0.3 else "control")


@pytest.mark.parametrize("p", [None, "x", 7, float("nan"), 10**400, [1]])
def test_a_chance_that_is_none_is_told_apart(p):
    (one,) = fold_manual_log([manual_service.build_start_record(SESSION) | {"p": p}]).sessions
    assert one.p == -1.0
