"""What a compile of a day makes of its entries, and the laws that keep a vault calm."""

import dataclasses
import string

import pytest
from hypothesis import given, settings, strategies as st
from vaulted import Vault, entry, extract, fact

from memoria.compile.subjects import map_clones
from memoria.vault.article import compose_article, with_lead
from memoria.vault.entry import Draft, Statement

LOCK = (
    fact("A lease lock is kept because two workers drained the same queue."),
    fact("A lease is lost without any heartbeat, since the broker trusts no clock."),
    fact("Use a fencing token instead of a timestamp, so a lease survives skew.", "decision", 3.4),
    fact("How long is a lease? -> Thirty seconds, renewed only at half of it.", "answer", 3.0),
    fact("E42 unknown lease -> `get()` became `get_or_create()`, or it fails", "fix", 3.2),
)


def vault(*sessions):
    """Make a vault of sessions, each (day, extract) and a number of its own."""
    made = Vault()
    for number, (day, found) in enumerate(sessions):
        made.add(entry(number, day), found)
    return made


def compiled(*sessions):
    """Make a vault of sessions as `vault` does, and compile day by day."""
    made = vault(*sessions)
    made.compile_all()
    return made


def locked(*facts, **more):
    """Compile a session of the branch lease-lock: with the lines of LOCK, and with these."""
    return compiled((0, extract(*LOCK, *facts, branch="lease-lock", **more)))


def proposed(*facts, **about):
    """Give the articles that a session's compile proposes."""
    made = vault((0, extract(*facts, **about)))
    return made.compile(made.entries).articles


PATH = "concepts/lease-lock"


def budget_logs(days=3, projects=("p",) * 3):
    """Logs that somebody wrote by hand on several days, whose lines have one name in common."""
    texts = (
        "A retry budget was spent by health probes because they share the pool.",
        "Retry budgets are counted per tenant since one noisy tenant starved others.",
        "A retry budget must survive restarts, otherwise deploys double the load.",
    )
    made = Vault()
    for day, (text, project) in enumerate(zip(texts[:days], projects, strict=False)):
        draft = Draft(f"Retry budgets, part {day}", "", lessons=(text,))
        made.add(dataclasses.replace(entry(day, day, project, draft=draft), session=""))
    return made


# -- what one session tells of its work ------------------------------------------------------------


def test_a_branch_becomes_a_topic():
    made = vault((0, extract(*LOCK, branch="sam/lease-lock", files=("src/lock.py",))))
    (change,) = made.compile(made.entries).articles
    named = ("branch:sam/lease-lock", "lease-lock", "Lease lock")
    assert (change.key, change.slug, change.title) == named
    assert change.lead == LOCK[0].text
    assert change.entries == (made.entries[0].id,)


@pytest.mark.parametrize("branch", ["main", "master", "next", "HEAD", "develop", ""])
def test_a_trunk_does_not(branch):
    assert proposed(*LOCK, branch=branch) == ()


@pytest.mark.parametrize("titled_by", ["plan", "commit", "pull-request", "client"])
def test_on_trunk_a_given_title_is_the_topic(titled_by):
    (change,) = proposed(*LOCK, title="Lease the queue lock", titled_by=titled_by)
    assert (change.key, change.title) == ("title:lease the queue lock", "Lease the queue lock")


def test_a_guessed_title_is_none_and_no_title_that_its_lines_do_not_speak_of():
    for branch in ("main", "lease-lock"):
        guessed = {"title": "Look at the lease lock", "titled_by": "ask"}
        assert proposed(*LOCK, branch=branch, **guessed) == ()
    assert proposed(*LOCK, branch="invoice-numbers") == ()


def test_what_was_replaced_or_taken_back_carries_no_page():
    added = fact("Added the lease lock to FullSchema because new tables need it.")
    back = fact("FullSchema is now back to its original state, without a lease lock.")
    other = fact(LOCK[0].text)
    branch = {"branch": "lease-lock"}
    made = vault((0, extract(added, other, **branch)), (0, extract(back, **branch)))
    assert made.compile(made.entries).articles == ()


