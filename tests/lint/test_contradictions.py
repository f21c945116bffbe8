"""Pairs -> a question, and its answer -> findings."""

import pytest

from memoria.errors import BadReply
from memoria.lint.claims import Claim, Pair
from memoria.lint.contradictions import lint_prompt, read_contradictions

ONE = Claim("concepts/a", 7, "Search results are cached.", "2026-04-01")
OTHER = Claim("concepts/b", 9, "Search results are not cached.", "2026-05-01")
PAIRS = (Pair(ONE, OTHER, opposite=True, likeness=1.0),) * 2
TEMPLATE = "Read.\n<<< {{boundary}}\n{{pairs}}\n>>> {{boundary}}\n"


def answer(*items):
    return {"contradictions": list(items)}


def test_the_prompt_holds_the_pairs_and_a_boundary_that_they_do_not():
    prompt = lint_prompt(TEMPLATE, PAIRS)
    assert "1. (concepts/a, 2026-04-01) Search results are cached." in prompt
    assert "2. (concepts/a" in prompt
    boundary = prompt.split("<<< ")[1].split("\n")[0]
    assert prompt.count(boundary) == 2


def test_a_contradiction_is_told_at_the_older_claim():
    (flaw,) = read_contradictions(answer({"pair": 1, "why": "One says <b>cached</b>."}), PAIRS)
    assert (flaw.check, flaw.severity) == ("contradictions", "warning")
    assert (flaw.path, flaw.line) == ("knowledge/concepts/a.md", 7)
    assert "concepts/b, line 9, says otherwise on 2026-05-01" in flaw.message
    assert "<b>" not in flaw.message


def test_numbers_that_were_not_asked_for_and_repetitions_are_dropped():
    items = [{"pair": number, "why": "x"} for number in (0, -1, 3, 2, 2)]
    assert len(list(read_contradictions(answer(*items), PAIRS))) == 1


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"contradictions": None},
        answer("x"),
        answer({"pair": 1}),
        answer({"pair": "1", "why": "x"}),
        answer({"pair": True, "why": "x"}),
    ],
)
def test_an_answer_that_is_not_of_the_form(value):
    with pytest.raises(BadReply):
        list(read_contradictions(value, PAIRS))
