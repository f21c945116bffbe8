"""Jobs that wait: whose turn it is, what is not paid twice, and what one fault does to others."""

import json
import os
import time

from place import debugging, state_of
from scripted import ScriptedModel
from spooled import DRAFT, spooled
from transcript_lines import say, user

from memoria import refresh
from memoria.capture import service
from memoria.cli.flush import CaptureOutcome, Flush
from memoria.errors import Overloaded
from memoria.rules.rulebook import Ruling, decide

DAY = 25 * 3600


def left(place, session, *lines, ago=0.0):
    """Put a job into the spool that has waited so long."""
    lines = lines or debugging(f"the check of {session}")
    return spooled(place, session, *lines, at=time.time() - ago)


def flush(place, *answers, sweep=False):
    outcome, model = CaptureOutcome(), ScriptedModel(answers)
    work = place.work
    with work.vault.state.lock("flush"):
        Flush(work, model, outcome).drain(everything=True, sweep=sweep)
    return outcome, model


def waiting(place):
    return {job.session: job for job in place.work.spool.jobs("new")}


def checks(place, count, ago=0.0):
    """Put jobs of sessions of so many checks into the spool, the first one the oldest."""
    for number in range(count):
        left(place, f"s-{number}", *debugging(f"check {number}", number), ago=ago - number)


def unseen(place):
    """Write a session that no hook told of and that is over; give its transcript."""
    path = place.transcript("s-1", *debugging())
    installed = state_of(place.vault) / "installed.json"
    installed.write_text(json.dumps({"since": time.time() - 7200}))
    os.utime(path, (time.time() - 3600, time.time() - 3600))
    return path


def test_when_the_model_is_out_of_reach_the_others_wait_unasked_and_come_first_next(place):
    checks(place, 3, ago=9)
    outcome, model = flush(place, Overloaded("529"))
    assert len(model.requests) == 1
    assert [job.attempts for job in waiting(place).values()] == [1, 0, 0]
    assert {job.error for job in waiting(place).values()} == {"529"}
    assert outcome.problems == ["session s-0: 529"]
    _, model = flush(place, DRAFT, DRAFT, DRAFT)
    asked = [next(n for n in range(3) if f"check {n}" in one.prompt) for one in model.requests]
    assert asked == [1, 2, 0]
    assert waiting(place) == {}


def test_those_that_wait_unasked_get_their_extract_after_a_day_too(place):
    checks(place, 2, ago=DAY)
    flush(place, Overloaded("529"))
    assert place.log().count('"engine": "offline"') == 2
    assert list((state_of(place.vault) / "spool").rglob("*.jsonl")) == []


def test_an_extract_that_a_person_deleted_does_not_come_back(place):
    left(place, "s-1", ago=DAY)
    flush(place, Overloaded("529"))
    path = place.vault / "daily/2026-03-02.md"
    path.write_text("# Daily Log: 2026-03-02\n\n## Sessions\n")
    flush(place, DRAFT)
    assert path.read_text() == "# Daily Log: 2026-03-02\n\n## Sessions\n"


def test_of_a_long_session_only_what_is_not_answered_yet_is_asked_again(place):
    lines = [
        line
        for number in range(30)
        for line in (
            user(f"What does module {number} do {'and so on ' * 90}?", 2 * number),
            say(f"Module {number} does this {'and so on ' * 90}.", 2 * number + 1),
        )
    ]
    left(place, "s-1", *lines)
    _, first = flush(place, DRAFT, Overloaded("529"))
    assert len(first.requests) == 2
    _, second = flush(place, *[DRAFT] * 10)
    assert second.requests[0].prompt == first.requests[1].prompt
    assert place.log().count("### Session") == 1
    assert len(place.ledger("call")) == len(second.requests) + 1
    assert list((state_of(place.vault) / "spool/replies").iterdir()) == []


def test_a_reply_to_what_has_grown_since_is_not_kept(place, monkeypatch):
    lines = debugging()
    left(place, "s-1", *lines)
    with monkeypatch.context() as broken:
        broken.setattr(service.daily_log, "place", lambda *_: 1 / 0)
        flush(place, DRAFT)
    assert len(list((state_of(place.vault) / "spool/replies").iterdir())) == 1
    place.transcript("s-1", *lines, user("And cookies?", 20))
    flush(place, DRAFT)
    assert place.log().count("### Session") == 1
    assert list((state_of(place.vault) / "spool/replies").iterdir()) == []


