import json
import os
import time
from dataclasses import replace
from itertools import count

import pytest
import steps

from memoria.capture.spool import Job, Spool

NOW = 1_800_000_000.0
TRANSCRIPT = b'{"type": "user"}\n'


class Box:
    """A spool as hooks fill it."""

    def __init__(self, root):
        self.root = root
        self.spool = Spool(root / "spool")
        self.new = root / "spool" / "new"
        self.new.mkdir(parents=True)
        self.transcript = root / "s-1.jsonl"
        self.transcript.write_bytes(TRANSCRIPT)

    def put(self, name="00000000000000000001-7-s-1", *, link=True, **fields):
        job = {
            "event": "SessionEnd",
            "reason": "other",
            "session": "s-1",
            "transcript": str(self.transcript),
            "cwd": "/home/ana/shop",
            "at": NOW - 5,
            **fields,
        }
        if link:
            os.link(self.transcript, self.new / f"{name}.jsonl")
        (self.new / f"{name}.json").write_text(json.dumps(job))
        return name

    def write(self, name, data):
        (self.new / name).write_bytes(data)

    def states(self):
        """Give the files of every state, by the state's name."""
        folders = (path for path in (self.root / "spool").iterdir() if path.is_dir())
        found = {path.name: sorted(file.name for file in path.iterdir()) for path in folders}
        return {state: names for state, names in found.items() if names}


@pytest.fixture
def boxes(tmp_path):
    numbers = count()
    return lambda: Box(tmp_path / str(next(numbers)))


@pytest.fixture
def box(boxes):
    return boxes()


def both(name):
    return [f"{name}.json", f"{name}.jsonl"]


def test_a_job_is_claimed_with_its_link_and_done_with_it(box):
    name = box.put()
    (job,) = box.spool.claim(NOW)
    assert job == Job(
        name=name,
        event="SessionEnd",
        reason="other",
        session="s-1",
        transcript=str(box.transcript),
        cwd="/home/ana/shop",
        at=NOW - 5,
        link=box.root / "spool" / "claimed" / f"{name}.jsonl",
    )
    assert job.link.read_bytes() == TRANSCRIPT
    assert box.states() == {"claimed": both(name)}
    box.spool.forget_job(job)
    assert box.states() == {}
    assert box.transcript.read_bytes() == TRANSCRIPT


def test_oldest_first_and_only_those_that_are_due(box):
    box.put("3-1-b", at=3)
    box.put("1-1-c", at=1, not_before=NOW + 1)
    box.put("2-9-a", at=2, not_before=NOW)
    assert [job.name for job in box.spool.claim(NOW)] == ["2-9-a", "3-1-b"]
    assert [job.name for job in box.spool.jobs("new")] == ["1-1-c"]
    claimed = [job.name for job in box.spool.claim(NOW, all_of_them=True)]
    assert claimed == ["1-1-c", "2-9-a", "3-1-b"]


def test_what_a_dead_process_had_claimed_is_claimed_again_with_a_transcript_that_is_deleted(box):
    name = box.put()
    box.transcript.unlink()
    box.spool.claim(NOW)
    (job,) = Spool(box.root / "spool").claim(NOW)
    assert (job.name, job.link.read_bytes()) == (name, TRANSCRIPT)


