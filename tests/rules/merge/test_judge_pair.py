import re

from cases import cased
from families import SAME, judge, pairs
from hypothesis import given, strategies as st

PAIRS = pairs()
RULES = sorted({pair.one for pair in PAIRS})
ORDERS = [
    rule for rule in RULES if not re.search(r"\b(not|never|no|avoid|without)\b", rule.lower())
]


def test_own_pairs_are_judged_without_a_mistake():
    joined = {kind: [] for kind in SAME}
    for pair in PAIRS:
        is_same = judge(pair.one, pair.other).is_same
        assert pair.same or not is_same, pair
        if pair.same:
            joined[pair.kind].append(is_same)
    assert sum(map(sum, joined.values())) / sum(map(len, joined.values())) >= 0.5
    assert sum(joined["easy"]) / len(joined["easy"]) >= 0.95


@cased()
def test_the_examples_of_the_seeds_are_one_rule(wordings):
    assert all(judge(wordings[0], other).is_same for other in wordings)


@cased()
def test_what_keeps_rules_apart(name, one, other):
    assert judge(one, other).veto == judge(other, one).veto == name


@cased()
def test_what_is_said_otherwise_is_one_rule(one, other):
    assert judge(one, other).is_same


@cased()
def test_each_names_its_own_thing_or_one_says_far_more(one, other):
    assert not judge(one, other).is_alike


@given(st.sampled_from(RULES), st.sampled_from(RULES))
def test_a_judgement_is_symmetric(one, other):
    assert judge(one, other) == judge(other, one)


@given(
    st.sampled_from(ORDERS),
    st.sampled_from(["Do not {}", "Never {}", "Don't {}", "dont {}", "You must not {}"]),
)
def test_a_negated_rule_is_never_the_rule(rule, negation):
    assert not judge(rule, negation.format(rule[0].lower() + rule[1:])).is_same


@given(st.sampled_from(RULES), st.integers(2, 10_000), st.integers(2, 10_000))
def test_another_number_is_never_the_same_rule(rule, one, other):
    if one != other:
        assert not judge(f"{rule} within {one} days", f"{rule} within {other} days").is_same


@given(
    st.sampled_from(RULES), st.sampled_from(["Always {}", "please {}", "Make sure to {}", "{}."])
)
def test_a_word_around_a_rule_changes_nothing(rule, around):
    assert judge(rule, around.format(rule[0].lower() + rule[1:])).is_same


@given(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), min_size=1, max_size=8),
    st.sampled_from([" ", "  ", "\n", "\t "]),
    st.sampled_from(["", ".", "!", " ."]),
)
def test_case_space_and_marks_at_the_end_change_nothing(words, gap, end):
    text = " ".join(words)
    changed = gap.join(text.split()) + end
    if changed.upper().lower() == changed.lower():
        changed = changed.upper()
    assert judge(text, changed).is_same
