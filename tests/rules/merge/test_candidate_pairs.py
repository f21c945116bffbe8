from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.merge.candidate_pairs import Rows

WEIGHTS = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0.15, 0.3, 0.8]), max_size=5),
    max_size=12,
)


def joined(views, least):
    rows = Rows()
    for view in views:
        rows.add(view)
    return {
        (int(one), int(other))
        for pairs in rows.pairs(least)
        for one, other in zip(pairs.earlier, pairs.later, strict=True)
    }


def score(one, other):
    shared = sum(max(one[key], other[key]) for key in one.keys() & other.keys())
    rest = sum(one[key] for key in one.keys() - other.keys())
    rest += sum(other[key] for key in other.keys() - one.keys())
    return 2 * shared / (2 * shared + rest) if shared else 0.0


@given(WEIGHTS, st.sampled_from([0.5, 0.75]))
def test_no_pair_is_left_out(views, least):
    found = joined(views, least)
    for later, view in enumerate(views):
        for earlier in range(later):
            if score(views[earlier], view) >= least:
                assert (earlier, later) in found
    assert all(earlier < later for earlier, later in found)


def test_without_words_there_are_no_pairs():
    assert joined([], 0.5) == set()
    assert joined([{}, {}], 0.5) == set()
