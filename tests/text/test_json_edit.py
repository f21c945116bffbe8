import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.text import json_edit as json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(min_size=1), VALUES, max_size=4)
STYLES = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 2, 4, "\t", 0]),
        "separators": st.sampled_from([None, (",", ":"), (" , ", " : ")]),
        "ensure_ascii": st.booleans(),
    }
)


@st.composite
def documents(draw, objects=OBJECTS):
    text = json.dumps(draw(objects), **draw(STYLES))
    text = draw(st.sampled_from(["", "\ufeff", "\n", "  "])) + text
    text += draw(st.sampled_from(["", "\n", "\n\n", " "]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def load(text):
    return json.loads(text.removeprefix("\ufeff"))


@given(documents())
def test_items_say_where_everything_stands(text):
    top = json_text.root(text)
    found = {item.key: json_text.load(text, item) for item in json_text.items(text, top)}
    assert found == load(text)


@given(documents(), VALUES)
def test_what_is_inserted_is_there_and_deleting_it_gives_the_bytes_back(text, value):
    top = json_text.root(text)
    new = json_text.insert(text, top, "a new key", value)
    assert load(new) == load(text) | {"a new key": value}
    last = len(json_text.items(new, top)) - 1
    back = json_text.delete(new, top, last)
    if last:
        assert back == text
    else:
        assert load(back) == {}


@given(documents(st.dictionaries(st.text(min_size=1), VALUES, min_size=1)), st.data(), VALUES)
def test_replacing_and_deleting_touch_one_item(text, data, value):
    top = json_text.root(text)
    inside = json_text.items(text, top)
    index = data.draw(st.integers(0, len(inside) - 1))
    item = inside[index]
    new = json_text.replace(text, item, value)
    assert load(new) == load(text) | {item.key: value}
    assert new.startswith(text[: item.value])
    assert new.endswith(text[item.end :])
    assert load(json_text.delete(text, top, index)) == {
        key: kept for key, kept in load(text).items() if key != item.key
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "k": [\n    1\n  ]\n}'),
        ("{ }\r\n", '{\r\n  "k": [\r\n    1\r\n  ]\r\n}\r\n'),
        ('{"a":1}', '{"a":1,"k":[1]}'),
        ('{"a": 1}', '{"a": 1, "k": [1]}'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}'),
        ('{\n    "a": 1 }', '{\n    "a": 1,\n    "k": [\n        1\n    ] }'),
        (' {\n   "a": 1\n }', ' {\n   "a": 1,\n   "k": [\n      1\n   ]\n }'),
    ],
)
def test_an_insertion_is_written_as_its_neighbours_are(before, after):
    assert json_text.insert(before, json_text.root(before), "k", [1]) == after


def test_the_last_of_a_doubled_key_counts():
    text = '{"a": 1, "b": 2, "a": 3}'
    assert json_text.load(text, json_text.member(text, 0, "a")) == 3
