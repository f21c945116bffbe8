"""Rules by withholding: what earns a place and what is to go, over occasions from the ledger."""

from datetime import timedelta

import numpy as np
import pytest
from ledgers import SHOP, START, begun, captured, history, judged
from studies import AT

from memoria.evidence.by_rule import LEAST, Occasion, by_rule, occasions, offers


def occasion(number, rule="r", *, injected=True, back=False, p=0.9, **more):
    at = AT + timedelta(hours=number)
    options = {"project": "shop"} | more
    return Occasion(f"s{number}", at, rule=rule, injected=injected, p=p, came_back=back, **options)


def drawn(rule, count, with_it, without, seed=0):
    rng = np.random.default_rng(seed)
    injected = rng.random(count) < 0.9
    back = rng.random(count) < np.where(injected, with_it, without)
    return [
        occasion(n, rule, injected=bool(a), back=bool(b))
        for n, (a, b) in enumerate(zip(injected, back, strict=True))
    ]


def named(found, state):
    return [standing.name for standing in found if standing.state == state]


def one(found):
    (standing,) = found
    return standing


def test_the_counts():
    found = one(
        by_rule(
            [
                *(occasion(n, back=n < 3) for n in range(20)),
                *(occasion(20 + n, injected=False, back=n < 4) for n in range(6)),
            ]
        )
    )
    assert (found.injected, found.injected_back) == (20, 3)
    assert (found.withheld, found.withheld_back) == (6, 4)
    assert found.state == "earned"  # the only rule that was tried
    assert found.helps > 1 > found.harms


@pytest.mark.parametrize(("withheld", "state"), [(LEAST - 1, "too few"), (LEAST, "earned")])
def test_too_few_say_nothing(withheld, state):
    found = one(
        by_rule(
            [
                *(occasion(n) for n in range(30)),
                *(occasion(50 + n, injected=False, back=True) for n in range(withheld)),
            ]
        )
    )
    assert found.state == state


def test_a_pinned_rule_allows_no_comparison():
    found = one(by_rule([occasion(n, p=1.0) for n in range(30)]))
    assert found.state == "no comparison"
    assert (found.helps, found.harms) == (1.0, 1.0)


def test_lists_are_right_and_short():
    found = by_rule(
        [
            *drawn("good", 500, 0.1, 0.6),
            *drawn("bad", 500, 0.7, 0.2, seed=1),
            *(o for n in range(8) for o in drawn(f"idle{n}", 200, 0.4, 0.4, seed=2 + n)),
        ]
    )
    assert named(found, "earned") == ["good"]
    assert named(found, "retire") == ["bad"]
    assert {standing.name for standing in found[:2]} == {"good", "bad"}


def test_rules_with_too_few_occasions_count_among_the_many():
    data = drawn("good", 150, 0.15, 0.5, seed=4)
    value = one(by_rule(data)).helps
    crowd = [occasion(300 + n, f"x{n}") for n in range(int(value / 10) + 5)]
    assert named(by_rule([*data, *crowd]), "earned") == []


# -- Occasions from the ledger ---------------------------------------------------------------------

ONE, TWO, OLD = "wf-0000000001", "wf-0000000002", "wf-00000000ff"


def rows(*names, p=0.9):
    return [{"id": name, "hash": "h", "p": p} for name in names]


def judged_occasions(*records, heirs=None):
    return occasions(history(*records), heirs or {})


def test_given_and_withheld_rules_whose_occasion_came():
    records = [
        begun("a", 1, slate=rows(ONE), withheld=rows(TWO)),
        captured("a", 1),
        judged("a", 2, wf_0000000001=True, wf_0000000002=False),
    ]
    one, two = judged_occasions(*records)
    assert (one.rule, one.injected, one.p, one.came_back) == (ONE, True, 0.9, False)
    assert (two.rule, two.injected, two.p, two.came_back) == (TWO, False, 0.9, True)
    assert (one.session, one.project) == ("a", SHOP)
    assert one.at == START.replace(hour=9)


def test_the_worst_of_several_parts_counts():
    given = begun("a", 1, slate=rows(ONE))
    parts = [judged("a", n, wf_0000000001=well) for n, well in ((2, True), (3, False), (4, True))]
    assert [one.came_back for one in judged_occasions(given, *parts)] == [True]


def test_a_person_s_word_is_no_witness():
    said = {"kind": "reward", "at": "2026-03-01T10:00:00+00:00", "id": ONE, "reward": 1}
    said |= {"by": "person", "session": "a"}
    assert judged_occasions(begun("a", 1, slate=rows(ONE)), said) == ()


def test_withheld_first_and_given_later_is_neither():
    later = begun("a", 2, event="UserPromptSubmit", slate=rows(ONE, p=1.0))
    records = [begun("a", 1, withheld=rows(ONE)), later, judged("a", 3, wf_0000000001=True)]
    assert judged_occasions(*records) == ()
    assert offers(history(*records), {})["a", ONE].injected
    twice = [begun("a", 1, slate=rows(ONE)), later, judged("a", 3, wf_0000000001=True)]
    assert [one.p for one in judged_occasions(*twice)] == [0.9]


def test_a_chance_that_is_none_is_no_coin():
    for field, p in (("slate", None), ("slate", 0), ("withheld", 1.0), ("withheld", 7)):
        records = [begun("a", 1, **{field: rows(ONE, p=p)}), judged("a", 3, wf_0000000001=True)]
        assert judged_occasions(*records) == ()


def test_a_merged_rule_goes_by_its_heir():
    records = [begun("a", 1, slate=rows(OLD)), judged("a", 3, wf_00000000ff=True)]
    assert [one.rule for one in judged_occasions(*records, heirs={OLD: ONE})] == [ONE]
