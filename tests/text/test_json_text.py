import json

from cases import cased
from hypothesis import given, strategies as st

from memoria.text import json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(min_size=1), VALUES, max_size=4)
STYLES = st.fixed_dictionaries(
    {"indent": st.sampled_from([None, 2, 4, "\t", 0]), "ensure_ascii": st.booleans()}
)


@given(OBJECTS, STYLES, st.sampled_from(["\n", "\r\n"]), VALUES, st.booleans())
def test_a_document_keeps_its_style_and_its_bytes_where_nothing_changes(
    value, style, newline, new, is_marked
):
    mark = "\ufeff" * is_marked
    text = mark + f"{json.dumps(value, **style)}\n".replace("\n", newline)
    assert json_text.format_like(text, value) == text
    changed = json_text.format_like(text, value | {"k": new})
    assert json_text.load(changed) == value | {"k": new}
    # Python's floats alone have other forms than the same numbers of a person
    assert json_text.format_like(changed, value) == text or not value


@cased()
def test_what_is_new_is_written_as_its_neighbours_are(before, after):
    value = json_text.load(before) | {"k": [1]}
    assert json_text.format_like(before, value) == after
