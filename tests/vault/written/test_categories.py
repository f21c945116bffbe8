import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.vault.written.categories import CATEGORIES, categorised, named

A, W, T, D = CATEGORIES


@given(st.text(max_size=80))
def test_a_name_is_its_own_name(text):
    assert named(named(text)) == named(text)


# half of these lines were written after the classifier was set
@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("Always validate inputs at the boundary, not conditionally", A),
        ("Use frozen dataclasses for immutable data containers", A),
        ("The parser and the renderer are separate modules, so each can be tested alone", A),
        ("The worker marks the event done in the same transaction that changes the order", A),
        ("Retries live in the HTTP client and not in each caller", A),
        ("A registry of handlers replaced the chain of ifs", A),
        ("The scheduler owns the retry policy; jobs only raise", A),
        ("The index is rebuilt from the log, so it can be deleted at any time", A),
        ("Run the test suite after EVERY code change, not just at the end", W),
        ("Write the integration test first to clarify the API contract", W),
        ("Rebase on main before opening the pull request", W),
        ("Nobody reviews a PR of more than 400 lines carefully", W),
        ("Deploy the migration one release before the code that needs it", W),
        ("Never merge on a Friday afternoon", W),
        ("Ask the vendor before building a workaround", W),
        ("The `patch` context manager for date mocking is cleaner than fixtures", T),
        ("Use `jwt.io` to decode tokens instead of console.log", T),
        ("`git bisect run pytest -x` finds the first bad commit by itself", T),
        ("ripgrep skips hidden files unless `--hidden` is given", T),
        ("Use `jq -r` to get strings without quotes", T),
        ("kubectl rollout undo goes back one revision", T),
        ("`npm ci` is faster than `npm install` and fails on a stale lockfile", T),
        ("`datetime.utcnow()` is deprecated in Python 3.12+", D),
        ("Supabase storage returns 400, not 404, for missing files", D),
        ("VAT is rounded per line and not per invoice", D),
        ("Safari drops cookies of third parties by default", D),
        ("JWT expiry is in seconds, JavaScript dates are in milliseconds", D),
        ("Kafka keeps the order within a partition only", D),
        ("In SQL NULL is not equal to NULL", D),
        ("GitHub webhooks time out after ten seconds", D),
    ],
)
def test_what_a_line_is_about(line, category):
    assert categorised(line) == category


def test_where_no_word_tells_the_default_stands():
    assert categorised("Birds sing") == D
    assert categorised("Birds sing", A) == A


@given(st.text(max_size=300))
def test_any_line_has_one_of_the_four(text):
    assert categorised(text) in CATEGORIES