def test_a_model_out_of_reach_is_tried_again_ever_later_without_limit(box):
    box.put()
    # a job that was not asked about does not wait longer
    box.spool.later(*box.spool.claim(NOW), "no connection", NOW, tried=False)
    (waiting,) = box.spool.jobs("new")
    assert (waiting.attempts, waiting.not_before) == (0, NOW + 60)
    waits, now = [], NOW + 60
    for _ in range(200):
        (job,) = box.spool.claim(now)
        box.spool.later(job, "no connection", now)
        assert box.spool.claim(now) == []
        (waiting,) = box.spool.jobs("new")
        waits.append(waiting.not_before - now)
        now = waiting.not_before
    assert waits[:8] == [60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert set(waits[8:]) == {3600}
    assert (waiting.attempts, waiting.error, waiting.at) == (200, "no connection", NOW - 5)
    assert waiting.link.read_bytes() == TRANSCRIPT


def test_a_fault_is_tried_five_times_then_lies_in_dead_with_its_transcript(box):
    name = box.put()
    for number in range(1, 6):
        (job,) = box.spool.claim(NOW, all_of_them=True)
        assert box.spool.fault(job, "the vault is full", NOW) is (number == 5)
    assert box.spool.claim(NOW + 30 * 24 * 3600) == []
    assert box.states() == {"dead": both(name)}
    (dead,) = box.spool.jobs("dead")
    assert (dead.faults, dead.error, dead.session) == (5, "the vault is full", "s-1")
    assert dead.link.read_bytes() == TRANSCRIPT
    # a person who has made room asks for it once more
    (again,) = box.spool.claim(NOW, all_of_them=True)
    assert (again.session, again.link.read_bytes()) == ("s-1", TRANSCRIPT)
    assert box.spool.fault(again, "the vault is full", NOW)


AT = 1_799_000_000.0
SESSION = "0790ea37-90df-4d30-8fdf-0bfe301b8f3e"
NAME = f"{int(AT * 1e9):020d}-4711-{SESSION}"
BROKEN = [b"", b"{", b"[]", b"null", b"{}", b'{"session": 7}', b"\xff\xfe", b"[" * 100_000]


@pytest.mark.parametrize("data", BROKEN)
@pytest.mark.parametrize("state", ["new", "claimed"])
def test_a_file_that_is_no_job_is_put_aside_and_its_session_taken_up_again(box, data, state):
    box.put(NAME)
    if state == "claimed":
        box.spool.claim(NOW)
    (box.root / "spool" / state / f"{NAME}.json").write_bytes(data)
    box.put("2-1-b")
    # the doctor says so
    assert [path.name for path in box.spool.list_damaged()] == [f"{NAME}.json"]
    jobs = {job.name: job for job in box.spool.claim(NOW)}
    assert jobs.keys() == {NAME, "2-1-b"}
    job = jobs[NAME]
    assert (job.session, job.at, job.error) == (SESSION, AT, "")
    assert job.link.read_bytes() == TRANSCRIPT
    dead = [f"{NAME}.json.damaged"]
    assert box.states() == {"claimed": sorted([*both("2-1-b"), *both(NAME)]), "dead": dead}
    assert (box.root / "spool/dead" / dead[0]).read_bytes() == data
    assert [path.name for path in box.spool.list_damaged()] == dead


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_lies_in_the_place_of_a_job_or_its_transcript_is_put_aside(box, kind, suffix):
    box.put(NAME, session=SESSION, at=AT)
    path = box.new / f"{NAME}.{suffix}"
    path.unlink()
    path.mkdir() if kind == "folder" else path.symlink_to(box.transcript)
    (job,) = box.spool.claim(NOW)
    assert (job.session, job.at, bool(job.link)) == (SESSION, AT, suffix == "json")
    (aside,) = box.spool.list_damaged()
    box.spool.forget_job(job)
    assert box.transcript.read_bytes() == TRANSCRIPT
    box.spool.tidy(time.time() + 25 * 3600)
    assert aside.exists() == (kind == "folder")  # that is left to a person


def test_the_same_name_may_be_damaged_twice(box):
    for _ in range(2):
        box.put(NAME, link=False)
        box.write(f"{NAME}.json", b"{")
        (job,) = box.spool.claim(NOW)
        box.spool.forget_job(job)
    assert len(box.spool.list_damaged()) == 2


def test_a_damaged_job_that_can_never_be_done_keeps_its_transcript_for_a_day(box):
    box.put(NAME)
    box.write(f"{NAME}.json", b"{")
    for _ in range(5):
        (job,) = box.spool.claim(time.time(), all_of_them=True)
        box.spool.fault(job, "no", time.time())
    box.spool.tidy(time.time() + 3600)
    (dead,) = box.spool.jobs("dead")
    assert (dead.session, dead.link.read_bytes()) == (SESSION, TRANSCRIPT)
    box.spool.tidy(time.time() + 25 * 3600)
    (dead,) = box.spool.jobs("dead")
    assert (dead.session, dead.link) == (SESSION, None)


@pytest.mark.parametrize(
    "value", ["1e999", "-1e999", "NaN", "true", '"x"', "null", "1" + "0" * 400]
)
@pytest.mark.parametrize("name", ["at", "not_before", "attempts", "faults"])
def test_fields_of_the_wrong_kind_keep_nothing_back(box, name, value):
    box.put("1-1-a", **{name: 17})
    path = box.new / "1-1-a.json"
    path.write_text(path.read_text().replace(f'"{name}": 17', f'"{name}": {value}'))
    (job,) = box.spool.claim(NOW)
    box.spool.later(job, "later", NOW)
    (job,) = box.spool.claim(NOW + 3601)
    box.spool.fault(job, "fault", NOW)


@steps.forking
def test_a_job_of_another_user_keeps_nothing_back(box):
    box.put("1-1-a")
    (box.new / "1-1-a.json").chmod(0o000)
    box.put("2-1-b")
    for folder in (box.root, box.root / "spool", box.new):
        folder.chmod(0o777)
    for path in box.new.glob("2*"):
        path.chmod(0o666)
    steps.let_in(box.root)

    def work():
        steps.drop_rights()
        assert [job.name for job in box.spool.claim(NOW)] == ["1-1-a", "2-1-b"]

    assert steps.run(work).how == "done"
    assert box.states() == {
        "claimed": [*both("1-1-a"), *both("2-1-b")],
        "dead": ["1-1-a.json.damaged"],
    }


ACTS = {
    "claim": lambda spool, job: spool.claim(NOW),
    "later": lambda spool, job: spool.later(job, "later", NOW - 9999),
    "fault": lambda spool, job: spool.fault(job, "fault", NOW - 9999),
    "dead": lambda spool, job: spool.fault(replace(job, faults=4), "fault", NOW),
    "done": lambda spool, job: spool.forget_job(job),
}


@steps.forking
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("way", ["kill", "torn"])
def test_a_kill_between_two_steps_of_a_move_loses_neither_job_nor_link(boxes, act, way):
    ends = []

    def made():
        box = boxes()
        box.put("1-1-a")
        if act != "claim":
            box.spool.claim(NOW)
        box.transcript.unlink()
        return box

    def work(box):
        jobs = [None] if act == "claim" else box.spool.claim(NOW)
        ACTS[act](box.spool, *jobs)

    def check(box, ended):
        spool = Spool(box.root / "spool")
        jobs = [*spool.claim(NOW, all_of_them=True), *spool.jobs("dead")]
        assert len(jobs) == 1
        (job,) = jobs
        assert job.session == "s-1"
        if act != "done":
            assert job.link.read_bytes() == TRANSCRIPT
        spool.tidy(time.time() + 7200)
        if act != "done":
            assert job.link.read_bytes() == TRANSCRIPT
        # and then it goes on as if nothing had been
        spool.later(job, "again", NOW - 9999)
        (job,) = spool.claim(NOW)
        assert job.link is None or job.link.read_bytes() == TRANSCRIPT
        spool.forget_job(job)
        spool.tidy(time.time() + 7200)
        assert not any(box.states().values())
        ends.append(ended)

    steps.each(made, work, way, check, lambda box: None)
    assert len(ends) >= 2


def test_done_forgets_a_link_that_a_crash_had_left_in_another_folder(box):
    name = box.put()
    (job,) = box.spool.claim(NOW)
    (box.root / "spool" / "claimed" / f"{name}.jsonl").rename(box.new / f"{name}.jsonl")
    (job,) = box.spool.claim(NOW)
    assert job.link == box.new / f"{name}.jsonl"
    box.spool.forget_job(job)
    assert box.states() == {}


def test_a_transcript_without_a_job_is_taken_up_after_an_hour(box):
    os.link(box.transcript, box.new / f"{NAME}.jsonl")
    assert box.spool.claim(time.time()) == []
    box.transcript.unlink()
    (job,) = box.spool.claim(time.time() + 3700)
    assert (job.session, job.at, job.link.read_bytes()) == (SESSION, AT, TRANSCRIPT)


def test_what_a_hook_left_half_done_is_dropped_after_an_hour(box):
    box.write("2-1-b.json.tmp", b"{")
    box.put("3-1-c")
    box.put("4-1-d", link=False)
    box.spool.tidy(time.time())
    assert len(box.states()["new"]) == 4
    box.spool.tidy(time.time() + 3700)
    assert box.states() == {"new": [*both("3-1-c"), "4-1-d.json"]}


def test_a_transcript_that_no_hook_told_of_becomes_a_job_like_others(box):
    before = time.time()
    box.spool.add(box.transcript, "s-1", "Sweep")
    (job,) = box.spool.claim(time.time())
    assert (job.event, job.session, job.transcript) == ("Sweep", "s-1", str(box.transcript))
    assert job.link.samefile(box.transcript)
    assert before <= job.at <= time.time()
    assert job.name.split("-", 1)[0].isdigit()


def test_what_came_in_since_is_newer(box):
    assert not box.spool.has_jobs_since(NOW)
    box.put("1-1-a", at=NOW - 1)
    box.put("2-1-b", at=NOW, not_before=time.time() + 1000)
    assert not box.spool.has_jobs_since(NOW)
    box.put("3-1-c", at=NOW)
    assert box.spool.has_jobs_since(NOW)


def test_a_reply_that_was_paid_for_is_kept_until_its_entry_stands(box):
    value = {"replies": [{"value": "caf\u00e9 \ud800"}]}
    box.spool.keep_reply("e-1-100", value)
    box.spool.keep_reply("e-1-200", {"replies": []})
    box.spool.keep_reply("e-2-100", {"replies": []})
    assert box.spool.reply("e-1-100") == {"replies": [{"value": "caf\u00e9 ?"}]}
    assert box.spool.reply("e-9-100") is None
    box.spool.drop_replies("e-1-")
    assert box.spool.reply("e-1-100") is None
    assert box.spool.reply("e-2-100") == {"replies": []}


@pytest.mark.parametrize("data", BROKEN[:4])
def test_stored_replies_that_are_broken_are_none(box, data):
    (box.root / "spool/replies").mkdir()
    (box.root / "spool/replies/e-1.json").write_bytes(data)
    assert box.spool.reply("e-1") is None
