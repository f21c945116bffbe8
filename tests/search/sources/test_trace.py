from hypothesis import given
from hypothesis import strategies as st
from notes import entry, hostile

from memoria.search.sources.trace import NO_TURN, Source, cited, sought
from memoria.vault import daily
from memoria.vault.entry import Draft, Extract, Fact, Statement

LOCK = "The advisory lock ends with its connection, so that a killed run blocks nobody."
BACKFILL = "The backfill goes in batches of 5,000 rows, because one UPDATE holds its locks."
ALWAYS = "Always run the migrations through `make migrate`."


def source(number, *facts, statements=(), draft=None):
    """Make an entry of a log, as it is read from there, with what was found in its session."""
    one = entry(number, lessons=tuple(fact.text for fact in facts))
    (block,) = daily.blocks(daily.render(one), one.day)
    return Source(block, Extract(draft or one.draft, facts, statements))


def fact(text, turn=0, origin="assistant", kind="lesson"):
    return Fact(kind, text, origin, 4.0, turn)


FIRST = source(1, fact(LOCK, 2), fact("Nothing else was learned on that day.", 1))
SECOND = source(2, fact(BACKFILL, 5))


# -- A line that names its entry -------------------------------------------------------------------


def test_the_turn_of_a_line_is_looked_up_in_the_entry_that_it_names():
    for words in (BACKFILL, BACKFILL.upper(), "the backfill goes in batches of 5,000 rows"):
        found = cited(words, SECOND)
        assert (found.block.entry.id, found.turn) == ("e-000000000002", 5)
        assert (found.words, found.sure, found.origin) == (BACKFILL, "exact", "assistant")


def test_no_word_of_a_line_makes_it_another_entry_s():
    found = cited(LOCK, SECOND)
    assert (found.block.entry.id, found.sure, found.turn) == ("e-000000000002", "cited", NO_TURN)


def test_an_entry_without_an_extract_is_named_but_not_its_turn():
    found = cited(LOCK, Source(FIRST.block))
    assert (found.sure, found.turn, found.origin) == ("exact", NO_TURN, "")


def test_a_line_that_the_engine_wrote_into_the_log_is_the_entry_s():
    draft = Draft("t", "", decisions=("JSON was chosen over YAML for the config file",))
    assert cited(draft.decisions[0], source(4, draft=draft)).sure == "exact"


def test_a_quote_is_found_among_what_the_user_said():
    said = Statement(ALWAYS, ALWAYS, "workflow", standing=True, score=3.0)
    assert cited(ALWAYS, source(1, statements=(said,))).origin == "user"
    one = source(1, fact(f"User, refusing `alembic`: {ALWAYS}", 3, "user"), statements=(said,))
    found = cited(ALWAYS, one)
    assert (found.turn, found.origin, found.sure) == (3, "user", "exact")


# -- A line that names a day alone -----------------------------------------------------------------


def test_a_line_without_an_id_is_sought_by_its_words():
    found = sought(BACKFILL, [FIRST, SECOND])
    assert (found.block.entry.id, found.turn, found.sure) == ("e-000000000002", 5, "exact")
    other = "Batches of 5,000 rows are what the backfill UPDATE goes in; one holds locks"
    found = sought(other, [FIRST, SECOND])
    assert (found.block.entry.id, found.sure) == ("e-000000000002", "likely")


def test_a_line_of_something_else_has_no_source():
    for line in ("Postgres has arrays.", "the lock", "blocks nobody", "", "!!!"):
        assert sought(line, [FIRST, SECOND]) is None
    assert sought(LOCK, []) is None


def test_of_two_entries_that_say_the_same_the_first_with_a_turn_is_named():
    again = source(3, fact(LOCK, 7))
    assert sought(LOCK, [FIRST, again]).turn == 2
    assert sought(LOCK, [Source(FIRST.block), again]).turn == 7


@given(hostile)
def test_any_line_has_a_source_or_none(words):
    assert cited(words, FIRST).block is FIRST.block
    found = sought(words, [FIRST, SECOND])
    assert found is None or found.sure in {"exact", "likely"}


@given(st.permutations([FIRST, SECOND, source(5, fact("Cookies hold it for a week.", 9))]))
def test_the_order_of_the_entries_does_not_matter_for_an_exact_line(entries):
    assert sought(BACKFILL, entries).turn == 5
