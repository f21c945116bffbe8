"""Entries and articles -> what of them a hook may say: the lines that this machine knows.

A session is told rules and reports. Rules have their own way (the user's words, an approval of this
machine); of all else only lines are told whose key this machine's state holds
(vault/trust/known_lines.py):
it wrote them itself of what the user said and the assistant did, or the person adopted them. What a
page, a file, a tool or a paste said, and what a pull brought, stays in its note, where search and
query find it. The trap: a name is said as well, in a title and in a path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.provenance.marks import said_part
from memoria.search.index.passages import of_article
from memoria.text.markdown import unfenced
from memoria.vault.article import summary
from memoria.vault.trust.known_lines import key

if TYPE_CHECKING:
    from collections.abc import Container

    from memoria.vault.article import Article


# -- The lines that could be said ------------------------------------------------------------------


def of_note(article: Article, headings: Container[str] = ()) -> tuple[str, ...]:
    """Give the lines of an article that a hook could say: path, title, lead and body."""
    text = of_article(article, headings).text
    names = (article.path, article.title, *article.lead.splitlines())
    return tuple(line for line in (*names, *unfenced(text)) if line.strip())


# -- What of them is said --------------------------------------------------------------------------


def is_named(article: Article, told: Container[str]) -> bool:
    """Whether an article's title and path may be said."""
    return key(article.path) in told and bool(told_part(article.title, told))


def told_part(line: str, told: Container[str]) -> str:
    """Give what of a line may be said, "" for nothing; `told` are the keys of what may be."""
    said = said_part(line)
    return said if said and key(said) in told else ""


def told_summary(article: Article, told: Container[str]) -> str:
    """Give the first sentence of an article if it may be said, or all of its lead may."""
    first, lead = summary(article), list(filter(str.strip, article.lead.splitlines()))
    whole = bool(lead) and all(told_part(line, told) for line in lead)
    return first if whole else told_part(first, told)
