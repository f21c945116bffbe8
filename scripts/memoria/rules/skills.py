"""`memoria skills`: merge the insights of all entries and the rules, each thing once, for an agent.

A skill is a rule as agents and people are given it, made anew at every call, so that it cannot be
out of date. What a person or a compile made a note of keeps the note's id, words and status; what
has none is gathered here, and its id is that of its earliest words: a shorter paraphrase that comes
later must not give it another one. Two notes are never made one here, however alike: that is for a
person to decide. A frequency counts sessions and written entries, not lines, or who copies a file
three times is three times as sure. Rejected and retired rules are left out. What was read off a
session is what an assistant wrote down, so it waits however often it was seen, until a person
approves it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from memoria import terminal
from memoria.privacy import clean
from memoria.rules.insights.distill import check_target
from memoria.rules.insights.notebook import Notebook, read_notebook, report_problems
from memoria.rules.merge.groups import BACKGROUND, OPPOSITE, Vectors, merge_duplicates
from memoria.rules.merge.reading import parse_reading, veto
from memoria.rules.model import CLOSED, age_confidence, build_rule, confidence, normal, read_noted
from memoria.rules.promotion import section
from memoria.text.dates import parse_day
from memoria.text.markdown import make_inert
from memoria.vault import package_files
from memoria.vault.storage import clock, disk
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from memoria.rules.insights.notebook import Pattern
    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

_ENDINGS = {".json": "json", ".md": "markdown"}
_SESSION_CHARS = 8  # of a session's id: what a rule's note keeps of it
_MAX_QUOTES = 5  # evidence that a new note begins with; more is not read


@dataclass(frozen=True, slots=True)
class SkillSet:
    """All skills of a vault, the entries that were read, and the wordings that contradict."""

    skills: tuple[Rule, ...]
    notebook: Notebook
    opposites: tuple[tuple[str, str], ...]


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Print the skills, or write them to a file."""
    target = check_target(arguments.output)
    skill_set = find_skills(work, backend=arguments.embeddings, since=parse_day(arguments.since))
    rules = [
        skill
        for skill in skill_set.skills
        if skill.status not in CLOSED and skill.frequency >= arguments.min_frequency
    ]
    # --json is about standard output; a file has the form that it is named by
    file_format = arguments.format or _ENDINGS.get(Path(arguments.output).suffix.lower(), "yaml")
    if target:
        text = _format(file_format, rules, skill_set, work)
        disk.replace(target, text.encode("utf-8", "replace"))
        work.terminal.say(f"{len(rules)} skills written to {target}")
    if arguments.json or not target:
        text = _format("json" if arguments.json else file_format, rules, skill_set, work)
        if text.strip():
            terminal.print_document(text.rstrip("\n") + "\n")
    closed_texts = {skill.text for skill in skill_set.skills if skill.status in CLOSED}
    for first, second in skill_set.opposites:
        if closed_texts.isdisjoint((first, second)):
            work.terminal.warn(f"These contradict each other: {first!r} and {second!r}")
    report_problems(work.terminal, skill_set.notebook, arguments.since or "")
    return 1 if skill_set.notebook.problems else 0


def find_skills(work: Workspace, *, backend: str = "token", since: date | None = None) -> SkillSet:
    """Gather the vault's rules and insights into skills."""
    notebook = read_notebook(work.vault, since)
    # what a person wrote into an entry may hold a secret, and skills go anywhere
    insights = clean.clean_value(notebook.patterns, work.settings.secrets)
    rules = read_noted(work.vault.articles)
    if since:
        rules = tuple(rule for rule in rules if rule.updated >= str(since))
    wordings = gather_wordings(rules, insights)
    texts = [item.text for item in wordings]
    merged = merge_duplicates(texts, vectors=embed(texts, backend))
    found_skills = build_skills(wordings, merged.groups, clock.now(work.settings.zone).date())
    opposites = tuple((texts[earlier], texts[later]) for earlier, later in merged.opposites)
    return SkillSet(found_skills, notebook, opposites)


def embed(texts: Sequence[str], backend: str) -> Vectors | None:
    """Embed texts and the rules that set their scale; None for "token".

    Raises what `embed_texts` raises.
    """
    if backend == "token":
        return None  # the words decide; what loads a model's vectors is not needed
    from memoria.llm.embedding import embed_texts  # noqa: PLC0415 - see above

    rows = embed_texts([*BACKGROUND, *texts], backend)
    if rows is None:
        return None
    return Vectors(rows[len(BACKGROUND) :], rows[: len(BACKGROUND)])


def _format(file_format: str, rules: Sequence[Rule], skill_set: SkillSet, work: Workspace) -> str:
    if file_format == "markdown":
        unpinned = [replace(skill, pinned=False) for skill in rules]
        return section.format_section(unpinned, entries=len(skill_set.notebook.leaves))
    now = clock.now(work.settings.zone).isoformat(timespec="seconds")
    value = build_document(rules, len(skill_set.notebook.leaves), now)
    if file_format == "json":
        return terminal.format_json(value)
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))


def build_document(rules: Sequence[Rule], entries: int, now: str) -> dict[str, Any]:
    """Give the skills as the seed's file has them: by category, the known ones first."""
    return {
        "generated_at": now,
        "source_entries": entries,
        "total_skills": len(rules),
        "skills": {
            name: [_describe(skill) for skill in rules if skill.category == name]
            for name in CATEGORIES
        },
    }


