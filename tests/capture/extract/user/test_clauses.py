"""How a prompt is parted into clauses: a task and a rule in one sentence are two."""

import pytest

from memoria.capture.extract.user.clauses import clauses

PARTED = [
    (
        "build the page; always use tabs here",
        ["build the page", "always use tabs here"],
    ),
    (
        "fix the null check and from now on run the fuzz tests",
        ["fix the null check", "from now on run the fuzz tests"],
    ),
    (
        "add the button, and btw i never want inline styles",
        ["add the button", "btw i never want inline styles"],
    ),
    ("see e.g. the parser. It is slow.", ["see e.g. the parser.", "It is slow."]),
    (
        "two rules:\n- no default exports\n- tabs, always",
        ["two rules:", "no default exports", "tabs, always"],
    ),
    ("when you change the parser, run the corpus", ["when you change the parser, run the corpus"]),
]


@pytest.mark.parametrize(("text", "parts"), PARTED)
def test_clauses(text, parts):
    assert [clause.text for clause in clauses(text)] == parts


def test_a_clause_knows_what_stands_around_it():
    lead, first, second = clauses("for later sessions:\n- no emojis\n- short answers")
    assert (first.lead, first.listed, first.before, first.after) == (
        "for later sessions:",
        True,
        lead.text,
        second.text,
    )
