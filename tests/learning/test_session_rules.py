"""The slate: what goes in, what is held back, and that it is the same when asked again."""

import json
import subprocess
import sys
from pathlib import Path

from cases import cased
from hypothesis import given, strategies as st

from memoria.learning import session_rules

SCRIPTS = Path(session_rules.__file__).resolve().parents[2]


def state(means, *, spread=0.0, pinned=(), units=10, law="normal", **more):
    names = [*pinned, *(f"wf-{at:010x}" for at in range(len(means)))]
    rows = [[len(pinned) + at, mean, spread] for at, mean in enumerate(means)]
    return {
        "policy": "joint",
        "law": law,
        "k": 8,
        "epsilon": 0.0,
        "arms": [[name, units] for name in names],
        "pinned": list(range(len(pinned))),
        "labels": {"": rows},
        **more,
    }


def test_all_go_in_while_they_fit_and_belief_orders_them():
    chosen = session_rules.choose(state([0.1, 0.5, 0.02, -0.4, 0.3]), "s")
    assert chosen.shown == [f"wf-000000000{at}" for at in (1, 4, 0, 2, 3)]
    assert set(chosen.propensities.values()) == {1.0}
    assert chosen.effects["wf-0000000001"] == 0.5
    assert chosen.left_out == []


@cased()
def test_forty_rules_fit_and_of_more_the_one_left_out_is_named(count, shown):
    prepared = state([-0.4] * count, spread=0.2, units=100, k=session_rules.K)
    for number in range(60):
        chosen = session_rules.choose(prepared, f"session {number}")
        assert (len(chosen.shown), len(chosen.left_out)) == (shown, count - shown)
        assert {*chosen.shown, *chosen.left_out} == {name for name, _ in prepared["arms"]}


def test_what_claude_md_says_takes_no_room():
    prepared = state([0.5, 0.4, 0.3], pinned=("arch-1",), k=2)
    chosen = session_rules.choose(prepared, "s", elsewhere=["arch-1", "wf-0000000000"])
    assert chosen.shown == ["wf-0000000001", "wf-0000000002"]
    assert chosen.pinned == chosen.left_out == []


def test_no_more_than_k():
    assert len(session_rules.choose(state([0.5] * 20), "s").shown) == 8
    assert len(session_rules.choose(state([0.5] * 20), "s", k=3).shown) == 3
    assert session_rules.choose(state([0.5] * 20), "s", k=0).shown == []


def test_a_long_rule_gives_way_to_the_next_that_has_room():
    prepared = state([0.5, 0.4, 0.3])
    prepared["arms"][1][1] = 1_000
    chosen = session_rules.choose(prepared, "s", budget=25)
    assert chosen.shown == ["wf-0000000000", "wf-0000000002"]


def test_pinned_rules_always_go_in_first_and_use_up_room():
    prepared = state([0.5] * 20, pinned=("arch-1", "arch-2"), epsilon=1.0)
    chosen = session_rules.choose(prepared, "s", budget=5)
    assert chosen.shown == chosen.pinned == ["arch-1", "arch-2"]
    assert chosen.propensities == {"arch-1": 1.0, "arch-2": 1.0}
    assert len(session_rules.choose(prepared, "s").withheld) == 6


@cased()
def test_a_chosen_rule_is_withheld_with_the_logged_probability(epsilon):
    prepared = state([0.5] * 8, epsilon=epsilon)
    slates = [session_rules.choose(prepared, f"session {number}") for number in range(600)]
    held = sum(len(one.withheld) for one in slates) / (8 * len(slates))
    # five standard deviations of 4,800 coins
    assert abs(held - epsilon) < 5 * (0.25 / 4_800) ** 0.5
    assert all(p == 1.0 - epsilon for one in slates for p in one.propensities.values())
    assert all(len(one.shown) + len(one.withheld) == 8 for one in slates)


names = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=40)


@given(names, st.lists(st.floats(-1, 1), max_size=30), st.integers(0, 9), st.integers(0, 400))
def test_the_same_session_and_state_give_the_same_slate(session, means, k, budget):
    prepared = state(means, spread=0.3, epsilon=0.1)
    one = session_rules.choose(prepared, session, k=k, budget=budget)
    again = session_rules.choose(json.loads(json.dumps(prepared)), session, k=k, budget=budget)
    assert one.record() == again.record()
    given_out = [*one.shown, *one.withheld]
    assert len(set(given_out)) == len(given_out) <= k
    assert 10 * len(given_out) <= budget
    assert set(one.propensities) == set(given_out)


def test_what_is_retired_meanwhile_does_not_change_what_the_others_draw():
    means = [0.1] * 30
    whole = session_rules.choose(state(means, spread=0.2), "s", k=30)
    fewer = state(means, spread=0.2)
    del fewer["labels"][""][5]
    part = session_rules.choose(fewer, "s", k=30)
    assert [name for name in whole.shown if name != "wf-0000000005"] == part.shown


def test_beta_thompson_draws_shares_and_has_no_cost():
    prepared = state([], law="beta")
    prepared["arms"] = [["good", 10], ["bad", 10]]
    prepared["labels"] = {"": [[0, 40.0, 2.0], [1, 2.0, 40.0]]}
    chosen = session_rules.choose(prepared, "s", k=1)
    assert chosen.shown == ["good"]
    assert len(session_rules.choose(prepared, "s").shown) == 2


def test_all_takes_the_order_given():
    chosen = session_rules.choose(state([0.0] * 4, law="order", k=4), "s", budget=35)
    assert chosen.shown == ["wf-0000000000", "wf-0000000001", "wf-0000000002"]


def test_where_a_line_costs_what_is_not_worth_it_stays_out_but_for_now_and_then():
    prepared = state([0.5, 0.02] + [-0.2] * 7, cost=0.03)
    slates = [session_rules.choose(prepared, f"session {number}") for number in range(1_000)]
    filled = [len(slate.shown) for slate in slates]
    assert set(filled) == {1, 8}
    assert abs(filled.count(8) / 1_000 - session_rules.PROBE_SHARE) < 0.035


def test_it_runs_on_the_standard_library_alone_and_imports_little():
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules);"
        "import memoria.learning.session_rules;"
        "print(sorted(set(sys.modules) - before))"
    )
    command = [sys.executable, "-S", "-E", "-c", script, str(SCRIPTS)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    loaded = {name for name in json.loads(found.replace("'", '"')) if "memoria" not in name}
    assert loaded <= {"math", "__future__"}
