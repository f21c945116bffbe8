"""Search the articles and entries by words, each with its best passage: `memoria search "words"`.

The index is brought up to date first, by the stamps of the vault's files: what flush, import and
compile wrote, what a person edited and what is gone. A file that did not change is not opened. What
cannot be read is left out; compile, lint and doctor name it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.capture.extract import extract_record
from memoria.errors import UsageError, VaultError
from memoria.rules import model as rule
from memoria.search import team_lines
from memoria.search.cures.known_cures import cures
from memoria.search.index.passages import of_article, of_log, of_page
from memoria.search.index.ranking import Hit, sought
from memoria.search.index.store import FreshRule, Read, Search, Stamp
from memoria.text.dates import day
from memoria.text.prose import clipped
from memoria.text.unicode import strip_hidden
from memoria.vault.article import parse
from memoria.vault.article_store import notes
from memoria.vault.file_names import copies
from memoria.vault.storage import disk
from memoria.vault.store import TEMPLATE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memoria.rules.model import Approvals, Rule
    from memoria.vault.entry import Extract
    from memoria.workspace import Workspace

# as vault/article_store.py has it: what is larger is no article
_ARTICLE_LIMIT = 1024 * 1024
# columns of a date and a space; characters of a passage: two or three rows of a terminal
_INDENT, _SHOWN = 11, 200


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Search, and print what was found."""
    query = " ".join(arguments.words)
    if not query.strip():
        raise UsageError('nothing to search for: `memoria search "words"`')
    kinds = ["entry", *(kind.name for kind in work.vault.schema.kinds)]
    if arguments.kind not in {"", *kinds}:
        raise UsageError(f"--kind {arguments.kind}: there are {', '.join(kinds)}")
    hits = refreshed(work).find(
        query,
        most=arguments.k,
        scope=arguments.scope,
        project=arguments.project,
        since=str(day(arguments.since) or ""),
        kind=arguments.kind,
        tag=arguments.tag,
    )
    if arguments.json:
        terminal.data([asdict(hit) for hit in hits])
    elif hits:
        _show(hits, query)
    else:
        names = ("project", "since", "kind", "tag")
        given = [f"--{name} {value}" for name in names if (value := getattr(arguments, name))]
        work.terminal.say(f"nothing found{' with ' * bool(given)}{', '.join(given)}")
    return 0


def _show(hits: list[Hit], query: str) -> None:
    asked = sought(query)

    def weight(line: str) -> tuple[bool, int]:
        # what names branch and files says least
        return not line.startswith("Branch `"), sum(word in line.lower() for word in asked)

    for hit in hits:
        terminal.paragraph(hit.title, first=hit.date, indent=_INDENT)
        best = max(hit.passage.split("\n"), key=weight)
        text = clipped(best.removeprefix("- "), _SHOWN)
        terminal.paragraph(text, first=" " * _INDENT, indent=_INDENT)
        # a file may be called anything
        where = [] if "#" in hit.link else [strip_hidden(hit.path)]
        for row in (*where, *standing(hit)):
            terminal.line(" " * _INDENT + row)


def standing(hit: Hit) -> list[str]:
    """Say how a hit is cited where it is an entry, and what replaced it or what it replaces."""
    by = f", by {hit.author}" if hit.author not in {"", "offline", "claude"} else ""
    lines = [f"[[{hit.link}]]{by}"] if "#" in hit.link else []
    if hit.status == "replaced":
        lines.append(f"replaced on {hit.replaced_on} by [[{hit.replaced_by}]]")
    if hit.replaces:
        lines.append(f"current; replaces [[{hit.replaces}]]")
    return lines


def refreshed(work: Workspace) -> Search:
    """Bring the index up to date with the vault's files, and give it."""

    def remake(index: Search) -> None:
        with work.vault.state.lock("search"):
            index.reset()
            _update(work, index)

    index = Search(work.vault.state.search, remake)
    if not index.is_current(_stamps(work), _known(work)):
        with work.vault.state.lock("search"):
            _update(work, index)
    return index


