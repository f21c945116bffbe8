import json
import os
import time

import pytest
from place import debugging, state_of
from scripted import ScriptedModel
from spooled import DRAFT, spooled
from transcript_lines import call, encode, say, user

from memoria.cli.flush import CaptureOutcome, Flush
from memoria.errors import BadReply, Overloaded, Refused
from memoria.vault.article import compose_article, render_article, with_body, with_meta


def flush(place, *answers, sweep=False):
    outcome = CaptureOutcome()
    model = ScriptedModel(answers)
    work = place.work
    with work.vault.state.lock("flush"):
        Flush(work, model, outcome).drain(everything=True, sweep=sweep)
    outcome.waiting = len(work.spool.jobs("new"))
    return outcome, model


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        ("Rotate the keys of `auth.py`.", "Rotate the keys of `auth.py`."),
        # what acts is not told to a model, the rest is
        ("Rotate the keys of `https://acme.dev/auth`.", "Rotate the keys of [...]"),
        ("Rotate the keys of `url: ${{ KEYS }}`.", "Rotate the keys of `url: [...] KEYS }}`."),
    ],
)
def test_an_open_item_is_closed_by_the_session_that_does_it(place, item, shown):
    spooled(place)
    flush(place, DRAFT | {"actions": [item]})
    place.run("compile", "--engine", "offline")
    spooled(place, "s-2", *debugging("the key rotation", 600))
    _, model = flush(place, DRAFT | {"title": "Rotation", "closed": ["O1", "O7"]})
    prompt = model.requests[0].prompt
    assert f"O1: {shown}\n" in prompt
    assert "Day: 2026-03-02" in prompt
    assert f"- [x] {item}" in place.log()
    # what is done is no news: the first entry is not compiled again
    assert place.json("compile", "--engine", "offline")["entries"] == 1
    spooled(place, "s-3", *debugging("the audit", 1200))
    _, model = flush(place, DRAFT | {"title": "Audit"})
    assert "Rotate the keys" not in model.requests[0].prompt.rpartition("record\n")[0]


def test_a_note_is_shown_to_the_session_that_met_its_names(place):
    spooled(place)
    flush(place, DRAFT | {"decisions": ["Folders are numbered from 1 by `folder_of`."]})
    met = call("c-1", 600, 'def folder_of(id): return f"{id}/0"', "Read", file_path="layout.py")
    spooled(place, "s-2", user("How are folders numbered?", 599), *met, say("From 0.", 602))
    _, model = flush(place, DRAFT | {"title": "Folders"})
    known = model.requests[0].prompt.rpartition("record\n")[0]
    assert "(2026-03-02) Folders are numbered from 1 by `folder_of`." in known
    assert "layout.py: def folder_of(id)" in known


def test_a_long_session_is_told_part_by_part_with_the_draft_so_far(place):
    talk = [
        line
        for number in range(40)
        for line in (
            user(f"Question {number}: " + "why do we import the old orders again? " * 40, number),
            say(
                f"Answer {number}: " + "the importer skipped the header of the file. " * 40, number
            ),
        )
    ]
    spooled(place, "s-1", *talk)
    parts = [
        DRAFT | {"lessons": ["The header is skipped.", "The file is UTF-16."]},
        *[DRAFT | {"title": f"Part {n}", "lessons": [f"Lesson {n}"]} for n in range(2, 6)],
    ]
    parts[1] |= {"drop": ["D4"]}
    _, model = flush(place, *parts, DRAFT | {"title": "The end", "lessons": []})
    assert len(model.requests) == 6
    first, second = (request.prompt for request in model.requests[:2])
    assert "The draft so far" not in first
    assert "D4 (lessons): The file is UTF-16." in second
    log = place.log()
    assert "The end" in log.partition("**Context:**")[0]
    for kept in ("The header is skipped.", "Lesson 2", "Lesson 5"):
        assert f"- {kept}" in log
    assert "UTF-16" not in log