def test_of_one_session_it_takes_three_lines_or_two_passages_of_four_sentences():
    for count in (1, 2):
        assert proposed(*LOCK[:count], branch="lease-lock") == ()
    long = [fact(f"{LOCK[0].text} It counts."), fact(f"{LOCK[1].text} Nobody waits.")]
    (change,) = proposed(*long, branch="lease-lock")
    assert change.lead == long[0].text


def test_a_later_session_of_the_branch_is_added():
    renewal = "Renewal of a lease fails without a word when its token is stale."
    about = {"branch": "lease-lock"}
    made = compiled((0, extract(*LOCK, **about)), (1, extract(fact(renewal), **about)))
    assert set(made.articles) == {PATH}
    assert renewal in made.lines(PATH)


def test_the_same_branch_of_another_project_is_another_topic():
    made = Vault()
    made.add(entry(0, 0, project="p"), extract(*LOCK, branch="lease"))
    other = (
        "A lease of a boat must never outlive its owner, or both sink.",
        "The harbour bills each lease at noon because tides hide the night.",
        "Without a mooring no lease starts, so captains queue at dawn.",
        "An unpaid lease ends in the dry dock, since winter storage is free.",
    )
    made.add(entry(1, 1, project="q"), extract(*map(fact, other), branch="lease"))
    made.compile_all()
    keys = {article.key for article in made.articles.values()}
    assert keys == {"branch:lease", "branch:lease @ q"}
    assert made.lines("concepts/lease") != made.lines("concepts/lease-2")


# -- what a person writes about on several days ----------------------------------------------------


def test_three_days_written_by_hand_on_one_topic_make_an_article():
    made = budget_logs()
    made.compile_all(in_bulk=True)
    (path,) = made.articles
    assert len(made.lines(path)) == 3
    again = budget_logs(2)
    again.compile_all(in_bulk=True)
    assert again.articles == {}


def test_what_comes_later_in_a_compile_decides_what_begins_today():
    made = budget_logs()
    (change,) = made.compile(made.entries[:1], in_bulk=True).articles
    assert (change.key, change.title) == ("term:retry budget", "Retry budget")
    assert change.entries == (made.entries[0].id,)


def test_a_word_that_every_session_uses_tells_nothing():
    made = Vault()
    for number in range(12):
        line = fact(f"A queue of {number} tenants stalls because worker {number} has died.")
        made.add(entry(number, number), extract(line, branch=f"queue-{number}a"))
    made.compile_all(in_bulk=True)
    assert made.articles == {}


def test_what_came_from_outside_carries_no_page():
    marked = [fact(f"{line.text} (from a web page)", score=5.0) for line in LOCK]
    assert proposed(*marked, branch="lease-lock") == ()


def test_what_was_answered_carries_no_page_and_opens_none():
    texts = (
        "Who may renew a lease lock at night? -> Only its owner",
        "Which clock does a lease lock follow? -> That of Redis",
        "How many tenants share one lease lock? -> Four of a region",
    )
    asked = [fact(text, "decision", 6.0) for text in texts]
    assert proposed(*asked, branch="lease-lock") == ()
    said = fact("We decided on a lease lock for each printer, because paper jams.", "decision", 6.0)
    assert locked(*asked, said).articles[PATH].lead == LOCK[0].text


def test_what_a_session_says_of_other_things_stays_off_its_page():
    other = fact("Invoices are numbered by hand because the printer skips some.", score=5.0)
    in_code = fact("`get_or_create()` cannot be undone, so it is called once.", score=3.4)
    lines = locked(other, in_code).lines(PATH)
    assert other.text not in lines
    assert in_code.text in lines


