"""Plays: their one order, and what is known of them."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from memoria.learning.play import EPOCH, Play, canonical

plays = st.lists(
    st.builds(
        Play,
        st.sampled_from(["", "a", "b", "c"]),
        st.integers(0, 3).map(lambda day: EPOCH + timedelta(days=day)),
        outcome=st.sampled_from([None, 0.0, 1.0]),
        rewards=st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from([-1, 0, 1])),
    ),
    max_size=12,
)


@given(plays, st.randoms())
def test_any_order_is_folded_in_one(found, random):
    mixed = list(found)
    random.shuffle(mixed)
    assert repr(canonical(mixed)) == repr(canonical(found))


@given(plays)
def test_time_orders_plays_and_loses_none(found):
    ordered = canonical(found)
    assert len(ordered) == len(found)
    assert [play.at for play in ordered] == sorted(play.at for play in found)


def test_known():
    assert not Play("s", withheld=("x",), shown={"y": ""}).known
    assert Play("s", outcome=0.0).known
    assert Play("s", rewards={"x": 0}).known
    assert Play("s", judged={"x": False}).known