def test_a_fault_of_ours_in_one_session_keeps_no_other_back(place, monkeypatch):
    checks(place, 3, ago=9)
    real = service.digest

    def faulty(transcript):
        if transcript.session == "s-1":
            raise ValueError("a mistake of ours")
        return real(transcript)

    monkeypatch.setattr(service, "digest", faulty)
    outcome, _ = flush(place, DRAFT, DRAFT)
    assert outcome.entries == 2
    assert outcome.problems == ["session s-1: ValueError: a mistake of ours"]
    assert waiting(place)["s-1"].faults == 1


def test_the_sweep_makes_one_job_of_a_session_however_often_it_comes(place):
    path = unseen(place)
    for attempts in (1, 2):
        _, model = flush(place, Overloaded("529"), sweep=True)
        assert len(model.requests) == 1
        assert waiting(place)["s-1"].attempts == attempts
    (link,) = (state_of(place.vault) / "spool/new").glob("*.jsonl")
    assert link.samefile(path)
    assert flush(place, DRAFT, sweep=True)[0].entries == 1
    assert waiting(place) == {}


def test_a_flush_that_finds_another_at_work_leaves_it_the_sweep_as_well(place):
    unseen(place)
    with place.work.vault.state.lock("flush"):
        assert place.run("flush", "--detached", "--sweep")[0] == 0
    assert not (place.vault / "daily/2026-03-02.md").exists()
    assert place.run("flush")[0] == 0
    assert place.log().count("### Session") == 1
    assert not list(state_of(place.vault).glob("*-again"))


def test_the_doctor_tells_of_what_waits_unseen_and_of_what_went_wrong_in_a_detached_flush(place):
    left(place, "s-1", ago=7 * 3600).unlink()
    found = {check["name"]: check for check in place.json("doctor")["checks"]}
    assert not found["waiting"]["ok"]
    assert "no flush has looked at them" in found["waiting"]["detail"]
    (link,) = (state_of(place.vault) / "spool/new").glob("*.jsonl")
    link.unlink()
    place.run("flush", "--detached")
    assert "is gone" in (state_of(place.vault) / "logs/flush.log").read_text()
    found = {check["name"]: check for check in place.json("doctor")["checks"]}
    assert "is gone" in found["flush.log"]["detail"]


def test_what_is_derived_follows_the_ledger_though_a_process_died_in_between(place):
    """It is killed after its transaction and before the hooks' files are written."""
    place.transcript("s-1", *debugging(rule="Always run the linter before you commit."))
    place.run("import")
    place.run("compile")
    place.run("flush")
    derived = [state_of(place.vault) / name for name in ("bandit.json", "inject/default.json")]
    before = [path.read_bytes() for path in derived]
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    identity = note.read_text().partition("id: ")[2].partition("\n")[0]
    decide(place.work, [Ruling(identity, "rejected", "reject")])
    assert [path.read_bytes() for path in derived] == before
    assert place.run("flush")[0] == 0
    after = [path.read_bytes() for path in derived]
    for path in derived:
        path.unlink()
    refresh.refresh(place.work)
    assert [path.read_bytes() for path in derived] == after
    given = [json.loads(path.read_text()) for path in (state_of(place.vault) / "inject").iterdir()]
    assert [rule for one in given for rule in one["rules"]] == []


def test_hooks_go_on_to_take_sessions_from_where_init_found_them(place, monkeypatch, tmp_path):
    snapshot_file = state_of(place.vault) / "hooks.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "a-project-says"))
    (state_of(place.vault) / "derived.json").unlink(missing_ok=True)
    assert place.run("flush")[0] == 0
    assert json.loads(snapshot_file.read_text())["projects"] == str(place.projects)
    assert place.run("init")[0] == 0
    found = json.loads(snapshot_file.read_text())["projects"]
    assert found == str(tmp_path / "a-project-says" / "projects")
