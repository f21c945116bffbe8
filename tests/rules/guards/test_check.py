"""A rule's check, as it stands in its note."""

import pytest
from cases import cased
from hypothesis import given, settings, strategies as st

from memoria.errors import UsageError
from memoria.rules.guards.check import LISTS, check_to_json, parse_check

FORCE = {
    "occasion": {"command": ["git push"]},
    "broken": {"with": ["--force", "-f", "+*"]},
    "instead": "git push --force-with-lease",
}


def test_a_check_is_read_and_written():
    found = parse_check(FORCE)
    assert found.occasion.get("command") == ("git push",)
    assert found.broken.get("with") == ("--force", "-f", "+*")
    assert check_to_json(found) == FORCE
    assert found.tools() == ("Bash", "PowerShell")


@cased(
    ({"occasion": {"command": ["x" * 201]}}, "at most 200 characters"),
    ({"occasion": {"command": ["rm"] * 21}}, "one to 20 patterns"),
)
def test_what_is_wrong_is_said_in_one_line(value, said):
    with pytest.raises(UsageError, match=said) as error:
        parse_check(value)
    assert "\n" not in str(error.value)


def test_a_tool_that_is_not_needed_every_day_may_be_forbidden():
    assert parse_check({"occasion": {"tools": ["WebSearch"]}}).tools() == ("WebSearch",)


WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=2, max_size=9).filter(
    lambda text: text.strip("*?/.! ") == text and len(text) > 1
)
PARTS = st.dictionaries(
    st.sampled_from(LISTS[1:]), st.lists(WORDS, min_size=1, max_size=3), max_size=4
)


@settings(max_examples=50)  # a check has few forms
@given(PARTS, PARTS, PARTS)
def test_what_is_written_reads_the_same(occasion, broken, needs):
    value = {"occasion": occasion | {"command": ["git"]}, "broken": broken, "needs": needs}
    found = parse_check(value)
    assert parse_check(check_to_json(found)) == found
    assert check_to_json(parse_check(check_to_json(found))) == check_to_json(found)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["occasion", "broken", "command", "x"]), inner)
    ),
)


@given(JSON)
def test_anything_else_is_one_error(value):
    try:
        assert parse_check(value)
    except UsageError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either is right
