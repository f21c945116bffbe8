from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notes import entry, hostile

from memoria.search.sources.trace import NO_TURN, Told, said, trace
from memoria.vault import daily
from memoria.vault.citations import day, links, quote, words
from memoria.vault.entry import Draft, Extract, Fact, Statement

LOCK = "The advisory lock ends with its connection, so that a killed run blocks nobody."
BACKFILL = "The backfill goes in batches of 5,000 rows, because one UPDATE holds its locks."
ALWAYS = "Always run the migrations through `make migrate`."


def told(number, *facts, statements=(), draft=None, session="s-1"):
    """Make an entry of a log, as it is read from there, with what was found in its session."""
    one = entry(number, lessons=tuple(fact.text for fact in facts))
    text = daily.render(one).replace('"session": "s-1"', f'"session": "{session}"')
    (block,) = daily.blocks(text, one.day)
    return Told(block, Extract(draft or one.draft, facts, statements))


def fact(text, turn=0, origin="assistant", kind="lesson"):
    return Fact(kind, text, origin, 4.0, turn)


def statement(text, quote=""):
    return Statement(text, quote or text, "workflow", standing=True, score=3.0)


FIRST = told(1, fact(LOCK, 2), fact("Nothing else was learned on that day.", 1))
SECOND = told(2, fact(BACKFILL, 5), session="s-2")


@pytest.mark.parametrize(
    ("line", "number", "turn", "sure"),
    [
        (f"- {LOCK} ([[daily/2026-04-01]])", 1, 2, "exact"),
        (f"{BACKFILL.upper()}", 2, 5, "exact"),
        ("- the backfill goes in batches of 5,000 rows", 2, 5, "exact"),
        ("A killed run blocks nobody: the advisory lock ends with its connection", 1, 2, "likely"),
        (
            "Batches of 5,000 rows are what the backfill UPDATE goes in; one holds locks",
            2,
            5,
            "likely",
        ),
        ("The advisory lock of a connection blocks a deploy for minutes", 1, 2, "unsure"),
    ],
)
def test_a_line_is_traced_by_its_words(line, number, turn, sure):
    found = trace(line, [FIRST, SECOND])
    assert found.block.entry.id == f"e-{number:012x}"
    assert (found.turn, found.sure, found.origin) == (turn, sure, "assistant")


@pytest.mark.parametrize(
    "line",
    [
        "Postgres has arrays.",
        "the lock",
        "blocks nobody",
        "",
        "- ",
        "([[daily/2026-04-01]])",
        "!!!",
    ],
)
def test_a_line_of_something_else_has_no_source(line):
    assert trace(line, [FIRST, SECOND]) is None
    assert trace(line, []) is None


def test_a_lead_of_several_sentences_comes_from_the_one_that_was_said():
    lead = f"{BACKFILL} It came up in two sessions between spring and autumn of that long year."
    found = trace(lead, [FIRST, SECOND])
    assert (found.sure, found.turn, found.words) == ("likely", 5, BACKFILL)


def test_an_entry_without_an_extract_is_traced_to_but_not_its_turn():
    found = trace(LOCK, [Told(FIRST.block)])
    assert (found.sure, found.turn, found.origin) == ("exact", NO_TURN, "")


def test_of_two_entries_that_say_the_same_the_first_is_named():
    again = told(3, fact(LOCK, 7))
    assert trace(LOCK, [FIRST, again]).turn == 2
    # the turn is worth more than the place
    assert trace(LOCK, [Told(FIRST.block), again]).turn == 7


def test_a_line_that_the_engine_wrote_into_the_log_is_traced_to_it():
    one = told(
        4, draft=Draft("t", "", decisions=("JSON was chosen over YAML for the config file",))
    )
    assert trace("JSON was chosen over YAML for the config file", [one]).sure == "exact"


# -- What the user said ----------------------------------------------------------------------------


def test_a_quote_is_found_among_what_the_user_said():
    one = told(
        1, fact(f"User, refusing `alembic`: {ALWAYS}", 3, "user"), statements=(statement(ALWAYS),)
    )
    found = said(quote(f'- "{ALWAYS}" ([[daily/2026-04-01]])'), [SECOND, one], ())
    assert (found.block.entry.id, found.turn, found.origin) == ("e-000000000001", 3, "user")
    assert found.sure == "exact"


def test_without_its_words_the_session_names_the_entry():
    found = said(quote(f'"{ALWAYS}"'), [FIRST, SECOND], ("s-2",))
    assert (found.block.entry.session, found.sure, found.turn) == ("s-2", "likely", NO_TURN)
    assert said(quote(f'"{ALWAYS}"'), [FIRST, SECOND], ("", "s-9")) is None


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('- "Always." ([[daily/2026-04-01]])', ("Always.", "daily/2026-04-01", "")),
        ('"Say "x" (y)." ([[daily/2026-04-01-a]])', ('Say "x" (y).', "daily/2026-04-01-a", "")),
        ('"Always" (said at the terminal)', ("Always", "", "said at the terminal")),
        ("- Always ([[daily/2026-04-01|April]])", ("Always", "daily/2026-04-01", "")),
        ("Always", ("Always", "", "")),
    ],
)
def test_a_line_of_evidence(line, found):
    one = quote(line)
    assert (one.words, one.link, one.where) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("x ([[daily/2026-04-01]]) [[daily/b.md]]", ("daily/2026-04-01", "daily/b")),
        ("x [[daily/2026-04-01#Session|there]] [[concepts/x]]", ("daily/2026-04-01",)),
        ("x [[concepts/x]]", ()),
        ("[[daily/a]] [[daily/a]]", ("daily/a",)),
    ],
)
def test_links_to_logs(line, found):
    assert links(line) == found


def test_days_of_links():
    assert day("daily/2026-04-01") == date(2026, 4, 1)
    assert day("daily/2026-04-01-auth") is None
    assert day("daily/2026-02-30") is None


@given(hostile)
def test_any_line_has_words_and_a_source_or_none(line):
    assert len(words(line)) <= len(line)
    found = trace(line, [FIRST, SECOND])
    assert found is None or 0 <= found.share <= 1
    assert quote(line).words is not None


@given(st.permutations([FIRST, SECOND, told(5, fact("Cookies hold the session for a week.", 9))]))
def test_the_order_of_the_entries_does_not_matter_for_an_exact_line(entries):
    assert trace(BACKFILL, entries).turn == 5
