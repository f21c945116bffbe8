"""Write a section of rules into a tool's file as text: the table of what tools read.

The rules are one marked part (vault/regions.py), so that what a person adds around it survives. A
file that we made is removed with its last rule, but only while it holds nothing else: the mark
remembers that by a hash of what stood above it. The client reads no key of its settings as
instructions, but what a SessionStart hook prints reaches the model: there the rules are the
argument of `echo`, known by the mark that they begin with.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from memoria.agents.claude_code import settings as client_settings
from memoria.errors import UsageError
from memoria.rules.model import Rule
from memoria.rules.promotion.section import format_bold_text, format_section, read_section
from memoria.text import json_text
from memoria.vault import regions

SKILL = "memoria-rules"
SETTINGS = "settings"
# "my-rules2", not "My_rules" or "a--b"; the form and the length are those of Agent Skills
_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_SKILL_NAME = 64
_SKILL_HEAD = (
    "---\nname: {name}\n"
    "description: Rules that were learned from earlier coding sessions. "
    "Use when planning, writing, testing, reviewing or committing code.\n---\n"
)
# the client fills in "$1" and "$ARGUMENTS" (not "\$1", "$HOME") when it loads a skill
_SKILL_ARGUMENT = re.compile(r"(?<!\\)\$(?=\d|ARGUMENTS)")
# and "${CLAUDE_PROJECT_DIR}" there and in a hook's arguments
_CLIENT_VALUE = re.compile(r"\$\{(?=CLAUDE_|user_config)")
EVENT, MATCHER, PROGRAM = "SessionStart", "startup|clear|compact", "echo"
# the client shows a preview of what is longer; in UTF-16 units, as it counts
LONGEST = 9_900


class Target(NamedTuple):
    """A kind of file: where it lies in a project; in the agent's folder without `.claude/`.

    `agent` is whose own folder that is, "" for Claude Code's. `{name}` in a path or in `head` is a
    skill's name. `head` is what a new file begins with; a file of that kind that a person made must
    begin with frontmatter, too, where there is one.
    """

    name: str
    project: str
    head: str = ""
    agent: str = ""


TARGETS = {
    row.name: row
    for row in (
        Target("claude-md", "CLAUDE.md"),
        Target("agents-md", "AGENTS.md", agent="codex"),
        Target(SETTINGS, ".claude/settings.json"),
        Target("skill", ".claude/skills/{name}/SKILL.md", _SKILL_HEAD),
        Target("agents-skill", ".agents/skills/{name}/SKILL.md", _SKILL_HEAD, "any"),
        Target("rules", ".claude/rules/memoria.md"),
    )
}


def find_target(name: str) -> Target:
    """Give the target of that name; UsageError lists them for any other."""
    if name not in TARGETS:
        raise UsageError(f"there is no target {name!r}: use one of {', '.join(TARGETS)}")
    return TARGETS[name]


def file_path(kind: Target, name: str = SKILL, *, everywhere: bool = False) -> str:
    """Give the file's path, relative to the project or to the client's folder; UsageError."""
    if not _SKILL_NAME.fullmatch(name) or len(name) > _MAX_SKILL_NAME:
        raise UsageError(
            f"a skill cannot be called {name!r}: use up to {_MAX_SKILL_NAME} lower-case letters, "
            "digits and single hyphens"
        )
    path = kind.project.format(name=name)
    return path.removeprefix(".claude/") if everywhere else path


def format_section_for(kind: Target, rules: Sequence[Rule]) -> str:
    """Write the rules the way that target's file has them."""
    return _escape(kind, format_section(rules))


def find_part(kind: Target, text: str, path: str) -> regions.Region | None:
    """Find what was promoted in a file; UsageError for damaged marks, SettingsError."""
    try:
        return regions.find_region(_read_marked_text(kind, text, path))
    except regions.DamagedRegion as error:
        raise UsageError(
            f"{path}, {error}; nothing was changed: restore it, or delete what is left of the part"
        ) from None


def rewrite(
    kind: Target, text: str | None, section: str, path: str, name: str = SKILL
) -> str | None:
    """Give the file with exactly this section as Memoria's; None is no file, before and after.

    Raises as `find_part` does, and UsageError where a file that a person made lacks the frontmatter
    without which its tool passes it over.
    """
    old_part, origin = find_part(kind, text or "", path), ""
    if not section and not old_part:
        return text
    if text is None:
        text = kind.head.format(name=name)
        origin = _build_file_mark(text)
    elif kind.head and not old_part and not text.removeprefix(regions.BOM).startswith("---"):
        raise UsageError(
            f"{path} has no frontmatter, so its tool would pass it over: add some, or move it away"
        )
    marked_text = regions.put_region(_read_marked_text(kind, text, path), section, origin=origin)
    result = _put_marked_text(kind, text, marked_text, path)
    # nothing of a file that we made, and that held nothing else, stays without the section
    is_gone = not section and old_part and old_part.origin == _build_file_mark(result)
    return None if is_gone else result


