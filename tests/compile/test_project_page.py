"""A project's page: what it says, and what of a person's stays."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from cases import cased
from vaulted import entry

from memoria.capture.recurring_errors import RecurringError
from memoria.compile.points import choose_best_rows, list_topic_lines, no_extract
from memoria.compile.project_page import Project, build_page, is_ours, is_worth
from memoria.rules.model import Rule
from memoria.vault.article import compose_article, parse_article, render_article, with_body
from memoria.vault.entry import Draft, Extract, Fact

AT = datetime(2026, 3, 2, tzinfo=UTC)
ERROR = RecurringError("f", "no such table", "Bash", "exit", 4, 3, 12, "make migrate", AT)
RULE = Rule("wf-0000000000", "Use uv", "workflow", "active", 1, "low", (), "", "rules/use-uv")
FILES = "Use files instead of tables, to avoid locks."
RAN = "Branch `x`; passing at the end: `make test`, `make lint`; failing when last run: `go vet`."


def session(day, ran=RAN, **more):
    return entry(day, day, draft=Draft(f"Day {day}", ran, **more))


ENTRIES = (
    session(2, decisions=("Keep one queue a tenant because noisy ones starve the rest.",)),
    session(1, "passing at the end: `make test`, `make lint`.", actions=("Drain the old queue",)),
    session(0, "failing when last run: `make test`.", decisions=(FILES,)),
)


def project(**more):
    topic = compose_article("concepts/queue", "concept", {}, "Queue", "A queue is a file.")
    known = Project(
        "shop",
        "shop",
        ("github.com/me/shop",),
        9,
        ENTRIES,
        (ERROR,),
        (RULE,),
        (RULE, RULE),
        (topic,),
    )
    return replace(known, **more)


def again(article):
    return replace(parse_article(article.path, article.kind, render_article(article)), sha="abc")


def rows(heading, **more):
    """Give the lines of a section of a project's page."""
    return build_page(project(**more), None).section(heading).strip().splitlines()


def decided(**more):
    """Give the decisions of a project's page without day and link."""
    return [
        row.partition("]]: ")[2].partition(" (more in ")[0] for row in rows("Decisions", **more)
    ]


def test_it_says_what_keeps_going_wrong_and_what_was_decided():
    made = build_page(project(), None)
    assert made.path == "projects/shop"
    assert made.lead == "Worked on from 2026-03-02 to 2026-03-04, in 9 sessions."
    assert [name for name, _ in made.sections] == [
        "Topics",
        "Decisions",
        "What Keeps Going Wrong",
        "Open",
        "Rules",
        "Commands",
    ]
    assert made.section("Decisions").strip().splitlines() == [
        (
            "- 2026-03-04, [[daily/2026-03-04#^e-000000000002|Day 2]]:"
            " Keep one queue a tenant because noisy ones starve the rest."
        ),
        f"- 2026-03-02, [[daily/2026-03-02#^e-000000000000|Day 0]]: {FILES}",
    ]
    item = "- Drain the old queue ([[daily/2026-03-03#^e-000000000001|Day 1]])"
    assert item in made.section("Open")
    assert "- Use uv ([[rules/use-uv|wf-0000000000]])" in made.section("Rules")
    assert "2 rules to review: type `memoria review`" in made.section("Rules")


@cased()
def test_what_has_no_reason_or_is_another_s_is_left_to_the_log(text):
    entries = (session(0, decisions=(text,)),)
    assert rows("Decisions", entries=entries) == []


def test_of_decisions_that_disagree_or_say_the_same_the_later_one_stands():
    old = "A lease lasts 30 seconds, so that workers renew it in time."
    new = "A lease now lasts 90 seconds instead of 30, so that workers renew it in time."
    again = "A lease now lasts 90 seconds instead of 30, so that all workers renew it in time."
    texts = ((old, FILES), (new,), (again,))
    entries = [session(day, decisions=texts[day]) for day in (2, 1, 0)]
    assert decided(entries=entries) == [again, FILES]


@pytest.mark.parametrize("title", ["a | b", "see [[x]]", "`code`", "", "[a](b)"])
def test_a_title_of_any_words_makes_one_link(title):
    entries = (replace(ENTRIES[0], draft=replace(ENTRIES[0].draft, title=title)),)
    (row,) = rows("Decisions", entries=entries)
    target, _, alias = row.partition("[[")[2].partition("]]: ")[0].partition("|")
    assert target == "daily/2026-03-04#^e-000000000002"
    assert alias
    assert not set("[]|`") & set(alias)


def test_commands_are_one_table_of_what_came_back():
    assert rows("Commands")[2:] == [
        "| `make test` | 3 | 2 | 2026-03-04 |",
        "| `make lint` | 2 | 2 | 2026-03-04 |",
    ]
    ran = "passing at the end: `make test`, `go vet`."
    once = (session(2, ran), session(1, "passing at the end: `make test`."))
    assert not rows("Commands", entries=once)  # one command alone is no overview


def test_it_says_since_when_it_is_worked_on_though_only_the_latest_entries_are_read():
    lead = build_page(project(began=date(2025, 3, 1)), None).lead
    assert lead == "Worked on from 2025-03-01 to 2026-03-04, in 9 sessions."


def test_the_same_again_changes_nothing_and_more_to_say_is_written_over_what_memoria_wrote():
    made = again(build_page(project(), None))
    assert is_ours(made)
    assert build_page(project(), made) is None
    new = build_page(project(sessions=10), made)
    assert "of 10 sessions" in new.section("What Keeps Going Wrong")
    assert new.sha == made.sha


