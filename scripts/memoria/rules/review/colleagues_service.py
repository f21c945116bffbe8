"""Give the rules of colleagues as proposals for review: who has each, and how often it was said.

A colleague's rule is no rule here; a person decides about it as about any that waits. The same rule
of several colleagues is one card. The trap: who sends rules may be hostile, so they are bounded in
length and number, what they claim is capped, and one that hides something is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memoria.rules.model import MAX_RULE, MIN_RULE, PREFIX, Rule, normal, rule_id
from memoria.team.fact import RULE, detail
from memoria.team.membership_store import membership
from memoria.team.mirror_store import NAME, Mirror
from memoria.text.unicode import disguised, strip_hidden

if TYPE_CHECKING:
    from memoria.team.fact import Fact
    from memoria.vault.entry import Category
    from memoria.workspace import Workspace

# cards: a review has some twenty cases, and more would hide one's own
_MOST = 10
# sessions that one colleague's rule may claim: enough to come first, too few to drown another's
_SESSIONS = 20


def colleagues_rules(work: Workspace) -> list[Rule]:
    """Give the rules of colleagues, those of most people first."""
    member = membership(work.vault.state)
    own = member.author if member else ""
    groups: dict[str, list[Fact]] = {}
    for fact in Mirror(work.vault.state.root / NAME).facts(RULE):
        if fact.author != own and _is_rule(fact.text):
            groups.setdefault(normal(fact.text), []).append(fact)
    rules = [_rule(group) for group in groups.values()]
    return sorted(rules, key=lambda one: (-len(one.sources), -one.frequency, one.id))[:_MOST]


def _is_rule(text: str) -> bool:
    is_plain = text == strip_hidden(text) and not disguised(text)
    return MIN_RULE <= len(text) <= MAX_RULE and "\n" not in text and is_plain


def _rule(facts: list[Fact]) -> Rule:
    """Make one rule of the same proposal of several colleagues."""
    first = min(facts, key=lambda fact: (fact.day, fact.author))
    said: dict[str, int] = {}
    for fact in facts:
        said[fact.author] = max(said.get(fact.author, 1), _sessions(fact))
    category = _category(first)
    who = ", ".join(f"{name} ({_counted(times)})" for name, times in sorted(said.items()))
    projects = {fact.project for fact in facts}
    return Rule(
        rule_id(category, first.text),
        first.text,
        category,
        "waiting",
        sum(said.values()),
        "low",
        (first.project,) if len(projects) == 1 else (),
        first.day,
        created=first.day,
        sources=tuple(f"team/{name}" for name in sorted(said)),
        quotes=(f'- "{first.text}" (a rule of {who})',),
    )


def _counted(sessions: int) -> str:
    return "1 session" if sessions == 1 else f"{sessions} sessions"


def _sessions(fact: Fact) -> int:
    claimed = detail(fact).get("sessions")
    return min(max(claimed, 1), _SESSIONS) if isinstance(claimed, int) else 1


def _category(fact: Fact) -> Category:
    name = detail(fact).get("category")
    return cast("Category", name if name in PREFIX else "domain_knowledge")
