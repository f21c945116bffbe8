"""The joint model: evidence moves belief the right way, in any order, and credit is shared."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from memoria.capture.extract.session_context import SessionContext
from memoria.learning.arms import Arm
from memoria.learning.joint import PRIOR, fit, predict, predict_everywhere
from memoria.learning.play import EPOCH, Play
from memoria.learning.sparse import average_by_owner, build_vectors, join

SHOP = SessionContext("shop", words={"sql": 1.0})
TRAIL = SessionContext("trail", words={"css": 1.0})
SQL, CSS, PLAIN = Arm("sql-rule", {"sql": 1.0}), Arm("css-rule", {"css": 1.0}), Arm("plain-rule")
ARMS = [SQL, CSS, PLAIN]


def play(number, shown=(), outcome=1.0, where=SHOP, **more):
    at = EPOCH + timedelta(hours=number)
    return Play(f"{number:05d}", at, where, dict.fromkeys(shown, ""), outcome=outcome, **more)


def effect(plays, arm, where=SHOP, arms=ARMS):
    model = fit(arms, plays)
    return predict(model, [where])[0][model.owner[arm.id], 0]


MIXED = [play(number, outcome=float(number % 3 > 0)) for number in range(30)]


def test_untried_a_rule_is_worth_what_its_text_promises():
    assert effect([], SQL) > effect([], PLAIN) > PRIOR.cost
    assert effect([], SQL) > effect([], CSS)
    assert effect(MIXED, SQL) > effect(MIXED, CSS)
    assert effect(MIXED, CSS, TRAIL) > effect(MIXED, SQL, TRAIL)


def test_credit_goes_to_the_rule_that_makes_the_difference():
    """One rule goes along always; success comes with the other alone."""
    plays = [
        play(
            number, ["plain-rule", "sql-rule"] if number % 2 else ["plain-rule"], float(number % 2)
        )
        for number in range(60)
    ]
    model = fit(ARMS, plays)
    means, _ = predict_everywhere(model)
    base = predict_everywhere(fit(ARMS, []))[0]
    gained = means - base
    assert gained[model.owner["sql-rule"]] > 0.15
    assert gained[model.owner["plain-rule"]] < gained[model.owner["sql-rule"]] / 2


def test_an_effect_belongs_to_where_it_was_seen():
    plays = [
        *(play(number, ["plain-rule"], 1.0, SHOP) for number in range(0, 40, 2)),
        *(play(number, [], 0.0, SHOP) for number in range(1, 40, 2)),
        *(play(number, ["plain-rule"], 0.0, TRAIL) for number in range(40, 80, 2)),
        *(play(number, [], 1.0, TRAIL) for number in range(41, 80, 2)),
    ]
    assert effect(plays, PLAIN, SHOP) > effect(plays, PLAIN, TRAIL) + 0.2


@pytest.mark.parametrize(("kind", "good", "bad"), [("rewards", 1, -1), ("judged", True, False)])
def test_what_is_said_or_seen_of_a_rule_moves_it(kind, good, bad):
    base = [*MIXED, play(40, ["plain-rule"], None)]
    up = [*MIXED, play(40, ["plain-rule"], None, **{kind: {"plain-rule": good}})]
    down = [*MIXED, play(40, ["plain-rule"], None, **{kind: {"plain-rule": bad}})]
    assert effect(up, PLAIN) > effect(base, PLAIN) > effect(down, PLAIN)
    assert effect(up, CSS, TRAIL) == pytest.approx(effect(base, CSS, TRAIL), abs=0.05)


def test_occasions_without_the_rule_tell_what_would_have_been():
    """It goes as well without the rule: then it is no merit of the rule."""
    shown = [play(30 + n, ["plain-rule"], None, judged={"plain-rule": True}) for n in range(8)]
    kept = {"withheld": ("plain-rule",), "judged": {"plain-rule": True}}
    held = [play(200 + n, [], None, **kept) for n in range(8)]
    back = [replace(one, judged={"plain-rule": False}) for one in held]
    assert effect([*MIXED, *shown, *back], PLAIN) > effect([*MIXED, *shown, *held], PLAIN) + 0.02


def test_evidence_fades():
    old = [play(number, ["plain-rule"], 0.0) for number in range(20)]
    since = [play(20 + number, [], float(number % 3 > 0)) for number in range(1_500)]
    believed = fit(ARMS, [*old, *since])
    short = fit(ARMS, [*old, *since], replace(PRIOR, half=100.0))
    at = believed.owner["plain-rule"]
    assert predict_everywhere(short)[0][at] > predict_everywhere(believed)[0][at]


def test_a_rule_that_was_reworded_keeps_half_of_its_evidence():
    arm = replace(PLAIN, digest="new")
    plays = [
        [Play(one.session, one.at, SHOP, {"plain-rule": digest}, outcome=0.0) for one in MIXED[:12]]
        for digest in ("new", "old", "")
    ]
    same, reworded, unknown = (
        effect([*MIXED[12:], *found], arm, arms=[SQL, CSS, arm]) for found in plays
    )
    untried = effect(MIXED[12:], arm, arms=[SQL, CSS, arm])
    assert same < reworded < untried
    assert unknown == same


def test_a_rule_that_is_gone_takes_its_share_of_the_blame():
    both = [play(30 + number, ["plain-rule", "gone"], 0.0) for number in range(10)]
    alone = [play(30 + number, ["plain-rule"], 0.0) for number in range(10)]
    arms = [*ARMS, Arm("untried")]
    blamed = [
        effect([*MIXED, *found], PLAIN, arms=arms) - effect([*MIXED, *found], arms[-1], arms=arms)
        for found in (both, alone)
    ]
    assert blamed[1] < blamed[0] < 0.0


plays_ = st.lists(
    st.builds(
        Play,
        st.text("abc", min_size=1, max_size=2),
        st.integers(0, 20).map(lambda hour: EPOCH + timedelta(hours=hour)),
        st.sampled_from([SHOP, TRAIL, SessionContext(), SessionContext("shop", "test")]),
        st.dictionaries(
            st.sampled_from(["sql-rule", "css-rule", "gone"]), st.sampled_from(["", "x"])
        ),
        st.sampled_from([(), ("plain-rule",)]),
        st.sampled_from([None, 0.0, 1.0]),
        st.dictionaries(st.sampled_from(["sql-rule", "gone"]), st.sampled_from([-1, 0, 1])),
        st.dictionaries(st.sampled_from(["plain-rule", "css-rule"]), st.booleans()),
    ),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(plays_, st.randoms())
def test_the_same_plays_give_the_same_numbers_in_any_order(found, random):
    mixed = list(found)
    random.shuffle(mixed)
    one, other = fit(ARMS, found), fit(ARMS, mixed)
    assert one.names == other.names
    assert one.solution.weights.tobytes() == other.solution.weights.tobytes()
    assert one.solution.variances.tobytes() == other.solution.variances.tobytes()
    means, spreads = predict(one, [SHOP, TRAIL, SessionContext("new", words={"sql": 1.0})])
    assert np.isfinite(means).all()
    assert (spreads > 0.0).all()


def test_the_oldest_plays_are_not_looked_at():
    few = replace(PRIOR, half=10.0)
    recent = [play(100 + number, ["plain-rule"], 1.0) for number in range(int(10 * few.half_lives))]
    old = [play(number, ["plain-rule"], 0.0) for number in range(50)]
    one, other = fit(ARMS, recent, few), fit(ARMS, [*old, *recent], few)
    assert one.solution.weights.tobytes() == other.solution.weights.tobytes()


rows = st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(0.1, 9.0)), max_size=6)


PLACES = {"a": 0, "b": 1, "c": 2}


@given(rows)
def test_rows_have_length_one_or_none(found):
    matrix = build_vectors(found, PLACES)
    lengths = matrix.scale_rows(np.ones(matrix.count)).to_dense(3) ** 2
    known = [any(word in "abc" for word in row) for row in found]
    assert lengths.sum(axis=1) == pytest.approx([float(some) for some in known])


@given(rows, st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_a_matrix_without_its_zeros_is_the_same_matrix(found, owners):
    matrix = build_vectors(found, PLACES)
    dense = np.array([[row.get(word, 0.0) for word in "abc"] for row in found]).reshape(-1, 3)
    assert (matrix.to_dense(3) == dense).all()
    both = np.hstack([dense, dense])
    joined = join(matrix, matrix, 3)
    assert (joined.to_dense(6) == both).all()
    assert [
        row[places].tolist() for row, (places, _) in zip(both, joined.split(), strict=True)
    ] == [values.tolist() for _, values in joined.split()]
    assert matrix.compare(np.eye(3)) == pytest.approx(dense)
    owned = np.arange(3)[:, None] == np.array(owners[: len(found)], int)
    usual = owned @ matrix.measure_lengths() / np.maximum(owned.sum(axis=1), 1)
    average = average_by_owner(matrix, owners[: len(found)], 3)
    summed = owned @ dense
    assert average.measure_lengths() == pytest.approx(usual)
    norms = np.linalg.norm(summed, axis=1, keepdims=True)
    assert average.to_dense(3) * norms == pytest.approx(summed * usual[:, None])
