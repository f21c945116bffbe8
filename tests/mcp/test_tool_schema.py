import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.errors import UsageError
from memoria.mcp.tool_schema import checked
from memoria.mcp.tools import TOOLS, tool


@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        ("memory_search", {"query": "a"}, {"query": "a", "k": 8, "scope": "", "since": ""}),
        ("memory_search", {"query": "a", "k": "3"}, {"k": 3}),
        ("memory_search", {"query": "a", "k": 3.0}, {"k": 3}),
        ("memory_search", {"query": "a", "k": 10**30}, {"k": 20}),
        ("memory_search", {"query": "a", "k": -5}, {"k": 1}),
        ("memory_search", {"query": "a", "k": None, "scope": None}, {"k": 8, "scope": ""}),
        ("memory_search", {"query": "a", "scope": "Daily"}, {"scope": "daily"}),
        ("memory_search", {"query": "half \ud83d"}, {"query": "half ?"}),
        ("memory_promote", {"ids": "wf-1"}, {"ids": ("wf-1",), "target": ""}),
        ("memory_promote", {"ids": ["a", " a "], "target": "claude_md"}, {"target": "claude-md"}),
        ("memory_promote", {"ids": ["a", " a "]}, {"ids": ("a",)}),
        ("memory_log_reward", {"skill_id": "wf-1", "reward": "-1"}, {"reward": -1}),
        ("memory_log_reward", {"skill_id": "wf-1", "reward": 0}, {"reward": 0}),
        ("memory_rules", {"category": "tool-usage"}, {"category": "tool_usage"}),
    ],
)
def test_what_is_understood(name, given, found):
    assert found.items() <= checked(tool(name), given).items()


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("memory_search", {}, "query is missing"),
        ("memory_search", {"query": ""}, "query is missing"),
        ("memory_search", {"query": "  "}, "query is empty"),
        ("memory_search", {"query": 5}, "query has to be text"),
        ("memory_search", {"query": ["a"]}, "query has to be text"),
        ("memory_search", {"query": "a" * 5_000}, "at most 4000"),
        ("memory_search", {"query": "a", "k": "many"}, "k has to be a whole number"),
        ("memory_search", {"query": "a", "k": True}, "k has to be a whole number"),
        ("memory_search", {"query": "a", "k": 1.5}, "k has to be a whole number"),
        ("memory_search", {"query": "a", "k": float("inf")}, "k has to be a whole number"),
        ("memory_search", {"query": "a", "k": float("nan")}, "k has to be a whole number"),
        ("memory_search", {"query": "a", "k": "9" * 999}, "k has to be a whole number"),
        ("memory_search", {"query": "a", "scope": "all of it"}, "one of articles, daily, all"),
        ("memory_search", {"query": "a", "scope": {"a": 1}}, "one of articles, daily, all"),
        ("memory_search", {"q": "a"}, "no argument 'q'; it takes: query, k"),
        ("memory_status", {"verbose": True}, "it takes: none"),
        ("memory_promote", {"ids": []}, "ids is missing: rule ids"),
        ("memory_promote", {"ids": [1]}, "a list of rule ids"),
        ("memory_promote", {"ids": {"a": 1}}, "a list of rule ids"),
        ("memory_promote", {"ids": [f"wf-{n}" for n in range(11)]}, "at most 10 at once"),
        ("memory_promote", {"ids": ["a"], "target": "/etc/passwd"}, "one of claude-md"),
        ("memory_log_reward", {"skill_id": "wf-1"}, "reward is missing"),
        ("memory_log_reward", {"skill_id": "wf-1", "reward": 5}, "one of 1, 0, -1"),
        ("memory_log_reward", {"skill_id": "wf-1", "reward": True}, "one of 1, 0, -1"),
    ],
)
def test_what_is_not_says_what_would_do(name, given, said):
    with pytest.raises(UsageError) as error:
        checked(tool(name), given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


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
        found = set(checked(TOOLS[name], arguments))
    except UsageError as error:
        said = str(error)
    assert found == set(TOOLS[name].arguments)
    assert len(said) < 500
