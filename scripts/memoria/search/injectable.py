"""Entries and articles -> what of them a hook may say: the lines that this machine knows.

A session is told rules and reports. Rules have their own way (the user's words, an approval of this
machine); of all else only lines are told whose key this machine's state holds
(vault/trust/line_keys.py):
it wrote them itself of what the user said and the assistant did, or the person adopted them. What a
page, a file, a tool or a paste said, and what a pull brought, stays in its note, where search and
query find it. The trap: a name is said as well, in a title and in a path.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.provenance.sayable import said_part
from memoria.search.index.passages import of_article
from memoria.text.markdown import next_fence
from memoria.vault.trust.line_keys import key

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from memoria.vault.article import Article
    from memoria.vault.entry import Entry

# what a session needs of an earlier one: its title and the lines that save an hour
_LINES, _LEFT = 4, 2
_LIST = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")


# -- The lines that could be said ------------------------------------------------------------------


def of_note(article: Article, headings: Container[str] = ()) -> tuple[str, ...]:
    """Give the lines of an article that a hook could say: path, title, lead and body."""
    text = of_article(article, headings).text
    names = (article.path, article.title, *article.lead.splitlines())
    return tuple(line for line in (*names, *_unfenced(text)) if line.strip())


# -- What of them is said --------------------------------------------------------------------------


def entry(found: Entry, told: Container[str]) -> str:
    """Give the lines of an entry for a later session; `told` are the keys of what may be said."""

    def kept(lines: Iterable[str]) -> Iterator[str]:
        return filter(None, (_told(line, told) for line in lines))

    draft = found.draft
    said = [*kept((*draft.lessons, *draft.decisions, *draft.exchanges))][:_LINES]
    left = [f"left open: {line}" for line in kept(draft.actions)][:_LEFT]
    title = _told(draft.title, told)
    if not (title or said or left):
        return ""
    head = f"### {found.day} {found.at:%H:%M} {title}".rstrip()
    return "\n".join([head, *(f"- {line}" for line in [*said, *left])])


def _unfenced(text: str) -> Iterator[str]:
    """Give the lines outside of code fences: Memoria writes none, and some programs run them."""
    fence = ""
    for line in text.splitlines():
        # one may begin in an item, too
        before, fence = fence, next_fence(fence, _LIST.sub("", line, count=1))
        if not (fence or before):
            yield line


def _told(line: str, told: Container[str]) -> str:
    said = said_part(line)
    return said if said and key(said) in told else ""
