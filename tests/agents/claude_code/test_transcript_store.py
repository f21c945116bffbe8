"""Transcript files: whole, torn, growing, hostile, and what lies beside them."""

import os
from datetime import timedelta

import pytest
from transcript_lines import START, assistant, encode, result, say, shown, tool, user

from memoria.agents.claude_code.transcript_store import list_subagents, read
from memoria.agents.transcript import Limits

NIGHT = 24 * 60


def write(path, *records, end=b""):
    path.write_bytes(b"".join(map(encode, records)) + end)
    return path


def append(path, *records):
    with path.open("ab") as file:
        file.write(b"".join(map(encode, records)))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "0a1b-session.jsonl"


def turns(path, **options):
    return [turn for part in read(path, **options) for turn in shown(part)]


def test_nothing_new_gives_nothing_unless_the_end_is_asked_for(file):
    write(file, {"type": "mode"}, {"type": "last-prompt"})
    assert list(read(file)) == []
    (part,) = read(file, empty=True)
    assert (part.turns, part.end) == ((), file.stat().st_size)
    assert list(read(file, start=part.end, empty=True)) == []


def test_a_last_line_without_newline_counts_when_it_is_whole(file):
    write(file, user("a"), end=encode(user("b")).rstrip(b"\n"))
    (part,) = read(file)
    assert shown(part) == [("a",), ("b",)]
    assert part.end == file.stat().st_size
    append(file, b"\n", user("c"))
    assert turns(file, start=part.end) == [("c",)]


@pytest.mark.parametrize("name", ["a b.jsonl", "..x.jsonl", "é.jsonl", "x" * 200 + ".jsonl"])
def test_a_strange_file_name_never_becomes_the_sessions(tmp_path, name):
    (part,) = read(write(tmp_path / name, user("a", sessionId="../../etc")))
    assert part.session.isalnum()
    assert len(part.session) <= 64


# Files that are none, and files that change


def test_a_line_that_is_completed_while_the_file_is_read_is_left(file):
    big = [say("x" * 60_000, NIGHT) for _ in range(40)]  # more than is read ahead
    last = encode(say("y", NIGHT))
    write(file, user("a"), user("b", NIGHT), *big, end=last[:50])
    size = file.stat().st_size - 50
    reading = read(file)
    next(reading)
    append(file, last[50:])
    (rest,) = reading
    assert rest.end == size
    assert turns(file, start=rest.end) == [("", "say y")]


@pytest.mark.parametrize("change", [lambda path: os.truncate(path, 0), os.unlink])
def test_a_file_that_shrinks_or_vanishes_while_read_gives_what_was_there(file, change):
    big = [say("x" * 60_000, at) for at in range(60)]
    write(file, user("a"), say("x"), user("b", NIGHT), *big)
    reading = read(file)
    first = next(reading)
    change(file)
    for part in reading:
        assert first.end <= part.start <= part.end


# Watermarks


# Subagents


def agent(file, name, *calls):
    """A subagent's file with one answered call at each of the minutes."""
    folder = file.parent / file.stem / "subagents"
    folder.mkdir(parents=True, exist_ok=True)
    records = [user("look", calls[0], isSidechain=True)]
    for at in calls:
        key = f"{name}-{at}"
        records += [
            assistant(tool(key, command=key), at=at, isSidechain=True),
            result(key, "no such file", at, error=True, isSidechain=True),
        ]
    return write(folder / f"agent-{name}.jsonl", *records)


def test_calls_of_subagents_come_with_the_part_in_whose_time_they_fall(file):
    write(file, user("a"), say("x", 10), user("b", NIGHT), say("y", NIGHT + 10))
    agent(file, "one", 2, 5, NIGHT + 5)
    agent(file, "two", 3, NIGHT - 60, NIGHT + 90)
    first, second = read(file)
    assert [call.id for call in first.subagents] == ["one-2", "two-3", "one-5"]
    assert [call.id for call in second.subagents] == [f"two-{NIGHT - 60}", f"one-{NIGHT + 5}"]
    assert first.subagents[0].is_error
    assert first.subagents[0].result == "no such file"
    (again,) = read(file, start=first.end)
    assert again.subagents == second.subagents


def test_calls_of_subagents_are_not_told_twice_over_a_watermark(file):
    write(file, user("a"), say("x", 10))
    agent(file, "one", 2, 12, 16)
    (first,) = read(file)
    append(file, user("b", 15), say("y", 20))
    (second,) = read(file, start=first.end)
    assert [call.id for call in first.subagents] == ["one-2"]
    assert [call.id for call in second.subagents] == ["one-12", "one-16"]


def test_subagents_lie_beside_the_transcript_and_not_beside_a_link_to_it(file, tmp_path):
    write(file, user("a"), say("x", 10))
    found = agent(file, "one", 2)
    (tmp_path / "spool").mkdir()
    linked = tmp_path / "spool" / "job.jsonl"
    os.link(file, linked)
    assert list_subagents(file) == (found,)
    assert next(read(linked)).subagents == ()
    assert [call.id for call in next(read(linked, source=file)).subagents] == ["one-2"]


def test_a_subagents_file_that_cannot_be_read_is_counted(file):
    write(file, user("a"), say("x", 10))
    kept = agent(file, "one", 2)
    os.mkfifo(kept.with_name("agent-two.jsonl"))
    kept.with_name("agent-three.jsonl").symlink_to(kept)
    (part,) = read(file)
    assert [call.id for call in part.subagents] == ["one-2"]
    assert dict(part.skipped) == {"subagent unreadable": 2}


def test_very_many_calls_of_subagents_are_bounded(file):
    write(file, user("a"), say("x", 1000))
    agent(file, "one", *range(1, 200))
    (part,) = read(file, limits=Limits(subagents=20_000))
    assert 0 < len(part.subagents) < 60
    assert dict(part.skipped) == {"subagent call over the bound": 199 - len(part.subagents)}


@pytest.mark.parametrize(("hours", "found"), [(12, ["one-2900"]), (72, [])])
def test_a_subagents_file_written_days_before_the_part_is_not_read(file, hours, found):
    write(file, user("a"), user("b", 2 * NIGHT), say("y", 2 * NIGHT + 30))
    since = next(read(file)).end
    agent(file, "one", 2 * NIGHT + 20)
    written = (START - timedelta(hours=hours)).timestamp()
    os.utime(list_subagents(file)[0], (written, written))
    (part,) = read(file, start=since)
    assert [call.id for call in part.subagents] == found


def test_a_linked_folder_of_subagents_is_not_followed(file, tmp_path):
    write(file, user("a"), say("x", 10))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / file.stem).mkdir()
    (tmp_path / file.stem / "subagents").symlink_to(tmp_path / "elsewhere")
    write(tmp_path / "elsewhere" / "agent-one.jsonl", user("look"))
    assert list_subagents(file) == ()


# Size
