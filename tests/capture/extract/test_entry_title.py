"""What a session is called."""

from cases import cased
from hypothesis import given, strategies as st
from talk import edit, say, steps, transcript, turn

from memoria.capture.extract.entry_title import choose_title
from memoria.capture.extract.observed import observe
from memoria.capture.extract.observing.commits import branch_words
from memoria.capture.extract.title_parts import find_title_parts

FILE = "/home/ana/shop/worker.py"


def named(*turns, lines=(), **session):
    return choose_title(observe(transcript(*turns, **session)), lines)


@cased()
def test_a_session_is_named(turns, more, expected):
    made = [turn(asked, *steps(*rows), branch=branch) for asked, branch, *rows in turns]
    assert named(*made, **more) == expected


@cased()
def test_an_ask_becomes_a_title_where_it_has_a_clean_clause(asked, branch, name):
    assert named(turn(asked, branch=branch))[0] == name


@cased()
def test_where_nothing_was_asked_in_words_what_was_done_names_the_session(answer, name):
    made = turn("can you have a look at this?", edit(FILE), say(answer), branch="main")
    assert named(made)[0] == name


BRANCH = "phase-two-of-the-lock"


@cased()
def test_the_part_that_weighs_most_names_the_session(turns, name):
    made = [turn(asked, *steps(*rows), branch=BRANCH) for asked, rows in turns]
    assert named(*made)[0] == name


def test_notes_beside_the_work_are_no_part_of_it():
    work = turn("hide the drain command", edit(FILE), say("Done."))
    notes = turn("document the queue of the broker", edit("/home/ana/shop/notes.md"))
    found = find_title_parts(observe(transcript(work, notes)), ())
    assert {part.text for part in found} == {"Hide the drain command"}


LEASE = edit(FILE, "pass", "def renewLease(): pass")


@cased((["fix the old lease"] * 2, "Fix the old lease"))
def test_a_title_tells_the_code_that_it_is_about_or_the_other_part(asks, name):
    turns = [turn(asked, LEASE, say("Done."), branch="renew") for asked in asks]
    assert named(*turns)[0] == name


@cased()
def test_a_branch_is_read_without_owner_and_ticket(branch, words):
    assert branch_words(branch) == words


@given(st.text(max_size=300))
def test_a_title_is_one_short_line(asked):
    name, _ = named(turn(asked))
    assert len(name) <= 82
    assert "\n" not in name
    assert name == name.strip()
