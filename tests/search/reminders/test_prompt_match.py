import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.search import injection
from memoria.search.reminders import prompt_match as recall
from memoria.search.reminders.prompt_match import (
    asked,
    can_fit,
    composed,
    is_typed,
    passage_fits,
    rule_fits,
    rule_wanted,
    telling,
    weight,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Session tokens expire", ["session", "token", "expir"]),
        ("SessionStore session_store session-store", ["session", "stor"] * 3),
        ("HTTPServers parseJSON sha256Sum", ["http", "server", "pars", "json", "sha256", "sum"]),
        ("the committed, committing commits", ["the", "commit", "commit", "commit"]),
        (
            "queries query; classes class; boxes box",
            ["query", "query", *["class"] * 2, *["box"] * 2],
        ),
        ("status bus analysis ids", ["status", "bus", "analysis", "ids"]),
        ("bring red using used", ["bring", "red", "using", "used"]),
        ("passing installed", ["pass", "install"]),
        ("a b 12 3.5 v2", ["v2"]),
        ("Größe naïve", ["grösse", "naïve"]),
        ("店のAPI", ["店の", "api"]),
        ("令牌过期", ["令牌", "牌过", "过期"]),
        ("店", []),
        ("", []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@given(st.text())
def test_any_text_has_words(text):
    assert all(len(word) > 1 and word == word.casefold() for word in words(text) if word.isascii())
    assert words(f"{text}\n{text}")[: len(words(text))] == words(text)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Why does the build fail?", True),
        ("<private>x</private> why does it fail?", True),
        ("a < b, is it?", True),
        ("<3 you all", True),
        ("<task-notification>\n<task-id>b1</task-id> the build fails", False),
        ("  <command-name>/review</command-name>", False),
        ("<local-command-stdout></local-command-stdout>", False),
        ("", False),
        (" \n", False),
    ],
)
def test_what_a_program_wrote_is_no_prompt(prompt, expected):
    assert is_typed(prompt) is expected


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "yes",
        "commit this",
        "go on now",
        "supercalifragilistic",
        "/review the whole branch again",
        "/compact",
        "! git push origin main",
        "<private>the password is swordfish</private>",
        "do it <private>like the password swordfish says",
    ],
)
def test_what_says_too_little_asks_for_nothing(prompt):
    assert asked(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("push the lease branch", ["push", "the", "leas", "branch"]),
        ("/srv/shop/lease.py is slow today", ["srv", "shop", "leas", "py", "is", "slow", "today"]),
        ("take <private>swordfish</private> for the lease", ["take", "for", "the", "leas"]),
    ],
)
def test_what_a_prompt_asks_for(prompt, expected):
    assert asked(prompt) == expected


def test_of_a_long_prompt_the_beginning_counts():
    assert "webhook" not in asked("lease " * 600 + "webhook")


def test_a_word_weighs_by_how_few_notes_have_it():
    assert weight(0, 1000) > weight(1, 1000) > weight(10, 1000) > weight(900, 1000) >= 0
    assert weight(0, 0) == weight(0, 10**6) == 1
    assert weight(1, 10) < weight(1, 10_000)  # in a small vault every word is rare
    assert weight(50, 10) == 0


def test_common_words_count_half_in_short_prompts_and_not_at_all_in_long_ones():
    rows = [("lease", 1, False), ("test", 1, True), ("every", 99, True)]
    short, long_ = telling(rows, 99, 10), telling(rows, 99, 100)
    assert short["test"] == short["lease"] / 2 == long_["lease"] / 2
    assert set(long_) == {"lease"}
    assert short["every"] < 0.1


@pytest.mark.parametrize(
    ("shared", "weights", "total", "different", "fits"),
    [
        (2, 1.6, 3.0, 10, True),
        (1, 1.6, 3.0, 10, False),  # one word is chance
        (2, 1.2, 3.0, 10, False),  # two words that many rules have
        (2, 1.6, 4.5, 10, False),  # a rule that speaks of more than that
        (2, 1.6, 3.0, 200, False),  # a plan of three pages
        (5, 4.0, 5.0, 200, True),
        (0, 0.0, 0.0, 10, False),
    ],
)
def test_a_rule_fits_that_shares_what_it_is_about(shared, weights, total, different, fits):
    found = rule_fits(shared, weights, total, is_occasion=False, different=different)
    assert bool(found) is fits
    assert not fits or weights >= rule_wanted(different)


