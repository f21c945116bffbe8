from cases import cased

from memoria.evidence.rule_observer import build_activity, judge_occasions
from memoria.text.word_overlap import find_telling_words, rarity

RULES = {
    "tests": "Run the test suite before you commit",
    "pnpm": "Use pnpm instead of npm",
    "dates": "Mock the clock in date tests",
}
WEIGHTS = rarity(find_telling_words(text) for text in RULES.values())


@cased()
def test_whose_occasion_came_up_and_how_it_went(texts, mistakes, found):
    assert judge_occasions(RULES, build_activity(texts, mistakes), WEIGHTS) == found


def test_a_rule_without_a_telling_word_has_no_occasion():
    assert judge_occasions({"x": "Always do it"}, build_activity(["always do it"], []), {}) == {}
