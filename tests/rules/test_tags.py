import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.tags import MOST, tags


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Always validate inputs at the boundary", ("validation",)),
        ("Run the test suite before you commit", ("testing", "git")),
        ("`datetime.utcnow()` is deprecated in Python 3.12", ("dates", "python")),
        ("Use pnpm, not npm", ("dependencies",)),
        # plain English that is a technology's name elsewhere
        ("Let the rest go on", ()),
        ("Keep the scroll container of the list narrow", ()),
        ("Rebuild the docker image first", ("docker",)),
        ("", ()),
    ],
)
def test_tags(text, found):
    assert tags(text) == found


@given(st.text(max_size=300))
def test_tags_are_few_and_none_comes_twice(text):
    found = tags(text)
    assert len(found) <= MOST
    assert len(set(found)) == len(found)
    assert tags(text.upper()) == tags(text.upper().lower())
