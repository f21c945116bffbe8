"""Fix in articles what code can fix safely; everything else in the file stays, to the byte."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.compile.apply import MAX_BACKLINKS
from memoria.lint.note import NAMING, RELATED
from memoria.text.markdown import wikilinks
from memoria.text.outline import outline
from memoria.vault.article import Article, parse, render, summary, with_lead, with_lines, with_meta

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.vault.schema import Schema

# as an article's summary is told from what follows it
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(\[])")


def add_backlinks(article: Article, others: Iterable[str], schema: Schema) -> Article:
    """Add links back under Related Concepts, as many as an article may have."""
    kind = schema.kind_of(article.path)
    have = set(wikilinks(article.section(RELATED)))
    # a name that no link can hold is left alone
    new = [path for path in others if path not in have and wikilinks(f"[[{path}]]") == (path,)]
    lines = [f"[[{path}]]" for path in new[: max(0, MAX_BACKLINKS - len(have))]]
    return with_lines(article, RELATED, lines, kind.sections if kind else ())


def redirect_links(article: Article, moved: Mapping[str, str]) -> Article:
    """Point links to where their targets are now; alias, heading and embed stay."""
    named = {key: article.names(key) for key in NAMING}
    new = {key: [moved.get(name, name) for name in names] for key, names in named.items()}
    changes = {key: names for key, names in new.items() if tuple(names) != named[key]}
    article = with_meta(article, changes)
    front = article.opening + article.front + article.closing
    data = render(article)[len(front) :].encode()
    parts, at = [], 0
    for link in outline(data.decode()).links:
        if link.wiki and link.target in moved and link.start >= at:
            head, bracket, rest = data[link.start : link.end].decode().partition("[[")
            parts += [data[at : link.start].decode(), head, bracket]
            parts.append(rest.replace(link.target, moved[link.target], 1))
            at = link.end
    body = "".join([*parts, data[at:].decode()])
    return replace(parse(article.path, article.kind, front + body), sha=article.sha)


def set_summary(article: Article, text: str) -> Article:
    """Make a text the first sentence of the lead, in place of the one that is there.

    Where that would not come out as the summary that the text is (it was cut, the lead has no clear
    first sentence), the article stays as it is.
    """
    end = _SENTENCE_END.search(article.lead)
    if not end and "\n" in article.lead.strip():
        return article
    rest = article.lead[end.start() :].replace("\r\n", "\n") if end else ""
    changed = with_lead(article, f"{text}{rest}")
    return changed if summary(changed) == text else article
