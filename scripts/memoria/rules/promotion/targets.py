"""A tool's file as text, a section of rules -> the file's new text: the table of what tools read.

Each row says where a tool looks for instructions and what has to stand at the beginning of a file
that it makes. In all of them the rules are one marked part (region.py), also in files that nobody
but promotion writes, so that what a person adds around it survives. The trap: a file that we made
is removed with its last rule, but only while it holds what we wrote and nothing else; the mark
remembers that by a hash of what stood above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.rules.promotion import section as sheet
from memoria.rules.promotion import settings_hook as announcement
from memoria.vault import regions as region

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.rules.model import Rule

SKILL = "memoria-rules"
SETTINGS, SKILL_FILE, AGENTS_SKILL = "settings", "skill", "agents-skill"
# Agent Skills: lower-case letters, digits and single hyphens, at most 64 characters
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 64
_ABOUT = "Rules that were learned from earlier coding sessions"
_WHEN = "Use when planning, writing, testing, reviewing or committing code."
_SKILL_HEAD = f"---\nname: {{name}}\ndescription: {_ABOUT}. {_WHEN}\n---\n"
# what the client fills in when it loads a skill, and there and in a hook's arguments
_ARGUMENT = re.compile(r"(?<!\\)\$(?=\d|ARGUMENTS)")
_PLACEHOLDER = re.compile(r"\$\{(?=CLAUDE_|user_config)")
_MADE, _BLANK = "new", "blank"


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of file: where it lies in a project and in the agent's folder.

    `agent` is whose own folder that is, "" for Claude Code's. `{name}` in a path or in `head` is a
    skill's name. `head` is what a new file begins with; a file of that kind that a person made must
    begin with frontmatter, too, where there is one.
    """

    name: str
    project: str
    everywhere: str
    what: str
    head: str = ""
    agent: str = ""


TARGETS = {
    one.name: one
    for one in (
        Target("claude-md", "CLAUDE.md", "CLAUDE.md", "a section of CLAUDE.md"),
        Target(
            "agents-md",
            "AGENTS.md",
            "AGENTS.md",
            "a section of AGENTS.md, which other agents read; that of all projects is Codex's",
            agent="codex",
        ),
        Target(
            SETTINGS,
            ".claude/settings.json",
            "settings.json",
            "a SessionStart hook that prints the rules: Claude Code reads no other key of its "
            "settings as instructions; a project's applies in sessions started in that folder",
        ),
        Target(
            SKILL_FILE,
            ".claude/skills/{name}/SKILL.md",
            "skills/{name}/SKILL.md",
            "an agent skill: the model sees its name and loads the rules when it wants them",
            head=_SKILL_HEAD,
        ),
        Target(
            AGENTS_SKILL,
            ".agents/skills/{name}/SKILL.md",
            ".agents/skills/{name}/SKILL.md",
            "the same skill where other agents look for it",
            head=_SKILL_HEAD,
            agent="any",
        ),
        Target(
            "rules",
            ".claude/rules/memoria.md",
            "rules/memoria.md",
            "a rule file of Claude Code, loaded like CLAUDE.md; `paths:` that you put in its "
            "frontmatter are kept",
        ),
    )
}


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
    return (kind.everywhere if everywhere else kind.project).format(name=name)


def body(kind: Target, rules: Sequence[Rule]) -> str:
    """Write the rules the way that target's file has them."""
    return _literal(kind, sheet.sheet(rules))


def part(kind: Target, text: str, where: str) -> region.Region | None:
    """Find what was promoted in a file; UsageError for damaged marks, SettingsError."""
    try:
        return region.find(announcement.words(text, where) if kind.name == SETTINGS else text)
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
        return _made(kind, section, where, name) if section else None
    if not section:
        return _left(kind, text, found, where) if found else text
    if kind.name == SETTINGS:
        return _announced(text, section, where, announcement.origin(text, where))
    if kind.head and not found and not text.removeprefix(region.BOM).startswith("---"):
        raise UsageError(
            f"{where} has no frontmatter, so its tool would pass it over: add some, or move it away"
        )
    return region.region(text, section)


def without(kind: Target, text: str, rules: Sequence[Rule], where: str) -> str:
    """Take the lines of these rules out of the section and leave all its other lines.

    An edit of a person in it goes on to be known as one.
    """
    bold = [_literal(kind, sheet.bold(found)) for found in rules]
    held = announcement.words(text, where) if kind.name == SETTINGS else text
    left = region.thinned(held, lambda line: any(words in line for words in bold))
    found, rest = region.find(held), region.find(left)
    if left == held or not found or not rest:
        return text
    if not found.edited:
        left = region.region(left, rest.body)
    return announcement.announced(text, left, where) if kind.name == SETTINGS else left


def saying(kind: Target, section: str, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Choose the rules whose words a section of that target's file has."""
    words = set(sheet.said(section))
    return tuple(found for found in rules if _literal(kind, sheet.bold(found)) in words)


def lost(kind: Target, old: str, new: str, known: Iterable[Rule]) -> tuple[str, ...]:
    """Give the words of the rules that a section has and the next one has not, but for known ones.

    They were promoted from another machine or vault.
    """
    ours = {_literal(kind, sheet.bold(found)) for found in known}.union(sheet.said(new))
    return tuple(words.strip("*") for words in sheet.said(old) if words not in ours)


def _literal(kind: Target, text: str) -> str:
    """Keep the client from putting values of its own in the text."""
    if kind.name not in {SKILL_FILE, AGENTS_SKILL, SETTINGS}:
        return text
    if kind.name != SETTINGS:
        text = _ARGUMENT.sub(r"\\$", text)
    return _PLACEHOLDER.sub("$ {", text)


def _made(kind: Target, section: str, where: str, name: str) -> str:
    head = kind.head.format(name=name)
    origin = f"{_MADE}-{region.digest(head)}"
    if kind.name == SETTINGS:
        return _announced("", section, where, origin)
    return region.region(head, section, origin=origin)


def _announced(text: str, section: str, where: str, origin: str) -> str:
    said = announcement.words(text, where)
    return announcement.announced(text, region.region(said, section, origin=origin), where)


def _left(kind: Target, text: str, found: region.Region, where: str) -> str | None:
    """Give what stays of a file without the section, None for one that held nothing else."""
    if kind.name == SETTINGS:
        rest = announcement.announced(text, "", where)
        bare = rest.removeprefix(region.BOM)
        if bare.strip() == "{}" and found.origin == _BLANK:
            return rest[: len(rest) - len(bare)]
        made = found.origin.startswith(_MADE) and bare.strip() == "{}"
        return None if made else rest
    rest = region.region(text, "")
    return None if found.origin == f"{_MADE}-{region.digest(rest)}" else rest
