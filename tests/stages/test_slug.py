import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.stages.patch import SLUG
from memoria.stages.schema import RESERVED
from memoria.stages.slug import LONGEST, slug


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Token expiry", "token-expiry"),
        ("Don't force-push to `main`!", "dont-force-push-to-main"),
        ("Caf\u00e9 au lait", "cafe-au-lait"),
        ("CON", ""),
        ("\u6771\u4eac", ""),
        ("word " * 40, "-".join(["word"] * 12)),
    ],
)
def test_names(title, name):
    assert slug(title) == name


@given(st.text(max_size=150))
def test_a_slug_is_a_legal_file_name_or_none(title):
    name = slug(title)
    assert not name or SLUG.match(name)
    assert name not in RESERVED
    assert len(name) <= LONGEST