def test_an_existing_topic_is_recognised_by_its_key():
    made = budget_logs()
    made.compile_all(in_bulk=True)
    line = fact("The `RetryBudget` of a probe is never refilled, even when it is idle.")
    made.add(entry(9, 5), extract(line))
    patch = made.compile(made.entries[-1:])
    assert [change.slug for change in patch.articles] == ["retry-budget"]


def test_a_topic_that_somebody_wrote_is_recognised_by_its_title():
    made = vault((0, extract(fact("A retry budget was spent by probes because they share it."))))
    written = compose_article(
        "concepts/budget", "concept", {"aliases": []}, "Retry budget", "It is mine."
    )
    made.articles["concepts/budget"] = written
    made.compile_all()
    assert set(made.articles) == {"concepts/budget"}
    assert len(made.lines("concepts/budget")) == 2
    assert made.articles["concepts/budget"].lead == "It is mine."


def test_names_of_other_projects_do_not_mix():
    made = budget_logs(projects=("q", "p", "p"))
    made.compile_all(in_bulk=True)
    assert made.articles == {}


def test_clones_of_one_repository_are_one_project():
    files = ("src/net/lease/lock.py",)
    made = Vault()
    for number, line in enumerate(LOCK):
        found = extract(line, branch="lease-lock", files=files)
        made.add(entry(number, project=f"/home/sam/{number}/shop"), found)
    made.compile_all()
    assert len(made.articles["concepts/lease-lock"].names("projects")) == len(LOCK)


def test_a_worktree_is_of_the_repository_that_it_lies_in_and_a_name_alone_joins_nothing():
    deep, top = ("src/net/lease/lock.py",), ("README.md",)
    rows = [
        ("/home/sam/shop", "main", deep),
        ("/home/ana/shop/fix-lock", "ana/fix-lock", deep),
        # no worktree of it: called otherwise than its branch
        ("/home/ana/shop/tools", "main", deep),
        # of another repository, as far as anybody knows
        ("/home/eve/shop", "readme", top),
        ("/home/bob/till/fix-lock", "bob/fix-lock", deep),
        ("/home/ida/src/shop", "main", top),
        ("/home/max/src/shop", "main", top),
    ]
    same = map_clones(rows)
    groups = {same.get(project, project) for project, _, _ in rows[:2]}
    assert groups == {"/home/sam/shop"}
    assert {same.get(project, project) for project, _, _ in rows[2:]} == {
        project for project, _, _ in rows[2:]
    }


def test_a_folder_whose_last_names_are_the_same_and_a_worktree_beside_are_of_one_repository():
    deep, other = ("src/net/lease/lock.py",), ("src/app/till/till.py",)
    rows = [
        ("/home/ana/code/team/till/shop", "main", deep),
        ("/home/bob/team/till/shop", "readme", ("README.md",)),
        ("/home/ana/code/team/till/fix-lock", "fix-lock", deep),
        ("/home/ana/code/team/till/ana/lease", "ana/lease", deep),
        # beside it, and of other files
        ("/home/ana/code/team/till/pos", "pos", other),
    ]
    same = map_clones(rows)
    assert len({same[project] for project, _, _ in rows[:4]}) == 1
    assert same[rows[4][0]] == rows[4][0]


# -- what is taken up again -------------------------------------------------------


def test_a_page_says_that_a_later_work_took_up_what_it_is_called_by():
    made = locked(files=("lease.py",))
    key = fact("The broker keeps what is leased.", score=2.8)
    made.add(entry(9, 3), extract(key, files=("lease.py",), **BROKER))
    made.add(entry(10, 4), extract(key, files=("other.py",), **{**BROKER, "branch": "c/broker"}))
    made.compile_all()
    since = made.articles[PATH].section("Since Then").strip()
    assert since.startswith("- 2026-03-05, Lease lock without a broker: ")
    assert "\n" not in since


