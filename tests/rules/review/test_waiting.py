import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.rules.model import Approval, Rule, is_in_force, text_hash
from memoria.rules.review.waiting import obstacle, waiting_cases
from memoria.rules.rulebook import Rulebook

ALWAYS = "Always run the linter before you commit"
APPROVED = {"wf-0000000001": Approval(text_hash(ALWAYS))}
REWORDED = {"wf-0000000001": Approval("x")}


def rule(number=1, text=ALWAYS, **changes):
    values = {
        "id": f"wf-{number:010x}",
        "text": text,
        "category": "workflow",
        "status": "waiting",
        "frequency": 1,
        "confidence": "low",
        "scope": (),
        "updated": "2026-04-01",
        "path": f"rules/r{number}",
    }
    return Rule(**values | changes)


def quoted(text, link="daily/2026-04-01"):
    return f'- "{text}" ([[{link}]])'


def found(number, *sources, **changes):
    """Make a rule without a note."""
    return rule(number, path="", sources=sources, **changes)


# -- Which wait ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "approvals", "why"),
    [
        (rule(), {}, "undecided"),
        (rule(status="active"), {}, "request"),
        (rule(status="active", pinned=True), {}, "request"),
        (rule(status="active"), REWORDED, "changed"),
        (rule(status="active"), APPROVED, None),
        (rule(status="waiting"), APPROVED, "undecided"),
        (rule(status="rejected"), {}, None),
        (rule(status="retired"), {}, None),
        (rule(status="active", superseded_by="wf-0000000002"), {}, None),
        (rule(superseded_by="wf-0000000002"), {}, None),
    ],
)
def test_a_rule_with_a_note(one, approvals, why):
    cases = waiting_cases(Rulebook((one,), approvals), [], {})
    assert [case.why for case in cases] == ([why] if why else [])


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (found(1, "daily/2026-04-01.md"), None),
        # an engine wrote it down, however often it saw it
        (found(1, "daily/2026-04-01.md", frequency=2), None),
        (found(1, "daily/2026-04-01-auth.md"), "found"),
        (found(1, "daily/2026-04-01-review-pr-7.md"), "review"),
        (found(1, "daily/2026-04-01-review-pr-7.md", "daily/2026-04-02-auth.md"), "found"),
        (found(1, "daily/2026-04-01-review-pr-7.md", "daily/2026-04-02.md", frequency=2), "review"),
        (found(1), None),
    ],
)
def test_a_rule_without_one(one, why):
    cases = waiting_cases(Rulebook((), {}), [one], {})
    assert [case.why for case in cases] == ([why] if why else [])


# -- In which order --------------------------------------------------------------------------------


@given(st.permutations([rule(n, frequency=1 + n % 3) for n in range(8)]))
def test_the_order_does_not_depend_on_that_of_the_notes(rules):
    first, second = (
        [case.rule.id for case in waiting_cases(Rulebook(tuple(order), {}), [], {})]
        for order in (rules, sorted(rules, key=lambda one: one.id))
    )
    assert first == second


@pytest.mark.parametrize(
    ("one", "own"),
    [
        (rule(quotes=(quoted("Please always run the linter before you commit."),)), True),
        (rule(quotes=(quoted("Do not always run the linter before you commit."),)), False),
        (found(1, "daily/2026-04-01-a.md", quotes=(quoted(ALWAYS, "daily/2026-04-01-a"),)), True),
        (found(1, "daily/2026-04-01-review-x.md", quotes=(quoted(ALWAYS),)), False),
    ],
)  # fmt: skip
def test_whose_words_they_are(one, own):
    (case,) = waiting_cases(Rulebook((one,) if one.path else (), {}), [] if one.path else [one], {})
    assert case.own is own


# -- Why a rule is not in force --------------------------------------------------------------------


@cased(({"status": "active"}, APPROVED, ""), ({"status": "active"}, REWORDED, "words were changed"))
def test_an_obstacle(changes, approvals, said):
    one = rule(**changes)
    found_ = obstacle(one, approvals)
    assert said in found_
    assert bool(found_) is not is_in_force(one, approvals)
