"""Rules with a note, and patterns of all entries -> Skills: each thing once, counted and rated.

What a person or a compile made a note of keeps the note's id, words and status; what has none is
gathered here by `merging`, and its id, once shown, is kept in the ledger (`ids`): a shorter
paraphrase that comes later, or from an older entry, must not give it another one. Two notes are
never made one here, however alike: that is for a person to decide. The trap: a frequency counts
sessions and written entries, not lines, or who copies a file three times is three times as sure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memoria.rules.model import Rule, confidence, is_recent, normal, rule_id
from memoria.rules.tags import tags
from memoria.text.markdown import inert
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from memoria.rules.insights.insight import Pattern
    from memoria.rules.model import Confidence, Status
    from memoria.vault.entry import Category

# of a session's id: what a rule's note keeps of it
_SESSION = 8
# lines of evidence that a new note begins with
_QUOTES = 5


@dataclass(frozen=True, slots=True)
class Skill:
    """A rule as agents and people are given it.

    `category` is one of the four, or one of a person's own. `sources` are base names of files,
    `aliases` other wordings that were joined, `merged` former ids. `said` is "written" where a
    person wrote it by hand or said it, "captured" where an engine wrote it down. `note` is the path
    of its note, "" for none.
    """

    id: str
    rule: str
    category: str
    frequency: int
    confidence: Confidence
    sources: tuple[str, ...]
    tags: tuple[str, ...]
    status: Status
    aliases: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    said: Literal["written", "captured"] = "captured"
    first: str = ""
    last: str = ""
    scope: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    note: str = ""


@dataclass
class Item:
    """One wording: the rule whose it is, and the patterns that have these words."""

    text: str
    rule: Rule | None = None
    patterns: list[Pattern] = field(default_factory=list)


def items(rules: Iterable[Rule], patterns: Iterable[Pattern]) -> tuple[Item, ...]:
    """Gather what has the same words, rules first (oldest first), then patterns in their order."""
    found: dict[str, Item] = {}
    ranked = sorted(rules, key=lambda one: (one.created, one.id))
    all_: list[Item] = []
    for one in ranked:
        item = Item(one.text, one)
        all_.append(item)
        for name in (one.text, *one.aliases):
            found.setdefault(normal(name), item)
    for pattern in patterns:
        words = normal(pattern.insight)
        if words and words not in found:
            found[words] = Item(pattern.insight)
            all_.append(found[words])
        if words:
            found[words].patterns.append(pattern)
    return tuple(all_)


def skills(
    gathered: Sequence[Item],
    groups: Iterable[Sequence[int]],
    ids: Mapping[str, str],
    today: date,
) -> tuple[Skill, ...]:
    """Make the skills of groups of items, most often seen first.

    `groups` are indices of `gathered` that say the same; `ids` are those that were shown before:
    id -> its text, oldest first.
    """
    known = {normal(text): name for name, text in reversed(list(ids.items()))}
    found = [
        skill
        for group in groups
        for skill in _of_group([gathered[at] for at in group], known, list(ids), today)
    ]
    found.sort(key=lambda one: (-one.frequency, one.first, one.id))
    return tuple(found)


def _of_group(
    group: list[Item], known: Mapping[str, str], order: list[str], today: date
) -> list[Skill]:
    noted = [item for item in group if item.rule]
    rest = [item for item in group if not item.rule]
    if not noted:
        return [_unnoted(rest, known, order, today)]
    first = _noted([noted[0], *rest], today)
    return [first, *(_noted([item], today) for item in noted[1:])]


def _noted(group: list[Item], today: date) -> Skill:
    found = group[0].rule
    assert found is not None  # noqa: S101 - the caller put the note first
    patterns = [pattern for item in group for pattern in item.patterns]
    sessions = _sessions(found.sessions, patterns)
    last = max([found.updated, *(str(pattern.date) for pattern in patterns)])
    names = [source.rsplit("/", 1)[-1] for source in found.sources]
    return Skill(
        id=found.id,
        rule=found.text,
        category=found.category,
        frequency=max(found.frequency, len(sessions)),
        confidence=_rated(max(found.frequency, len(sessions)), last, today),
        sources=_once([*names, *(pattern.source for pattern in patterns)]),
        tags=found.tags or tags(found.text),
        status=found.status,
        aliases=_once([*found.aliases, *(item.text for item in group[1:])]),
        merged=found.merged,
        said="written" if found.sessions or _is_written(patterns) else "captured",
        first=found.created,
        last=last,
        scope=found.scope,
        sessions=sessions,
        quotes=found.quotes,
        note=found.path,
    )


def _unnoted(group: list[Item], known: Mapping[str, str], order: list[str], today: date) -> Skill:
    shown = {known[normal(item.text)]: item for item in group if normal(item.text) in known}
    former = sorted(shown, key=order.index)
    main = shown[former[0]] if former else group[0]
    patterns = [pattern for item in group for pattern in item.patterns]
    category = main.patterns[0].category
    identity = former[0] if former else rule_id(coded(category), main.text)
    sessions = _sessions((), patterns)
    projects = _once(pattern.project for pattern in patterns if pattern.project)
    days = sorted(str(pattern.date) for pattern in patterns)
    return Skill(
        id=identity,
        rule=main.text,
        category=category,
        frequency=len(sessions),
        confidence=_rated(len(sessions), days[-1], today),
        sources=_once(pattern.source for pattern in patterns),
        tags=tags(main.text),
        status="waiting",
        aliases=_once(item.text for item in group if item is not main),
        merged=tuple(former[1:]),
        said="written" if _is_written(patterns) else "captured",
        first=days[0],
        last=days[-1],
        scope=projects,
        sessions=sessions,
        quotes=_quotes(patterns),
    )


def as_rule(skill: Skill) -> Rule:
    """Give the rule that a skill without a note would become."""
    return Rule(
        skill.id,
        skill.rule,
        coded(skill.category),
        skill.status,
        skill.frequency,
        skill.confidence,
        skill.scope,
        skill.last,
        created=skill.first,
        sources=tuple(f"daily/{name}" for name in skill.sources),
        tags=skill.tags,
        aliases=skill.aliases,
        merged=skill.merged,
        sessions=skill.sessions,
        quotes=skill.quotes,
    )


def shown(found: Iterable[Skill], ids: Mapping[str, str]) -> dict[str, str]:
    """Give the ids that are shown for the first time, with their texts: they are to be kept."""
    return {one.id: one.rule for one in found if not one.note and one.id not in ids}


def coded(category: str) -> Category:
    """Give the category that an id can say; a person's own has the widest one's letters."""
    return next((one for one in CATEGORIES if one == category), "domain_knowledge")


def _sessions(known: Iterable[str], patterns: Iterable[Pattern]) -> tuple[str, ...]:
    new = (
        one.entry[:_SESSION] if one.origin == "captured" else one.entry
        for one in sorted(patterns, key=lambda one: one.date)
    )
    return _once([*known, *new])


def _rated(frequency: int, last: str, today: date) -> Confidence:
    found = confidence(frequency)
    return "medium" if found == "high" and not is_recent(last, today) else found


def _is_written(patterns: Iterable[Pattern]) -> bool:
    return any(pattern.origin == "written" for pattern in patterns)


def _quotes(patterns: Iterable[Pattern]) -> tuple[str, ...]:
    lines = (
        f'- "{inert(one.insight)}" ([[daily/{one.source.removesuffix(".md")}]])' for one in patterns
    )
    return _once(lines)[:_QUOTES]


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
