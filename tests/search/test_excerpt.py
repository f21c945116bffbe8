from dataclasses import replace

import pytest
from cases import cased
from hypothesis import given, strategies as st
from notes import hostile

from memoria.llm.port import QueryMaterial
from memoria.search.answer import QueryAnswer, check_answer
from memoria.search.excerpt import EXTRACTIVE, extract_answer, is_authored
from memoria.search.pages import Page, build_article_page
from memoria.vault.article import compose_article, with_body

TOKENS = Page(
    "concepts/session-tokens",
    "Session tokens",
    "concept",
    "",
    """# Session tokens

Session tokens are strings that a browser sends. They are compared in UTC.

## Key Points

- They expire after an hour, so that a stolen one is soon worthless. (2026-04-01)
- [ ] The expiry of [[concepts/cookies|cookies]] is a week.

## Related Concepts

- [[concepts/cookies]] - cookies hold session tokens

```python
expire_session_tokens("hour")
```
""",
)
COOKIES = Page(
    "concepts/cookies",
    "Cookies",
    "concept",
    "",
    "# Cookies\n\nCookies hold tokens. | no\n\n| expire | hour |\n\n> Tokens never expire.",
)


def ask(text, *pages, filed=None):
    return extract_answer(QueryMaterial(text, pages or (TOKENS, COOKIES), filed))


def filed(answer, path="qa/tokens-expire"):
    meta = {"title": "Q: When do tokens expire?", "question": "When do tokens expire?"}
    note = compose_article(path, "qa", meta, "Q: When do tokens expire?", "")
    return with_body(note, "Answer", answer)


def test_the_best_line_is_quoted_with_its_day_and_link():
    found = ask("When do session tokens expire?")
    assert found.known
    lines = found.answer.splitlines()
    assert lines[0] == EXTRACTIVE
    assert lines[2] == (
        '- 2026-04-01: "They expire after an hour, so that a stolen one is soon worthless." '
        "([[concepts/session-tokens]])"
    )
    assert found.citations[0] == "concepts/session-tokens"


def test_tables_quotes_code_and_what_code_made_are_not_quoted():
    text = ask("When do tokens and cookies expire, after an hour?").answer
    for part in ("python", "expire_session", "never", "| hour", "hold session tokens"):
        assert part not in text


def test_what_a_line_keeps_for_the_program_is_not_quoted():
    kept = '- Cookies live for a week. <!-- memoria {"part": "e-1"} -->'
    found = ask("How long do cookies live?", replace(COOKIES, text=kept))
    assert '"Cookies live for a week."' in found.answer


def test_links_within_a_quote_become_words():
    assert '"The expiry of cookies is a week."' in ask("What is the expiry of cookies?").answer


@pytest.mark.parametrize(
    "question",
    ["What is the capital of France?", "Which cluster runs the tokens?", "?", "what is it", "日本"],
)
def test_what_the_pages_do_not_hold_is_not_known(question):
    assert ask(question) == QueryAnswer(False, "")


def test_other_forms_of_a_word_count():
    page = replace(COOKIES, text="Authentication is done by the gateway.")
    assert ask("how does auth work?", page).known


def test_code_that_looks_like_a_link_is_not_quoted():
    page = replace(COOKIES, text="- Cookies are tested by `[[ -n $cookies ]]` in the shell.")
    assert not ask("How are cookies tested?", page).known


def test_a_line_is_quoted_once_though_two_pages_have_it():
    twin = replace(TOKENS, path="concepts/tokens-2")
    text = ask("When do session tokens expire?", TOKENS, twin).answer
    assert text.count("after an hour") == 1


def test_an_answer_that_was_filed_by_a_person_or_a_model_stands():
    note = filed("After an hour ([[concepts/session-tokens]]).")
    assert is_authored(note)
    found = ask("When do tokens expire?", build_article_page(note), TOKENS, filed=note)
    assert found.answer == ("After an hour ([[concepts/session-tokens]]). ([[qa/tokens-expire]])")


def test_an_extracted_answer_is_extracted_anew_and_not_quoted_again():
    first = ask("When do tokens expire?")
    note = filed(first.answer)
    assert not is_authored(note)
    again = ask("When do tokens expire?", build_article_page(note), TOKENS, COOKIES, filed=note)
    assert again.answer == first.answer


def test_what_a_person_added_to_an_extracted_answer_is_found():
    note = filed(ask("When do tokens expire?").answer + "\n\nTokens of the admins expire at once.")
    again = ask("When do tokens expire?", build_article_page(note), TOKENS, filed=note)
    assert '"Tokens of the admins expire at once." ([[qa/tokens-expire]])' in again.answer


def test_what_form_the_answer_has_need_not_stand_in_it():
    text = "- A key that comes with another amount is answered with 422."
    page = Page("concepts/keys", "Idempotency keys", "concept", "", text)
    question = "Which HTTP status is sent when the same idempotency key has another amount?"
    assert "answered with 422" in ask(question, page).answer
    assert not ask("Which HTTP status has a missing invoice?", page).known


@given(st.lists(hostile, max_size=4), hostile)
def test_any_pages_give_an_answer_that_passes_the_check(texts, question):
    named = ((f"concepts/{n}", text) for n, text in enumerate([*texts, question]))
    pages = tuple(Page(path, text, "concept", "", text) for path, text in named)
    known = {page.path for page in pages}
    found = extract_answer(QueryMaterial(question, pages))
    result = check_answer(found, known)
    assert set(result.citations) <= known
    assert not result.removed
    assert not result.faults


def test_a_rule_is_quoted_by_its_title():
    rule = Page("rules/main", NEVER, "rule", "", "Evidence: none.")
    assert "Never commit to main" in ask("Which branch may we commit to?", rule).answer


NEVER = "Never commit to main, open a branch"
RULE = Page("rules/main", NEVER, "rule", "scope: [/code/shop]", "## Evidence")
LOG = Page(
    "projects/shop", "shop", "project", "", "Worked on from 1 to 3.\n## Rules\n- 1 rule to review"
)


@cased()
def test_a_rule_is_asked_for_in_words_that_no_rule_has(question, is_known):
    assert ask(question, RULE, LOG).known is is_known


PROJECT = Page(
    "projects/shop",
    "shop",
    "project",
    "",
    """# shop

The test command of the tests was slow.

## Decisions

- 2026-02-09: Write all logs to shop.log instead of a file a session. (2026-02-09)

## What Keeps Going Wrong

- 5 of 9 sessions: the database is missing.

## Commands

| Command | Sessions | How it ended |
|---|---|---|
| `make test` | 15 | passed in 9 of 15 |
| `make lint` | 3 | passed |
""",
)


@cased()
def test_a_question_that_names_a_section_is_answered_from_it(question, line):
    quotes = ask(question, TOKENS, PROJECT).answer.splitlines()[2:]
    assert quotes[0].startswith(f"- {line}")
    assert len(quotes) == 1


@pytest.mark.parametrize(
    "question",
    ["What was decided about refunds?", "Which command deploys?", "How many sessions passed?"],
)
def test_a_section_that_is_named_does_not_answer_what_it_does_not_hold(question):
    assert not ask(question, TOKENS, PROJECT).known


def test_the_decisions_of_an_entry_are_decisions():
    log = Page("daily/2026-04-01", "Carts", "entry", "", "**Decisions Made:**\n- Carts last a day.")
    assert ask("What was decided about carts?", log, PROJECT).known
