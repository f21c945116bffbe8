"""Search the articles and entries by words, each with its best passage: `memoria search "words"`.

The index is brought up to date first, by the stamps of the vault's files: what flush, import and
compile wrote, what a person edited and what is gone. A file that did not change is not opened. What
cannot be read is left out; compile, lint and doctor name it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.capture.extract.extract_record import read_extract
from memoria.errors import UsageError, VaultError
from memoria.rules import model as rule_model
from memoria.search import team_lines
from memoria.search.cures.from_ledger import build_cures
from memoria.search.index.passages import (
    build_article_document,
    build_log_documents,
    build_page_document,
)
from memoria.search.index.ranking import Hit, parse_query
from memoria.search.index.store import FileContent, FreshRule, SearchIndex, Stamp
from memoria.text.dates import parse_day
from memoria.text.prose import clip_text
from memoria.text.unicode import strip_hidden
from memoria.vault.article import parse_article
from memoria.vault.article_store import MAX_ARTICLE_BYTES, list_notes
from memoria.vault.file_names import find_sync_copies
from memoria.vault.storage import disk
from memoria.vault.store import TEMPLATE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memoria.rules.model import Approvals, Rule
    from memoria.workspace import Workspace

# "[[concepts/x|Title]]", of which a terminal shows the title
_TITLED_LINK = re.compile(r"\[\[[^\[\]|\n]{1,200}\|([^\[\]\n]{1,200})\]\]")
# columns of a date and a space; characters of a passage: two or three rows of a terminal
_INDENT_COLUMNS, _SHOWN_CHARS = 11, 200


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Search, and print what was found."""
    query = " ".join(arguments.words)
    if not query.strip():
        raise UsageError('nothing to search for: `memoria search "words"`')
    kinds = ["entry", *(kind.name for kind in work.vault.schema.kinds)]
    if arguments.kind not in {"", *kinds}:
        raise UsageError(f"--kind {arguments.kind}: there are {', '.join(kinds)}")
    hits = refresh_index(work).find(
        query,
        limit=arguments.k,
        scope=arguments.scope,
        project=arguments.project,
        since=str(parse_day(arguments.since) or ""),
        kind=arguments.kind,
        tag=arguments.tag,
    )
    if arguments.json:
        terminal.print_json([asdict(hit) for hit in hits])
    elif hits:
        _print_hits(hits, query)
    else:
        names = ("project", "since", "kind", "tag")
        options = [f"--{name} {value}" for name in names if (value := getattr(arguments, name))]
        work.terminal.say(f"nothing found{' with ' * bool(options)}{', '.join(options)}")
    return 0


def _print_hits(hits: list[Hit], query: str) -> None:
    units = parse_query(query)

    def weight(line: str) -> tuple[bool, int]:
        # what names branch and files says least
        return not line.startswith("Branch `"), sum(word in line.lower() for word in units)

    for hit in hits:
        terminal.print_paragraph(hit.title, first=hit.date, indent=_INDENT_COLUMNS)
        best = max(hit.passage.split("\n"), key=weight)
        text = clip_text(_TITLED_LINK.sub(r"\1", best.removeprefix("- ")), _SHOWN_CHARS)
        if text.strip():  # a rule may be its title alone
            terminal.print_paragraph(text, first=" " * _INDENT_COLUMNS, indent=_INDENT_COLUMNS)
        # a file may be called anything
        paths = [] if "#" in hit.link else [strip_hidden(hit.path)]
        for row in (*paths, *format_status(hit)):
            terminal.print_line(" " * _INDENT_COLUMNS + row)


def format_status(hit: Hit) -> list[str]:
    """Say how a hit is cited where it is an entry, and what replaced it or what it replaces."""
    author = f", by {hit.author}" if hit.author not in {"", "offline", "claude"} else ""
    lines = [f"[[{hit.link}]]{author}"] if "#" in hit.link else []
    if hit.status == "replaced":
        lines.append(f"replaced on {hit.replaced_on} by [[{hit.replaced_by}]]")
    if hit.replaces:
        lines.append(f"current; replaces [[{hit.replaces}]]")
    return lines


