"""List the tools that a model may call, as the protocol gives them.

All schemas stand in the context of every session: together they are below 8,000 characters.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from memoria.errors import UsageError
from memoria.mcp.tool_schema import Argument, Tool
from memoria.rules.model import PREFIX, STATUSES
from memoria.rules.promotion.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Mapping

# characters: a review of a few hundred comments
_REVIEW = 100_000
_PROJECT = Argument(about="part of its name; default: this folder's")
_IDS = Argument("ids", "rule ids", required=True, most=10)
_EXPERIMENT = {
    "experiment": Argument(about="id; default: the running or last"),
    "project": _PROJECT,
}
_LIMIT = Argument("number", most=50, least=1, default=20)

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "memory_search",
            "Search memory",
            "Search what earlier sessions learned: decisions, fixes, gotchas, rules. Use it first; "
            "it gives ids with snippets, memory_read gives the text.",
            {
                "query": Argument(about="key words, error text", required=True),
                "k": Argument("number", "results, up to 20", most=20, least=1, default=8),
                "scope": Argument("choice", choices=("articles", "daily", "all")),
                "project": Argument(about="part of its name; default: all"),
                "since": Argument(about="YYYY-MM-DD"),
                "kind": Argument(about="concept, rule, qa, entry, ..."),
            },
        ),
        Tool(
            "memory_read",
            "Read memory",
            "Read a note or log by an id from memory_search, whole or one section.",
            {
                "id": Argument(
                    about="concepts/x, daily/2026-04-01, index, a rule's id", required=True
                ),
                "section": Argument(about="heading, or an entry's title"),
                "offset": Argument("number", most=10_000_000),
                "limit": Argument("number", "characters", most=8_000, least=200, default=4_000),
            },
        ),
        Tool(
            "memory_query",
            "Ask memory",
            "Answer a question from the vault, with links. Slower than memory_search and may cost "
            "a model call; for what several notes say together.",
            {"question": Argument(required=True)},
            writes=True,
            repeats=True,
            asks=True,
        ),
        Tool(
            "memory_status",
            "Memory status",
            "What the vault holds: notes, sessions, rules by category and confidence, what waits.",
            {},
        ),
        Tool(
            "memory_rules",
            "List rules",
            "List the user's rules with ids, strongest first.",
            {
                "category": Argument("choice", choices=tuple(PREFIX)),
                "status": Argument("choice", choices=STATUSES),
                "words": Argument(about="only rules with these words"),
                "limit": _LIMIT,
                "offset": Argument("number", most=100_000),
            },
        ),
        Tool(
            "memory_diff",
            "Rules to review",
            "List the rules that wait for the user's decision, with the words they rest on.",
            {"limit": _LIMIT},
        ),
        Tool(
            "memory_promote",
            "Propose to promote rules",
            "Propose to approve rules and write them into the project's CLAUDE.md or another "
            "target. The user decides: asked at once where the client can, else in `memoria "
            "review`.",
            {
                "ids": _IDS,
                "target": Argument("choice", "default claude-md", choices=tuple(TARGETS)),
            },
            writes=True,
            repeats=True,
        ),
        Tool(
            "memory_reject",
            "Propose to reject rules",
            "Propose to reject rules that are wrong. The user decides, as with memory_promote.",
            {"ids": _IDS},
            writes=True,
            destroys=True,
            repeats=True,
        ),
        Tool(
            "memory_learn_from_review",
            "Learn from a review",
            "Take the general rules out of a code review's text and file them for the user's "
            "decision.",
            {
                "review": Argument(about="its text", required=True, most=_REVIEW),
                "name": Argument(about="e.g. PR 12", most=80),
            },
            writes=True,
            repeats=True,
            asks=True,
        ),
        Tool(
            "memory_log_reward",
            "Note a rule's worth",
            "Note whether a rule helped. Kept as the model's opinion, which is shown to the user "
            "and does not count as theirs.",
            {
                "skill_id": Argument(about="rule id", required=True, most=40),
                "reward": Argument("choice", "1 helped, 0 not, -1 hurt", True, (1, 0, -1)),
                "context": Argument(about="e.g. type-errors", most=200),
                "outcome": Argument(about="what came of it", most=500),
            },
            writes=True,
        ),
        Tool(
            "memory_rewards",
            "Rewards of rules",
            "Show what rules earned and what is believed of them.",
            {"skill_id": Argument(about="only this rule", most=40), "limit": _LIMIT},
        ),
        Tool(
            "memory_start_session",
            "Start a tracked session",
            "Start a tracked session of the running experiment, outside Claude Code (its sessions "
            "are tracked by themselves). A coin gives the arm.",
            {"error_class": Argument(most=80), "project": _PROJECT},
            writes=True,
        ),
        Tool(
            "memory_end_session",
            "End the tracked session",
            "End the tracked session; gives its errors.",
            {"project": _PROJECT},
            writes=True,
        ),
        Tool(
            "memory_log_mistake",
            "Log an error",
            "Log an error of the tracked session (one is started if none is open); says whether "
            "it was met before.",
            {
                "error_class": Argument(about="type-errors, lint, ...", required=True, most=80),
                "description": Argument(required=True, most=1_000),
                "project": _PROJECT,
            },
            writes=True,
        ),
        Tool(
            "memory_session_metrics",
            "Session metrics",
            "Rates of an experiment so far: sessions, errors, repeats (RMR) by arm.",
            _EXPERIMENT,
        ),
        Tool(
            "memory_experiment_report",
            "Experiment report",
            "Whether memory helps: the verdict with its figures and caveats.",
            _EXPERIMENT,
        ),
    )
}


def tool(name: str) -> Tool:
    """Give a tool by its name; UsageError names the nearest."""
    found = TOOLS.get(name)
    if found is None:
        near = get_close_matches(name[:80], TOOLS, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(TOOLS)}"
        raise UsageError(f"there is no tool {name[:80]!r}; {hint}")
    return found


def listed() -> list[dict[str, Any]]:
    """Give all tools as the protocol lists them."""
    return [one.described for one in TOOLS.values()]
