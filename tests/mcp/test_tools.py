import json
import math

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.errors import UsageError
from memoria.mcp.tools import TOOLS, find_tool, parse_arguments

# the twelve of the seed, by the names that they have there, and the vault's own
SEED = (
    *("status", "promote", "reject", "diff", "learn_from_review", "log_reward", "rewards"),
    *("start_session", "end_session", "log_mistake", "session_metrics", "experiment_report"),
)
OWN = ("search", "read", "query", "rules")
LISTED = [one.described for one in TOOLS.values()]


def test_the_tools_are_those_of_the_seed_and_the_vault_s_own_and_take_little_of_a_context():
    assert set(TOOLS) == {f"memory_{name}" for name in (*SEED, *OWN)}
    assert len(json.dumps({"tools": LISTED})) < 8_000
    assert all(one["title"] and one["description"].endswith(".") for one in LISTED)
    assert sum(len(one["inputSchema"]["properties"]) for one in LISTED) == 38


def test_what_takes_a_rule_out_of_force_is_destructive_and_reading_is_reading():
    hints = {one["name"]: one["annotations"] for one in LISTED}
    assert [name for name, one in hints.items() if one.get("destructiveHint")] == ["memory_reject"]
    reading = {name for name, one in hints.items() if one["readOnlyHint"]}
    assert {"memory_search", "memory_read", "memory_rules", "memory_diff"} <= reading
    assert not {"memory_promote", "memory_log_reward", "memory_query"} & reading
    # two hints mean something for what writes alone
    assert all(("idempotentHint" in one) != one["readOnlyHint"] for one in hints.values())


@pytest.mark.parametrize(
    ("name", "near"), [("buildlog_status", "memory_status"), ("x", "memory_search, memory_read")]
)
def test_an_unknown_tool(name, near):
    with pytest.raises(UsageError, match=near):
        find_tool(name)


@cased(
    ("search", {"query": "a", "k": 10**30}, {"k": 20}),
    ("search", {"query": "a" * 5_000}, "at most 4000"),
    ("search", {"query": "a", "k": math.nan}, "k has to be a whole number"),
    ("search", {"query": "a", "k": "9" * 999}, "k has to be a whole number"),
    ("promote", {"ids": [f"wf-{n}" for n in range(11)]}, "at most 10 at once"),
)
def test_what_is_understood_and_what_is_not(name, given, found):
    if isinstance(found, str):
        with pytest.raises(UsageError, match=found) as error:
            parse_arguments(find_tool(f"memory_{name}"), given)
        assert "\n" not in str(error.value)
    else:
        assert found.items() <= parse_arguments(find_tool(f"memory_{name}"), given).items()


@given(
    st.sampled_from(sorted(TOOLS)),
    st.dictionaries(
        st.sampled_from(sorted({name for one in TOOLS.values() for name in one.arguments})),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
        max_size=4,
    ),
)
def test_anything_is_checked_or_refused_in_a_line(name, arguments):
    said, found = "", set(TOOLS[name].arguments)
    try:
        found = set(parse_arguments(TOOLS[name], arguments))
    except UsageError as error:
        said = str(error)
    assert found == set(TOOLS[name].arguments)
    assert len(said) < 500
