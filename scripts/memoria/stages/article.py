"""Markdown of an article <-> Article: frontmatter, title, lead, sections.

Reading is exact and writing changes only what a change names, because people edit these files: an
article that is read and written unchanged has the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Article:
    """A note under knowledge/: `path` is relative to knowledge/ without ending ("concepts/x").

    `meta` is the frontmatter, `sections` are (heading, body) with the body's text as it stands.
    `lead` is the text between the title and the first section.
    """

    path: str
    kind: str
    meta: Mapping[str, Any]
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]

    @property
    def key(self) -> str:
        """What the engine recognises the topic by, "" where it has none."""
        return str(self.meta.get("key", ""))
