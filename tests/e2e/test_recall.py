"""What fits a prompt, and what an error went away after, stand in the real client's requests."""

import stat
from pathlib import Path

import pytest
from client import until
from keeper import INJECTED, Keeper, answers
from loopback import call, prompt_text, say

from memoria import settings
from memoria.cli.decide import trust
from memoria.refresh import refresh
from memoria.workspace import workspace

LEASE = "A lease of the webhook queue lasts ten minutes; a retry takes it anew."
ASKS = "Why does a webhook retry lose its lease when the queue restarts?"
RULE = "Restart the parcel printer twice."
ARTICLE = f"""---
title: "Webhook queue"
aliases: []
tags: [concept]
sources: []
created: 2026-03-02
updated: 2026-03-02
---

# Webhook queue

It is what it is.

## Key Points

- {LEASE}
"""
# what the client writes before a text of the session's start
AT_START = "SessionStart hook additional context: "
# fails until its first line says otherwise
CHECK = """#!/usr/bin/env python3
expiry = "naive"
if expiry == "naive":
    raise ValueError(f"the expiry of a lease is {expiry}")
print("3 passed")
"""
REMEDY = '`- expiry = "naive"` `+ expiry = "aware"`'
TOOLS = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash", "Read", "Edit")


def check(room) -> Path:
    """Put the check that fails into the project."""
    path = room.project / "check"
    path.write_text(CHECK, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture(scope="module")
def learned(server, tmp_path_factory):
    """A room with an article, and a session in which an edit mended a check."""
    server.script()
    with Keeper(tmp_path_factory.mktemp("recalled"), server, "offline") as room:
        folder = room.vault / "knowledge" / "concepts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "webhook-queue.md").write_text(ARTICLE, encoding="utf-8")
        with room.as_environment():  # what the person does with `memoria trust`
            work = workspace(settings.load(str(room.vault)), quiet=True)
            trust.adopt(work, trust.find_waiting_items(work))
            refresh(work)
        path = check(room)
        edit = {"old_string": 'expiry = "naive"', "new_string": 'expiry = "aware"'}
        server.script(
            call("Bash", {"command": "./check"}),
            call("Read", {"file_path": str(path)}),
            call("Edit", {"file_path": str(path), **edit}),
            call("Bash", {"command": "./check"}),
            say("The check passes."),
        )
        room.ask("Make the check pass.", *TOOLS)
        room.kept()
        assert [one["change"] for one in room.ledger("mistake")] == [
            '- expiry = "naive"\n+ expiry = "aware"'
        ]
        yield room


@pytest.fixture
def room(learned, loop):
    loop.fallback = answers
    check(learned)
    yield learned
    learned.settle()


def given(body):
    """Give what Memoria added to a request, but at the session's start."""
    text = prompt_text(body)
    return [
        match[0]
        for match in INJECTED.finditer(text)
        if not text.endswith(AT_START, 0, match.start())
    ]


def test_what_fits_comes_with_the_prompt_and_only_once(room, loop):
    room.ask(ASKS)
    (text,) = given(loop.bodies[-1])
    assert f"\n- 2026-03-02, noted: {LEASE} [[concepts/webhook-queue]]\n" in text
    session = room.transcripts()[-1].stem
    room.settle()
    room.ask(ASKS, "--resume", session)
    # it stands where it stood, in the history
    assert given(loop.bodies[-1]) == [text]


def test_what_an_error_went_away_after_is_in_the_very_next_request(room, loop):
    fail = {"command": "./check"}
    loop.script(call("Bash", fail), call("Bash", fail), say("It fails."))
    room.ask("Run the check, twice.", *TOOLS)
    first, second, third = (given(body) for body in loop.bodies[-3:])
    assert first == []
    (text,) = second
    assert REMEDY in text
    assert "[[daily/" in text
    assert "lease is naive" not in text
    assert third == [text]
    session = room.transcripts()[-1].stem
    room.settle()
    (record,) = (
        one
        for one in room.ledger("injection")
        if (one["session"], one["event"]) == (session, "PostToolUseFailure")
    )
    assert [one["signature"] for one in record["cures"]] == [
        "shell exception:ValueError the expiry of a lease is naive"
    ]


def test_what_is_taught_in_between_comes_with_the_next_prompt(room, loop):
    def asked(words):
        """The first request with these words: the client makes others of its own, at any time."""
        holding = (body for body in loop.bodies if words in prompt_text(body))
        return next((body for body in holding if "ping one" in prompt_text(body)), None)

    with room.terminal() as terminal:
        terminal.type("ping one")
        terminal.shows("ok")
        room.do("remember", RULE, "--global")
        terminal.type("ping two")
        (text,) = given(until(lambda: asked("ping two"), "the second request"))
        assert f"- {RULE} [" in text
        terminal.shows("ping two")
        terminal.type("ping three")
        assert given(until(lambda: asked("ping three"), "the third request")) == [text]
