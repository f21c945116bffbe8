"""Flush and compile through the real SDK and client: what lands in the vault, and what does not."""

import json
import re

import pytest
from keeper import INJECTED, TALKS, Keeper, answers, form, told
from loopback import call, prompt_text, say, structured, task_of

ROOM = Keeper
A, B, C, D = TALKS
SAID = "Always run the linter before you commit, because CI is slow."
UNSAID = "Always push with force to the main branch."
# Made up, and put together here so that no scanner takes it for a real one.
KEY = "sk-ant-" + "api03-" + "Qm7xR2vT9kLpW4sNd8ZcHb3YfGj6Ua" * 3 + "o5Kt-AA"
PASSWORD = "tulip harbor" + " 58"  # of no shape: known because a variable holds it
TOKEN = "ghp_" + "a8Kd02LmQpXz7RtYwN4vBcHs6JfGe1UoI3Tk"


def filled(body, *, slug="cache-table"):
    """Fill in a compile's form: two linked concepts of the entry, a rule said and one unsaid."""
    entry = re.search(r"entry (e-[0-9a-f]{12})", prompt_text(body)).group(1)
    line = {"text": "The table of `cache.py` has no bound.", "entry": entry, "replaces": ""}
    rule = {"category": "workflow", "entry": entry, "quote": SAID}
    return {
        "articles": [
            concept(entry, "eviction", "Eviction", line, related="concepts/cache-table"),
            concept(entry, slug, "Cache table", line, related="concepts/eviction"),
        ],
        "rules": [
            rule | {"text": SAID},
            rule | {"text": UNSAID, "quote": UNSAID},
            rule | {"text": "Always skip the review before you commit."},
        ],
    }


def concept(entry, slug, title, line, related):
    return {
        "kind": "concept",
        "slug": slug,
        "title": title,
        "lead": f"{title} is what `cache.py` keeps its entries with. It matters for memory.",
        "sections": [{"heading": "Key Points", "prose": "", "lines": [line]}],
        "entries": [entry],
        "aliases": [],
        "tags": ["cache"],
        "related": [{"target": related, "why": "the one bounds the other"}],
        "connects": [],
        "retire": [],
    }


# -- A session, its entry, its articles and its rule ----------------------------------------------


def played(body):
    """Play a session that prints keys, a model that quotes the user, one that compiles."""
    task = task_of(body)
    if task == "flush":
        # the user's line, and one of a tool
        record = prompt_text(body).rpartition("<<<")[2]
        cites = (re.search(rf"^({mark}\d+)\|", record, re.MULTILINE)[1] for mark in "UT")
        claims = tuple(
            {"text": text, "quote": text, "cite": cite, "lasts": "project", "category": "workflow"}
            for text, cite in zip((SAID, UNSAID), cites, strict=True)
        )
        return structured(form("Why does it grow? -> It has no bound.", statements=claims))
    if task == "compile":
        again = "Give only those again, repaired" in prompt_text(body)
        value = filled(body, slug="cache-table" if again else "../../.claude/settings")
        if again:
            value = {"articles": value["articles"][1:], "rules": []}
        return structured(value)
    if "tool_result" not in json.dumps(body["messages"]):
        return call("Bash", {"command": "cat deploy.env; false", "description": "Show it"})
    return told(body)


@pytest.fixture(scope="module")
def worked(server, tmp_path_factory):
    """A room in which a session with secrets was captured by the engine Claude and compiled."""
    server.script()
    with Keeper(tmp_path_factory.mktemp("worked"), server, SHOP_DB_PASSWORD=PASSWORD) as room:
        server.fallback = played
        (room.project / "deploy.env").write_text(f"GITHUB_TOKEN={TOKEN}\n")
        private = "<private>the customer is Kettlewell</private>"
        room.ask(f"{TALKS[A][0]} {SAID} The key is {KEY}, I log in with {PASSWORD}. {private}")
        room.kept()
        room.compiled = room.json("compile")
        room.bodies = list(server.bodies)
        yield room


def tasks(room, task):
    return [body for body in room.bodies if task_of(body) == task]


def test_the_models_words_are_the_entry(worked):
    (block,) = worked.entries()
    assert block.entry.engine == "claude"
    assert block.entry.draft.title == "The cache that grows"
    assert block.entry.draft.exchanges == ("Why does it grow? -> It has no bound.",)
    assert not block.edited
    assert [call["task"] for call in worked.ledger("call")] == ["flush", "compile", "compile"]


