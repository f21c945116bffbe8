"""`memoria search "words"`: words -> the articles and entries that fit, with the passage."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING

from memoria.edges import terminal
from memoria.edges.search import Search
from memoria.errors import UsageError, VaultError
from memoria.stages.passage import Document, of_article, of_log

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memoria.commands.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Search, and print what was found."""
    work.vault.require()
    query = " ".join(arguments.words)
    if not query.strip():
        raise UsageError('nothing to search for: memoria search "words"')
    if arguments.since:
        try:
            date.fromisoformat(arguments.since)
        except ValueError as error:
            raise UsageError(f"--since {arguments.since!r}: use a date, YYYY-MM-DD") from error
    hits = refreshed(work).find(
        query,
        most=arguments.k,
        scope=arguments.scope,
        project=arguments.project,
        since=arguments.since,
        kind=arguments.kind,
        tag=arguments.tag,
    )
    if arguments.json:
        terminal.data([asdict(hit) for hit in hits])
    elif not hits:
        work.terminal.say("nothing found")
    else:
        for hit in hits:
            terminal.line(f"{hit.path}  {hit.title}  ({hit.score:.1f})")
            terminal.line(f"  {' '.join(hit.passage.split())}")
            terminal.line()
    return 0


def refreshed(work: Workspace) -> Search:
    """Bring the index up to date with the vault's files, and give it."""
    index = Search(work.vault.state.search)
    with work.vault.state.lock("search"):
        index.refresh(_documents(work))
    return index


def _documents(work: Workspace) -> Iterator[Document]:
    shelf = work.vault.articles
    for path in shelf:
        yield of_article(shelf[path])
    for day in work.vault.logs():
        try:
            log = work.vault.log(day)
        except VaultError:
            continue  # compile and doctor name a log that cannot be read
        yield from of_log(day, log.text, log.sha)
