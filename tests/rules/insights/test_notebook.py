from dataclasses import replace
from datetime import date, datetime

import pytest

from memoria.rules.insights.notebook import blocks, notebook, page
from memoria.vault import daily
from memoria.vault.entry import Draft, Entry
from memoria.vault.written.written_entry import draft_mark

DAY = date(2026, 3, 2)
TEXT = (
    "# Auth API\n\n## The Goal\n\nLog in.\n\n## Improvements\n\n### Workflow\n\n- Run the tests\n"
)
DRAFT = Draft(
    "Expiry in UTC",
    "Tokens looked expired.",
    decisions=("Compare in UTC", "User, refusing `git push`: Never push on a Friday"),
    lessons=("`datetime.utcnow()` is deprecated in Python 3.12",),
)


def entry(**more):
    at = datetime(2026, 3, 2, 10, 5)  # noqa: DTZ001 - an entry's time is local
    return Entry("e-0123456789ab", DAY, at, "shop", "s-1", "offline", replace(DRAFT, **more))


def patterns(leaves):
    return [pattern for leaf in leaves for pattern in leaf.patterns]


def log(*entries):
    text = ""
    for one in entries:
        text = daily.place(text, one).text
    return text


def captured(text, day=DAY):
    return list(blocks(f"{day}.md", daily.blocks(text, day)))


def written(name="2026-03-02-auth.md", text=TEXT, day=DAY):
    return page(name, day, name[11:-3], text)


def test_a_written_entry_gives_the_users_own_words():
    (found,) = written().patterns
    assert (found.insight, found.category) == ("Run the tests", "workflow")
    assert (found.origin, found.entry, found.source) == ("written", *["2026-03-02-auth.md"] * 2)
    assert (found.context, found.project, found.date) == ("Auth API: Log in.", "", DAY)


def test_a_captured_block_gives_lessons_and_decisions():
    (leaf,) = captured(log(entry()))
    assert (leaf.kind, leaf.time, leaf.title, leaf.edited) == (
        "captured", "10:05", "Expiry in UTC", False,
    )  # fmt: skip
    assert [(one.insight, one.category) for one in leaf.patterns] == [
        ("`datetime.utcnow()` is deprecated in Python 3.12", "domain_knowledge"),
        ("Compare in UTC", "domain_knowledge"),
        ("Never push on a Friday", "workflow"),
    ]
    assert {(one.origin, one.entry, one.project) for one in leaf.patterns} == {
        ("captured", "s-1", "shop")
    }
    assert leaf.patterns[0].context == "Expiry in UTC: Tokens looked expired."


def test_a_block_counts_as_a_person_has_edited_it():
    text = log(entry()).replace("Compare in UTC", "Compare all times in UTC")
    (leaf,) = captured(text)
    assert leaf.edited
    assert "Compare all times in UTC" in [one.insight for one in leaf.patterns]


def test_a_block_written_by_hand_is_one_sighting_wherever_it_is_copied():
    text = "### Session (10:00) - By hand\n\n**Lessons Learned:**\n- Look twice\n"
    first, second = captured(text), captured(text, date(2026, 3, 9))
    assert first[0].patterns[0].entry == second[0].patterns[0].entry
    other = captured(text.replace("twice", "thrice"))
    assert other[0].patterns[0].entry != first[0].patterns[0].entry


def test_a_draft_counts_as_its_session_and_repeats_nothing():
    line = "`datetime.utcnow()` is deprecated in Python 3.12"
    text = f"{TEXT}- {line}\n- another one\n\n{draft_mark('s-1', [line, 'another one'])}\n"
    leaves = notebook([written(text=text), *captured(log(entry()))])
    mine = [one for one in patterns(leaves) if one.source == "2026-03-02-auth.md"]
    assert [(one.insight, one.origin, one.entry) for one in mine] == [
        ("Run the tests", "written", "2026-03-02-auth.md"),
        ("another one", "captured", "s-1"),
    ]


def test_patterns_come_in_order_of_date_source_and_line():
    later = written("2026-03-09-b.md", TEXT + "- Second\n", date(2026, 3, 9))
    leaves = notebook([later, written(), *captured(log(entry()))])
    found = patterns(leaves)
    assert [(one.date, one.source) for one in found] == sorted(
        (one.date, one.source) for one in found
    )
    assert [one.insight for one in found][-2:] == ["Run the tests", "Second"]


@pytest.mark.parametrize("text", ["", "# x", "## Improvements\n- a\n", "---\n: [\n---\n"])
def test_any_page_has_a_title_and_a_sighting(text):
    leaf = written(text=text)
    assert leaf.title in {"Auth", "x"}
    assert leaf.entry == "2026-03-02-auth.md"