def _describe(skill: Rule) -> dict[str, Any]:
    return {
        "id": skill.id,
        "rule": skill.text,
        "frequency": skill.frequency,
        "confidence": skill.confidence,
        "sources": [source.rsplit("/", 1)[-1] for source in skill.sources],
        "tags": list(skill.tags),
        # a line that nobody has made a rule's note of waits for nothing
        "status": skill.status if skill.path else None,
        "aliases": list(skill.aliases),
    }


@dataclass
class Wording:
    """One wording: the rule whose it is, and the patterns that have these words."""

    text: str
    rule: Rule | None = None
    patterns: list[Pattern] = field(default_factory=list)


def gather_wordings(rules: Iterable[Rule], patterns: Iterable[Pattern]) -> tuple[Wording, ...]:
    """Gather what has the same words, rules first (oldest first), then patterns in their order."""
    ordered = sorted(rules, key=lambda rule: (rule.created, rule.id))
    wordings = [Wording(rule.text, rule) for rule in ordered]
    by_words: dict[str, Wording] = {}
    for rule, item in zip(ordered, wordings, strict=True):
        for name in (rule.text, *rule.aliases):
            by_words.setdefault(normal(name), item)
    noted_items = {f" {text} ": item for text, item in by_words.items()}
    for pattern in patterns:
        words = normal(pattern.insight)
        if words and words not in by_words:
            match = _find_noted(noted_items, pattern.insight)
            by_words[words] = match or Wording(pattern.insight)
            if not match:
                wordings.append(by_words[words])
        if words:
            by_words[words].patterns.append(pattern)
    return tuple(wordings)


def _find_noted(items: Mapping[str, Wording], insight: str) -> Wording | None:
    """Find the noted rule whose words stand in a line: with its reason, or who said it.

    `items` are by normalised words. A line that says the opposite has them, too.
    """
    words = f" {normal(insight)} "
    matches = (item for text, item in items.items() if text in words)
    vetoes = ((item, veto(parse_reading(item.text), parse_reading(insight))) for item in matches)
    return next((item for item, between in vetoes if between not in OPPOSITE), None)


def build_skills(
    wordings: Sequence[Wording], groups: Iterable[Sequence[int]], today: date
) -> tuple[Rule, ...]:
    """Make the skills of groups of wordings, most often seen first.

    `groups` are indices of `wordings` that say the same.
    """
    results: list[Rule] = []
    for group in groups:
        noted_items = [wordings[at] for at in group if wordings[at].rule]
        unnoted = [wordings[at] for at in group if not wordings[at].rule]
        results.append(_build_skill([*noted_items[:1], *unnoted], today))
        results += [_build_skill([item], today) for item in noted_items[1:]]
    return tuple(sorted(results, key=lambda skill: (-skill.frequency, skill.created, skill.id)))


def _build_skill(group: Sequence[Wording], today: date) -> Rule:
    """Make one skill of wordings that say the same; the first gives its id and its words."""
    first, *others = group
    patterns = [pattern for item in group for pattern in item.patterns]
    rule = first.rule or _build_unnoted_rule(first.text, patterns)
    seen_in = (
        pattern.entry[:_SESSION_CHARS] if pattern.origin == "captured" else pattern.entry
        for pattern in sorted(patterns, key=lambda pattern: pattern.date)
    )
    sessions = _unique([*rule.sessions, *seen_in])
    frequency = max(rule.frequency, len(sessions))
    skill = replace(
        rule,
        frequency=frequency,
        confidence=confidence(frequency),
        sources=_unique([*rule.sources, *(f"daily/{pattern.source}" for pattern in patterns)]),
        tags=rule.tags or tags(rule.text),
        aliases=_unique([*rule.aliases, *(item.text for item in others)]),
        updated=max([rule.updated, *(str(pattern.date) for pattern in patterns)]),
        sessions=sessions,
    )
    return age_confidence(skill, today)


def _build_unnoted_rule(text: str, patterns: Sequence[Pattern]) -> Rule:
    """Make a rule of a wording that has no note, as nobody has seen it yet."""
    first_day = str(min(pattern.date for pattern in patterns))
    scope = _unique(pattern.project for pattern in patterns if pattern.project)
    quotes = _unique(
        f'- "{make_inert(row.insight)}" ([[daily/{row.source.removesuffix(".md")}]])'
        for row in patterns
    )
    rule = build_rule(patterns[0].category, text, scope, first_day)
    return replace(rule, quotes=quotes[:_MAX_QUOTES])


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


_NAME = re.compile(r"[a-z0-9][a-z0-9.+#-]*[a-z0-9+#]|[a-z0-9]")  # "c++", "node.js", "end-to-end"
MAX_TAGS = 5  # more say nothing of what a rule is about


@cache
def _tag_words() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """Read the table of tags: of each the whole words, and the beginnings of words."""
    table = {}
    for line in package_files.read_text("rules/tags.txt").splitlines():
        if not line.startswith("#"):
            tag, _, entries = line.partition(": ")
            words = entries.split()
            table[tag] = frozenset(words), tuple(word[:-1] for word in words if word[-1] == "*")
    return table


def tags(text: str) -> tuple[str, ...]:
    """Give the tags of a text in the order in which it names them, at most five."""
    words = (word for name in _NAME.findall(text.lower()) for word in (name, *name.split("-")))
    return tuple(dict.fromkeys(tag for word in words for tag in _tags_of(word)))[:MAX_TAGS]


@lru_cache(maxsize=4096)
def _tags_of(word: str) -> tuple[str, ...]:
    table = _tag_words().items()
    return tuple(tag for tag, (words, stems) in table if word in words or word.startswith(stems))
