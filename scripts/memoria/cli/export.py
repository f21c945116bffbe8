"""Write rules and articles into one Markdown file or as JSON Lines (`memoria export`).

For reading elsewhere, for handing on, for another tool. Approvals do not go along: what is in force
here is said of each rule and binds nobody. The trap: what leaves the vault may be handed on, so it
passes the gate that takes secrets out once more.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.cli import export_document
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.rules.decisions import rulebook
from memoria.text.dates import day
from memoria.vault.article import render
from memoria.vault.storage import disk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from memoria.vault.article import Article
    from memoria.workspace import Workspace

FORMATS = ("markdown", "jsonl")
_ENDINGS = {".md": "markdown", ".markdown": "markdown", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Export to a file or standard output."""
    work.vault.require()
    if arguments.rules and arguments.articles:
        raise UsageError("--rules and --articles each leave the other out; without both all is")
    form = _form(arguments)
    rows = clean.clean(_rows(arguments, work), work.settings.secrets)
    if arguments.output:
        _put(arguments.output, _text(rows, form))
    if arguments.json:
        terminal.data(rows)
    elif not arguments.output:
        terminal.document(_text(rows, form))
    rules = sum(row["type"] == "rule" for row in rows)
    where = f" written to {arguments.output}" if arguments.output else ""
    work.terminal.say(f"{rules} rules and {len(rows) - rules} articles{where}.")
    return 0


def _form(arguments: argparse.Namespace) -> str:
    """Choose the form by the option, else by the file's ending."""
    named = str(arguments.output)
    ending = next((form for end, form in _ENDINGS.items() if named.lower().endswith(end)), "")
    return str(arguments.format or ending or FORMATS[0])


def _rows(arguments: argparse.Namespace, work: Workspace) -> list[dict[str, Any]]:
    book = rulebook(work)
    rules = () if arguments.articles else book.rules
    articles = () if arguments.rules else _articles(work)
    return list(
        export_document.rows(
            rules,
            [(article, render(article)) for article in articles],
            book.is_in_force,
            arguments.project,
            str(day(arguments.since) or ""),
        )
    )


def _articles(work: Workspace) -> Iterable[Article]:
    shelf = work.vault.articles
    return [article for article in shelf.values() if article.kind != "rule"]


def _text(rows: Iterable[dict[str, Any]], form: str) -> str:
    if form == "markdown":
        return "\n".join(export_document.markdown(rows)) + "\n"
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _put(name: str, text: str) -> None:
    """Write a file that a person named; UsageError where there is no folder for it."""
    path = Path(name).expanduser()
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent} to write {path.name} to")
    if path.is_dir():
        raise UsageError(f"{name} is a folder; name a file")
    disk.replace(path, text.encode("utf-8", "replace"))
