import pytest

from memoria.rules.model import Rule
from memoria.rules.review.waiting import (
    NEAR,
    Beside,
    Case,
    Near,
    beside,
    card,
    cut,
    docket,
    quoted,
    state,
)

RULE = Rule(
    "wf-0000000001",
    "Run the linter before you commit",
    "workflow",
    "active",
    3,
    "high",
    ("github.com/ana/shop", "github.com/ana/till"),
    "2026-04-01",
    path="rules/x",
    sources=("daily/2026-04-01.md",),
    quotes=tuple(f'- "Run it {number}" ([[daily/2026-04-0{number}]])' for number in range(1, 6)),
)


def texts(case, nears=()):
    return [text.strip() for _, text in card(case, "1 of 9", nears)]


def test_a_card_shows_what_a_rule_rests_on():
    (case,) = docket([RULE], {})
    assert texts(case) == [
        "",
        "1 of 9  wf-0000000001",
        "Run the linter before you commit",
        "workflow, seen 3x, high confidence, its note says active",
        "in github.com/ana/shop and github.com/ana/till; daily/2026-04-01.md",
        "active in its note, approved by whom is not known: confirm?",
        '"Run it 1" (daily/2026-04-01)',
        '"Run it 2" (daily/2026-04-02)',
        '"Run it 3" (daily/2026-04-03)',
        "and 2 more: `memoria why wf-0000000001`",
    ]


def test_opposites_stand_out_and_not_too_many_are_shown():
    (case,) = docket([RULE], {})
    near = Beside(Near("x", "opposite"), RULE, in_force=True)
    rows = list(card(case, "1 of 9", [near] * 9))
    assert [style for style, _ in rows].count("red") == NEAR


@pytest.mark.parametrize(
    ("near", "in_force", "said"),
    [
        (Near("x", "opposite"), True, "opposite: wf-0000000001 Run the linter before you "),
        (Near("x", "opposite"), True, "commit (active)"),
        (Near("x", "near", "numbers"), False, "(active, kept apart by numbers)"),
        (Near("x", "same", "numbers"), False, "commit (active)"),
    ],
)
def test_a_rule_beside_it(near, in_force, said):
    assert said in beside(Beside(near, RULE, in_force=in_force))


@pytest.mark.parametrize(
    ("why", "own", "standing", "said"),
    [
        ("waiting", True, True, "your words, says that it lasts"),
        ("found", False, False, "high confidence, no note yet"),
        ("review", False, False, "high confidence, no note yet"),
    ],
)
def test_how_a_rule_stands(why, own, standing, said):
    assert said in state(Case(RULE, why, own, standing))


def test_words_and_their_place():
    assert quoted('- "a" (said at the terminal)') == '"a" (said at the terminal)'
    assert quoted("- a") == '"a"'
    assert cut("word " * 100).endswith(" …")
    assert cut("word") == "word"
