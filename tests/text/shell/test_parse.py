"""The commands within a shell call, seen through what agents and hostile texts wrap around them."""

from pathlib import Path

import pytest
from cases import cased, parts
from hypothesis import given, strategies as st

from memoria.text.shell.parse import parse_commands

FORCE = "git push --force"


def lines(text):
    return [" ".join((one.name, *one.words[1:])) for one in parse_commands(text)]


@cased()
def test_a_command_is_seen_through_what_is_wrapped_around_it(form, text):
    assert FORCE in lines(text), form


@cased()
def test_what_is_only_known_when_it_runs_is_not_seen(form, text):
    assert FORCE not in lines(text), form


@cased()
def test_a_text_is_no_command(form, text):
    assert FORCE not in lines(text), form


@cased()
def test_who_runs_it_is_told(text, under):
    (found,) = (one for one in parse_commands(text) if one.name == "pytest")
    assert found.under == under


@cased()
def test_files_that_it_writes(text, writes):
    assert parse_commands(text)[0].writes == writes


def test_a_here_document_is_what_the_command_is_given():
    first, second = parse_commands("cat <<A > a; cat <<B > b\none\nA\ntwo\nB")
    assert (first.body, first.writes, second.body, second.writes) == ("one", ("a",), "two", ("b",))


def test_nothing_is_deep_or_long_enough_to_hurt():
    assert parse_commands("$(" * 5_000 + "ls")
    assert len(parse_commands("`" * 10_001)) == 1
    assert len(parse_commands("bash -c " * 2_000 + "ls")) < 10
    assert len(parse_commands("sudo " * 5_000 + "ls")) < 20
    assert parse_commands("a" * 200_000)[0].name == "a" * 60_000
    assert parse_commands("") == parse_commands("\n;&|()") == ()


SIGNS = st.lists(
    st.sampled_from(
        (
            *("git", "push", " ", "\n", ";", "|", "&", "(", ")", "'", '"', "`", "$(", "${", "$"),
            *("\\", "<<EOF", "EOF", "<", ">", "#", "=", "bash -c ", "eval ", "sudo ", "{", "}"),
            *("$'", "é"),
        )
    ),
    max_size=40,
).map("".join)


@given(SIGNS)
def test_any_text_is_read_without_an_error(text):
    assert all(one.words and one.words[0] for one in parse_commands(text))


GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "guards.md"


@pytest.mark.parametrize(
    ("row", "test"),
    [
        ("Seen through", test_a_command_is_seen_through_what_is_wrapped_around_it),
        ("Not seen", test_what_is_only_known_when_it_runs_is_not_seen),
    ],
)
def test_the_guide_says_what_is_seen_through_and_what_is_not(row, test):
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    (line,) = (one for one in lines if one.startswith(f"| {row} |"))
    told = [one.strip() for one in line.split("|")[2].replace("`", "").split(",")]
    assert sorted(told) == sorted(
        form for form, _ in parts(Path(__file__).parent)[test.__name__][1]
    )
