"""Which terms a sentence speaks of, however they are spelled."""

import pytest

from memoria.text.stems import singularise
from memoria.text.terms import find_terms, find_usual_name, is_specific


@pytest.mark.parametrize(
    ("word", "alone"),
    [
        ("branches", "branch"),
        ("entries", "entry"),
        ("sessions", "session"),
        ("classes", "class"),
        ("boxes", "box"),
        ("class", "class"),
        ("status", "status"),
        ("analysis", "analysis"),
        ("bus", "bus"),
        ("alias", "alias"),
        ("ids", "id"),
        ("ties", "tie"),
        ("ledger", "ledger"),
    ],
)
def test_a_plural_is_undone_and_nothing_else(word, alone):
    assert singularise(word) == alone


@pytest.mark.parametrize(
    "text",
    [
        "The invoice ledger is rebuilt from its lines.",
        "Invoice ledgers are never edited.",
        "`InvoiceLedger` holds the lines.",
        "InvoiceLedger.rebuild was slow",
        "`invoice_ledger` is a module",
        "see src/billing/invoice_ledger.py for the rest",
        "the invoice-ledger job failed",
        "covered by `tests/test_invoice_ledger.py`",
    ],
)
def test_a_term_is_found_in_all_its_spellings(text):
    assert "invoice ledger" in find_terms(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fix the tests and push them.",
        "`git commit` failed",
        "the first error message",
        "it was added to the config file",
        "a top-level command-line option",
        "`--force` is needed",
        "go test ./...",
        "",
    ],
)
def test_common_words_make_no_term(text):
    assert find_terms(text) == ()


def test_a_stop_word_ends_a_phrase():
    assert find_terms("the ledger of the tenant") == ()
    assert find_terms("the ledger always archives tenants") == ("archive tenant",)


@pytest.mark.parametrize(
    ("term", "tells"),
    [
        ("invoice ledger", True),
        ("error message", False),
        ("session ledger", True),
        ("ci 42", False),
    ],
)
def test_a_term_needs_one_word_of_its_own(term, tells):
    assert is_specific(term) is tells


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["the invoice ledger", "an invoice ledger", "`InvoiceLedger`"], "Invoice ledger"),
        (["invoice ledgers only", "more invoice ledgers", "one invoice ledger"], "Invoice ledger"),
        (["`InvoiceLedger`", "InvoiceLedger.rebuild"], "InvoiceLedger"),
        (["the Invoice Ledger"], "Invoice Ledger"),
        (["the invoice-ledger job"], "invoice-ledger"),
        ([], "Invoice ledger"),
    ],
)
def test_a_title_is_the_usual_spelling(texts, name):
    assert find_usual_name("invoice ledger", texts) == name
