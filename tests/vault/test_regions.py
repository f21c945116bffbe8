import pytest
from cases import cased
from hypothesis import example, given, strategies as st

from memoria.vault.regions import DamagedRegion, find_region, put_region, remove_lines

BODY = "## Learned Skills\n\n- Run the tests."
# what is around a part: all line ends, blanks, half of a mark, a person's Markdown
ENDS = ("\n", "\r\n", "\r", "\n\n", "\u2028", "\x0b")
WORDS = (
    "# Mine", "text", " ", "\t", "\ufeff", "<!--", "-->", "a memoria:begin", "```", "é", "- [ ] x",
)  # fmt: skip
PIECES = st.sampled_from(ENDS + WORDS)
TEXTS = st.lists(PIECES, max_size=8).map("".join)
BODIES = st.lists(
    st.sampled_from(["- a", "- b", "\n", "\r\n", "", "## X", "é", "  c", "\u2028"]),
    min_size=1,
    max_size=5,
).map("\n".join)


@given(TEXTS, BODIES)
@example("\r", "x")
@example("\ufeff", "x")
@example("a\r\nb\n", "x")
def test_taking_it_out_gives_the_text_from_before(text, body):
    assert put_region(put_region(text, body), "") == text


@given(TEXTS, BODIES, TEXTS.map(lambda text: f"\n{text}"))
def test_what_a_person_adds_around_it_stays_to_the_byte(text, body, added):
    """Whatever follows the part, and whatever is put above it, is there before and after."""
    if not body.strip() or "\r" in text.replace("\r\n", ""):
        return  # a lone \r before a \n that comes back is no line of its own
    new = put_region(text, body)
    more = f"Above\n{new.removeprefix(chr(0xFEFF))}{added}"
    changed = put_region(more, "- another")
    found, was = find_region(changed), find_region(more)
    assert changed[: found.start] == more[: was.start]
    assert changed[found.end :] == more[was.end :]
    rest = put_region(changed, "")
    kept = [line for line in rest.replace("\r\n", "\n").split("\n") if line]
    outside = f"{more[: was.start]}\n{more[was.end :]}"
    assert kept == [line for line in outside.replace("\r\n", "\n").split("\n") if line]


@cased()
def test_an_edit_of_a_person_is_told_from_a_formatters(old, new, edited):
    text = put_region("# Mine\n", BODY).replace(old, new)
    assert find_region(text).edited == edited


BEGIN, END = put_region("", BODY).split("\n")[0], "<!-- memoria:end -->"


@cased()
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_damaged_marks_are_named_by_their_line(lines, reason, ending):
    text = ending.join([*lines, ""]).replace("BEGIN", BEGIN).replace("END", END)
    for change in (
        lambda: find_region(text),
        lambda: put_region(text, BODY),
        lambda: put_region(text, ""),
    ):
        with pytest.raises(DamagedRegion, match=reason):
            change()


@pytest.mark.parametrize("body", [BEGIN, f"a\n{END}\nb", "<!-- memoria:begin"])
def test_a_body_cannot_hold_a_mark(body):
    if "-->" not in body:
        assert put_region("", body)
        return
    with pytest.raises(ValueError, match="mark"):
        put_region("", body)


def test_a_person_may_delete_what_stood_above():
    text = put_region("# Mine\n", BODY)
    for above in ("", "\n", "# Other\n", "# Other\n\n\n", "# Other\r\n\r\n"):
        moved = above + text.removeprefix("# Mine\n\n")
        assert put_region(moved, "").rstrip("\r\n") == above.rstrip("\r\n")
        lines = put_region(f"{moved}After\n", "")
        assert lines.endswith("After\n")
        assert lines.split("\n")[-2] == "After"


def test_single_lines_go_and_a_persons_own_stay():
    text = put_region("# Mine\r\n", "- a\n- b\n- c").replace("- b", "- b\r\n- mine")
    left = remove_lines(text, lambda line: line == "- b")
    assert left == text.replace("- b\r\n", "")
    assert find_region(left).edited
    assert remove_lines("# Mine\n", lambda line: True) == "# Mine\n"
    assert remove_lines(text, lambda line: False) == text
