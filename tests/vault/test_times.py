"""Clocks and zones as they are: they jump, repeat an hour, and may be unknown."""

import json
import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from cases import cased
from place import debugging, state_of
from spooled import spooled
from transcript_lines import encode, say, user

from memoria.vault.storage import clock


def at(moment, name, about):
    """Lines of a session whose last one was written at that moment."""
    start = datetime.fromisoformat(moment) - timedelta(minutes=10)
    lines = []
    for number, one in enumerate(debugging(about, 0)):
        when = start + timedelta(minutes=number)
        stamp = when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lines.append(one | {"timestamp": stamp, "uuid": f"{name}-{number}"})
    return lines


def titles(place, day):
    path = place.vault / f"daily/{day}.md"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line[13:18] for line in lines if line.startswith("### Session (")]


@cased()
def test_a_session_stands_at_the_time_that_the_persons_clock_showed(
    place, monkeypatch, zone, moments, days
):
    monkeypatch.setenv("MEMORIA_TIMEZONE", zone)
    for number, moment in enumerate(moments):
        place.transcript(f"s-{number}", *at(moment, f"s-{number}", f"check {number}"))
    assert place.json("import")["entries"] == len(moments)
    assert {day: titles(place, day) for day in days} == days
    assert place.run("compile")[0] == 0
    assert place.json("import")["entries"] == 0
    assert place.json("compile")["entries"] == 0


def test_a_zone_that_changes_within_a_session_moves_nothing_that_is_written(place, monkeypatch):
    first = at("2026-03-02T15:30:00+00:00", "a", "the token check")
    later = at("2026-03-02T16:30:00+00:00", "b", "the cookie check")
    place.transcript("s-1", *first)
    place.run("import")
    before = place.log("2026-03-02")
    monkeypatch.setenv("MEMORIA_TIMEZONE", "Asia/Tokyo")  # landed
    place.transcript("s-1", *first, *later)
    assert place.json("import")["entries"] == 1
    assert place.log("2026-03-02") == before
    assert titles(place, "2026-03-03") == ["01:30"]


def test_an_error_of_an_evening_is_told_with_the_day_of_its_session(place, monkeypatch):
    monkeypatch.setenv("MEMORIA_TIMEZONE", "America/Los_Angeles")
    for day in (10, 11, 12, 13):  # in UTC: it is the evening before
        lines = at(f"2026-03-{day}T04:20:00+00:00", f"s-{day}", "the token check")
        place.transcript(f"s-{day}", *lines)
    assert place.json("import")["entries"] == 4
    home = (place.vault / "HOME.md").read_text()
    assert "[[daily/2026-03-12#" in home
    assert "the last on 2026-03-12" in home


@pytest.mark.parametrize("year", [1970, 2099])
def test_a_clock_of_another_year_loses_nothing(place, monkeypatch, year):
    spooled(place)
    monkeypatch.setattr(
        clock, "now", lambda zone=None: clock.to_local_time(datetime(year, 1, 1, tzinfo=UTC), zone)
    )
    assert place.run("flush")[0] == 0
    assert place.run("compile")[0] == 0
    rule = "Always write the changelog first."
    assert place.run("remember", rule)[0] == 0
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(place.home))
    assert place.log().count("### Session") == 1
    assert place.json("compile")["entries"] == 0
    assert rule[:-1] in place.run("status")[1]
    assert place.run("flush")[0] == 0


def test_a_moment_that_windows_has_no_local_time_for_is_told_in_utc():
    class Early(datetime):
        def astimezone(self, tz=None):
            if tz is None:
                raise OSError(22, "Invalid argument")
            return super().astimezone(tz)

    early = Early(1969, 12, 31, 12, tzinfo=UTC)
    assert clock.to_local_time(early, None) == early


# -- Transcripts between the hook and the flush ---------------------------------------------------


def test_a_last_line_that_was_half_written_is_captured_when_it_is_whole(place):
    path = spooled(place, "s-1", *debugging())
    more = encode(say("The cookie fails because `SameSite=Strict` drops it.", 31))
    asked = encode(user("And why does the cookie fail?", 30) | {"sessionId": "s-1"})
    with path.open("ab") as file:
        file.write(asked + more[:-20])
    assert place.json("flush")["entries"] == 1
    with path.open("ab") as file:
        file.write(more[-20:])
    spooled_again = {"event": "SessionEnd", "session": "s-1", "transcript": str(path)}
    (state_of(place.vault) / "spool/new/2-2-s-1.json").write_text(
        json.dumps(spooled_again | {"at": time.time()})
    )
    place.run("flush")
    log = place.log()
    assert log.count("two hours early") == 1
    assert log.count("SameSite=Strict") >= 1


@pytest.mark.parametrize("thing", ["gone", "fifo", "link", "folder", "device"])
def test_what_took_the_place_of_a_transcript_is_not_read(place, tmp_path, thing):
    path = spooled(place)
    path.unlink()
    secret = tmp_path / "theirs.jsonl"
    secret.write_bytes(b"".join(map(encode, debugging("the harbour crane", 90))))
    if thing == "fifo":
        os.mkfifo(path)
    elif thing == "link":
        path.symlink_to(secret)
    elif thing == "folder":
        path.mkdir()
    elif thing == "device":
        path.symlink_to("/dev/zero")
    began = time.process_time()
    assert place.json("flush")["entries"] == 1
    assert time.process_time() - began < 20
    assert "token check" in place.log()
    assert "harbour" not in place.log()


def test_whatever_stands_in_a_transcript_the_rest_of_it_is_captured(place):
    lines = list(debugging())
    hostile = [
        b"\xef\xbb\xbf" + encode(lines[0]),
        b"\xff\xfe not UTF-8 \xc3\x28\n",
        b"\0" * 5_000 + b"\n",
        encode(lines[1])[:-1] + b"\r\n",
        b'"a string"\n[1]\nnull\n\n   \n',
        b"[" * 100_000 + b"\n",
        b'{"type": "user", "message": {"content": [{"type": "text", "text": null}]}}\n',
        b'{"type": "assistant", "message": {"content": "half \\ud800 of a pair"}, "uuid": "x"}\n',
        b'{"type": "assistant", "message": {"content": "' + b"x" * 6_000_000 + b'"}}\n',
        *map(encode, lines[2:]),
        b'{"type": "user", "mess',
    ]
    path = spooled(place)
    path.write_bytes(b"".join(hostile))
    told = place.json("flush")
    assert told["entries"] == 1, told
    assert "two hours early" in place.log()
    assert len(place.log()) < 20_000
