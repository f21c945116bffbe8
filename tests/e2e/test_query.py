"""A question through the real SDK and client: the form arrives, and what is cited is checked."""

import json

import pytest
from keeper import Keeper
from loopback import fails, prompt_text, structured, task_of

NOTE = """---
title: "Session tokens"
updated: 2026-03-02
---

# Session tokens

Session tokens last an hour.
"""
QUESTION = "How long do session tokens last?"


@pytest.fixture
def asked(loop, tmp_path):
    """A room with a vault of one note, and no hooks."""
    with Keeper(tmp_path, loop, installed=False) as room:
        assert room.memoria("init").returncode == 0
        note = room.vault / "knowledge/concepts/session-tokens.md"
        note.parent.mkdir()
        note.write_text(NOTE)
        yield room


def form(answer):
    return structured({"known": True, "answer": answer, "citations": [], "follow_ups": []})


def test_the_answer_of_the_model_is_checked_printed_and_filed(asked, loop):
    def played(body):
        again = "An earlier answer was refused" in prompt_text(body)
        return form(f"An hour ([[concepts/{'session-tokens' if again else 'made-up'}]]).")

    loop.fallback = played
    done = asked.memoria("query", QUESTION, "--file-back")
    assert (done.returncode, done.stdout) == (0, "An hour ([[concepts/session-tokens]]).\n")
    first, second = [prompt_text(body) for body in loop.bodies if task_of(body)]
    assert "Session tokens last an hour." in first
    assert "[[concepts/made-up]] is not one of the pages" in second
    assert "An hour" in asked.note("knowledge/qa/long-session-tokens-last.md")
    (call,) = asked.ledger("call")
    assert (call["task"], call["engine"]) == ("query", "claude")
    assert call["input"] > 0
    state = json.loads((asked.state / "state.json").read_text())
    assert state["query_count"] == 1


def test_a_service_out_of_reach_is_one_line(asked, loop):
    loop.fallback = lambda _: fails(529, "overloaded_error", "Overloaded")
    done = asked.memoria("query", QUESTION)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.splitlines()[-1].startswith("memoria: ")
    assert asked.ledger("call") == []
