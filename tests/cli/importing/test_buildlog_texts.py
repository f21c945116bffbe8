"""A buildlog's files as they become written entries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.cli.importing import buildlog as arrival
from memoria.rules.from_review.review_entry import origin
from memoria.rules.model import rule_id
from memoria.vault.written.written_entry import written


@given(st.text())
def test_whatever_a_file_holds_no_line_counts_as_the_user_s(text):
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
    assert arrival.skill_ids(promoted) == ("wf-fda054840d",)


@pytest.mark.parametrize("text", ["", "[broken", '["x"]', '{"skill_ids": 3}', "[" * 100_000])
def test_a_file_of_decisions_that_is_none_holds_no_id(text):
    assert arrival.skill_ids(text) == ()
