"""Lines -> pairs that may contradict each other."""

import pytest

from memoria.lint.claims import Claim, claims_of, clear_denials, find_pairs
from memoria.text.outline import outline


def of(*texts):
    return [Claim(f"concepts/c{n}", n, text) for n, text in enumerate(texts, 1)]


def found(*texts, most=40):
    return [(pair.one.text, pair.other.text) for pair in find_pairs(of(*texts), most)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Refresh tokens are rotated at every use.", "Refresh tokens are not rotated at use."),
        ("Debug logging is enabled in production.", "Debug logging is disabled in production."),
        ("Always force push to main.", "Never force push to main."),
        ("The queue is drained before the deploy.", "The queue is drained after the deploy."),
        ("The tenant header is required by search.", "The tenant header is optional for search."),
        ("The cache doesn\u2019t survive a restart.", "The cache survives a restart."),
    ],
)
def test_a_denial_and_what_it_denies_are_a_pair(one, other):
    assert found("The moon is far from here.", one, "Cats eat fish at night.", other) == [
        (one, other)
    ]
    (pair,) = find_pairs(of(one, other), 1)
    assert pair.opposite
    assert [item["pair"] for item in clear_denials([pair])] == [1]


def test_other_numbers_in_the_same_words_are_a_pair_that_code_does_not_judge():
    one, other = "The session cookie lives for 15 minutes.", "The session cookie lives 30 minutes."
    assert found(one, other) == [(one, other)]
    (pair,) = find_pairs(of(one, other), 1)
    assert not pair.opposite
    assert clear_denials([pair]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Refresh tokens are rotated at every use.", "Refresh tokens are rotated at each use."),
        ("Refresh tokens are rotated.", "Access logs are never rotated."),
        ("Never push to main.", "Do not push to main."),
        ("The retry limit of uploads is 5.", "The page size of the search endpoint is 50."),
        ("Use it.", "Do not use it."),
        ("On 2026-04-01 the cache was cleared.", "On 2026-04-02 the cache was cleared."),
    ],
)
def test_no_pair(one, other):
    assert found(one, other) == []


def test_the_surest_come_first_and_a_line_in_two_articles_counts_once():
    deny = "Webhook bodies are never logged by the gateway."
    texts = ["Webhook bodies are logged by the gateway.", deny, deny]
    numbers = ["The pool has 10 worker connections.", "The pool has 20 worker connections."]
    assert found(*numbers, *texts) == [(texts[0], deny), tuple(numbers)]
    assert len(found(*numbers, *texts, most=1)) == 1


def test_the_later_claim_comes_last():
    new = Claim("concepts/new", 1, "Search results are cached.", "2026-05-01")
    old = Claim("concepts/old", 2, "Search results are not cached.", "2026-04-01")
    (pair,) = find_pairs([new, old], 5)
    assert (pair.one, pair.other) == (old, new)


def test_claims_leave_out_what_nobody_claims():
    text = (
        "Lead line.\n\n## Key Points\n\n- Kept. ([[daily/2026-04-01]])\n\n## Before the Change\n\n"
        "- Gone.\n\n## Questions Answered\n\n- Asked.\n\n## Details\n\nIs it?\n\n"
        "## Related Concepts\n\n- [[x]]\n\n## Sources\n\n- [[daily/2026-04-01]]\n"
    )
    made = list(claims_of("concepts/a", "concept", "A", outline(text).blocks))
    assert [(claim.text, claim.day, claim.line) for claim in made] == [
        ("Lead line.", "", 1),
        ("Kept.", "2026-04-01", 5),
    ]
    assert [claim.text for claim in claims_of("rules/r", "rule", "Never do.", [])] == ["Never do."]


def test_many_lines_on_one_subject_stay_linear():
    texts = [f"The build of module m{n} is cached by the runner." for n in range(3000)]
    assert found(*texts, most=5) == []
