"""The list of a day's short sessions: each stands there once, and a person may change all of it."""

import subprocess
from dataclasses import replace
from datetime import date, datetime

import pytest
from cases import cased
from hypothesis import given, strategies as st
from notes import DAY, entry, hostile
from talk import say, steps, transcript, turn

from memoria.capture.day_logs import build_short_session
from memoria.vault.daily_log import (
    HEADING,
    add_short_session,
    find_short_sessions,
    parse_blocks,
    place,
    remove_short_sessions,
)

PROJECT = "github.com/ana/shop"
AT = datetime(2026, 4, 1, 10, 1)  # noqa: DTZ001 - the local time of a log


def short(part="e-00000000000a", *turns, session="s-1", project=PROJECT):
    found = replace(transcript(*(turns or [turn("hello", say("Hi!"))])), session=session)
    return build_short_session(part, found, project, AT)


def added(text, *lines):
    for line in lines:
        text = add_short_session(text, line, str(DAY))
    return text


A, B, C = (short(f"e-00000000000{name}", session=f"s-{name}") for name in "abc")
ENTRY = entry(1, title="Tokens", lessons=("The clocks differ.",))
OTHER = entry(2, title="Another", lessons=("Something else.",))


def test_the_list_is_written_as_agents_md_shows_it():
    assert added("", A) == (
        "# Daily Log: 2026-04-01\n\n## Sessions\n\n## Short Sessions\n\n"
        '- 10:01 shop: hello -> Hi! <!-- memoria {"part": "e-00000000000a", "session": "s-a", '
        f'"project": "{PROJECT}"}} -->\n'
    )


@cased()
def test_a_line_says_what_was_asked(turns, words):
    asked = (turn(prompt, *steps(*rows)) for prompt, *rows in turns)
    line = short("e-00000000000a", *asked).line
    assert line.startswith(f"- 10:01 shop: {words} <!-- memoria ")


@given(st.lists(hostile | st.text(max_size=40), min_size=1, max_size=3), hostile)
def test_whatever_was_typed_a_line_is_one_line_and_is_read_again(prompts, project):
    one = short("e-00000000000a", *map(turn, prompts), project=project)
    assert "\n" not in one.line
    assert find_short_sessions(added("", one)) == (replace(one, line=one.line.strip()),)
    assert parse_blocks(added("", one), DAY) == ()
    assert added("", one, one) == added("", one)


def test_the_list_stays_below_the_entries():
    text = place(added(place("", ENTRY).text, A), OTHER).text
    assert text == added(place(place("", ENTRY).text, OTHER).text, A)
    assert [one.entry.id for one in parse_blocks(text, DAY)] == [ENTRY.id, OTHER.id]
    assert not any(one.edited for one in parse_blocks(text, DAY))


def test_an_entry_of_the_same_part_is_enough():
    text = place("", ENTRY).text
    assert added(text, short(ENTRY.id)) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_come_one_after_another_with_the_file_s_line_ends(end):
    text = added(place("", ENTRY).text.replace("\n", end), A, B)
    assert text.endswith(f"{HEADING}{end}{end}{A.line}{end}{B.line}{end}")
    assert text.count("\n") == text.count(end)


EDITS = {
    "other words": lambda text: text.replace("hello", "the first try"),
    "another heading": lambda text: text.replace(HEADING, "## Kleinkram"),
    "no heading": lambda text: text.replace(f"{HEADING}\n\n", ""),
    "moved up": lambda text: f"{A.line}\n\n{text.replace(A.line, '')}",
    "a note below": lambda text: f"{text}\nA note of mine.\n",
    "a note between": lambda text: text.replace(A.line, f"{A.line}\n\n> mine\n"),
    "a star": lambda text: text.replace("- 10:01", "* 10:01"),
    "no end": lambda text: text.rstrip("\n"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_a_person_made_of_the_list_stays(edit):
    text = edit(added(place("", ENTRY).text, A, B))
    assert added(text, A, B) == text
    more = place(added(text, C), OTHER).text
    assert [one.part for one in find_short_sessions(more)].count(C.part) == 1
    assert [one.entry.id for one in parse_blocks(more, DAY)] == [ENTRY.id, OTHER.id]
    theirs = [line for line in text.splitlines() if line.strip()]
    rest = iter(more.splitlines())
    assert all(line in rest for line in theirs)  # all of it, in its order


def test_what_is_forgotten_goes_with_an_empty_list():
    text = added(place("", ENTRY).text, A, B)
    assert remove_short_sessions(text, {A.part}, ()) == added(place("", ENTRY).text, B)
    assert remove_short_sessions(text, {A.part}, {"s-b"}) == place("", ENTRY).text
    assert remove_short_sessions(text, {"e-1"}, {"s-1"}) == text
    mine = text + "\nA note of mine.\n"
    assert "A note of mine." in remove_short_sessions(mine, {A.part, B.part}, ())


@pytest.mark.parametrize("mine", ["entry", "line", "both"])
@pytest.mark.parametrize("theirs", ["entry", "line", "both"])
@pytest.mark.parametrize("base", ["", "entry", "line"])
def test_two_machines_merge_by_union(tmp_path, base, mine, theirs):
    def written(text, what, one, line):
        text = place(text, one).text if what in {"entry", "both"} else text
        return add_short_session(text, line, str(DAY)) if what in {"line", "both"} else text

    first = written(place("", entry(9)).text, base, entry(8), C)
    texts = (written(first, mine, ENTRY, A), first, written(first, theirs, OTHER, B))
    paths = [tmp_path / name for name in ("mine.md", "base.md", "theirs.md")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    subprocess.run(["git", "merge-file", "--union", *paths], check=True, cwd=tmp_path)
    text = paths[0].read_text()
    parts = [one.part for one in find_short_sessions(text)]
    wanted = {one.part for found in texts for one in find_short_sessions(found)}
    assert set(parts) == wanted
    assert len(parts) == len(wanted)
    ids = {one.entry.id for found in texts for one in parse_blocks(found, DAY)}
    assert {one.entry.id for one in parse_blocks(text, DAY)} == ids
    assert added(text, *([A] if mine != "entry" else [])) == text


def test_another_day_s_log_is_begun_with_its_day():
    assert add_short_session("", A, str(date(2026, 5, 2))).startswith("# Daily Log: 2026-05-02\n")
