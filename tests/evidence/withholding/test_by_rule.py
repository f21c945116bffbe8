"""Rules by withholding: too few, no comparison, what earns a place and what is to go."""

from datetime import timedelta

import numpy as np
import pytest
from studies import AT

from memoria.evidence.withholding.by_rule import (
    LEAST,
    Occasion,
    by_rule,
)


def occasion(number, rule="r", *, injected=True, back=False, p=0.9, **more):
    at = AT + timedelta(hours=number)
    options = {"project": "shop"} | more
    return Occasion(f"s{number}", at, rule=rule, injected=injected, p=p, came_back=back, **options)


def occasions(rule, count, with_it, without, seed=0):
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
    assert found.difference.estimate == pytest.approx(3 / 20 - 4 / 6)
    # statsmodels 0.15.0, confint_proportions_2indep(3, 20, 4, 6, method="newcomb")
    assert (found.difference.low, found.difference.high) == pytest.approx(
        (-0.7725834594448513, -0.09390734345809826), rel=1e-9
    )
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
    assert (found.difference is None) == (state == "too few")


def test_a_pinned_rule_allows_no_comparison():
    found = one(by_rule([occasion(n, p=1.0) for n in range(30)]))
    assert found.state == "no comparison"
    assert found.unpaired == 30
    assert (found.helps, found.harms) == (1.0, 1.0)


def test_lists_are_right_and_short():
    found = by_rule(
        [
            *occasions("good", 500, 0.1, 0.6),
            *occasions("bad", 500, 0.7, 0.2, seed=1),
            *(o for n in range(8) for o in occasions(f"idle{n}", 200, 0.4, 0.4, seed=2 + n)),
        ]
    )
    assert named(found, "earned") == ["good"]
    assert named(found, "retire") == ["bad"]
    assert {standing.name for standing in found[:2]} == {"good", "bad"}


def test_rules_with_too_few_occasions_count_among_the_many():
    data = occasions("good", 150, 0.15, 0.5, seed=4)
    value = one(by_rule(data)).helps
    crowd = [occasion(300 + n, f"x{n}") for n in range(int(value / 10) + 5)]
    assert named(by_rule([*data, *crowd]), "earned") == []


def test_projects_weigh_by_how_much_they_can_tell():
    rows = [
        *(occasion(n, injected=n >= 10, back=n < 10) for n in range(20)),
        *(occasion(20 + n, injected=n >= 40, back=n % 2 == 0, project="b") for n in range(80)),
    ]
    # Mantel-Haenszel: -1 with weight 10 * 10 / 20, 0 with weight 40 * 40 / 80
    assert one(by_rule(rows)).difference.estimate == pytest.approx(-5 / 25)


def test_projects_are_compared_within():
    # the mistake comes back always in one project and never in the other, rule or no rule
    found = one(
        by_rule(
            [
                occasion(n, injected=n % 2 == 0 or n < 40, back=n < 60, p=0.9 if n < 60 else 0.5,
                         project="a" if n < 60 else "b")
                for n in range(120)
            ]
        )
    )  # fmt: skip
    assert found.difference.estimate == pytest.approx(0)
    assert found.difference.low < 0 < found.difference.high
