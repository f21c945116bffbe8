"""Other tools' files as they become logs, entries and articles."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.stages import arrival
from memoria.stages.article import parse, render
from memoria.stages.critique import origin
from memoria.stages.daily import blocks
from memoria.stages.region import region
from memoria.stages.rule import rule_id
from memoria.stages.written import written

TODAY = date(2026, 4, 1)

CLAUDE_MD = """---
paths: ["src/**"]
---
# Project

We build a shop.

## Style
- Use uv, never pip
- In tests:
  - mock no database
- [x] Write a changelog line for every user-visible change
- ok

```sh
- not an item
```
1. Run the linter before each commit
"""


def test_a_memory_s_list_of_its_own_files_is_no_list_of_rules():
    text = "- [prefs](prefs.md): how to work\n- [x](a/b.md)\n- [style](style.md) - tabs\n"
    kept = "Read [the guide](guide.md) before you change a migration"
    assert list(arrival.items(f"{text}- {kept}\n")) == [kept]


def test_list_items_become_lines_and_code_none():
    assert list(arrival.items(CLAUDE_MD)) == [
        "Use uv, never pip",
        "In tests: mock no database",
        "Write a changelog line for every user-visible change",
        "Run the linter before each commit",
    ]


def test_what_memoria_promoted_itself_does_not_come_back():
    text = region("# Mine\n\n- Keep functions small\n", "- Use uv, never pip")
    assert list(arrival.items(text)) == ["Keep functions small"]


def test_a_file_becomes_an_entry_of_others_words():
    text, lines = arrival.instructions(CLAUDE_MD, "CLAUDE.md", "instructions", "me/shop", TODAY)
    found = written(text)
    assert lines == 4
    assert origin(text) == "instructions"
    assert found.project == "me/shop"
    assert found.session == arrival.sha(CLAUDE_MD)
    assert {one.text for one in found.improvements} == set(arrival.items(CLAUDE_MD))
    assert all(one.drafted for one in found.improvements)
    assert "We build a shop." in text


@given(st.text(), st.text(min_size=1))
def test_whatever_a_file_holds_no_line_counts_as_the_user_s(text, name):
    entry, _ = arrival.instructions(text, name, "auto-memory", "", TODAY)
    assert origin(entry) == "auto-memory"
    assert all(one.drafted for one in written(entry).improvements)
    assert "<script" not in entry


@given(st.text())
def test_neither_does_one_of_a_buildlog(text):
    entry = arrival.entry(text)
    assert origin(entry) == "buildlog"
    assert all(one.drafted for one in written(entry).improvements)


@pytest.mark.parametrize(
    "front", ["---\ntitle: A\nsession: mine\norigin: hand\n---\n", "", "---\n: [broken\n---\n"]
)
def test_a_buildlog_entry_keeps_its_text_and_cannot_say_whose_it_is(front):
    entry = arrival.entry(f"{front}# A\n\n## Improvements\n\n### Workflow\n- Test first, always\n")
    assert origin(entry) == "buildlog"
    assert entry.endswith("# A\n\n## Improvements\n\n### Workflow\n- Test first, always\n")
    assert [one.drafted for one in written(entry).improvements] == [True]


def test_buildlog_s_ids_are_memoria_s():
    # as buildlog 0.5.0 printed them
    assert rule_id("workflow", "Write a failing test first") == "wf-fda054840d"
    promoted = '{"skill_ids": ["wf-fda054840d"], "promoted_at": {}}'
    assert arrival.decided(promoted, "[broken") == arrival.Decided(("wf-fda054840d",), ())


def test_learnings_are_read_and_nonsense_is_none():
    text = '{"learnings": {"a": {"rule": "Cap every  loop"}, "b": 3, "c": {}}}'
    assert list(arrival.learnings(text)) == ["Cap every loop"]
    assert list(arrival.learnings('["x"]')) == []


THEIRS = "# Daily Log: 2026-04-01\n\n## Sessions\n\n### Session (09:00) - One\n\n- a\n\n"
SECOND = "### Session (10:00) - Two\n\n- b\n"


def test_a_log_of_the_same_day_gets_the_sessions_that_it_lacks():
    assert arrival.merged("", THEIRS + SECOND, TODAY) == THEIRS + SECOND
    both = arrival.merged(THEIRS, THEIRS + SECOND, TODAY)
    assert [one.entry.draft.title for one in blocks(both, TODAY)] == ["One", "Two"]
    assert arrival.merged(both, THEIRS + SECOND, TODAY) == both


def test_an_article_comes_in_inert_and_keeps_its_links():
    text = (
        '---\ntitle: "Tokens"\ntags: [auth]\n---\n\n# Tokens\n\nThey end. <img src=x onerror=y>\n\n'
        "## Details\n\n- See [[concepts/clocks]] and [it](javascript:x)\n\n```dataviewjs\nx\n```\n"
    )
    found = arrival.inert_article(parse("concepts/tokens", "concept", text))
    out = render(found)
    assert out.startswith('---\ntitle: "Tokens"\ntags: [auth]\n---\n\n# Tokens\n\nThey end.')
    assert "[[concepts/clocks]]" in out
    assert "<img" not in out
    assert "javascript:" not in out
    assert "```" not in out


def test_a_compiler_says_which_logs_it_compiled():
    state = '{"ingested": {"2026-04-01.md": {"hash": "x"}}, "total_cost": 1.2}'
    assert arrival.compiled(state) == {"2026-04-01.md"}
    assert arrival.compiled("{") == frozenset()
