"""How a topic is called in the words of the sessions."""

import pytest

from memoria.text.terms import name_of


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
