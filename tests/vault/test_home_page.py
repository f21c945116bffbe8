"""HOME.md: what it says, and what of a person's stays."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, strategies as st

from memoria.capture.recurring_errors import RecurringError, rank_errors
from memoria.rules.model import Rule
from memoria.rules.review.waiting import Case
from memoria.vault import home_page as home
from memoria.vault.article import compose_article
from memoria.vault.entry import Draft, Entry


def entry(day, title="Fix login", *, actions=(), project="github.com/me/shop"):
    at = datetime.combine(day, datetime.min.time()).replace(hour=9)
    draft = Draft(title, "", (), (), (), tuple(actions))
    return Entry("e-1", day, at, project, "s", "offline", draft)


def case(text, path="", times=1, **more):
    found = Rule("wf-0000000000", text, "workflow", "waiting", times, "low", (), "", path)
    usual = {"why": "undecided", "own": False, "standing": False, "proposed": ""}
    return Case(found, **usual | more)


def article(path, updated, kind="concept", lead="What it is."):
    meta = {"title": path, "updated": updated}
    return compose_article(path, kind, meta, path.rsplit("/", 1)[-1].title(), lead)


TODAY, EARLIER = date(2026, 4, 2), date(2026, 4, 1)


def test_it_says_what_happened_what_is_open_and_what_waits():
    entries = [entry(TODAY, actions=["Add a test"]), entry(EARLIER, "Set up", project="")]
    text = home.render_body(
        entries,
        [article("concepts/tokens", "2026-04-01")],
        [case("Use uv", "rules/u", standing=True), case("Wait")],
    )
    assert text.split("\n\n") == [
        "## Left open",
        "- Add a test ([[daily/2026-04-02|Fix login]])",
        "## Latest sessions",
        (
            "- [[daily/2026-04-02|2026-04-02 09:00]] Fix login (shop)\n"
            "- [[daily/2026-04-01|2026-04-01 09:00]] Set up"
        ),
        "## Rules to review (`memoria review`)",
        ("- Use uv ([[rules/u|note]])\n- 1 more that you said once, perhaps for that moment only"),
        "## More articles",
        "- [[concepts/tokens|Tokens]]: What it is.",
        "Everything: [[knowledge/index|the index]]. What was done: [[knowledge/log|the log]].",
    ]


def test_what_is_open_is_counted_whole_and_the_first_of_each_session_is_shown():
    many = [entry(TODAY, actions=[f"Try {n}" for n in range(9)]), entry(EARLIER, actions=["Ask"])]
    rows = list(home.format_open_rows(many, 2))
    assert [row.partition(" (")[0] for row in rows[:2]] == ["Try 0", "Ask"]
    assert rows[2:] == ["8 more, as in [[daily/2026-04-02|Fix login]]"]
    assert list(home.format_open_rows([entry(TODAY, actions=["Add a test"] * 2)], 2))[1:] == []


def test_what_weighs_most_comes_first_each_project_has_its_share_and_what_is_long_unseen_goes():
    gone = date(2026, 3, 10)
    many = [
        entry(TODAY, actions=["Rename `a_b`", "Fix `c_d`"]),
        entry(EARLIER, actions=["Ship `e_f`"]),
        entry(EARLIER, actions=["Ask `g_h`"], project="q"),
        entry(gone, actions=["Drop `i_j`"]),
    ]
    scores = {"Rename `a_b`": 2.5, "Ship `e_f`": 4.5, "Ask `g_h`": 2.5}
    groups = {"github.com/me/shop": "shop", "q": "q"}
    rows = home.format_open_rows(many, 3, lambda _: scores, groups, 14)
    assert [row.partition(" (")[0] for row in rows] == [
        "Ship `e_f`",
        "Ask `g_h`",
        "Fix `c_d`",
        "2 more, as in [[daily/2026-04-02|Fix login]], [[daily/2026-03-10|Fix login]]",
    ]
    only = home.format_open_rows([entry(TODAY), *many[3:]], 3, longest=14)
    assert list(only) == ["1 older, as in [[daily/2026-03-10|Fix login]]"]


def test_a_session_stands_with_what_came_of_it():
    text = home.render_body([entry(TODAY)], [], [], cores={entry(TODAY).id: "It waits."})
    assert "Fix login (shop): It waits.\n" in text


def test_it_begins_with_the_projects_and_what_keeps_going_wrong():
    lists = {"What keeps going wrong": ["3 of 9 sessions: no such table"], "Decided lately": []}
    text = home.render_body([entry(TODAY)], [], [], lists, [("projects/shop", "shop")])
    assert text.split("\n\n")[:3] == [
        "Start with a project: [[projects/shop|shop]]",
        "## What keeps going wrong",
        "- 3 of 9 sessions: no such table",
    ]


def error(line, **more):
    known = RecurringError(
        line, line, "shell", "exit", 4, 3, 12, "", datetime(2026, 4, 1, tzinfo=UTC)
    )
    return replace(known, **more)


def test_an_error_stands_with_its_fix_and_what_makes_a_rule_of_it_or_not_at_all():
    errors = [
        error("port is taken"),
        error("unwrapped", example="`return err` became `return wrap(err)`"),
        error("no such table", fix="make migrate"),
    ]
    met = "3 of 9 sessions, the last on 2026-04-01, cost at least 12 minutes"
    errors += [
        error("over", fix="make over", last=datetime(2026, 3, 17, tzinfo=UTC)),
        error("is not checked (errcheck)", kind="lint:errcheck", sessions=6),
    ]
    assert home.format_error_rows(rank_errors(errors), 9, EARLIER) == [
        f"{met}: unwrapped; one fix: `return err` became `return wrap(err)`",
        f"{met}: no such table -> make migrate; to make it a rule: `{errors[2].command()}`",
    ]
    ruled = home.format_error_rows(
        rank_errors(errors), 9, EARLIER, rules=["Always run `make migrate` first"]
    )
    assert ruled[1] == f"{met}: no such table -> make migrate"


def test_articles_come_newest_first_without_rules_and_answers():
    articles = [
        article("concepts/b", "2026-04-01"),
        article("concepts/a", "2026-04-01"),
        article("concepts/c", "2026-04-02"),
        article("rules/r", "2026-04-03", "rule"),
        article("qa/q", "2026-04-03", "qa"),
    ]
    lines = [
        line[4:14] for line in home.render_body([], articles, []).split("\n") if line[:2] == "- "
    ]
    assert lines == ["concepts/c", "concepts/a", "concepts/b"]


def test_a_new_page_has_a_title_and_keeps_what_is_written_around():
    new = home.update_page(None, "- one")
    assert new.startswith("# Home\n\n<!-- memoria:begin ")
    mine = f"My list\n\n{new}\nbelow\n"
    changed = home.update_page(mine, "- two")
    assert changed.startswith("My list\n\n# Home\n")
    assert changed.endswith("\nbelow\n")
    assert "- two" in changed
    assert "- one" not in changed


@pytest.mark.parametrize(
    "text",
    ["", "# My own home\n", home.update_page(None, "- one").replace("- one", "- one\n- mine")],
    ids=["emptied", "a person's own", "edited inside"],
)
def test_a_page_that_a_person_made_theirs_stays(text):
    assert home.update_page(text, "- two") is None


@given(st.text())
def test_a_page_is_whole_whatever_a_title_says(title):
    page = home.update_page(None, home.render_body([entry(TODAY, title)], [], []))
    assert page.count("<!-- memoria:begin") == page.count("<!-- memoria:end -->") == 1
    assert home.update_page(page, "- two") is not None


def test_what_is_empty_is_left_out():
    said = home.render_body([], [], []).split("\n\n")
    assert [part.split(":")[0] for part in said] == ["No session is captured yet", "What was done"]
    assert "Everything: " in home.render_body([], [article("concepts/b", "2026-04-01")], [])