def test_a_rule_whose_occasion_comes_fits_a_short_prompt_after_all_others():
    occasion = rule_fits(1, 0.4, 5.0, is_occasion=True, different=5)
    assert 0 < occasion < rule_fits(2, 1.4, 3.0, is_occasion=False, different=5)
    assert not rule_fits(1, 0.4, 5.0, is_occasion=True, different=30)


PROMPT = words("does the webhook retry lose a lease on restart?")
EACH = dict.fromkeys(("webhook", "retry", "leas", "restart"), 0.9)


@pytest.mark.parametrize(
    ("title", "passage", "fits"),
    [
        ("Queue", "A webhook is tried again, and each retry takes the lease anew.", True),
        ("Webhook retry", "Ten times, then it is dropped.", False),  # nothing in the passage itself
        ("Webhook retry", "A lease lasts ten minutes.", True),
        ("Queue", "A retry takes the lease anew.", False),  # two words are chance
        ("Queue", "Nothing of all this.", False),
    ],
)
def test_a_passage_fits_that_shares_several_words(title, passage, fits):
    assert bool(passage_fits(PROMPT, words(title), words(passage), EACH)) is fits


def test_words_side_by_side_say_more():
    apart = passage_fits(PROMPT, [], words("retry of a webhook, with a lease"), EACH)
    assert passage_fits(PROMPT, [], words("webhook retry with a lease"), EACH) > apart > 0


def test_a_long_prompt_has_to_share_more():
    long_ = [*PROMPT, *(f"w{n}" for n in range(200))]
    passage = words("A webhook is tried again, and each retry takes the lease anew.")
    assert passage_fits(PROMPT, [], passage, EACH) > 0
    assert passage_fits(long_, [], passage, EACH) == 0


WORD = st.sampled_from(["webhook", "retry", "leas", "restart", "other", "more"])


@given(st.lists(WORD, max_size=30), st.lists(WORD, max_size=3), st.lists(WORD, max_size=30))
def test_what_is_passed_over_without_a_look_would_not_have_fitted(prompt, title, passage):
    # each pair of words counts once, so a passage of few words has few of them
    both = {*passage, *title} & EACH.keys() & {*prompt}
    weights = {word: EACH[word] for word in EACH.keys() & {*prompt}}
    if not can_fit(sum(weights[word] for word in both), len({*prompt})):
        assert len(both) < 3 or not passage_fits(
            prompt, title, list(dict.fromkeys(passage)), weights
        )


def test_the_text_holds_rules_and_passages_under_their_names():
    rules = [recall.rule_item("wf-0123456789", "Rebase before you push.")]
    passages = [recall.passage_item("concepts/lease", "Lease", "2026-03-02", "- It lasts.")]
    text, *counts = composed(rules, passages, "/home/ana/vault", "b0")
    assert counts == [1, 1]
    assert "\n- Rebase before you push. [wf-0123456789]\n" in text
    assert "\n### Lease (concepts/lease, 2026-03-02)\n- It lasts.\n" in text
    assert text.startswith("<memoria-b0>\n")
    assert text.endswith("</memoria-b0>")
    assert composed([], [], "/v", "b0") == ("", 0, 0)


@given(
    st.lists(st.text("ab \n\U0001f600#<", max_size=700), max_size=8),
    st.lists(st.text("ab \n\U0001f600", max_size=900), max_size=2),
    st.text(min_size=1, max_size=300),
)
def test_the_text_stays_below_its_limit(rules, passages, vault):
    rules = [recall.rule_item("wf-1", f"x{rule}") for rule in rules]
    passages = [recall.passage_item("concepts/x", "X", "", f"x{one}") for one in passages]
    text, *counts = composed(rules, passages, vault, "b0")
    assert injection.units(text) <= recall.LIMIT
    assert bool(text) == any(counts)
    assert text.count("[wf-1]") == counts[0]


def test_a_long_passage_ends_at_a_word():
    item = recall.passage_item("concepts/x", "X", "", "word " * 200)
    assert item.endswith("word ...")
    assert len(item) < 520


def test_a_path_that_leaves_no_room_leaves_nothing():
    # it stands before all and before the articles
    assert composed([], ["### x\n- y"], "/" + "v" * 990, "b0") == ("", 0, 0)