@pytest.mark.parametrize("change", [("no such table", "my words"), ("## Rules", "## My rules")])
def test_a_page_that_a_person_edited_is_left_alone(change):
    made = build_page(project(), None)
    mine = parse_article(made.path, made.kind, render_article(made).replace(*change))
    assert not is_ours(mine)
    assert build_page(project(sessions=10), mine) is None


def test_a_project_of_which_there_is_little_to_say_has_no_page():
    little = project(entries=ENTRIES[:1], errors=(), rules=(), waiting=(), topics=())
    assert not is_worth(little)
    assert is_worth(project())


QUEUE = "Keep one queue a tenant because noisy ones starve the rest."
SAYS = "- One queue a tenant is kept, because noisy ones starve the rest. ([[daily/2026-03-04]])"


def topic(heading, line):
    article = compose_article("concepts/queue", "concept", {}, "Queue", "A queue is a file.")
    return with_body(article, heading, line, ("Decisions", "Before the Change"))


def test_a_weighty_decision_stands_here_also_where_an_article_has_it_and_leads_there():
    first, second = rows("Decisions", topics=(topic("Decisions", SAYS),))
    assert f"Day 2]]: {QUEUE} (more in [[" in first
    assert first.endswith(" (more in [[concepts/queue|Queue]])")
    assert "more in" not in second


def test_a_decision_whose_topic_was_taken_up_again_says_so_and_stands_last():
    page = topic("Decisions", SAYS)
    page = with_body(page, "Since Then", "- 2026-03-09, Queues of a row ([[daily/2026-03-09]])")
    assert len(rows("Decisions", topics=(page,))) == 2
    assert "Day 2]] (changed since, 2026-03-09): Keep" in rows("Decisions", topics=(page,))[0]
    best = choose_best_rows(ENTRIES, no_extract, list_topic_lines([page]), "decision", 1)
    assert [row[:10] for row in best] == ["2026-03-02"]


def test_what_was_committed_comes_before_what_was_not_and_each_project_has_its_share():
    plain = "Use a token instead of a clock, to survive skew."
    others = "Ports come from the environment, because two stacks share a host."
    by_hand = session(4, "", decisions=(plain,))
    entries = (
        session(3, "", decisions=(plain,)),
        session(2, "Branch `x`; 2 commits; PR #3.", decisions=(FILES,)),
        session(1, decisions=(QUEUE,)),
        replace(session(0, "", decisions=(others,)), project="q"),
    )
    names = {"p": "p", "q": "q"}
    best = choose_best_rows(entries, no_extract, (), "decision", 2, names)
    assert [row.partition("]]: ")[2] for row in best] == [FILES, others]
    # where no commit is seen they are made by hand
    assert decided(entries=[by_hand]) == [plain]
    assert not decided(
        entries=[replace(by_hand, draft=replace(by_hand.draft, context="Plan; no commit."))]
    )


def test_what_stands_as_a_topic_s_row_does_not_stand_below_it_again():
    page = build_page(project(topics=(replace(topic("Decisions", ""), lead=QUEUE),)), None)
    assert render_article(page).count(QUEUE) == 1
    assert QUEUE in page.section("Topics")


def test_what_an_article_says_is_over_is_no_decision_any_more():
    line = SAYS.replace(" ([[", " (until 2026-03-05, see Decisions) ([[")
    assert decided(topics=(topic("Before the Change", line),)) == [FILES]


def test_a_model_s_lines_are_kept_by_their_weight_and_a_lesson_is_no_decision():
    heavy = [f"Shard{n} keeps key{n} in file{n}, to avoid lock{n}." for n in range(9)]
    light = "A line was moved in the docs of the queue."
    entries = []
    for n, text in enumerate(heavy):
        lesson = f"Tests{n} hard-code folder{n} in many{n} places."
        facts = (
            Fact("decision", text, "assistant", 4.5, 1),
            Fact("decision", light, "assistant", 3.5, 2),
            Fact("lesson", lesson, "assistant", 4.5, 3),
        )
        draft = Draft(f"Day {n}", "", decisions=(text, light))
        known = replace(entry(n, n, draft=draft), engine="claude")
        entries.append((known, Extract(draft, (), (), results=facts)))
    extracts = {known.id: extract for known, extract in entries}
    latest = tuple(known for known, _ in reversed(entries))
    assert decided(entries=latest, extracts=extracts.get, topics=()) == heavy[:0:-1]
    # where a topic's row tells one of them, no weaker one takes its place
    told = replace(topic("Decisions", ""), lead=heavy[8])
    made = build_page(project(entries=latest, extracts=extracts.get, topics=(told,)), None)
    rows = made.section("Decisions").strip().splitlines()
    assert [row.partition("]]: ")[2].partition(" (more in ")[0] for row in rows] == heavy[7:0:-1]


def test_every_day_that_it_cites_is_a_source():
    many = tuple(session(n, decisions=()) for n in range(20, 3, -1))
    made = build_page(project(entries=(*many, *ENTRIES)), None)
    assert "daily/2026-03-02.md" in made.meta["sources"]  # cited
    assert "daily/2026-03-22.md" in made.meta["sources"]  # the latest
    assert "daily/2026-03-06.md" not in made.meta["sources"]


def test_a_task_of_a_runner_that_came_back_is_no_trial():
    entries = (
        session(2, "passing at the end: `mise run lint`, `uv run a.py`."),
        session(1, "failing when last run: `mise run lint`, `mise run test:ci`."),
        session(0, "passing at the end: `go vet`."),
    )
    assert rows("Commands", entries=entries)[2:] == [
        "| `mise run lint` | 2 | 1 | 2026-03-04 |",
        "| `mise run test:ci` | 1 | 0 | 2026-03-03 |",
    ]
