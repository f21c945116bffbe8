"""Write index.md, which is made of the articles and nothing else, and the entries of log.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.text.markdown import find_wikilinks, make_inert
from memoria.vault.article import Article, summary

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memoria.vault.schema import Schema

INDEX_HEADER = """# Knowledge Base Index

| Article | Summary | Compiled From | Updated |
|---------|---------|---------------|---------|
"""
LOG_HEADER = "# Build Log\n"
# a topic of months has dozens of logs: its row names the newest, the article lists them all
_SHOWN_SOURCES = 3
# a bar of a table's cell, with the backslashes before it
_BAR = re.compile(r"\\*\|")


def render_index(articles: Iterable[Article], schema: Schema) -> str:
    """Give the text of index.md: one row an article, by kind, then path.

    A rule that is not active has none: what waits stands on HOME.md, for review.
    """
    ranks = {kind.name: number for number, kind in enumerate(schema.kinds)}
    ordered = sorted(articles, key=lambda item: (ranks.get(item.kind, len(ranks)), item.path))
    return INDEX_HEADER + "".join(format_row(article) for article in ordered)


def format_row(article: Article) -> str:
    """Give an article's row of the index, "" for a rule that is not active."""
    if article.kind == "rule" and article.meta.get("status") != "active":
        return ""
    sources = article.names("sources") or article.names("consulted")
    newest = ", ".join(sources[-_SHOWN_SOURCES:])
    if len(sources) > _SHOWN_SOURCES:
        newest += f" (+{len(sources) - _SHOWN_SOURCES})"
    updated = article.meta.get("updated") or article.meta.get("filed") or ""
    # the frontmatter is a person's, too, and the index is opened in the same programs
    texts = (f"[[{article.path}]]", summary(article), make_inert(newest), make_inert(str(updated)))
    # readers differ in what a backslash before an escaped bar means
    cells = (_BAR.sub("\\\\|", " ".join(text.split())) for text in texts)
    return f"| {' | '.join(cells)} |\n"


def find_own_lines(text: str) -> tuple[int, ...]:
    """Give the lines of the index that a person added: neither rows nor its heading."""
    heading = {"", *INDEX_HEADER.splitlines()}
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return tuple(n for n, line in lines if line not in heading and not line.startswith("| [["))


def format_log_entry(now: datetime, verb: str, subject: str, lines: Iterable[str]) -> str:
    """Give one entry of log.md: `## [TIME] verb | subject` and its lines."""
    # a refused part is quoted as the model wrote it
    items = "".join(f"- {make_inert(line, find_wikilinks(line))}\n" for line in lines)
    return f"\n## [{now:%Y-%m-%dT%H:%M:%S}] {verb} | {' '.join(subject.split())}\n{items}"


def format_links(paths: Iterable[str]) -> str:
    """Give paths as a list of wikilinks, "(none)" for none."""
    return ", ".join(f"[[{path}]]" for path in paths) or "(none)"