def test_a_line_on_a_file_that_the_later_work_edited_holds_until_then():
    named = fact("`lease.py` keeps each lease lock in a file, because a table locks.", score=3.4)
    made = locked(named, files=("src/lease.py",))
    assert headings(made, PATH, named.text) == ["Gotchas and Causes"]
    made.add(entry(9, 3), extract(files=("src/lease.py",), **BROKER))
    made.compile(made.entries[-1:])
    assert headings(made, PATH, named.text) == ["Before the Change"]
    before = made.articles[PATH].section("Before the Change")
    assert "(until 2026-03-05, then: Lease lock without" in before
    assert made.compile(made.entries[-1:]).articles == ()


LATER = "Renewals of a lease lock stall because of skew."
BROKER = {"title": "Lease lock without a broker", "titled_by": "plan", "branch": "b/broker"}


def test_a_page_is_called_what_its_lines_speak_of():
    given = {"titled_by": "client", "title": "Odd things on Monday at noon"}
    made = compiled((0, extract(*LOCK, branch="fix/lease-lock", **given)))
    assert made.articles == {}
    fitting = {"titled_by": "plan", "title": "Lease locks outlive workers"}
    made.add(entry(9, 1), extract(fact(LATER), branch="fix/lease-lock", **fitting))
    made.compile_all()
    assert [article.title for article in made.articles.values()] == ["Lease locks outlive workers"]


# -- lines -----------------------------------------------------------------------------------------


def headings(made, path, text):
    article = made.articles[path]
    return [name for name, body in article.sections if text in body]


def test_lines_stand_where_their_kind_belongs():
    made = locked()
    where = {
        "E42 unknown lease": ["Errors and Fixes"],
        "A lease is lost without": ["Gotchas and Causes"],
        "Use a fencing token": ["Decisions"],
        "How long is a lease?": ["Questions Answered"],
    }
    assert {text: headings(made, PATH, text) for text in where} == where


def test_a_lead_that_a_person_wrote_is_left_alone():
    made = locked()
    made.articles[PATH] = with_lead(made.articles[PATH], "Locks are hard.")
    line = "Renewals of a lease stall because of skew."
    made.add(entry(9, 5), extract(fact(line, score=5.0), branch="lease-lock"))
    (change,) = made.compile(made.entries[-1:]).articles
    assert change.lead == ""
    assert made.articles[PATH].lead == "Locks are hard."
    assert line in made.lines(PATH)


def test_a_better_line_becomes_the_lead_and_the_old_one_stays():
    made = locked()
    better = fact("A lease lock must never be taken without its fencing token.", "decision", 6.0)
    made.add(entry(9, 5), extract(better, branch="lease-lock"))
    made.compile(made.entries[-1:])
    assert made.articles[PATH].lead == better.text
    assert headings(made, PATH, LOCK[0].text) == ["Gotchas and Causes"]


def test_a_later_line_moves_the_one_that_it_replaces_under_before():
    old = fact("A lease lasts 30 seconds, so that workers renew it in time.", "decision")
    new = fact("A lease now lasts 90 seconds, so that workers renew it in time.", "decision")
    about = {"branch": "lease-lock"}
    made = compiled((0, extract(*LOCK, old, **about)), (1, extract(new, **about)))
    assert headings(made, PATH, new.text[:-1]) == ["Decisions", "Before the Change"]
    (line,) = made.articles[PATH].section("Before the Change").strip().splitlines()
    then = f"(until 2026-03-03, then: {new.text[:-1]})"
    assert line.startswith(f"- {old.text} {then} ([[daily/2026-03-02")
    assert made.compile(made.entries[1:]).articles == ()


def test_a_page_takes_the_best_of_a_session_and_no_more_than_a_screen():
    words = [f"{one}{other}rk" for one in "bdfglmnprt" for other in ("a", "o")]
    facts = [
        fact(f"A lease {word}s {word}ly because {word}en {word}ings {word} it.", score=5 - n / 20)
        for n, word in enumerate(words)
    ]
    parts = (facts[9 * day : 9 * day + 9] for day in range(3))
    made = compiled(*((day, extract(*part, branch="lease-lock")) for day, part in enumerate(parts)))
    lines = made.lines(PATH)
    assert len(lines) == 12
    assert {one.text for one in facts[:8]} <= set(lines)
    assert facts[8].text not in lines


