"""Read a tree of bullets as insights, each one line.

A nested bullet is joined to its parent: "because three handlers forgot it" means nothing alone.
Only a parent that merely announces ("When deploying:") gives its children lives of their own, each
with the announcement in front.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.vault.written.categories import is_known, named

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_PLACEHOLDER = re.compile(
    r"""(?:\[(?!\[)[^\[\]]*\]|<[^<>]*>|\{+[^{}]*\}+
    |[.…?_*-]+|n/?a|none(?:\ yet)?|nothing(?:\ yet)?|todo|tbd|tba|xxx+
    |(?:improvement|insight|lesson|learning|item|point)s?(?:\ *\#?\d{1,2})?
    |\(?(?:e\.\ ?g\.|for\ example|example)[,:\ ].*
    )[.:!…\s]*""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT = 300  # characters: what is longer holds the place of nothing
_LONGEST = 1_000  # characters of an insight: what is longer is an essay
_CLOSED = (".", "!", "?", "…")


@dataclass(slots=True)
class Bullet:
    """A bullet with those below it.

    `indent` are the columns before its mark, `task` says that it has a box, `category` is that of
    the heading above it ("" for none).
    """

    indent: int
    text: str
    task: bool
    category: str
    children: list[Bullet] = field(default_factory=list)


def is_placeholder(text: str, known: Container[str] = ()) -> bool:
    """Whether a text only holds the place of one: `known` are those of a template."""
    return not text or text in known or (len(text) <= _SHORT and bool(_PLACEHOLDER.fullmatch(text)))


def insights(
    bullet: Bullet, placeholders: Container[str], before: str = ""
) -> Iterator[tuple[str, str]]:
    """Give what a bullet says, with those below it, as (insight, category)."""
    if bullet.task:
        return
    if bullet.children and bullet.text.endswith(":"):
        yield from _announced(bullet, placeholders, before)
    elif is_placeholder(bullet.text, placeholders):
        for child in bullet.children:
            yield from insights(child, placeholders, before)
    else:
        text = before + _joined(bullet, placeholders)
        yield text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…", bullet.category


def _announced(
    bullet: Bullet, placeholders: Container[str], before: str
) -> Iterator[tuple[str, str]]:
    """Give the bullets below one that announces them; it may be the name of their category."""
    name = named(bullet.text)
    lead = before if is_known(name) else f"{before}{bullet.text} "
    for child in bullet.children:
        child.category = name if is_known(name) else child.category
        yield from insights(child, placeholders, lead)


def _joined(bullet: Bullet, placeholders: Container[str]) -> str:
    """Join a bullet with what stands below it to one line."""
    below = [
        _joined(child, placeholders)
        for child in bullet.children
        if not child.task and not is_placeholder(child.text, placeholders)
    ]
    text = bullet.text
    if not below:
        return text
    if text.endswith(_CLOSED):
        sentences = (one if one.endswith(_CLOSED) else f"{one}." for one in below)
        return f"{text} {' '.join(sentences)}"
    return f"{text.rstrip(' ,;:')}: {'; '.join(one.rstrip('.') for one in below)}"
