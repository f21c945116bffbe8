"""One insight of one entry -> Pattern: its words, its category, where it stands, what it counts as.

A pattern is raw: every insight of every entry as it was written; merging them into rules comes
later and needs two things besides the words. `origin` says whose words they are, because only what
the user said may become an injected rule without review. `entry` says what counts as one sighting,
because confidence counts distinct sessions and dates and not mentions: a file that was copied under
three names is three sources and one sighting. So `entry` is the same for all copies, the name of
the earliest; whoever counts takes the distinct values of `entry`, each with its earliest date. The
trap: a draft that was made from a session holds the assistant's words, however much the
file looks written; until a person changes a line of it, that line is captured and counts as its
session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class Pattern:
    """An insight with its evidence.

    `insight` is one line of Markdown as the entry has it. `category` is one of the four of
    entry.Category, or the name that a person gave to one of their own (words joined by "_").
    `source` is the base name of the file that it stands in (2026-01-16-auth.md), `date` the day of
    that file's name, `context` the title or goal of the entry. `origin` is "written" for words of
    the user's own. `entry` is one sighting: the session's id for what was captured (the block's
    own id for one that a person wrote into a log), else the file's name, of copies that of the
    earliest. `project` is "" where a written entry's frontmatter names none.
    """

    insight: str
    category: str
    source: str
    date: date
    context: str
    origin: Literal["written", "captured"]
    entry: str
    project: str
