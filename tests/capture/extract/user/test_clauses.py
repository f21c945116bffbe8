"""How a prompt is parted into clauses: a task and a rule in one sentence are two."""

from cases import cased

from memoria.capture.extract.user.clauses import split_clauses


@cased()
def test_clauses(text, parts):
    assert [clause.text for clause in split_clauses(text)] == parts


def test_a_clause_knows_what_stands_around_it():
    lead, first, second = split_clauses("for later sessions:\n- no emojis\n- short answers")
    assert (first.lead, first.listed, first.before, first.after) == (
        "for later sessions:",
        True,
        lead.text,
        second.text,
    )
