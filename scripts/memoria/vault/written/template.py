"""Write a new entry out of the template, blank or filled with a draft.

The template is the person's to change: a draft's bodies are put under the headings that are there,
what finds no heading is added with its own, and everything else stays as the person has it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.vault import frontmatter
from memoria.vault.written.categories import CATEGORIES, named
from memoria.vault.written.written_entry import headings, said_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

_FRONT = re.compile(r"(---[ \t]*\n)(.*?)(^---[ \t]*(?:\n|\Z))", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"\{\{\s*(title|date|slug)\s*\}\}", re.IGNORECASE)
HEADINGS = {
    "architectural": "Architectural",
    "workflow": "Workflow",
    "tool_usage": "Tool Usage",
    "domain_knowledge": "Domain Knowledge",
}


def blank(template: str, *, title: str, day: date, slug: str) -> str:
    """Fill in what the template asks for by name: {{title}}, {{date}} and {{slug}}."""
    values = {"title": title, "date": day.isoformat(), "slug": slug}
    text = template.removeprefix("\ufeff").replace("\r\n", "\n")
    filled = _NAME.sub(lambda match: values[match[1].lower()], text)
    return filled if filled.endswith("\n") else f"{filled}\n"


def filled(
    text: str,
    sections: Sequence[tuple[str, str]],
    improvements: Iterable[tuple[str, str]],
    meta: Mapping[str, str],
) -> str:
    """Put a draft into a blank entry: bodies by heading, improvements by category, frontmatter."""
    opening, body = _with_meta(text, meta)
    lines = body.rstrip("\n").split("\n")
    bodies = [(heading, content) for heading, content in sections if content]
    by_category: dict[str, list[str]] = {}
    for category, line in improvements:
        by_category.setdefault(category, []).append(f"- {line}")
    listed = [
        (HEADINGS.get(name, name), "\n".join(by_category[name]))
        for name in (*CATEGORIES, *by_category)
        if by_category.get(name)
    ]
    lines = _placed(lines, bodies, level=2, whole=True)
    lines = _placed(lines, dict(listed).items(), level=3, whole=False)
    return opening + "\n".join(lines) + "\n"


def _placed(
    lines: list[str], bodies: Iterable[tuple[str, str]], *, level: int, whole: bool
) -> list[str]:
    """Put bodies under their headings; `whole` replaces what stands below subheadings, too."""
    heads = headings(said_lines("\n".join(lines)))
    found: list[tuple[int, int, str]] = []
    for heading, content in bodies:
        names = [named(head.text) for head in heads]
        if named(heading) not in names:
            found.append((len(lines), len(lines), f"\n{'#' * level} {heading}\n\n{content}"))
            continue
        at = names.index(named(heading))
        mine = heads[at].level
        after = (head.line for head in heads[at + 1 :] if not whole or head.level <= mine)
        found.append((heads[at].line + 1, next(after, len(lines)), f"\n{content}\n"))
    # from the end to the beginning, or the lines would move
    for start, end, content in sorted(found, key=lambda one: one[0], reverse=True):
        lines = [*lines[:start], *content.split("\n"), *lines[end:]]
    return lines


def _with_meta(text: str, meta: Mapping[str, str]) -> tuple[str, str]:
    """Set keys of the frontmatter; one that cannot be read stays as it is."""
    match = _FRONT.match(text)
    if match:
        front, rest = match[2], text[match.end() :]
        try:
            frontmatter.values(front)
        except ValueError:
            return match[0], rest
        return match[1] + frontmatter.with_values(front, meta) + match[3], rest
    front = "".join(frontmatter.emit(key, value) for key, value in meta.items())
    return f"---\n{front}---\n\n", text
