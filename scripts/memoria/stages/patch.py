"""What an engine proposes -> a Patch: checked article and rule changes, never a file written.

No model has tools. It names kinds and slugs, code builds every path; it names entries as sources,
code checks that it was shown them. What is refused is kept with its reason, so that it can be asked
for once more and logged after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoria.stages.entry import Category


@dataclass(frozen=True, slots=True)
class Line:
    """One self-contained statement and the entry that it comes from ("" = of no single entry)."""

    text: str
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an article: prose first, then bullet lines; either may be empty.

    On an update, `lines` are added under what is there; `prose` replaces the section's prose only
    in an article that no person has edited, else it is added below it.
    """

    heading: str
    prose: str = ""
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A related article and how it connects."""

    target: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class ArticleChange:
    """Create an article, or add to it where it exists.

    `kind` is one that AGENTS.md declares (concept, connection, ...). `slug` is the file name
    without ending. `lead` is the two to four sentences under the title; "" on an update leaves the
    lead alone. `entries` are the ids of the entries that it draws on. `connects` is for
    connections: paths like "concepts/x". `key` is what the engine recognises the topic by in later
    compiles ("branch:fix-login", "term:shadow branch"); "" where it needs none.
    """

    kind: str
    slug: str
    title: str
    lead: str
    sections: tuple[Section, ...]
    entries: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    related: tuple[Link, ...] = ()
    connects: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class RuleProposal:
    """A rule, the words that support it, and the entry in whose session they were said."""

    text: str
    category: Category
    quote: str
    entry: str


@dataclass(frozen=True, slots=True)
class Patch:
    """All that one compile of one day proposes."""

    articles: tuple[ArticleChange, ...] = ()
    rules: tuple[RuleProposal, ...] = ()
