"""Make skills of rules with a note and of the patterns of all entries: each once, counted, rated.

A skill is a rule as agents and people are given it: its sources are base names of files; without a
note its path is "".

What a person or a compile made a note of keeps the note's id, words and status; what has none is
gathered here by `merging`, and its id is that of its earliest words: a shorter paraphrase that
comes later must not give it another one. Two notes are never made one here, however alike: that is
for a person to decide. A frequency counts sessions and written entries, not lines, or who copies a
file three times is three times as sure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from memoria.rules.model import Rule, confidence, is_recent, normal, rule_id
from memoria.text.markdown import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from memoria.rules.insights.notebook import Pattern
    from memoria.rules.model import Confidence

_SESSION = 8  # of a session's id: what a rule's note keeps of it
_QUOTES = 5  # lines of evidence that a new note begins with


@dataclass
class Item:
    """One wording: the rule whose it is, and the patterns that have these words."""

    text: str
    rule: Rule | None = None
    patterns: list[Pattern] = field(default_factory=list)


def items(rules: Iterable[Rule], patterns: Iterable[Pattern]) -> tuple[Item, ...]:
    """Gather what has the same words, rules first (oldest first), then patterns in their order."""
    all_ = [Item(rule.text, rule) for rule in sorted(rules, key=lambda row: (row.created, row.id))]
    by_words: dict[str, Item] = {}
    for item in all_:
        for name in (item.text, *(item.rule.aliases if item.rule else ())):
            by_words.setdefault(normal(name), item)
    noted = dict(by_words)
    for pattern in patterns:
        words = normal(pattern.insight)
        if words and words not in by_words:
            # a rule with its reason, or as an entry tells who said it, is that rule
            whole = next((item for text, item in noted.items() if text in words), None)
            by_words[words] = whole or Item(pattern.insight)
            all_ += [] if whole else [by_words[words]]
        if words:
            by_words[words].patterns.append(pattern)
    return tuple(all_)


def skills(
    gathered: Sequence[Item], groups: Iterable[Sequence[int]], today: date
) -> tuple[Rule, ...]:
    """Make the skills of groups of items, most often seen first.

    `groups` are indices of `gathered` that say the same.
    """
    made: list[Rule] = []
    for group in groups:
        noted = [gathered[at] for at in group if gathered[at].rule]
        rest = [gathered[at] for at in group if not gathered[at].rule]
        if noted:
            made += [_noted([item, *(rest if item is noted[0] else [])], today) for item in noted]
        else:
            made.append(_unnoted(rest, today))
    return tuple(sorted(made, key=lambda skill: (-skill.frequency, skill.created, skill.id)))


def _noted(group: list[Item], today: date) -> Rule:
    rule = group[0].rule
    assert rule is not None  # noqa: S101 - the caller put the note first
    patterns = [pattern for item in group for pattern in item.patterns]
    sessions = _sessions(rule.sessions, patterns)
    frequency = max(rule.frequency, len(sessions))
    last = max([rule.updated, *(str(pattern.date) for pattern in patterns)])
    names = [source.rsplit("/", 1)[-1] for source in rule.sources]
    return replace(
        rule,
        frequency=frequency,
        confidence=_rated(frequency, last, today),
        sources=_once([*names, *(pattern.source for pattern in patterns)]),
        tags=rule.tags or tags(rule.text),
        aliases=_once([*rule.aliases, *(item.text for item in group[1:])]),
        updated=last,
        sessions=sessions,
    )


def _unnoted(group: list[Item], today: date) -> Rule:
    main, *others = group
    patterns = [pattern for item in group for pattern in item.patterns]
    category = main.patterns[0].category
    sessions = _sessions((), patterns)
    days = sorted(str(pattern.date) for pattern in patterns)
    quotes = (
        f'- "{inert(row.insight)}" ([[daily/{row.source.removesuffix(".md")}]])' for row in patterns
    )
    return Rule(
        id=rule_id(category, main.text),
        text=main.text,
        category=category,
        status="waiting",
        frequency=len(sessions),
        confidence=_rated(len(sessions), days[-1], today),
        scope=_once(pattern.project for pattern in patterns if pattern.project),
        updated=days[-1],
        created=days[0],
        sources=_once(pattern.source for pattern in patterns),
        tags=tags(main.text),
        aliases=_once(item.text for item in others),
        sessions=sessions,
        quotes=_once(quotes)[:_QUOTES],
    )


def as_rule(skill: Rule) -> Rule:
    """Give the rule that a skill without a note would become."""
    sources = tuple(f"daily/{name}" for name in skill.sources)
    return replace(skill, sources=sources, path="", pinned=False)


def _sessions(earlier: Iterable[str], patterns: Iterable[Pattern]) -> tuple[str, ...]:
    new = (
        pattern.entry[:_SESSION] if pattern.origin == "captured" else pattern.entry
        for pattern in sorted(patterns, key=lambda pattern: pattern.date)
    )
    return _once([*earlier, *new])


def _rated(frequency: int, last: str, today: date) -> Confidence:
    rated = confidence(frequency)
    return "medium" if rated == "high" and not is_recent(last, today) else rated


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


# -- Tags ------------------------------------------------------------------------------------------

# Technologies and concerns by which rules are gathered: a table and not a model, since tags are
# worth something only while the same thing has the same tag. A tag: the words that stand for it, in
# lower case; an ending in * takes any word that begins so. Words that are also plain English count
# only in a spelling that is the technology's own.
_WORDS = {
    "api": "api apis endpoint* rest-api graphql grpc openapi swagger webhook*",
    "async": "async asyncio await coroutine* concurren* thread* goroutine* parallel*",
    "auth": "auth oauth* jwt login token* password* permission* session-token* sso",
    "ci": "ci pipeline* workflow-file* github-actions jenkins",
    "config": "config* setting* env dotenv environment-variable*",
    "database": "database* db sql postgres* mysql sqlite* mongo* migration* orm schema* quer*",
    "dates": "datetime* timezone* utc timestamp* date dates",
    "dependencies": "dependenc* package* lockfile* pnpm npm yarn pip poetry uv cargo",
    "deploy": "deploy* release* rollout* staging production",
    "docker": "docker* containerfile* containerd podman kubernetes kubectl k8s helm",
    "docs": "docs documentation readme changelog docstring* comment*",
    "error": "error* exception* failure* retry retries retried traceback* panic*",
    "frontend": "frontend react vue svelte angular component* html dom",
    "git": "git commit* branch* rebase* merge* push* pull-request* worktree*",
    "javascript": "javascript node nodejs js eslint jest vitest",
    "lint": "lint* ruff eslint prettier formatter* formatting golangci-lint",
    "logging": "log logs logging logger* stdout stderr tracing",
    "python": "python pytest mypy ruff pip django flask fastapi pydantic dataclass* asyncio",
    "review": "review* code-review*",
    "security": "security secret* credential* vulnerab* sanitiz* sanitis* xss csrf injection",
    "shell": "shell bash zsh powershell",
    "testing": "test tests testing tested pytest unittest fixture* mock* jest vitest coverage e2e",
    "types": "type types typing typed mypy pyright tsc generics",
    "typescript": "typescript tsc ts tsconfig",
    "validation": "validat* input inputs parse* parsing",
}


# of each tag the whole words, and the beginnings
_TAGS = {
    tag: (frozenset(words.split()), tuple(word[:-1] for word in words.split() if word[-1] == "*"))
    for tag, words in _WORDS.items()
}
_TOKEN = re.compile(r"[a-z0-9][a-z0-9.+#-]*[a-z0-9+#]|[a-z0-9]")
MOST_TAGS = 5  # more say nothing of what a rule is about


def tags(text: str) -> tuple[str, ...]:
    """Give the tags of a text in the order in which it names them, at most five."""
    words = (word for token in _TOKEN.findall(text.lower()) for word in (token, *token.split("-")))
    return tuple(dict.fromkeys(tag for word in words for tag in _of(word)))[:MOST_TAGS]


@lru_cache(maxsize=4096)
def _of(word: str) -> tuple[str, ...]:
    return tuple(
        tag
        for tag, (whole, beginnings) in _TAGS.items()
        if word in whole or word.startswith(beginnings)
    )
