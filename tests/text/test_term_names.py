"""How a topic is called and what it means, in the words of the sessions."""

import pytest

from memoria.text.term_names import branch_name, definition, is_about, name_of


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
    assert name_of("invoice ledger", texts) == name


@pytest.mark.parametrize(
    ("branch", "name"),
    [
        ("fix-login", "Fix login"),
        ("sam/fix-login", "Fix login"),
        ("feature/abc-123-invoice-ledger", "Invoice ledger"),
        ("20260102-rate-limits", "Rate limits"),
        ("updateChangelog", "Update changelog"),
        ("fix/gh-77-slow_start", "Slow start"),
    ],
)
def test_a_branch_gives_its_words(branch, name):
    assert branch_name(branch) == name


@pytest.mark.parametrize(
    "text",
    [
        "The invoice ledger is a list of all postings of a tenant.",
        "`InvoiceLedger` stores the postings of one month.",
        "Invoice ledgers are named ledger/<tenant>.",
        "An invoice ledger tracks postings, not payments.",
        "What is it for? -> The invoice ledger holds the postings of a tenant.",
    ],
)
def test_a_definition_begins_with_the_name(text):
    assert definition(["invoice ledger"], [text]) == text.rpartition(" -> ")[2]


@pytest.mark.parametrize(
    "text",
    [
        "The invoice ledger is currently empty.",
        "The invoice ledger would hold the postings.",
        "The invoice ledger is missing in this branch.",
        "We store the invoice ledger in a file.",
        "The ledger is a list of postings.",
        "The invoice ledger fails on Mondays.",
        "The invoice ledger is never a list.",
        "The invoice ledger holds:",
        "The invoice ledger stores " + "many things " * 30,
    ],
)
def test_a_state_or_a_plan_defines_nothing(text):
    assert definition(["invoice ledger"], [text]) == ""


def test_what_a_thing_is_comes_before_what_it_does():
    does = "The invoice ledger creates postings for every tenant that has an open month."
    is_a = "The invoice ledger is a list of postings."
    assert definition(["invoice ledger"], [does, is_a]) == is_a


def test_a_line_is_about_what_it_names_early_or_twice():
    late = "x" * 150 + " in the invoice ledger"
    assert is_about("invoice ledger", "The invoice ledger is slow" + late)
    assert not is_about("invoice ledger", late)
    assert is_about("invoice ledger", late + " and the invoice ledger")