def test_lines_that_say_the_same_stand_once():
    again = fact("A lease lock is kept because two workers drained the same queue at once.")
    assert len(locked(again).lines(PATH)) == len(LOCK)


def test_rules_are_proposed_with_their_quotes():
    weak = Statement("Pull first", "pull first", "workflow", standing=False, score=0.5)
    found = Statement("Never push", "never push!", "workflow", standing=True, score=0.9)
    low = Statement("Look", "look", "workflow", standing=False, score=0.2)
    extracted = dataclasses.replace(extract(), statements=(weak, found, low))
    made = vault((0, extracted))
    rules = made.compile(made.entries).rules
    assert [(rule.text, rule.quote, rule.entry) for rule in rules] == [
        ("Pull first", "pull first", made.entries[0].id),
        ("Never push", "never push!", made.entries[0].id),
    ]


# -- connections -----------------------------------------------------------------------------------


def shared(phrase="Lease table", more="", other="p", there=()):
    """Two branches of two days whose lines name a thing that neither is called after."""
    named = [
        f"{phrase} rows expire at noon because the refund worker holds them.",
        f"{phrase} locks must be freed by the refund worker, otherwise it stalls.",
        "A refund worker never retries because Paywire answers once.",
        f"{phrase} scans made the invoice printer wait, so it reads a copy.",
        f"{phrase} copies are never older than an hour, since the invoice printer asks.",
        "An invoice printer must skip drafts, otherwise numbers have holes.",
    ]
    facts = [*map(fact, named)]
    made = vault((0, extract(*facts[:3], branch=f"b/refund-worker{more}")))
    made.articles |= {article.path: article for article in there}
    made.add(entry(1, 1, other), extract(*facts[3:], branch=f"b/invoice-printer{more}"))
    made.compile_all()
    return made, "connections/invoice-printer-and-refund-worker"


def test_two_topics_whose_lines_name_one_thing_are_connected():
    made, path = shared()
    article = made.articles[path]
    assert article.names("connects") == ("concepts/invoice-printer", "concepts/refund-worker")
    assert article.lead.endswith("both turn on the lease table.")
    lines = made.lines(path)[1:]
    assert len(lines) == 4
    assert all(line.startswith("Lease table") for line in lines)


def test_a_connection_that_a_person_wrote_under_its_name_is_left_to_them():
    names = ("invoice-printer-and-refund-worker", "of-mine")
    theirs = [
        compose_article(
            f"connections/{name}", "connection", {"connects": ["concepts/x"]}, name, "Mine."
        )
        for name in names
    ]
    made, path = shared(there=theirs)
    assert made.articles[path] == theirs[0]
    assert len(made.lines(f"{path}-2")) == 5


def test_topics_of_two_projects_are_not_connected():
    made, _ = shared(other="q")
    assert set(made.articles) == {"concepts/invoice-printer", "concepts/refund-worker"}


def test_a_connection_of_long_titles_has_one_that_is_cut_at_a_word():
    made, _ = shared(more="-that-holds-rows-and-asks-for-copies-of-other-tables-at-noon")
    (title,) = (one.title for path, one in made.articles.items() if "connections/" in path)
    assert title.startswith("Connection: Invoice printer that holds rows")
    assert len(title) <= 120
    assert title.endswith(" …")


def test_a_single_word_a_common_one_or_the_name_of_one_of_them_connects_nothing():
    for word in ("Lease", "Refund", "Error message", "Lease does"):
        made, path = shared(word)
        assert path not in made.articles


def test_a_connection_takes_the_later_lines_that_name_the_thing():
    made, path = shared()
    text = "Lease table backups pause each refund worker, so they only run at night."
    made.add(entry(9, 3), extract(fact(text), branch="b/refund-worker"))
    made.compile_all()
    assert text in made.lines(path)
    assert made.compile(made.entries[-1:]).articles == ()


