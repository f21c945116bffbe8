"""Which rules wait for a person, in which order, and why one is not in force."""

from cases import cased
from hypothesis import given, strategies as st
from ruled import made

from memoria.rules.model import Approval, is_in_force
from memoria.rules.review.waiting import obstacle, rank_cases
from memoria.rules.rulebook import Rulebook

ALWAYS = "Always run the linter before you commit"
APPROVALS = {
    "": {},
    "approved": {made(ALWAYS).id: Approval.of(made(ALWAYS))},
    "reworded": {made(ALWAYS).id: Approval("x", (), pinned=False)},
}


def cases(*rules, approvals=""):
    """Give the cases of rules, those without a path as rules without a note."""
    book = Rulebook(tuple(rule for rule in rules if rule.path), APPROVALS[approvals])
    return rank_cases(book, [rule for rule in rules if not rule.path], {})


@cased()
def test_a_rule_with_a_note(changes, approvals, why):
    found = cases(made(ALWAYS, path="rules/x", **changes), approvals=approvals)
    assert [case.why for case in found] == ([why] if why else [])


@cased()
def test_a_rule_without_one(sources, frequency, why):
    found = cases(made(ALWAYS, sources=tuple(sources), frequency=frequency))
    assert [case.why for case in found] == ([why] if why else [])


@given(st.permutations([made(f"Rule {n}", path=f"{n}", frequency=1 + n % 3) for n in range(8)]))
def test_the_order_does_not_depend_on_that_of_the_notes(rules):
    by_id = sorted(rules, key=lambda one: one.id)
    assert [case.rule for case in cases(*rules)] == [case.rule for case in cases(*by_id)]


@cased()
def test_whose_words_they_are(path, sources, quote, own):
    line = f'- "{quote}" ([[daily/2026-04-01]])'
    (case,) = cases(made(ALWAYS, path=path, sources=tuple(sources), quotes=(line,)))
    assert case.own is own


@cased()
def test_an_obstacle(changes, approvals, said):
    one = made(ALWAYS, path="rules/x", **changes)
    found = obstacle(one, APPROVALS[approvals])
    assert said in found
    assert bool(found) is not is_in_force(one, APPROVALS[approvals])
