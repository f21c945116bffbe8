from cases import cased
from hypothesis import given, strategies as st

from memoria.text.merge import format_diff, merge_if_apart, merge_texts

BASE = "a\nb\nc\n"


@cased()
def test_two_changes_of_a_text(ours, theirs, expected):
    assert merge_texts(BASE, ours, theirs) == expected


def test_one_of_far_too_many_lines_is_left():
    assert merge_texts("a\n", "a\nb\n", "\n" * 60_000) is None


TEXT = st.lists(st.sampled_from("abcd"), max_size=8).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


# each line once: which of two equal lines was moved cannot be told, and then one may come twice
ONCE = st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(ONCE, ONCE, st.integers(0, 8))
def test_an_addition_that_is_in_already_comes_no_second_time(base, ours, at):
    lines = base.splitlines(keepends=True)
    theirs = "".join([*lines[:at], "theirs\n", *lines[at:]])
    both = merge_texts(base, ours, theirs)
    if both is not None:
        assert both.count("theirs\n") == 1
        # or it is put aside: where ours moved the lines around it, what is there is not recognised
        assert merge_texts(base, both, theirs) in {both, None}


@given(TEXT, st.integers(0, 8), st.integers(0, 8))
def test_additions_are_both_there_and_nothing_comes_twice(base, at, other):
    lines = base.splitlines(keepends=True)
    ours = "".join([*lines[:at], "ours\n", *lines[at:]])
    theirs = "".join([*lines[:other], "theirs\n", *lines[other:]])
    both = merge_texts(base, ours, theirs)
    assert both is not None
    assert [line for line in both.splitlines(keepends=True) if line in set(lines)] == lines
    assert both.count("ours\n") == both.count("theirs\n") == 1
    # as after a crash: what holds both already stays as it is
    assert merge_texts(base, ours, both) == both
    assert merge_texts(base, both, theirs) == both


FIVE = "a\nb\nc\nd\ne\n"


@cased((FIVE, "mine\n", "mine\n"), ("", FIVE, ""))
def test_changes_that_touch_are_left(one, other, wanted):
    assert merge_if_apart(FIVE, one, other) == wanted
    assert merge_if_apart(FIVE, other, one) == wanted


def test_the_difference_is_one_that_patch_reads():
    old = '{\n  "env": {\n    "KEY": "hidden"\n  },\n  "b": "c\u2028d"\n}'
    said = format_diff(old, old.replace('d"\n}', 'd",\n  "e": 1\n}'), "settings.json")
    assert said.startswith("--- settings.json\n+++ settings.json\n@@ ")
    assert '-  "b": "c\u2028d"\n+  "b": "c\u2028d",\n' in said
    assert said.endswith(" }\n\\ No newline at end of file\n")
    assert "hidden" not in said
    assert format_diff(old, old, "settings.json") == ""


@given(st.text())
def test_a_difference_from_nothing_holds_the_whole_text(text):
    rows = format_diff("", text, "x").split("\n")[3:-1]
    assert "\n".join(row[1:] for row in rows if row[0] == "+") == text.removesuffix("\n")
