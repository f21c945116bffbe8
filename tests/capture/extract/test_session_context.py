"""Contexts: what they share, and how the ledger keeps them."""

import json

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.capture.extract.session_context import (
    ERRORS,
    TASKS,
    WORDS,
    SessionContext,
    classify_task,
    parse_context,
)

texts = st.text(max_size=12)
contexts = st.builds(
    SessionContext,
    texts,
    texts,
    st.lists(texts, max_size=12).map(tuple),
    st.dictionaries(texts, st.just(1.0), max_size=80),
)


@given(contexts)
def test_what_the_ledger_keeps_is_read_back(found):
    kept = parse_context(json.loads(json.dumps(found.record())))
    assert (kept.project, kept.task, kept.errors) == (
        found.project,
        found.task,
        found.errors[:ERRORS],
    )
    assert set(kept.words) <= set(found.words)
    assert len(kept.words) == min(WORDS, len(found.words))
    assert kept.record() == found.record()


@pytest.mark.parametrize(
    "record", [{}, {"project": 3, "task": None, "errors": "x", "words": [1, None]}, {"words": {}}]
)
def test_a_record_of_another_shape_is_no_context(record):
    assert parse_context(record) == SessionContext()


def test_a_project_tells_more_than_a_task_and_an_error_least():
    tags = SessionContext("shop", "test", ("a", "b")).tags
    assert tags["project shop"] > tags["task test"] > tags["error a"] == tags["error b"]
    assert SessionContext().tags == {}


@cased(("build the importer " + "and then look at the docs " * 30, "feature"))
def test_the_first_word_that_tells_names_the_task(prompt, expected):
    assert classify_task(prompt) == expected


@given(st.text(max_size=200))
def test_any_text_has_a_task_or_none(prompt):
    assert classify_task(prompt) in {*TASKS, ""}
