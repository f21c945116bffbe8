"""Read what a line of a note cites: its links to logs, its words, a rule's quote.

A line names its source at its end, by a link to the log or to the entry that a person wrote; the
evidence of a rule puts the user's words in quotes before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from memoria.vault.article import unsourced

_LINK = re.compile(r"\[\[(daily/[^\[\]|#\n]{1,200})(?:[#|][^\[\]\n]{0,200})?\]\]")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_QUOTE = re.compile(
    r'^\s*[-*+]?\s*"(?P<words>.*)"\s*\((?P<where>[^()]*(?:\([^()]*\))?[^()]*)\)\s*$'
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A line of a rule's evidence: the words, and the note that shows them ("" for none)."""

    words: str
    link: str
    where: str


def links(line: str) -> tuple[str, ...]:
    """Give the logs and entries that a line links to: daily/2026-04-01, daily/2026-04-01-auth."""
    return tuple(
        dict.fromkeys(match[1].strip().removesuffix(".md") for match in _LINK.finditer(line))
    )


def day(link: str) -> date | None:
    """Give the day of a link to a log; None for one to an entry that a person wrote."""
    try:
        return date.fromisoformat(link.removeprefix("daily/"))
    except ValueError:
        return None


def words(line: str) -> str:
    """Give the words of a line of a note, without its mark and its sources."""
    return unsourced(_BULLET.sub("", line, count=1)).strip()


def quote(line: str) -> Quote:
    """Read a line of a rule's evidence; a line of another form is all words."""
    found = _QUOTE.match(line)
    where = found["where"] if found else ""
    link = next(iter(links(line)), "")
    return Quote(found["words"] if found else words(line), link, "" if link else where)
