import json

import pytest

from memoria.errors import UsageError
from memoria.mcp.tools import TOOLS, listed, tool

# the twelve of the seed, by the names that they have there, and the vault's own
SEED = (
    *("status", "promote", "reject", "diff", "learn_from_review", "log_reward", "rewards"),
    *("start_session", "end_session", "log_mistake", "session_metrics", "experiment_report"),
)


def test_the_tools_are_those_of_the_seed_and_the_vault_s_own():
    own = ["search", "read", "query", "rules"]
    assert set(TOOLS) == {f"memory_{name}" for name in (*SEED, *own)}


def test_the_schemas_of_all_tools_take_little_of_a_context():
    assert len(json.dumps({"tools": listed()})) < 8_000


@pytest.mark.parametrize("one", listed(), ids=lambda one: one["name"])
def test_each_says_what_it_is_and_does(one):
    hints = one["annotations"]
    assert one["title"]
    assert one["description"].endswith(".")
    assert isinstance(hints["readOnlyHint"], bool)
    assert isinstance(hints["openWorldHint"], bool)
    # the two others mean something for what writes alone
    writes = not hints["readOnlyHint"]
    assert [isinstance(hints.get(f"{n}Hint"), bool) for n in ("destructive", "idempotent")] == [
        writes,
        writes,
    ]
    assert one["inputSchema"]["type"] == "object"
    assert set(one["inputSchema"].get("required", ())) <= set(one["inputSchema"]["properties"])


def test_what_takes_a_rule_out_of_force_is_destructive_and_reading_is_reading():
    hints = {one["name"]: one["annotations"] for one in listed()}
    assert [name for name, one in hints.items() if one.get("destructiveHint")] == ["memory_reject"]
    reading = {name for name, one in hints.items() if one["readOnlyHint"]}
    assert {"memory_search", "memory_read", "memory_rules", "memory_diff"} <= reading
    assert not {"memory_promote", "memory_log_reward", "memory_query"} & reading


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("memory_serch", "memory_search"),
        ("buildlog_status", "memory_status"),
        ("x", "memory_search, memory_read"),
    ],
)
def test_an_unknown_tool(name, near):
    with pytest.raises(UsageError, match=near):
        tool(name)