def _update(work: Workspace, index: Search) -> None:
    version = _known(work)
    keys = team_lines.sayable(work) if team_lines.exists(work) else work.vault.lines.sayable
    index.update(_stamps(work), partial(_read, work), keys, version)


def _known(work: Workspace) -> str:
    """Tell two states of the lines apart that hooks may say."""
    try:
        status = work.vault.state.known_lines.stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def prepare(work: Workspace, rules: Iterable[Rule], approvals: Approvals) -> bool:
    """Bring all of the index up to date that hooks look into; say if that could be done."""
    history = work.vault.history()
    in_force = {item.id: item for item in rules if rule.is_in_force(item, approvals)}
    hashes = {name: rule.text_hash(item.text) for name, item in in_force.items()}
    # when each was last brought in force in its present words by a person's decision
    since: dict[str, float] = {}
    for record in history.of("rule"):
        approved = record.get("status") == "active" and record.get("by") != "compile"
        if approved and hashes.get(name := str(record.get("id"))) == record.get("hash"):
            with suppress(ValueError):
                since[name] = datetime.fromisoformat(str(record.get("at"))).timestamp()
    fresh = []
    for name, item in in_force.items():
        scope = item.scope[0] if len(item.scope) == 1 else ""
        if name in since:
            fresh.append(FreshRule(name, hashes[name], item.text, scope, since[name]))
    try:
        index = refreshed(work)
        with work.vault.state.lock("search"):
            index.put(fresh, cures(history.mistakes, history.captures))
    except VaultError as error:
        work.terminal.warn(f"{error}; the prompt and failure hooks do without")
        return False
    return True


def _stamps(work: Workspace) -> dict[str, Stamp]:
    folders = ("daily", *(f"knowledge/{kind.folder}" for kind in work.vault.schema.kinds))
    stamps = {path: at for folder in folders for path, at in _files(work.vault.root, folder)}
    return stamps | (team_lines.stamps(work) if team_lines.exists(work) else {})


def _files(root: Path, folder: str) -> Iterator[tuple[str, Stamp]]:
    """List the notes of a folder; this goes through ten thousand of them before each search."""
    stamps: dict[str, Stamp] = {}
    with suppress(VaultError):
        stamps |= notes(root / folder)
    gone = {*copies(stamps), *([TEMPLATE] if folder == "daily" else ())}
    for name, stamp in stamps.items():
        is_text = name.isascii() or name == name.encode("utf-8", "replace").decode()
        if name not in gone and is_text:
            yield f"{folder}/{name}", stamp


def _read(work: Workspace, path: str) -> Read:
    """Read a file of the vault: a log's entries, or an article; nothing where that cannot be."""
    try:
        if path.startswith(team_lines.FOLDER):
            return team_lines.read(work, path)
        if path.startswith("daily/"):
            return _log(work, path)
        text, sha = work.vault.read(path, _ARTICLE_LIMIT)
        inner = path.removeprefix("knowledge/").removesuffix(".md")
        kind = work.vault.schema.kind_of(inner)
        article = replace(parse(inner, kind.name if kind else "", text), sha=sha)
        return Read(sha, (of_article(article, kind.sections if kind else ()),))
    except (VaultError, ValueError):
        return Read("", ())


def _log(work: Workspace, path: str) -> Read:
    name = path.removeprefix("daily/")
    if len(name) != len("2026-01-16.md"):
        page = work.vault.page(name)
        sha = disk.sha(page.text.encode("utf-8", "replace"))
        return Read(sha, (of_page(path, page.day, page.text, sha),))
    day = date.fromisoformat(name.removesuffix(".md"))
    log = work.vault.log(day)
    recorded = work.vault.history().recorded
    return Read(log.sha, tuple(of_log(day, log.text, log.sha, partial(extract, work), recorded)))


def extract(work: Workspace, identity: str) -> Extract | None:
    """Give what was found in the session of an entry, None where that is not known."""
    state = work.vault.state
    try:
        value = state.read_json(state.extracts / f"{identity}.json")
    except VaultError:
        return None  # the lines of the entry itself serve in its place
    return extract_record.decode(value) if value else None
