import pytest

from memoria.rules.merge.polarity import clauses, times
from memoria.rules.merge.practices import any_practice, is_practice, phrasings, practised


def found(text):
    parts = clauses(text)
    return {(each.name, each.sign) for each in practised(parts, *times(parts))}


def same(one, other):
    return bool(found(one) & found(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prevent SQL injection", "Never concatenate SQL"),
        ("Bind values in SQL", "Use parameterized queries"),
        ("Never commit secrets", "No passwords in git"),
        ("Write tests before the code", "Practice test-driven development"),
    ],
)
def test_phrasings_of_one_practice(one, other):
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prevent SQL injection", "Allow SQL injection"),
        ("Never commit secrets", "Commit secrets"),
        ("Run tests before committing", "Commit before running tests"),
        ("Prevent SQL injection", "Prevent memory leaks"),
    ],
)
def test_the_opposite_and_another_order_are_none(one, other):
    assert found(one)
    assert not same(one, other)


def test_the_opposite_of_a_practice_is_known_as_such():
    (name, sign), *_ = found("Never commit secrets")
    assert (name, -sign) in found("Commit secrets")


def test_each_phrasing_finds_its_own_practice():
    missed = [
        text
        for name, text in phrasings()
        if any_practice({word.concept for part in clauses(text) for word in part.words})
        and name not in {each for each, _ in found(text)}
    ]
    # a phrasing may hold a longer one of another practice
    assert len(missed) < len(phrasings()) / 20


def test_names_of_practices():
    assert all(is_practice(name) for name, _ in phrasings())
    assert not is_practice("commit")
