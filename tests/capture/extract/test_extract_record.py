import json

import pytest
from hypothesis import given, strategies as st

from memoria.capture.extract.extract_record import decode, encode
from memoria.vault.entry import Conclusion, Draft, Extract, Fact, Statement, Subject

FACT = Fact("lesson", "Clocks differ.", "assistant", 4.5, 2)
SAID = Statement("Use uv", "always use uv", "tool_usage", standing=True, score=3.0)
EXTRACT = Extract(
    draft=Draft("Tokens", "On main.", ("q -> a",), ("UTC",), ("clocks",), ("rotate",)),
    facts=(FACT,),
    statements=(SAID,),
    branch="main",
    files=("src/tokens.py",),
    checks=(("pytest", True), ("ruff check", False)),
    scopes=("auth",),
    titled_by="commit",
    outside=False,
    subjects=(Subject(1, "the clock", (Conclusion("Use UTC.", "user", 2),), amends=True),),
    results=(FACT,),
)


def stored(extract=EXTRACT, **changes):
    return json.loads(json.dumps(encode(extract, "sha"))) | changes


def test_the_file_says_of_which_block_it_is():
    value = stored()
    assert value["sha"] == "sha"
    assert decode(value) == EXTRACT


def test_a_score_that_is_no_number_puts_no_order_out_of_order():
    value = stored()
    value["statements"][0] |= {"score": float("inf")}
    assert decode(value).statements[0].score == 0.0
    value["statements"][0] |= {"standing": "false"}  # no word of ours
    assert decode(value) is None


@pytest.mark.parametrize(
    "value",
    [
        *({}, [], None, "x", 1, {"draft": {}, "facts": [], "statements": []}),
        *(stored(draft=other) for other in (None, [], "x", {"title": "x"})),
        *(stored(facts=other) for other in (None, 1, "x", [1], ["x"], [{}], [None], {"a": 1})),
        *(stored(statements=other) for other in (None, 1, [1], [{}], [{"text": "x"}])),
        *(stored(checks=other) for other in (None, 1, [1], [["a"]], [["a", True, 2]])),
        *(
            stored(facts=[{**stored()["facts"][0], **other}])
            for other in ({"score": "high"}, {"score": None}, {"turn": "x"}, {"turn": 1e999})
        ),
        stored(facts=[{**stored()["facts"][0], "score": 10**400}]),
    ],
)  # fmt: skip
def test_what_is_no_extract_is_none(value):
    assert decode(value) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["title", "context", "kind", "text", "origin", "score", "turn", "quote"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*stored()]), json_values), st.booleans())
def test_no_value_whatever_its_types_stops_a_compile(changes, whole):
    found = decode(stored(**changes) if whole else changes)
    assert found is None or isinstance(found, Extract)
    assert found is None or decode(json.loads(json.dumps(encode(found, "")))) == found
