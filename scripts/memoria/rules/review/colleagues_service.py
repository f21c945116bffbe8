"""Give the rules of colleagues as proposals for review: who has each, and how often it was said.

Who sends rules may be hostile, so they are bounded in length and number, what they claim is capped,
and one that hides something is left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from memoria.rules.model import MAX_RULE, MIN_RULE, PREFIX, Rule, build_rule, normal
from memoria.team.fact import RULE, TeamFact, parse_detail
from memoria.team.membership_store import read_membership
from memoria.team.mirror_store import NAME, Mirror
from memoria.text.numbers import format_count
from memoria.text.unicode import is_disguised, strip_hidden

if TYPE_CHECKING:
    from memoria.vault.entry import Category
    from memoria.workspace import Workspace

# cards: a review has some twenty cases, and more would hide one's own
_CARDS = 10
# sessions that one colleague's rule may claim: enough to come first, too few to drown another's
_MAX_SESSIONS = 20


def read_colleagues_rules(work: Workspace) -> list[Rule]:
    """Give the rules of colleagues, those of most people first."""
    member = read_membership(work.vault.state)
    author = member.author if member else ""
    groups: dict[str, list[TeamFact]] = {}
    for fact in Mirror(work.vault.state.root / NAME).facts(RULE):
        text = fact.text
        is_plain = text == strip_hidden(text) and not is_disguised(text) and "\n" not in text
        if fact.author != author and is_plain and MIN_RULE <= len(text) <= MAX_RULE:
            groups.setdefault(normal(text), []).append(fact)
    rules = map(_build_rule, groups.values())
    return sorted(rules, key=lambda rule: (-len(rule.sources), -rule.frequency, rule.id))[:_CARDS]


def _build_rule(facts: list[TeamFact]) -> Rule:
    """Make one rule of the same proposal of several colleagues."""
    first = min(facts, key=lambda fact: (fact.day, fact.author))
    counts: dict[str, int] = {}
    for fact in facts:
        count = parse_detail(fact).get("sessions")
        sessions = min(max(count, 1), _MAX_SESSIONS) if isinstance(count, int) else 1
        counts[fact.author] = max(counts.get(fact.author, 1), sessions)
    category = parse_detail(first).get("category")
    kind = cast("Category", category if category in PREFIX else "domain_knowledge")
    names = (f"{name} ({format_count(n, 'session')})" for name, n in sorted(counts.items()))
    authors = ", ".join(names)
    scope = (first.project,) if len({fact.project for fact in facts}) == 1 else ()
    return replace(
        build_rule(kind, first.text, scope, first.day, times=sum(counts.values())),
        sources=tuple(f"team/{name}" for name in sorted(counts)),
        quotes=(f'- "{first.text}" (a rule of {authors})',),
    )