def _build_file_mark(text: str) -> str:
    """Name a file that was made of this text as the mark remembers it."""
    return f"new-{regions.digest('' if text.strip() == '{}' else text)}"


def _read_marked_text(kind: Target, text: str, path: str) -> str:
    """Give the text that has the marked part: the file's, or of settings what our hook says."""
    return read_hook_text(text, path) if kind.name == SETTINGS else text


def _put_marked_text(kind: Target, text: str, marked_text: str, path: str) -> str:
    """Give the file's next text where this is the text that has the marked part."""
    return put_hook_text(text, marked_text, path) if kind.name == SETTINGS else marked_text


def take_out(kind: Target, text: str, rules: Sequence[Rule], path: str) -> str:
    """Take the lines of these rules out of the section and leave all its other lines.

    An edit of a person in it goes on to be known as one.
    """
    wordings = [_escape(kind, format_bold_text(rule)) for rule in rules]
    old = _read_marked_text(kind, text, path)
    left = regions.remove_lines(old, lambda line: any(words in line for words in wordings))
    old_part, new_part = regions.find_region(old), regions.find_region(left)
    if left == old or not old_part or not new_part:
        return text
    marked_text = left if old_part.edited else regions.put_region(left, new_part.body)
    return _put_marked_text(kind, text, marked_text, path)


def choose_promoted(kind: Target, section: str, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Choose the rules whose words a section of that target's file has."""
    words = set(read_section(section))
    return tuple(rule for rule in rules if _escape(kind, format_bold_text(rule)) in words)


def list_foreign(kind: Target, old: str, new: str, rules: Iterable[Rule]) -> tuple[str, ...]:
    """Give the words of the rules that a section has and the next one has not, but for known ones.

    They were promoted from another machine or vault.
    """
    own_texts = {_escape(kind, format_bold_text(rule)) for rule in rules}.union(read_section(new))
    return tuple(words.strip("*") for words in read_section(old) if words not in own_texts)


def _escape(kind: Target, text: str) -> str:
    """Keep the client from putting values of its own in the text."""
    if kind.head:
        text = _SKILL_ARGUMENT.sub(r"\\$", text)
    return _CLIENT_VALUE.sub("$ {", text) if kind.head or kind.name == SETTINGS else text


def read_hook_text(text: str, path: str) -> str:
    """Give the text that our entry prints, "" where there is none.

    Raises SettingsError, naming `path`, for settings that the client would not read.
    """
    hooks = json_text.load(client_settings.check_document(text, path)).get("hooks", {})
    groups = map(client_settings.list_handlers, hooks.get(EVENT, ()))
    return next(filter(None, map(_read_ours, chain.from_iterable(groups))), "")


def put_hook_text(text: str, hook_text: str, path: str) -> str:
    """Make our entry print this text, or (for "") take it out; nothing else in `text` changes.

    Brackets that held nothing else go with the entry. Raises SettingsError as `read_hook_text`
    does, and UsageError for more than the client takes.
    """
    if hook_text == read_hook_text(text, path):
        return text
    if len(hook_text.encode("utf-16-le", "replace")) // 2 > LONGEST:
        raise UsageError(
            f"{path}: the client takes {LONGEST:,} characters from a hook, and these rules are "
            "longer: promote fewer of them, or to another target"
        )
    text = client_settings.check_document(text, path)
    value = json_text.load(text)
    hooks = value.setdefault("hooks", {})
    groups = hooks.setdefault(EVENT, [])
    handler = {"type": "command", "command": PROGRAM, "args": [hook_text]}
    entries = list(map(client_settings.list_handlers, groups))
    group_at = next((at for at, entry in enumerate(entries) if any(map(_read_ours, entry))), None)
    if group_at is None:
        groups.append({"matcher": MATCHER, "hooks": [handler]})
    else:
        handler_at = next(at for at, entry in enumerate(entries[group_at]) if _read_ours(entry))
        entries[group_at][handler_at : handler_at + 1] = [handler] if hook_text else []
        if not entries[group_at]:
            del groups[group_at]
    if not groups:
        del hooks[EVENT]
    if not hooks:
        del value["hooks"]
    return json_text.format_like(text, value)


def _read_ours(handler: object) -> str:
    """Give the text of an entry of ours, "" for any other's."""
    args = handler.get("args") if isinstance(handler, dict) else None
    if not isinstance(args, list) or len(args) != 1 or not isinstance(args[0], str):
        return ""
    opening = "<!-- memoria:begin "
    return args[0] if args[0].startswith(opening) else ""
