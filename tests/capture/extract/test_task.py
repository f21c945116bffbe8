"""The task of a session, from its prompt and its files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.task import TASKS, task


@pytest.mark.parametrize(
    ("prompt", "files", "expected"),
    [
        ("Add a retry to the webhook sender", (), "feature"),
        ("fix the flaky test in the queue", (), "fix"),
        ("Write tests for the parser", (), "test"),
        ("rename Store to Shelf everywhere", (), "refactor"),
        ("update the README with the new options", (), "docs"),
        ("deploy this to staging", (), "operations"),
        ("go on", ("tests/test_queue.py", "tests/test_store.py"), "test"),
        ("go on", ("docs/guide.md",), "docs"),
        ("go on", (".github/workflows/ci.yml",), "operations"),
        ("go on", ("src\\app\\main.py",), ""),
        ("yes please", (), ""),
        ("", (), ""),
        ("build the importer " + "and then look at the docs " * 30, (), "feature"),
        ("Dockerfile", ("Dockerfile",), "operations"),
    ],
)
def test_tasks(prompt, files, expected):
    assert task(prompt, files) == expected


@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=5))
def test_any_text_has_a_task_or_none(prompt, files):
    assert task(prompt, files) in {*TASKS, ""}