def refresh_index(work: Workspace) -> SearchIndex:
    """Bring the index up to date with the vault's files, and give it."""

    def remake(index: SearchIndex) -> None:
        with work.vault.state.lock("search"):
            index.reset()
            _update(work, index)

    index = SearchIndex(work.vault.state.search, remake)
    if not index.is_current(_read_stamps(work), _read_known_stamp(work)):
        with work.vault.state.lock("search"):
            _update(work, index)
    return index


def _update(work: Workspace, index: SearchIndex) -> None:
    version, keys = _read_known_stamp(work), team_lines.sayable_keys(work)
    index.sync_files(_read_stamps(work), partial(_read_file, work), keys, version)


def _read_known_stamp(work: Workspace) -> str:
    """Tell two states of the lines apart that hooks may say."""
    try:
        status = work.vault.state.known_lines.stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def refresh_for_hooks(work: Workspace, rules: Iterable[Rule], approvals: Approvals) -> bool:
    """Bring all of the index up to date that hooks look into; say if that could be done."""
    history = work.vault.history()
    rules_in_force = {item.id: item for item in rules if rule_model.is_in_force(item, approvals)}
    hashes = {name: rule_model.text_hash(item.text) for name, item in rules_in_force.items()}
    # when each was last brought in force in its present words by a person's decision
    since: dict[str, float] = {}
    for record in history.records_of("rule"):
        approved = record.get("status") == "active" and record.get("by") != "compile"
        if approved and hashes.get(name := str(record.get("id"))) == record.get("hash"):
            with suppress(ValueError):
                since[name] = datetime.fromisoformat(str(record.get("at"))).timestamp()
    fresh_rules = []
    for name, rule in rules_in_force.items():
        scope = rule.scope[0] if len(rule.scope) == 1 else ""
        if name in since:
            fresh_rules.append(FreshRule(name, hashes[name], rule.text, scope, since[name]))
    try:
        index = refresh_index(work)
        with work.vault.state.lock("search"):
            index.sync_rules_and_cures(fresh_rules, build_cures(history.mistakes, history.captures))
    except VaultError as error:
        work.terminal.warn(f"{error}; the prompt and failure hooks do without")
        return False
    return True


def _read_stamps(work: Workspace) -> dict[str, Stamp]:
    folders = ("daily", *(f"knowledge/{kind.folder}" for kind in work.vault.schema.kinds))
    stamps = dict(row for folder in folders for row in _list_files(work.vault.root, folder))
    return stamps | team_lines.read_stamps(work)


def _list_files(root: Path, folder: str) -> Iterator[tuple[str, Stamp]]:
    """List the notes of a folder; this goes through ten thousand of them before each search."""
    stamps: dict[str, Stamp] = {}
    with suppress(VaultError):
        stamps |= list_notes(root / folder)
    passed_names = {*find_sync_copies(stamps), *([TEMPLATE] if folder == "daily" else ())}
    for name, stamp in stamps.items():
        is_text = name.isascii() or name == name.encode("utf-8", "replace").decode()
        if name not in passed_names and is_text:
            yield f"{folder}/{name}", stamp


def _read_file(work: Workspace, path: str) -> FileContent:
    """Read a file of the vault: a log's entries, or an article; nothing where that cannot be."""
    try:
        if path.startswith(team_lines.FOLDER):
            return team_lines.read(work, path)
        if path.startswith("daily/"):
            return _read_log(work, path)
        text, sha = work.vault.read(path, MAX_ARTICLE_BYTES)
        inner = path.removeprefix("knowledge/").removesuffix(".md")
        kind = work.vault.schema.kind_of(inner)
        article = replace(parse_article(inner, kind.name if kind else "", text), sha=sha)
        return FileContent(sha, (build_article_document(article, kind.sections if kind else ()),))
    except (VaultError, ValueError):
        return FileContent("", ())


def _read_log(work: Workspace, path: str) -> FileContent:
    name = path.removeprefix("daily/")
    if len(name) != len("2026-01-16.md"):
        page = work.vault.page(name)
        sha = disk.sha(page.text.encode("utf-8", "replace"))
        return FileContent(sha, (build_page_document(path, page.day, page.text, sha),))
    day = date.fromisoformat(name.removesuffix(".md"))
    log = work.vault.log(day)
    sources = partial(read_extract, work), work.vault.history().restore_place
    return FileContent(log.sha, tuple(build_log_documents(day, log.text, log.sha, *sources)))
