from families import pairs
from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.rules.merge.groups import merging
from memoria.rules.merge.judge_pair import judge

TEXTS = sorted({text for pair in pairs()[:600] for text in pair[:2]})
RULES = st.lists(st.sampled_from(TEXTS), max_size=20)


def test_restatements_of_a_rule_are_one():
    texts = [
        "Run tests before committing",
        "Cache data in Redis",
        "Always run the test suite before commit",
        "Execute tests prior to committing code",
    ]
    found = merging(texts)
    assert found.groups == ((0, 2, 3), (1,))
    assert [(one.index, one.into, one.by, one.backend) for one in found.merges] == [
        (2, 0, "words", "token"),
        (3, 0, "words", "token"),
    ]
    assert all(0.75 <= one.similarity <= 1 for one in found.merges)


def test_opposites_are_contradictions_and_other_vetoes_are_not():
    found = merging(["Always force push", "Keep 7 backups", "Never force push", "Keep 9 backups"])
    assert found.groups == ((0,), (1,), (2,), (3,))
    assert [(one.index, one.other, one.veto) for one in found.vetoed] == [
        (0, 2, "polarity"),
        (1, 3, "number"),
    ]
    assert [(one.index, one.other) for one in found.opposites] == [(0, 2)]


def test_copies_join_the_first():
    found = merging(["Run tests", "Push often", "run tests!", "RUN  TESTS"])
    assert found.groups == ((0, 2, 3), (1,))
    assert [one.by for one in found.merges] == ["text", "text"]


def test_nothing_and_nonsense():
    assert merging([]).groups == ()
    assert merging(["", "?", "a", "!!!"]).groups == ((0, 1, 3), (2,))


@given(RULES)
@settings(max_examples=50)
def test_each_text_is_in_one_group_and_no_veto_is_in_any(texts):
    found = merging(texts)
    assert sorted(place for group in found.groups for place in group) == list(range(len(texts)))
    assert [group[0] for group in found.groups] == sorted(group[0] for group in found.groups)
    for group in found.groups:
        assert list(group) == sorted(group)
        for at, one in enumerate(group):
            assert not any(judge(texts[other], texts[one]).veto for other in group[:at])


@given(RULES, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_later_texts_do_not_change_whether_two_merge(texts, rng):
    later = texts[2:]
    rng.shuffle(later)
    pair = [set(group) & {0, 1} for group in merging(texts[:2]).groups]
    shuffled = [set(group) & {0, 1} for group in merging([*texts[:2], *later]).groups]
    assert [group for group in shuffled if group] == pair


@given(RULES)
@settings(max_examples=30)
def test_adding_rules_moves_none_of_the_earlier(texts):
    some = len(texts) // 2
    before = merging(texts[:some]).groups
    after = [tuple(at for at in group if at < some) for group in merging(texts).groups]
    assert tuple(group for group in after if group) == before