def test_a_topic_that_frees_what_another_needs_is_followed_at_once():
    texts = (
        (
            "The `LeaseTable` stalls under aaaa because the ledger cursor outlives aaaa.",
            "The `LeaseTable` drifts under aaac because the `LeaseTable` outlives aaac.",
        ),
        (
            "A lease table drifts under aaaa because the lease table outlives aaaaa.",
            "A retry budget drifts under aaab because the `LeaseTable` outlives aaaaaa.",
            "A lease table leaks under aaab because the ledger cursor outlives aaaaaa.",
        ),
        ("A retry budget stalls under aaaa because the lease table outlives aaaaa.",),
    )
    of = ({"branch": "b/retry-budget"}, {"branch": "b/retry-budget"}, {})
    of[1]["files"] = ("a/lease_table.py",)
    made = vault(
        *((0, extract(*map(fact, lines), **how)) for lines, how in zip(texts, of, strict=True))
    )
    made.compile(made.entries)
    assert made.compile(made.entries).articles == ()


# -- laws ------------------------------------------------------------------------------------------

# few terms, one of them part of another, so that they are founded, joined and connected
_TERMS = ("retry budget", "lease table", "retry budget pool", "`LeaseTable`", "ledger cursor")
_HOW = ("drifts", "stalls", "leaks", "forks", "rots", "skews", "lags", "tears")
_WORDS = st.text(string.ascii_lowercase, min_size=4, max_size=9)


@st.composite
def _facts(draw):
    one, other = draw(st.sampled_from(_TERMS)), draw(st.sampled_from(_TERMS))
    how, under = draw(st.sampled_from(_HOW)), draw(_WORDS)
    text = f"The {one} {how} under {under} because the {other} outlives {draw(_WORDS)}."
    kind = draw(st.sampled_from(("lesson", "lesson", "decision", "answer", "context", "fix")))
    return fact(text, kind, draw(st.sampled_from((2.5, 3.2, 4.0, 5.5))))


@st.composite
def _vaults(draw):
    made = Vault()
    for number in range(draw(st.integers(2, 6))):
        found = extract(
            *draw(st.lists(_facts(), max_size=9)),
            branch=draw(st.sampled_from(("main", "b/retry-budget", "b/ledger-cursor"))),
            title=draw(st.sampled_from(("", "", "Retry budget rework", "Ledger cursor of leases"))),
            titled_by=draw(st.sampled_from(("ask", "plan"))),
            files=tuple(
                draw(st.lists(st.sampled_from(("a/lease_table.py", "b/y.py")), unique=True))
            ),
        )
        made.add(entry(number, day=draw(st.integers(0, 3))), found)
    return made


@given(_vaults())
def test_a_day_again_adds_nothing_no_slug_no_line_goes_and_none_is_in_two_places(made):
    before = {}
    for day in sorted({one.day for one in made.entries}):
        new = [one for one in made.entries if one.day == day]
        made.compile(new)
        assert made.compile(new).articles == ()
        now = {path: made.lines(path) for path in made.articles}
        keys = {path: article.key for path, article in made.articles.items()}
        for path, (key, lines) in before.items():
            assert keys[path] == key
            assert set(lines) <= set(now[path])
        before = {path: (keys[path], lines) for path, lines in now.items()}
        concepts = [lines for path, lines in now.items() if path.startswith("concepts/")]
        texts = [line for lines in concepts for line in lines if " because " in line]
        assert len(set(texts)) == len(texts)


@settings(max_examples=20)  # each of them compiles two vaults
@given(_vaults(), st.randoms(use_true_random=False))
def test_the_order_in_which_entries_are_given_does_not_matter(made, random):
    other = Vault()
    other.entries = random.sample(made.entries, len(made.entries))
    other.extracts = dict(made.extracts)
    made.compile_all()
    other.compile_all()
    assert made.articles == other.articles
