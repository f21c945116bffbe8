"""Write a section of rules into a tool's file as text: the table of what tools read.

The rules are one marked part (vault/regions.py), so that what a person adds around it survives. A
file that we made is removed with its last rule, but only while it holds nothing else: the mark
remembers that by a hash of what stood above it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.rules.promotion import section as sheet
from memoria.rules.promotion import settings_hook
from memoria.vault import regions as region

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.rules.model import Rule

SETTINGS = "settings"
# what the client fills in in a hook's arguments
_PLACEHOLDER = re.compile(r"\$\{(?=CLAUDE_|user_config)")
_MADE = "new"
# name of a target, and its file in a project; in the client's folder it lies without `.claude/`
TARGETS = {
    "claude-md": "CLAUDE.md",
    "agents-md": "AGENTS.md",
    SETTINGS: ".claude/settings.json",
    "rules": ".claude/rules/memoria.md",
}


def place(target: str, *, everywhere: bool = False) -> str:
    """Give the file's path, relative to the project or to the agent's own folder; UsageError."""
    if target not in TARGETS:
        raise UsageError(f"there is no target {target!r}: use one of {', '.join(TARGETS)}")
    return TARGETS[target].removeprefix(".claude/") if everywhere else TARGETS[target]


def body(target: str, rules: Sequence[Rule]) -> str:
    """Write the rules the way that target's file has them."""
    return _literal(target, sheet.sheet(rules))


def part(target: str, text: str, where: str) -> region.Region | None:
    """Find what was promoted in a file; UsageError for damaged marks, SettingsError."""
    try:
        return region.find(settings_hook.words(text, where) if target == SETTINGS else text)
    except region.Damaged as error:
        raise UsageError(
            f"{where}, {error}; nothing was changed: restore it, or delete what is left of the part"
        ) from None


def rewritten(target: str, text: str | None, section: str, where: str) -> str | None:
    """Give the file with exactly this section as Memoria's; None is no file, before and after.

    Raises as `part` does.
    """
    found = part(target, text or "", where)
    if text is None:
        origin = f"{_MADE}-{region.digest('')}"
        return _put(target, "", section, where, origin) if section else None
    if section:
        return _put(target, text, section, where)
    if not found:
        return text
    # what stays without the section; nothing of a file that held nothing else
    if target == SETTINGS:
        rest = settings_hook.announced(text, "", where)
        is_ours = found.origin.startswith(_MADE) and rest.strip() == "{}"
    else:
        rest = region.region(text, "")
        is_ours = found.origin == f"{_MADE}-{region.digest(rest)}"
    return None if is_ours else rest


def _put(target: str, text: str, section: str, where: str, origin: str = "") -> str:
    if target != SETTINGS:
        return region.region(text, section, origin=origin)
    said = region.region(settings_hook.words(text, where), section, origin=origin)
    return settings_hook.announced(text, said, where)


def without(target: str, text: str, rules: Sequence[Rule], where: str) -> str:
    """Take the lines of these rules out of the section and leave all its other lines.

    An edit of a person in it goes on to be known as one.
    """
    gone = [_literal(target, sheet.bold(rule)) for rule in rules]
    held = settings_hook.words(text, where) if target == SETTINGS else text
    left = region.thinned(held, lambda line: any(words in line for words in gone))
    before, after = region.find(held), region.find(left)
    if left == held or not before or not after:
        return text
    if not before.edited:
        left = region.region(left, after.body)
    return settings_hook.announced(text, left, where) if target == SETTINGS else left


def saying(target: str, section: str, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Choose the rules whose words a section of that target's file has."""
    words = set(sheet.said(section))
    return tuple(rule for rule in rules if _literal(target, sheet.bold(rule)) in words)


def lost(target: str, old: str, new: str, known: Iterable[Rule]) -> tuple[str, ...]:
    """Give the words of the rules that a section has and the next one has not, but for known ones.

    They were promoted from another machine or vault.
    """
    ours = {_literal(target, sheet.bold(rule)) for rule in known}.union(sheet.said(new))
    return tuple(words.strip("*") for words in sheet.said(old) if words not in ours)


def _literal(target: str, text: str) -> str:
    """Keep the client from putting values of its own in the text."""
    return _PLACEHOLDER.sub("$ {", text) if target == SETTINGS else text
