"""What a compile of a day makes of its entries, and the laws that keep a vault calm."""

import dataclasses
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vaulted import Vault, entry, extract, fact

from memoria.capture.extract.titles.entry_title import is_trunk
from memoria.vault.article import compose, with_lead
from memoria.vault.entry import Draft, Statement

LOCK = (
    fact("The lease lock is kept because two workers drained the same queue."),
    fact("Root cause: the heartbeat never reached the broker when the clock jumped backwards."),
    fact("Use a fencing token instead of a timestamp, to survive skew.", "decision", 3.4),
    fact("How long is a lease? -> Thirty seconds, renewed at half of it.", "answer", 3.0),
    fact("E42 unknown lease -> `get()` became `get_or_create()`", "fix", 3.2),
)


def vault(*sessions):
    """Make a vault of sessions, each (day, extract) and a number of its own."""
    made = Vault()
    for number, (day, found) in enumerate(sessions):
        made.add(entry(number, day), found)
    return made


def term_sessions(days=3):
    """Sessions of several days on trunk, whose lines have one term in common."""
    texts = (
        "The retry budget was spent by health probes because they share the pool.",
        "Retry budgets are counted per tenant since one noisy tenant starved the others.",
        "A zero `RetryBudget` disables backoff entirely, which hid the outage for an hour.",
        "The retry budget must survive a restart, otherwise deploys double the load.",
        "`retry_budget` silently ignored floats because the parser rounds down.",
        "Hedged calls would break the retry budget, so they carry no token.",
    )
    return [
        (day, extract(fact(texts[2 * day % 6]), fact(texts[(2 * day + 1) % 6])))
        for day in range(days)
    ]


# -- work items ------------------------------------------------------------------------------------


def test_a_branch_becomes_a_work_item():
    made = vault((0, extract(*LOCK, branch="sam/lease-lock", files=("src/lock.py",))))
    patch = made.compile(made.entries)
    (change,) = patch.articles
    assert (change.key, change.slug, change.title) == (
        "branch:sam/lease-lock",
        "lease-lock",
        "Lease lock",
    )
    assert change.lead.startswith("Work on “Lease lock” (branch `sam/lease-lock` of p) in one")
    assert {section.heading for section in change.sections} >= {"Key Points", "Details"}
    assert change.entries == (made.entries[0].id,)


@pytest.mark.parametrize("branch", ["main", "master", "next", "HEAD", "develop", ""])
def test_a_trunk_does_not(branch):
    made = vault((0, extract(*LOCK, branch=branch)))
    assert made.compile(made.entries).articles == ()


def test_a_branch_of_everything_is_a_trunk():
    many = [(0, extract(branch="edge")) for _ in range(4)]
    made = vault(*many, (0, extract(*LOCK, branch="edge")))
    assert made.compile(made.entries).articles == ()
    assert not is_trunk("edge")


@pytest.mark.parametrize("titled_by", ["plan", "commit", "pull-request", "client"])
def test_on_trunk_a_given_title_is_the_work_item(titled_by):
    made = vault((0, extract(*LOCK, title="Lease the queue lock", titled_by=titled_by)))
    (change,) = made.compile(made.entries).articles
    assert (change.key, change.title) == ("title:lease the queue lock", "Lease the queue lock")


def test_a_guessed_title_is_none():
    made = vault((0, extract(*LOCK, title="Look at the lock", titled_by="ask")))
    assert made.compile(made.entries).articles == ()


def test_a_later_session_of_the_branch_is_added():
    made = vault(
        (0, extract(*LOCK, branch="lease-lock")),
        (1, extract(fact("Renewal fails silently when the token is stale."), branch="lease-lock")),
    )
    made.compile_all()
    assert set(made.articles) == {"concepts/lease-lock"}
    assert "Renewal fails silently when the token is stale." in made.lines("concepts/lease-lock")
    article = made.articles["concepts/lease-lock"]
    assert article.lead.startswith("Work on “Lease lock” (branch `lease-lock` of p) in 2 sessions")


def test_a_thin_branch_waits_for_more():
    made = vault(
        (0, extract(*LOCK[:2], branch="lease-lock")),
        (1, extract(*LOCK[2:], branch="lease-lock")),
    )
    made.compile(made.entries[:1])
    assert made.articles == {}
    made.compile(made.entries[1:])
    assert len(made.lines("concepts/lease-lock")) == len(LOCK)


def test_the_same_branch_of_another_project_is_another_topic():
    made = Vault()
    made.add(entry(0, 0, project="p"), extract(*LOCK, branch="fix"))
    other = tuple(dataclasses.replace(one, text=f"Elsewhere {one.text}") for one in LOCK)
    made.add(entry(1, 1, project="q"), extract(*other, branch="fix"))
    made.compile_all()
    keys = {article.key for article in made.articles.values()}
    assert keys == {"branch:fix", "branch:fix @ q"}
    assert made.lines("concepts/fix") != made.lines("concepts/fix-2")


