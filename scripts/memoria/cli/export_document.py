"""Make one Markdown document of rules and articles, or rows for a program.

What holds is exported, and what was put aside is not: rejected, retired and overruled rules stay
out. Of each row its evidence and its sources come along, since a rule without its words is hearsay.
The trap: an article has headings of its own, and in one file they have to stand below its title.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memoria.mcp.framing import body
from memoria.rules.model import PREFIX, holds_in
from memoria.text.markdown import next_fence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memoria.rules.model import Rule
    from memoria.vault.article import Article

_VOID = frozenset({"rejected", "retired"})
_HEADING = re.compile(r"(#{1,6})(\s+\S.*)", re.DOTALL)
# an article's title stands two levels down: # the file, ## Articles, ### the article
_DOWN, _DEEPEST = 2, 6


def wanted(rule: Rule, project: str, since: str) -> bool:
    """Whether a rule is exported: it stands, holds in the project, and is not older than the day.

    `project` is a part of a name, "" for all.
    """
    if rule.status in _VOID or rule.superseded_by or (rule.updated or rule.created) < since:
        return False
    return not project or holds_in(rule, "") or any(project in name for name in rule.scope)


def article_wanted(article: Article, project: str, since: str) -> bool:
    """Whether an article is exported; one of no project is about all of them."""
    names = article.names("projects")
    day = str(
        article.meta.get("updated")
        or article.meta.get("filed")
        or article.meta.get("created")
        or ""
    )
    return day[: len(since)] >= since and (
        not project or not names or any(project in name for name in names)
    )


def rule_row(rule: Rule, *, in_force: bool) -> dict[str, Any]:
    """Give a rule as a row; `in_force` is for this machine."""
    return {
        "type": "rule",
        "id": rule.id,
        "rule": rule.text,
        "category": rule.category,
        "status": rule.status,
        "in_force": in_force,
        "frequency": rule.frequency,
        "confidence": rule.confidence,
        "scope": list(rule.scope),
        "sources": list(rule.sources),
        "tags": list(rule.tags),
        "aliases": list(rule.aliases),
        "created": rule.created,
        "updated": rule.updated,
        "evidence": [line.removeprefix("- ") for line in rule.quotes],
    }


def article_row(article: Article, text: str) -> dict[str, Any]:
    """Give an article as a row; `text` is its file's."""
    return {
        "type": "article",
        "path": article.path,
        "kind": article.kind,
        "title": article.title,
        "created": str(article.meta.get("created") or article.meta.get("filed") or ""),
        "updated": str(article.meta.get("updated") or article.meta.get("filed") or ""),
        "projects": list(article.names("projects")),
        "tags": list(article.names("tags")),
        "aliases": list(article.names("aliases")),
        "sources": list(article.names("sources")),
        "text": body(text),
    }


def markdown(rows: Iterable[dict[str, Any]], title: str = "Memoria") -> Iterator[str]:
    """Give the lines of one Markdown file; rules by category, articles in the order of the rows."""
    found = list(rows)
    rules = [row for row in found if row["type"] == "rule"]
    articles = [row for row in found if row["type"] == "article"]
    yield f"# {title}"
    if rules:
        yield from ("", "## Rules")
    for category in PREFIX:
        mine = [row for row in rules if row["category"] == category]
        if mine:
            yield from ("", f"### {category.replace('_', ' ').capitalize()}", "")
            for row in mine:
                yield from _rule(row)
    if articles:
        yield from ("", "## Articles")
    for row in articles:
        yield from ("", *lowered(row["text"]))


def _rule(row: dict[str, Any]) -> Iterator[str]:
    stands = "active" if row["in_force"] else row["status"]
    where = " and ".join(row["scope"]) or "everywhere"
    yield f"- {row['rule']} (`{row['id']}`, {stands}, {row['confidence']} confidence, {where})"
    yield from (f"  - {line}" for line in row["evidence"])


def lowered(text: str, down: int = _DOWN) -> Iterator[str]:
    """Give the lines of a note with its headings so many levels further down; code stays."""
    fence = ""
    for line in text.split("\n"):
        before, fence = fence, next_fence(fence, line)
        match = None if before or fence else _HEADING.fullmatch(line)
        yield f"{'#' * min(_DEEPEST, len(match[1]) + down)}{match[2]}" if match else line


def rows(
    rules: Iterable[Rule],
    articles: Iterable[tuple[Article, str]],
    in_force: Callable[[Rule], bool],
    project: str = "",
    since: str = "",
) -> Iterator[dict[str, Any]]:
    """Give the rows of an export: rules, those in force first, then articles by their paths."""
    chosen = [rule for rule in rules if wanted(rule, project, since)]
    chosen.sort(key=lambda rule: (not in_force(rule), rule.category, -rule.frequency, rule.id))
    yield from (rule_row(rule, in_force=in_force(rule)) for rule in chosen)
    for article, text in sorted(articles, key=lambda pair: pair[0].path):
        if article_wanted(article, project, since):
            yield article_row(article, text)
