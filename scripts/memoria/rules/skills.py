"""`memoria skills`: merge the insights of all entries and the rules, each thing once, for an agent.

Made anew at every call from what the vault holds, so that it cannot be out of date; an id comes of
the earliest words, so that later ones do not change it. Rejected and retired rules are left out.
What was read off a session is what an assistant wrote down, so it waits however often it was seen,
until a person approves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from memoria import terminal
from memoria.errors import UsageError
from memoria.privacy import clean as gate
from memoria.rules.insights.distill import Read, read, tell
from memoria.rules.merge.groups import BACKGROUND, Vectors, merging
from memoria.rules.model import noted_rules
from memoria.rules.promotion import section as sheet
from memoria.rules.skill_making import as_rule, items, skills
from memoria.text.dates import day
from memoria.vault.storage import clock, disk
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from datetime import date

    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

# what a person has put aside is suggested no more
_VOID = frozenset({"rejected", "retired"})
_ENDINGS = {".json": "json", ".md": "markdown"}


@dataclass(frozen=True, slots=True)
class SkillSet:
    """All skills of a vault, the entries that were read, and the wordings that contradict."""

    skills: tuple[Rule, ...]
    read: Read
    opposites: tuple[tuple[str, str], ...]


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Print the skills, or write them to a file."""
    made = skillset(work, backend=arguments.embeddings, since=day(arguments.since))
    chosen = [
        skill
        for skill in made.skills
        if skill.status not in _VOID and skill.frequency >= arguments.min_frequency
    ]
    # --json is about standard output; a file has the form that it is named by
    form = arguments.format or _ENDINGS.get(Path(arguments.output).suffix.lower(), "yaml")
    if arguments.output:
        path = Path(arguments.output).expanduser()
        if not path.parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to write {path.name} to")
        disk.replace(path, _text(form, chosen, made, work).encode("utf-8", "replace"))
        work.terminal.say(f"{len(chosen)} skills written to {path}")
    if arguments.json or not arguments.output:
        text = _text("json" if arguments.json else form, chosen, made, work)
        terminal.document(text.rstrip("\n") + "\n")
    void = {skill.text for skill in made.skills if skill.status in _VOID}
    for first, second in made.opposites:
        if void.isdisjoint((first, second)):
            work.terminal.warn(f"These contradict each other: {first!r} and {second!r}")
    tell(work, made.read)
    return 1 if made.read.problems else 0


def skillset(work: Workspace, *, backend: str = "token", since: date | None = None) -> SkillSet:
    """Gather the vault's rules and insights into skills."""
    entries = read(work, since)
    # what a person wrote into an entry may hold a secret, and skills go anywhere
    insights = gate.clean(entries.patterns, work.settings.secrets)
    rules = noted_rules(work.vault.articles)
    if since:
        rules = tuple(rule for rule in rules if rule.updated >= str(since))
    gathered = items(rules, insights)
    texts = [item.text for item in gathered]
    merged = merging(texts, vectors=vectors(texts, backend))
    made = skills(gathered, merged.groups, clock.now(work.settings.zone).date())
    opposites = tuple((texts[near.index], texts[near.other]) for near in merged.opposites)
    return SkillSet(made, entries, opposites)


def vectors(texts: Sequence[str], backend: str) -> Vectors | None:
    """Embed texts and the rules that set their scale; None for "token".

    Raises what `embedded` raises.
    """
    if backend == "token":
        return None  # the words decide; what loads a model's vectors is not needed
    from memoria.llm.embedding import embedded  # noqa: PLC0415 - see above

    rows = embedded([*BACKGROUND, *texts], backend)
    if rows is None:
        return None
    return Vectors(rows[len(BACKGROUND) :], rows[: len(BACKGROUND)])


def unnoted(work: Workspace) -> list[Rule]:
    """Give what has no note, as the rules that it would become."""
    return [as_rule(skill) for skill in skillset(work).skills if not skill.path]


# -- What is printed ------------------------------------------------------------------------------


def _text(form: str, chosen: Sequence[Rule], made: SkillSet, work: Workspace) -> str:
    if form == "markdown":
        return sheet.sheet(list(map(as_rule, chosen)), entries=len(made.read.leaves))
    now = clock.now(work.settings.zone).isoformat(timespec="seconds")
    value = document(chosen, len(made.read.leaves), now)
    if form == "json":
        return terminal.encoded(value)
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))


def document(chosen: Sequence[Rule], entries: int, now: str) -> dict[str, Any]:
    """Give the skills as the seed's file has them: by category, the known ones first."""
    return {
        "generated_at": now,
        "source_entries": entries,
        "total_skills": len(chosen),
        "skills": {
            name: [_row(skill) for skill in chosen if skill.category == name] for name in CATEGORIES
        },
    }


def _row(skill: Rule) -> dict[str, Any]:
    return {
        "id": skill.id,
        "rule": skill.text,
        "frequency": skill.frequency,
        "confidence": skill.confidence,
        "sources": list(skill.sources),
        "tags": list(skill.tags),
        # a line that nobody has made a rule's note of waits for nothing
        "status": skill.status if skill.path else None,
        "aliases": list(skill.aliases),
    }