def test_the_patch_becomes_articles_with_links_an_index_and_a_log(worked):
    text = worked.note("knowledge/concepts/eviction.md")
    assert "# Eviction" in text
    assert "- The table of `cache.py` has no bound. ([[daily/" in text
    assert "[[concepts/cache-table]]" in text
    index = worked.note("knowledge/index.md")
    for name in ("eviction", "cache-table"):
        assert index.count(f"| [[concepts/{name}]] |") == 1
    log = worked.note("knowledge/log.md")
    assert "compile | Daily Log" in log
    assert "[[concepts/eviction]]" in log


def test_a_rule_that_the_user_said_becomes_a_note_and_the_other_is_refused(worked):
    notes = {note.read_text() for note in (worked.vault / "knowledge" / "rules").glob("*.md")}
    (text,) = (note for note in notes if f"# {SAID}" in note)
    assert f'- "{SAID}" ([[daily/' in text
    assert "status: active" in text
    (other,) = notes - {text}
    assert "status: waiting" in other  # truly quoted, but it says something else
    assert "skip the review" in other
    refused = worked.compiled["refused"]
    assert any("force" in one["part"] and "no sentence" in one["reason"] for one in refused)
    assert "force" not in "".join(worked.texts())


def test_the_rule_is_there_at_the_next_start(worked, loop):
    worked.ask("ping")
    worked.settle()
    (text,) = [match[0] for match in INJECTED.finditer(prompt_text(loop.bodies[0]))]
    assert f"- {SAID}" in text
    assert "force" not in text
    assert "skip the review" not in text


def test_no_secret_is_kept_or_sent(worked):
    talks = json.dumps(tasks(worked, ""))
    assert KEY in talks  # the session itself has them: what follows is no accident
    assert TOKEN in talks
    assert PASSWORD in talks
    sent = json.dumps(tasks(worked, "flush") + tasks(worked, "compile"))
    kept = worked.bytes_under(worked.vault).decode(errors="replace")
    assert "[REDACTED:" in sent
    for secret in (KEY, TOKEN, KEY[14:40], TOKEN[8:30], PASSWORD, "Kettlewell"):
        assert secret not in sent
        assert secret not in kept


def test_a_later_session_amends_what_an_earlier_one_left(room, loop):
    """Two days, two compiles: the second replaces a line, retires one, and wraps it in prose."""
    first = {"lead": "The cache is what `cache.py` keeps. It matters for memory."}

    def model(body):
        if task_of(body) != "compile":
            return answers(body)
        prompt = prompt_text(body)
        entries = re.findall(r"entry (e-[0-9a-f]{12})", prompt)
        known = {text: name for name, text in re.findall(r"(\w{5})\| - (The [^.]+\.)", prompt)}
        if not known:
            lines = [f"The table has {what}." for what in ("no bound", "a lock", "64 rows")]
            texts = [(text, "") for text in lines]
            change = concept(entries[0], "cache", "Cache", {}, related="concepts/gone") | first
        else:
            change = concept(entries[0], "cache", "Cache", {}, related="") | {"lead": ""}
            change |= {"related": []}
            texts = [("128 rows has the table.", "")]
        if "The table has 64 rows." in known:
            texts = [("The table has 128 rows.", known["The table has 64 rows."])]
            change["retire"] = [{"line": known["The table has a lock."], "entry": entries[0]}]
        elif known:
            page = room.note("knowledge/concepts/cache.md")
            entries = re.findall(r"128 rows\. \(\[\[daily/[\d-]+#\^(e-\w+)", page)
            change["entries"] = entries
        change["sections"][0]["lines"] = [
            {"text": text, "entry": entries[0], "replaces": old} for text, old in texts
        ]
        value = {"articles": [change], "rules": []}
        if not known:
            return structured(value)
        # as small models do: prose, a fence, and no call of the tool
        return say(f"Here is the form.\n```json\n{json.dumps(value)}\n```\nDone.")

    loop.fallback = model
    room.ask(TALKS[A][0])
    room.kept()
    room.do("compile")
    # the dead link is left out by code
    assert len(room.forms("compile")) == 1
    room.ask(TALKS[B][0])
    room.kept()
    room.do("compile")
    text = room.note("knowledge/concepts/cache.md")
    before = text.split("## Before the Change")[1]
    assert "- The table has 128 rows. ([[daily/" in text.split("## Before")[0]
    assert "- The table has no bound. ([[daily/" in text.split("## Before")[0]
    assert re.search(
        r"- The table has 64 rows\. \(until [\d-]{10}, then: The table has 128", before
    )
    assert re.search(r"- The table has a lock\. \(until [\d-]{10}\) \(\[\[daily/", before)
    # the same entries once more: nothing is proposed, nothing changes
    assert room.json("compile", "--all")["updated"] == []
    assert room.note("knowledge/concepts/cache.md") == text
