"""Write a section of rules into a tool's file as text: the table of what tools read.

The rules are one marked part (vault/regions.py), so that what a person adds around it survives. A
file that we made is removed with its last rule, but only while it holds nothing else: the mark
remembers that by a hash of what stood above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.rules.promotion import section as sheet
from memoria.rules.promotion import settings_hook
from memoria.vault import regions as region

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.rules.model import Rule

SKILL = "memoria-rules"
SETTINGS = "settings"
# Agent Skills: lower-case letters, digits and single hyphens, at most 64 characters
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 64
_SKILL_HEAD = (
    "---\nname: {name}\n"
    "description: Rules that were learned from earlier coding sessions. "
    "Use when planning, writing, testing, reviewing or committing code.\n---\n"
)
# what the client fills in when it loads a skill, and there and in a hook's arguments
_ARGUMENT = re.compile(r"(?<!\\)\$(?=\d|ARGUMENTS)")
_PLACEHOLDER = re.compile(r"\$\{(?=CLAUDE_|user_config)")
_MADE = "new"


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of file: where it lies in a project; in the agent's folder without `.claude/`.

    `agent` is whose own folder that is, "" for Claude Code's. `{name}` in a path or in `head` is a
    skill's name. `head` is what a new file begins with; a file of that kind that a person made must
    begin with frontmatter, too, where there is one.
    """

    name: str
    project: str
    head: str = ""
    agent: str = ""


_ROWS = (
    Target("claude-md", "CLAUDE.md"),
    Target("agents-md", "AGENTS.md", agent="codex"),
    Target(SETTINGS, ".claude/settings.json"),
    Target("skill", ".claude/skills/{name}/SKILL.md", _SKILL_HEAD),
    Target("agents-skill", ".agents/skills/{name}/SKILL.md", _SKILL_HEAD, "any"),
    Target("rules", ".claude/rules/memoria.md"),
)
TARGETS = {row.name: row for row in _ROWS}


def target(name: str) -> Target:
    """Give the target of that name; UsageError lists them for any other."""
    if name not in TARGETS:
        raise UsageError(f"there is no target {name!r}: use one of {', '.join(TARGETS)}")
    return TARGETS[name]


def place(kind: Target, name: str = SKILL, *, everywhere: bool = False) -> str:
    """Give the file's path, relative to the project or to the client's folder; UsageError."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"a skill cannot be called {name!r}: use up to {_LONGEST_NAME} lower-case letters, "
            "digits and single hyphens"
        )
    path = kind.project.format(name=name)
    return path.removeprefix(".claude/") if everywhere else path


def body(kind: Target, rules: Sequence[Rule]) -> str:
    """Write the rules the way that target's file has them."""
    return _literal(kind, sheet.sheet(rules))


def part(kind: Target, text: str, where: str) -> region.Region | None:
    """Find what was promoted in a file; UsageError for damaged marks, SettingsError."""
    try:
        return region.find(settings_hook.words(text, where) if kind.name == SETTINGS else text)
    except region.Damaged as error:
        raise UsageError(
            f"{where}, {error}; nothing was changed: restore it, or delete what is left of the part"
        ) from None


def rewritten(
    kind: Target, text: str | None, section: str, where: str, name: str = SKILL
) -> str | None:
    """Give the file with exactly this section as Memoria's; None is no file, before and after.

    Raises as `part` does, and UsageError where a file that a person made lacks the frontmatter
    without which its tool passes it over.
    """
    found = part(kind, text or "", where)
    if text is None:
        head = kind.head.format(name=name)
        origin = f"{_MADE}-{region.digest(head)}"
        return _put(kind, head, section, where, origin) if section else None
    if section:
        is_plain = not found and not text.removeprefix(region.BOM).startswith("---")
        if kind.head and is_plain:
            raise UsageError(
                f"{where} has no frontmatter, so its tool would pass it over: add some, or move it "
                "away"
            )
        return _put(kind, text, section, where)
    if not found:
        return text
    # what stays without the section; nothing of a file that held nothing else
    if kind.name == SETTINGS:
        rest = settings_hook.announced(text, "", where)
        is_ours = found.origin.startswith(_MADE) and rest.strip() == "{}"
    else:
        rest = region.region(text, "")
        is_ours = found.origin == f"{_MADE}-{region.digest(rest)}"
    return None if is_ours else rest


def _put(kind: Target, text: str, section: str, where: str, origin: str = "") -> str:
    if kind.name != SETTINGS:
        return region.region(text, section, origin=origin)
    said = region.region(settings_hook.words(text, where), section, origin=origin)
    return settings_hook.announced(text, said, where)


def without(kind: Target, text: str, rules: Sequence[Rule], where: str) -> str:
    """Take the lines of these rules out of the section and leave all its other lines.

    An edit of a person in it goes on to be known as one.
    """
    gone = [_literal(kind, sheet.bold(rule)) for rule in rules]
    held = settings_hook.words(text, where) if kind.name == SETTINGS else text
    left = region.thinned(held, lambda line: any(words in line for words in gone))
    before, after = region.find(held), region.find(left)
    if left == held or not before or not after:
        return text
    if not before.edited:
        left = region.region(left, after.body)
    return settings_hook.announced(text, left, where) if kind.name == SETTINGS else left


def saying(kind: Target, section: str, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Choose the rules whose words a section of that target's file has."""
    words = set(sheet.said(section))
    return tuple(rule for rule in rules if _literal(kind, sheet.bold(rule)) in words)


def lost(kind: Target, old: str, new: str, known: Iterable[Rule]) -> tuple[str, ...]:
    """Give the words of the rules that a section has and the next one has not, but for known ones.

    They were promoted from another machine or vault.
    """
    ours = {_literal(kind, sheet.bold(rule)) for rule in known}.union(sheet.said(new))
    return tuple(words.strip("*") for words in sheet.said(old) if words not in ours)


def _literal(kind: Target, text: str) -> str:
    """Keep the client from putting values of its own in the text."""
    if kind.head:
        text = _ARGUMENT.sub(r"\\$", text)
    return _PLACEHOLDER.sub("$ {", text) if kind.head or kind.name == SETTINGS else text
