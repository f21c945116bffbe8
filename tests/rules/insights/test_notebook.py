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


@pytest.mark.parametrize("text", ["", "# x", "## Improvements\n- a\n", "---\n: [\n---\n"])
def test_any_page_has_a_title_and_a_sighting(text):
    leaf = written(text=text)
    assert leaf.title in {"Auth", "x"}
    assert leaf.entry == "2026-03-02-auth.md"