# -- terms -----------------------------------------------------------------------------------------


def test_a_term_of_several_sessions_becomes_a_concept():
    made = vault(*term_sessions())
    made.compile_all()
    article = made.articles["concepts/retry-budget"]
    assert (article.key, article.title) == ("term:retry budget", "Retry budget")
    assert len(made.lines("concepts/retry-budget")) == 6
    assert article.section("Key Points").strip()


def test_a_term_of_one_session_does_not():
    (_, first), (_, second) = term_sessions(2)
    made = vault((0, extract(*first.facts, *second.facts)))
    assert made.compile(made.entries).articles == ()


def test_lines_of_history_found_a_term_with_those_of_the_day():
    made = vault(*term_sessions(2))
    made.compile(made.entries[:1])
    assert made.articles == {}
    made.compile(made.entries[1:])
    assert len(made.lines("concepts/retry-budget")) == 4


def test_an_existing_concept_is_recognised_by_its_key_and_alias():
    made = vault(*term_sessions(2))
    made.compile_all()
    made.add(entry(9, 5), extract(fact("The `RetryBudget` of a probe is never refilled.")))
    patch = made.compile(made.entries[-1:])
    assert [change.slug for change in patch.articles] == ["retry-budget"]


def test_a_concept_that_somebody_wrote_is_recognised_by_its_title():
    made = vault(*term_sessions(1))
    written = compose("concepts/budget", "concept", {"aliases": []}, "Retry budget", "It is mine.")
    made.articles["concepts/budget"] = written
    made.compile_all()
    assert set(made.articles) == {"concepts/budget"}
    assert len(made.lines("concepts/budget")) == 2
    assert made.articles["concepts/budget"].lead == "It is mine."


def test_the_lead_defines_where_a_session_did_and_else_says_so():
    made = vault(*term_sessions(2))
    made.compile_all()
    assert made.articles["concepts/retry-budget"].lead.startswith(
        "“Retry budget” is a term that came up in 2 sessions between 2026-03-02 and 2026-03-03;"
        " none of them defines it."
    )
    meaning = fact("The retry budget is a share of calls that may be repeated.", "definition")
    made.add(entry(9, 5), extract(meaning, fact("A retry budget leaks because of a race.")))
    made.compile(made.entries[-1:])
    assert made.articles["concepts/retry-budget"].lead == (
        "The retry budget is a share of calls that may be repeated."
        " It came up in 3 sessions between 2026-03-02 and 2026-03-07."
    )


def test_terms_of_other_projects_do_not_mix():
    made = Vault()
    for number, (day, found) in enumerate(term_sessions()):
        made.add(entry(number, day, project="p" if day else "q"), found)
    made.compile_all()
    assert made.lines("concepts/retry-budget")
    assert made.articles["concepts/retry-budget"].names("projects") == ("p",)


# -- lines -----------------------------------------------------------------------------------------


def headings(made, path, text):
    article = made.articles[path]
    return [name for name, body in article.sections if text in body]


def test_lines_stand_where_their_kind_belongs():
    facts = (
        *LOCK,
        fact("Before: leases were files, removed by a cron job.", "lesson", 3.5),
        fact("The broker keeps leases in one table today, without an index.", "context", 6.0),
        fact("Make leases survive a restart of the broker.", "context", 6.0),
        fact("The clock of a worker is never trusted because guests drift.", "lesson", 3.1),
        fact("Leases are sorted by age since the oldest is reaped first.", "lesson", 3.0),
    )
    made = vault((0, extract(*facts, branch="lease-lock")))
    made.compile_all()
    where = {
        "E42 unknown lease": ["Errors and Fixes"],
        "Before: leases were files": ["Before the Change"],
        "The broker keeps leases": ["Before the Change"],
        "Make leases survive": ["Details"],
        "Root cause: the heartbeat": ["Key Points"],
        "Leases are sorted by age": ["Gotchas and Causes"],
    }
    for text, expected in where.items():
        assert headings(made, "concepts/lease-lock", text) == expected


def test_a_lead_that_a_person_wrote_is_left_alone():
    made = vault((0, extract(*LOCK, branch="lease-lock")))
    made.compile_all()
    path = "concepts/lease-lock"
    made.articles[path] = with_lead(made.articles[path], "Locks are hard.")
    made.add(entry(9, 5), extract(fact("Renewals stall because of skew."), branch="lease-lock"))
    (change,) = made.compile(made.entries[-1:]).articles
    assert change.lead == ""
    assert made.articles[path].lead == "Locks are hard."


