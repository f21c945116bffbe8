"""What a session is called."""

from cases import cased
from hypothesis import given, strategies as st
from talk import bash, commit, edit, say, steps, transcript, turn

from memoria.capture.extract.entry_title import choose_title
from memoria.capture.extract.observed import observe
from memoria.capture.extract.observing.commits import branch_words
from memoria.capture.extract.title_parts import find_title_parts

FILE = "/home/ana/shop/worker.py"


def named(*turns, lines=(), **session):
    return choose_title(observe(transcript(*turns, **session)), lines)


PLAN = "Implement the following plan:\n\n# Plan: renew leases early\n\nText."
PULL = bash('gh pr create --title "feat(queue): renew leases"', "https://github.com/a/b/pull/7")


def test_the_surest_name_comes_first():
    steps = (PULL, commit("fix: keep leases"))
    assert named(turn(PLAN, *steps), title="Leases of the shop") == ("Leases of the shop", "client")
    assert named(turn(PLAN, *steps)) == ("Renew leases early", "plan")
    assert named(turn("why is it slow?", *steps)) == ("Keep leases", "commit")
    # the first of several commits may be a chore
    several = (*steps, commit("drop the lock"))
    assert named(turn("why is it slow?", *several)) == ("Renew leases", "pull-request")
    assert named(turn("why is it slow?", PULL)) == ("Renew leases", "pull-request")


@cased()
def test_an_ask_becomes_a_title_where_it_has_a_clean_clause(asked, branch, name):
    assert named(turn(asked, branch=branch))[0] == name


@cased()
def test_where_nothing_was_asked_in_words_what_was_done_names_the_session(answer, name):
    made = turn("can you have a look at this?", edit(FILE), say(answer), branch="main")
    assert named(made)[0] == name


def test_a_branch_on_which_something_else_was_done_comes_last():
    done = say("Created a page about the geese of the harbour.")
    made = turn("and now this", edit("/home/ana/shop/geese.md"), done, branch="renew-leases-early")
    assert named(made)[0] == "Created a page about the geese of the harbour"


def test_a_part_of_what_a_branch_names_stands_behind_it_and_the_same_is_not_said_twice():
    done = say("- Removed the retry of the queue")
    asked = "we said that the retry of the queue goes, as the readme has it"
    part = turn(asked, edit(FILE), done, branch="update-readme")
    assert named(part)[0].startswith("Update readme: ")
    whole = turn("remove the retry of the queue", edit(FILE), done, branch="remove-queue-retry")
    assert ": " not in named(whole)[0]


def test_a_conversation_is_named_by_what_it_began_with_and_came_to():
    first = turn("the leases pile up. it was bad", say("Shall we?"), branch="main")
    later = turn("Use a fixed delay of 20 seconds.", edit(FILE), say("Done."), branch="main")
    assert named(first, later)[0] == "The leases pile up; use a fixed delay of 20 seconds"


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


def test_what_a_rebase_left_to_fix_does_not_name_a_session():
    review = say("# PR #158 Review: Renew leases of the broker")
    made = commit("Replace popLease with drain after rebase")
    assert named(turn("/review 158", review), turn("rebase it", made))[0] == (
        "PR #158 Review: Renew leases of the broker"
    )


def test_a_merge_names_a_session_that_only_merged():
    merged = commit("Merge remote-tracking branch 'origin/main' into lease-token", "lease-token")
    made = turn("why did it stop halfway?", merged, branch="lease-token")
    assert named(made) == ("Lease token: Merge origin/main", "ask")


def test_a_second_change_that_was_spoken_of_more_is_named_too():
    first = turn("clean up", commit("Drop stale files"), say("Dropped the stale files."))
    second = turn("the queue?", commit("Renew leases early"), say("I renew leases early."))
    third = turn("is it early enough?", say("The leases renew early now."))
    assert named(first, second, third)[0] == "Drop stale files; renew leases early"


def test_a_vague_ask_on_a_trunk_leaves_the_name_to_the_best_line():
    best = "`renewLease` is never called by `pop()`, so that the lease ends."
    assert named(turn("why does it fail?", branch="main"), lines=[best])[0] == (
        "`renewLease` is never called by `pop()`, so that the lease ends"
    )


LEASE = edit(FILE, "pass", "def renewLease(): pass")


@cased((["fix the old lease"] * 2, "Fix the old lease"))
def test_a_title_tells_the_code_that_it_is_about_or_the_other_part(asks, name):
    turns = [turn(asked, LEASE, say("Done."), branch="renew") for asked in asks]
    assert named(*turns)[0] == name


def test_where_nothing_is_said_the_branch_names_the_work():
    assert named(turn("", edit(FILE), branch="renew-leases"))[0] == "Renew leases"
    assert named(turn("", branch="renew-leases")) == ("", "")
    assert named() == ("", "")


@cased()
def test_a_branch_is_read_without_owner_and_ticket(branch, words):
    assert branch_words(branch) == words


@given(st.text(max_size=300))
def test_a_title_is_one_short_line(asked):
    name, _ = named(turn(asked))
    assert len(name) <= 82
    assert "\n" not in name
    assert name == name.strip()
