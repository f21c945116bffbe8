from datetime import date

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.vault import frontmatter
from memoria.vault.frontmatter import emit, parse, with_values

# values that YAML of one version or the other takes for something else than they are
ODD = [
    "", "no", "yes", "on", "off", "y", "n", "true", "null", "~", "-", "?", ":", "|", ">", "%", "@",
    "`", "2026-04-01", "2026-13-45", "12:30", "3.10", "010", "1_000", "0x1F", "1e5", "+1", "a: b",
    "a #b", "#a", "- a", "[a]", "{a: b}", "*a", "&a", "!a", "a\nb", "\\", '"', "'", "=", "<<",
    "[[concepts/x]]", "Q: why?", "C++ & Java", "\x7f", "\x85", "\u2028", "\ufeff", "\ud800",
    "\uffff",
]  # fmt: skip
texts = st.sampled_from(ODD) | st.text(max_size=12)
scalars = texts | st.booleans() | st.integers(-(10**17), 10**17) | st.dates() | st.none()
data = st.dictionaries(
    st.sampled_from(["title", "aliases", "tags", "sources", "created", "n"]),
    scalars | st.lists(texts, max_size=3),
    max_size=5,
)
# frontmatter as people and other programs write it
LINES = [
    "title: A title\n", 'title: "Q: \\"why\\"?"\n', "title: 'it''s'\n", "n: 1\n", "n: no\n",
    "tags: [a, b]\n", "tags:\n  - a\n  - b\n", "tags:\n- a\n", "tags: [a,\n  b]\n", "tags: a, b\n",
    "# a comment\n", "\n", "created: 2026-04-01 # day\n", '"quoted key": x\n', "a key: x\n",
    "text: |\n  two\n  lines\n", "text: >-\n  folded\n\n  text\n", "map: {a: [1, 2]}\n",
    "map:\n  a: 1\n  b:\n    - c\n", "? old\n: style\n", "empty:\n", "é: ü\n", "n: 2\r\n", "...\n",
]  # fmt: skip
fronts = st.lists(st.sampled_from(LINES), max_size=6).map("".join)


def written(value):
    """Give what a file can hold of a value: half a character is none."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
    return [written(item) for item in value] if isinstance(value, list) else value


def read(front):
    try:
        return parse(front)
    except ValueError as error:
        return str(error)


@cased(("a: 2026-04-01\n", {"a": date(2026, 4, 1)}))
def test_what_is_read(front, expected):
    assert parse(front) == expected


@cased()
def test_what_is_refused_and_why(front, told):
    with pytest.raises(ValueError, match=r".") as caught:
        parse(front)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "front",
    [
        "a: " + "[" * 30_000,
        "a: " + "{a: " * 15_000,
        "- " * 30_000 + "a",
        "a:\n" + "".join(" " * n + "a:\n" for n in range(1, 200)),
        "? " * 30_000,
        "a: " + "[x, " * 40 + "]" * 40 + "\n",
        "".join(f"a{n}: &a{n} [{'*a' + str(n - 1) if n else 'x'}]\n" for n in range(30)),
    ],
    ids=["lists", "maps", "items", "indents", "keys", "below-the-count", "bomb"],
)
def test_deep_and_swelling_text_is_refused_and_harms_nothing(front):
    # the parser in C would take the process down with it
    with pytest.raises(ValueError, match=r"."):
        parse(front)


# pieces of what `emit` writes, whole, broken and put together wrongly
PIECES = [
    "title", "tags", "a-1", ": ", ":", "\n", "  - ", "  ", "- ", "[", "]", ", ", ",", '"', "{", "}",
    "no", "3.10", "2026-04-01", "x", "#", "'", "\\", "\t", "\x85", "\u2028", "é", "1e5", "-", ".",
]  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
emitted = data.map(lambda values: "".join(emit(key, value) for key, value in values.items()))


@given(pieces | emitted | fronts)
def test_what_is_read_without_yaml_is_what_yaml_reads(front):
    def read_by(parse_front):
        try:
            values, starts = parse_front(front)
        except ValueError:
            return "refused"
        return repr(values), starts

    assert read_by(frontmatter._parse_with_starts) == read_by(frontmatter._parse_yaml)


@given(data)
def test_what_is_written_is_read_again(given_data):
    front = "".join(emit(key, value) for key, value in given_data.items())
    assert parse(front) == {key: written(value) for key, value in given_data.items()}


@given(fronts, data.filter(bool))
def test_setting_keys_changes_only_them(front, changes):
    old = read(front)
    if isinstance(old, str):
        return
    new = with_values(front, changes)
    assert parse(new) == {**old, **{key: written(value) for key, value in changes.items()}}
    lines = new.replace("\r\n", "\n").split("\n")
    for line in front.replace("\r\n", "\n").split("\n"):
        if line.startswith("#"):
            assert line in lines


@cased()
def test_the_lines_of_other_keys_stay(front, changes, expected):
    assert with_values(front, changes) == expected
