"""Write rules and articles into one Markdown file or as JSON Lines (`memoria export`).

For reading elsewhere, for handing on, for another tool. What holds is exported, and what was put
aside is not. Approvals do not go along: what is in force here is said of each rule and binds
nobody. The trap: what leaves the vault may be handed on, so it passes the gate that takes secrets
out once more; and an article's headings have to stand below its title in the one file.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.errors import UsageError
from memoria.mcp.framing import body
from memoria.privacy import clean
from memoria.rules.decisions import rulebook
from memoria.rules.model import PREFIX, holds_in
from memoria.text.dates import day
from memoria.text.markdown import next_fence
from memoria.vault.article import render
from memoria.vault.storage import disk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from memoria.rules.model import Rule
    from memoria.vault.article import Article
    from memoria.workspace import Workspace

_LINES = (".jsonl", ".ndjson")
_VOID = frozenset({"rejected", "retired"})
_HEADING = re.compile(r"(#{1,6})(\s+\S.*)", re.DOTALL)
# an article's title stands two levels down: # the file, ## Articles, ### the article
_DOWN, _DEEPEST = 2, 6


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Export to a file or standard output."""
    work.vault.require()
    if arguments.rules and arguments.articles:
        raise UsageError("--rules and --articles each leave the other out; without both all is")
    is_lines = arguments.output.lower().endswith(_LINES)
    form = arguments.format or ("jsonl" if is_lines else "markdown")
    book, since = rulebook(work), str(day(arguments.since) or "")
    rules = () if arguments.articles else book.rules
    articles = () if arguments.rules else work.vault.articles.values()
    found = rows(rules, articles, book.is_in_force, arguments.project, since)
    exported = clean.clean(list(found), work.settings.secrets)
    if form == "markdown":
        text = "\n".join(markdown(exported)) + "\n"
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in exported)
    if arguments.output:
        write(arguments.output, text)
    if arguments.json:
        terminal.data(exported)
    elif not arguments.output:
        terminal.document(text)
    count = sum(row["type"] == "rule" for row in exported)
    where = f" written to {arguments.output}" if arguments.output else ""
    work.terminal.say(f"{count} rules and {len(exported) - count} articles{where}.")
    return 0


def write(name: str, text: str) -> None:
    """Write a file that a person named; UsageError where there is no folder for it."""
    path = Path(name).expanduser()
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent} to write {path.name} to")
    if path.is_dir():
        raise UsageError(f"{name} is a folder; name a file")
    disk.replace(path, text.encode("utf-8", "replace"))


def rows(
    rules: Iterable[Rule],
    articles: Iterable[Article],
    is_in_force: Callable[[Rule], bool],
    project: str = "",
    since: str = "",
) -> Iterator[dict[str, Any]]:
    """Give the rows of an export: rules, those in force first, then articles by their paths."""
    chosen = [rule for rule in rules if wanted(rule, project, since)]
    chosen.sort(key=lambda rule: (not is_in_force(rule), rule.category, -rule.frequency, rule.id))
    yield from (_rule_row(rule, in_force=is_in_force(rule)) for rule in chosen)
    for article in sorted(articles, key=lambda article: article.path):
        if article.kind != "rule" and article_wanted(article, project, since):
            yield _article_row(article)


def wanted(rule: Rule, project: str, since: str) -> bool:
    """Whether a rule is exported: it stands, holds in the project, and is not older than the day.

    `project` is a part of a name, "" for all.
    """
    if rule.status in _VOID or rule.superseded_by or (rule.updated or rule.created) < since:
        return False
    return not project or holds_in(rule, "") or any(project in name for name in rule.scope)


def article_wanted(article: Article, project: str, since: str) -> bool:
    """Whether an article is exported; one of no project is about all of them."""
    names, meta = article.names("projects"), article.meta
    updated = str(meta.get("updated") or meta.get("filed") or meta.get("created") or "")
    is_of = not project or not names or any(project in name for name in names)
    return is_of and updated[: len(since)] >= since


def _rule_row(rule: Rule, *, in_force: bool) -> dict[str, Any]:
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


def _article_row(article: Article) -> dict[str, Any]:
    meta = article.meta
    return {
        "type": "article",
        "path": article.path,
        "kind": article.kind,
        "title": article.title,
        "created": str(meta.get("created") or meta.get("filed") or ""),
        "updated": str(meta.get("updated") or meta.get("filed") or ""),
        **{key: list(article.names(key)) for key in ("projects", "tags", "aliases", "sources")},
        "text": body(render(article)),
    }


def markdown(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Give the lines of one Markdown file; rules by category, articles in the order of the rows."""
    all_rows = list(rows)
    rules = [row for row in all_rows if row["type"] == "rule"]
    articles = [row for row in all_rows if row["type"] == "article"]
    yield "# Memoria"
    if rules:
        yield from ("", "## Rules")
    for category in PREFIX:
        mine = [row for row in rules if row["category"] == category]
        if mine:
            yield from ("", f"### {category.replace('_', ' ').capitalize()}", "")
        for row in mine:
            stands = "active" if row["in_force"] else row["status"]
            where = " and ".join(row["scope"]) or "everywhere"
            known = f"`{row['id']}`, {stands}, {row['confidence']} confidence, {where}"
            yield f"- {row['rule']} ({known})"
            yield from (f"  - {line}" for line in row["evidence"])
    if articles:
        yield from ("", "## Articles")
    for row in articles:
        yield from ("", *lowered(row["text"]))


def lowered(text: str, down: int = _DOWN) -> Iterator[str]:
    """Give the lines of a note with its headings so many levels further down; code stays."""
    fence = ""
    for line in text.split("\n"):
        before, fence = fence, next_fence(fence, line)
        match = None if before or fence else _HEADING.fullmatch(line)
        yield f"{'#' * min(_DEEPEST, len(match[1]) + down)}{match[2]}" if match else line