def test_the_end_and_the_compaction_of_one_session_are_delivered_once(place):
    spooled(place, event="PreCompact", reason="manual", at=time.time() - 5)
    spooled_again = place.projects / "-home-ana-shop/s-1.jsonl"
    job = {"event": "SessionEnd", "reason": "other", "session": "s-1", "cwd": "/home/ana/shop"}
    job |= {"transcript": str(spooled_again), "at": time.time()}
    (state_of(place.vault) / "spool/new/2-2-s-1.json").write_text(json.dumps(job))
    assert place.json("flush")["entries"] == 1
    assert place.log().count("### Session") == 1


def test_an_automatic_compaction_leaves_the_turn_that_is_not_over(place):
    lines = (*debugging(), user("Now look at the cookie.", 30), say("I begin to look.", 31))
    path = spooled(place, "s-1", *lines, event="PreCompact", reason="auto")
    place.run("flush")
    assert "cookie" not in place.log()
    more = say(
        "The cookie fails because `SameSite=Strict` drops it on the way back from OAuth.", 33
    )
    with path.open("ab") as file:
        file.write(encode(more | {"sessionId": "s-1"}))
    assert place.json("import")["entries"] == 1
    assert place.log().count("SameSite=Strict") >= 1
    assert place.log().count("two hours early") == 1


def test_a_model_out_of_reach_leaves_the_job_for_later_and_nothing_is_lost(place):
    spooled(place)
    before = time.time()
    outcome, _ = flush(place, Overloaded("529"))
    assert (outcome.entries, outcome.waiting) == (0, 1)
    (job,) = place.work.spool.jobs("new")
    assert job.error == "529"
    assert job.not_before > before + 30
    assert not (place.vault / "daily/2026-03-02.md").exists()
    assert flush(place, DRAFT)[0].entries == 1
    assert place.log().count("### Session") == 1


@pytest.mark.parametrize("error", [Refused("no"), BadReply("nonsense")])
def test_what_would_fail_again_gets_the_offline_entry(place, error):
    spooled(place)
    outcome, _ = flush(place, error)
    assert outcome.entries == 1
    assert outcome.waiting == 0
    assert "the Offline engine wrote the entry" in outcome.problems[0]
    assert '"engine": "offline"' in place.log()


def test_nothing_worth_keeping_is_a_field_and_not_a_word(place):
    spooled(place)
    nothing = {name: [] for name in DRAFT} | {"worth_keeping": False, "title": "", "context": ""}
    outcome, _ = flush(place, nothing)
    assert (outcome.entries, outcome.skipped) == (0, 1)
    assert place.json("import")["entries"] == 0  # the watermark has moved
    spooled(place, "s-2", *debugging("FLUSH_OK worth_keeping: false", 50))
    assert flush(place, DRAFT)[0].entries == 1


def test_a_paid_reply_is_not_paid_for_twice(place, monkeypatch):
    from memoria.errors import VaultError
    from memoria.vault.store import Vault

    spooled(place)

    def broken(self):
        raise VaultError("the disk is full")

    with monkeypatch.context() as broken_disk:
        broken_disk.setattr(Vault, "open_transaction", broken)
        outcome, _ = flush(place, DRAFT)
    assert "the disk is full" in outcome.problems[0]
    outcome, model = flush(place)
    assert outcome.entries == 1
    assert model.requests == []


def test_after_a_day_without_a_model_the_offline_engine_writes_the_entry(place):
    spooled(place, at=time.time() - 25 * 3600)
    outcome, _ = flush(place, Overloaded("529"))
    assert (outcome.entries, outcome.waiting) == (1, 0)
    assert '"engine": "offline"' in place.log()
    assert not list((state_of(place.vault) / "spool").rglob("*.jsonl"))


def test_the_sweep_finds_what_no_hook_told_of_once_it_is_over(place):
    path = place.transcript("s-1", *debugging())
    assert place.json("flush", "--sweep")["entries"] == 0
    # older than the installation
    os.utime(path, (time.time() - 3600, time.time() - 3600))
    assert place.json("flush", "--sweep")["entries"] == 0
    installed = state_of(place.vault) / "installed.json"
    installed.write_text(json.dumps({"since": time.time() - 7200}))
    assert place.json("flush", "--sweep")["entries"] == 1
    assert place.json("flush", "--sweep")["entries"] == 0