def test_key_points_take_later_lines_only_if_they_are_strong_and_few():
    made = vault((0, extract(*LOCK, branch="lease-lock")))
    made.compile_all()
    strong = [f"Root cause {word}: the {word} never {word}s." for word in ("skew", "drift", "fork")]
    strong += [f"The {word} lock fails because its {word} is gone." for word in ("reap", "poll")]
    weak = "Leases are counted since Monday at noon."
    facts = [*(fact(text, score=5.5) for text in strong), fact(weak, score=2.4)]
    made.add(entry(9, 5), extract(*facts, branch="lease-lock"))
    made.compile(made.entries[-1:])
    article = made.articles["concepts/lease-lock"]
    assert article.section("Key Points").count("\n- ") == 7
    assert weak in article.section("Gotchas and Causes")


@pytest.mark.parametrize(
    "text",
    [
        "This is why the lock is kept because of it.",
        "Renamed the file to lock2 and moved a test.",
        "x" * 601,
    ],
    ids=["dangling", "a change without its reason", "too long"],
)
def test_some_lines_help_nobody(text):
    made = vault((0, extract(*LOCK, fact(text, "decision", 3.0), branch="lease-lock")))
    made.compile_all()
    assert len(made.lines("concepts/lease-lock")) == len(LOCK)


def test_lines_that_say_the_same_stand_once():
    again = fact("The lease lock is kept because two workers drained the same queue at once.")
    made = vault((0, extract(*LOCK, again, branch="lease-lock")))
    made.compile_all()
    assert len(made.lines("concepts/lease-lock")) == len(LOCK)


def test_an_entry_that_a_person_edited_is_read_from_the_log():
    draft = Draft(
        "Lease lock",
        "",
        exchanges=("Why leases? -> Because workers die.",),
        decisions=("Keep the lease lock because two workers drained one queue.",),
        lessons=(
            "The heartbeat never reached the broker when the clock jumped.",
            "Clocks of guests drift, so a timestamp proves nothing.",
        ),
    )
    made = Vault()
    made.add(entry(0, 0, session="s"), extract(branch="lease-lock"))
    made.add(entry(1, 0, session="s", draft=draft))
    made.compile_all()
    assert len(made.lines("concepts/lease-lock")) == 4


def test_rules_are_proposed_with_their_quotes():
    weak = Statement("Pull first", "pull first", "workflow", standing=False, score=0.4)
    found = Statement("Never push", "never push!", "workflow", standing=True, score=0.9)
    low = Statement("Look", "look", "workflow", standing=False, score=0.2)
    extracted = dataclasses.replace(extract(), statements=(weak, found, low))
    made = vault((0, extracted))
    rules = made.compile(made.entries).rules
    assert [(rule.text, rule.quote, rule.entry) for rule in rules] == [
        ("Pull first", "pull first", made.entries[0].id),
        ("Never push", "never push!", made.entries[0].id),
    ]


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
            branch=draw(st.sampled_from(("main", "b/one", "b/two"))),
            files=tuple(draw(st.lists(st.sampled_from(("a/x.py", "b/y.py")), unique=True))),
            checks=(("make test", True),),
        )
        made.add(entry(number, day=draw(st.integers(0, 3))), found)
    return made


@settings(max_examples=60, deadline=None)
@given(_vaults())
def test_compiling_a_day_again_adds_nothing(made):
    for day in sorted({one.day for one in made.entries}):
        new = [one for one in made.entries if one.day == day]
        made.compile(new)
        assert made.compile(new).articles == ()


@settings(max_examples=60, deadline=None)
@given(_vaults())
def test_no_slug_goes_no_line_goes_and_none_is_in_three_places(made):
    before = {}
    for day in sorted({one.day for one in made.entries}):
        made.compile([one for one in made.entries if one.day == day])
        now = {path: made.lines(path) for path in made.articles}
        keys = {path: article.key for path, article in made.articles.items()}
        for path, (key, lines) in before.items():
            assert keys[path] == key
            assert set(lines) <= set(now[path])
        before = {path: (keys[path], lines) for path, lines in now.items()}
        concepts = [lines for path, lines in now.items() if path.startswith("concepts/")]
        texts = [line for lines in concepts for line in set(lines) if " because " in line]
        assert all(len(set(lines)) == len(lines) for lines in concepts)
        assert all(texts.count(line) <= 2 for line in set(texts))


@settings(max_examples=30, deadline=None)
@given(_vaults(), st.randoms(use_true_random=False))
def test_the_order_in_which_entries_are_given_does_not_matter(made, random):
    other = Vault()
    other.entries = random.sample(made.entries, len(made.entries))
    other.extracts = dict(made.extracts)
    made.compile_all()
    other.compile_all()
    assert made.articles == other.articles
