"""How the words of a rule are cleaned, and what it is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.user.rule_text import category, core, rule_text

# said by the user -> the rule that it states
CLEANED = [
    ("Never force-push to a shared branch.", "Never force-push to a shared branch"),
    ("from now on answer in Danish", "Answer in Danish"),
    ("From now on, use pnpm instead of npm!", "Use pnpm instead of npm"),
    ("Never edit it by hand, from now on", "Never edit it by hand"),
    ("going forward please write commit messages in English", "Write commit messages in English"),
    ("I told you to use uv, not pip", "Use uv, not pip"),
    ("I told you not to touch the generated files", "Do not touch the generated files"),
    ("as I said, no emojis in commit messages", "No emojis in commit messages"),
    ("ok but please never commit straight to main", "Never commit straight to main"),
    ("you should always ask before deleting a branch", "Always ask before deleting a branch"),
    ("can you always show me the plan first?", "Always show me the plan first"),
    ("remember: nobody migrates production by hand", "Nobody migrates production by hand"),
    ("save this as a rule: log lines carry the id", "Log lines carry the id"),
    ("npm is never used here", "npm is never used here"),
    ("Claude Settings open in a tab", "Claude Settings open in a tab"),
]


@pytest.mark.parametrize(("said", "rule"), CLEANED)
def test_a_rule_is_the_users_words_without_what_leads_in(said, rule):
    assert rule_text(core(said)) == rule


@pytest.mark.parametrize(
    ("sentence", "about"),
    [
        ("always run the tests before you push", "workflow"),
        ("use pnpm instead of npm", "tool_usage"),
        ("all modules must be free of import cycles", "architectural"),
        ("a customer is somebody with a contract", "domain_knowledge"),
    ],
)
def test_the_category_follows_the_words(sentence, about):
    assert category(core(sentence)) == about


@given(st.text(max_size=400))
def test_any_text_is_cleaned_to_one_line(sentence):
    text = rule_text(core(sentence))
    assert "\n" not in text
    assert len(text) <= len(sentence) + len("do ")