def test_a_transcript_that_was_deleted_is_read_from_its_link(place):
    spooled(place).unlink()
    assert place.json("flush")["entries"] == 1


def test_a_transcript_that_is_gone_is_given_up_after_five_tries_and_named(place):
    path = spooled(place)
    path.unlink()
    for link in (state_of(place.vault) / "spool/new").glob("*.jsonl"):
        link.unlink()
    for _ in range(5):
        code, _, err = place.run("flush")
        assert code in (1, 4)
        assert "is gone" in err
    assert len(place.work.spool.jobs("dead")) == 1


def test_an_entry_written_twice_by_a_crash_in_between_is_there_once(place):
    spooled(place)
    place.run("flush")
    ledger = state_of(place.vault) / "ledger.jsonl"
    ledger.write_text("")  # as if the watermark had been lost
    assert place.json("import")["entries"] == 0
    assert place.log().count("### Session") == 1


def test_pages_tell_what_the_model_says_that_a_session_came_to(place):
    spooled(place)
    heavy = "The importer skips the header, because the orders of 2019 have none."
    answer = {
        "decisions": [{"text": heavy, "cites": ["A2"], "weight": 3}],
        "lessons": [{"text": "A light one, since it is light.", "cites": ["A2"], "weight": 1}],
    }
    flush(place, DRAFT | answer)
    home = (place.vault / "HOME.md").read_text()
    decided = home.partition("## Decided")[2].partition("\n## ")[0]
    (line,) = decided.strip().splitlines()
    assert (line[:15], line.partition("]]: ")[2]) == ("- 2026-03-02, [", heavy)
    assert home.count(heavy) == 1  # not told again beside its session


def test_home_tells_of_a_session_what_does_not_stand_above(place):
    spooled(place)
    first = "Expiry of tokens is compared in UTC, because users live east of Greenwich, too."
    second = "Tokens made east of Greenwich looked expired, since a local time was compared."
    flush(
        place,
        DRAFT
        | {
            "decisions": [{"text": first, "cites": ["A2"], "weight": 3}],
            "lessons": [{"text": second, "cites": ["A2"], "weight": 3}],
        },
    )
    home = (place.vault / "HOME.md").read_text()
    above, latest = home.split("## Latest sessions")
    assert (first in above, first in latest) == (True, False)
    assert (second in above, second in latest) == (False, True)


def test_home_tells_nothing_as_decided_that_an_article_says_is_over(place):
    spooled(place)
    line = "The importer skips the header, because the orders of 2019 have none."
    flush(place, DRAFT | {"decisions": [{"text": line, "cites": ["A2"], "weight": 3}]})
    over = f"- {line} (until 2026-03-05, see Decisions) ([[daily/2026-03-02]])"
    page = compose_article("concepts/importer", "concept", {}, "Importer", "It reads orders.")
    page = with_body(page, "Before the Change", over, ("Decisions", "Before the Change"))
    note = place.vault / "knowledge/concepts/importer.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(render_article(page))
    assert line in (place.vault / "HOME.md").read_text()
    place.run("compile", "--engine", "offline")
    assert line not in (place.vault / "HOME.md").read_text()
    # what is over in another project is not over here
    note.write_text(render_article(with_meta(page, {"projects": ["/home/ana/other"]})))
    place.run("compile", "--all", "--engine", "offline")
    assert line in (place.vault / "HOME.md").read_text()


def test_a_flush_compiles_no_day_again_that_is_compiled(place):
    spooled(place)
    flush(place, DRAFT)
    place.run("compile", "--engine", "offline")
    before = place.ledger("compile")
    for _ in range(2):
        assert place.run("flush", "--detached")[0] == 0
    assert place.ledger("compile") == before
