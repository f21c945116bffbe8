"""How the words of a rule are cleaned, and what it is about."""

from cases import cased
from hypothesis import given, strategies as st

from memoria.capture.extract.user.rule_text import classify_rule, format_rule_text, strip_lead_in

# said by the user -> the rule that it states


@cased()
def test_a_rule_is_the_users_words_without_what_leads_in(said, rule):
    assert format_rule_text(strip_lead_in(said)) == rule


@cased()
def test_the_category_follows_the_words(sentence, about):
    assert classify_rule(strip_lead_in(sentence)) == about


@given(st.text(max_size=400))
def test_any_text_is_cleaned_to_one_line(sentence):
    text = format_rule_text(strip_lead_in(sentence))
    assert "\n" not in text
    assert len(text) <= len(sentence) + len("do ")
