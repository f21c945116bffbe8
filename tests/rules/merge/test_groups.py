from pathlib import Path

import numpy as np
from cases import cased, parts
from families import embed, judge, pairs
from hypothesis import given, settings, strategies as st

from memoria.rules.merge import groups
from memoria.rules.merge.groups import BACKGROUND, Index, Vectors, merge_duplicates

TEXTS = sorted({text for pair in pairs()[:600] for text in pair[:2]})
RULES = st.lists(st.sampled_from(TEXTS), max_size=20)
# one order as it may be said in five sessions
FAMILIES = parts(Path(__file__).parent)["test_five_wordings_of_one_order_meet"][1]


@cased()
def test_five_wordings_of_one_order_meet(wordings):
    assert merge_duplicates(wordings).groups == ((0, 1, 2, 3, 4),)


def test_orders_of_several_families_stay_apart():
    mixed = [wordings[place] for place in range(5) for wordings in FAMILIES]
    groups = merge_duplicates(mixed).groups
    assert len(groups) == len(FAMILIES)
    assert all(len({place % len(FAMILIES) for place in group}) == 1 for group in groups)


def test_opposites_are_contradictions_and_other_vetoes_are_not():
    texts = ["Always force push", "Keep 7 backups", "Never force push", "Keep 9 backups"]
    found = merge_duplicates(texts)
    assert found.groups == ((0,), (1,), (2,), (3,))
    assert found.opposites == ((0, 2),)


def test_rules_of_one_shape_are_not_held_against_each_other(monkeypatch):
    compared = []
    monkeypatch.setattr(groups, "veto", lambda *pair: compared.append(pair) or "number")
    merge_duplicates([f"Keep the staging backups for {days} days" for days in range(2, 1002)])
    merge_duplicates([f"Never edit src/file{number}.py by hand" for number in range(1000)])
    assert 0 < len(compared) < 2_000


def test_a_group_takes_a_bounded_number_of_wordings():
    texts = ["please " * number + "run the tests before a commit" for number in range(40)]
    found = merge_duplicates(texts)
    assert len(found.groups[0]) == 16
    assert merge_duplicates([*texts, texts[0]]).groups[0][-1] == 40


@given(RULES)
def test_each_text_is_in_one_group_and_no_veto_is_in_any(texts):
    found = merge_duplicates(texts)
    assert sorted(place for group in found.groups for place in group) == list(range(len(texts)))
    assert [group[0] for group in found.groups] == sorted(group[0] for group in found.groups)
    for group in found.groups:
        assert list(group) == sorted(group)
        for at, one in enumerate(group):
            assert not any(judge(texts[other], texts[one]).veto for other in group[:at])


@given(RULES)
@settings(max_examples=30)
def test_adding_rules_moves_none_of_the_earlier(texts):
    some = len(texts) // 2
    before = merge_duplicates(texts[:some]).groups
    after = [tuple(at for at in group if at < some) for group in merge_duplicates(texts).groups]
    assert tuple(group for group in after if group) == before


# -- One text beside those that are known ----------------------------------------------------------


def vectors(texts):
    return Vectors(embed(texts), embed(BACKGROUND))


def test_a_group_takes_no_text_that_a_veto_keeps_from_a_member():
    index = Index(["Log requests that users send with tokens"])
    group = index.add("Log all requests that users send", 0)
    assert index.match("Log the requests that users send").place == 1
    # it is like the second alone, and forbids what the first asks for
    index.add("Do not log tokens that users send with requests", group)
    assert index.match("Log the requests that users send") is None


@given(st.lists(st.sampled_from(TEXTS), max_size=25))
def test_no_rule_that_is_one_is_overlooked(texts):
    index = Index(texts)
    for text in TEXTS[:40]:
        same = any(judge(text, known).is_same for known in texts)
        assert (index.match(text) is not None) == same


@given(st.lists(st.sampled_from(TEXTS), max_size=12))
@settings(max_examples=5, deadline=None)  # a vector is made for each word
def test_with_a_model_one_by_one_comes_to_the_same_as_all_at_once(texts):
    found = vectors(texts) if texts else None
    index = Index(usual=found.usual if found else 0.0)
    for text, row in zip(texts, found.texts if found else (), strict=True):
        match = index.match(text, row)
        index.add(text, index.group(match.place) if match else None, row)
    assert index.groups == merge_duplicates(texts, vectors=found).groups


def test_a_model_joins_what_is_near_by_its_meaning():
    texts = ["Squash commits", "Squash the commits of a feature branch"]
    near = Vectors(np.array([[1.0, 0.0], [1.0, 0.0]]), np.eye(2))
    assert merge_duplicates(texts, vectors=near).groups == ((0, 1),)
    assert merge_duplicates(texts).groups == ((0,), (1,))


@cased()
def test_any_text_can_be_asked_for(text):
    assert Index(["Run tests"]).match(text) is None
    assert Index([text]).match(text).is_copy
