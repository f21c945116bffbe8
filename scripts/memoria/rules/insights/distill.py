"""`memoria distill`: the notebook's entries -> the insights in them, by category, as JSON or YAML.

Written entries give their Improvements, captured ones their lessons and decisions as they stand in
the log. What cannot be read is named and left; the rest is distilled all the same, and the exit
code says that part of it failed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.errors import UsageError, VaultError
from memoria.privacy import clean as gate
from memoria.rules.insights import notebook
from memoria.rules.insights.by_category import ENDINGS, as_text, distillation
from memoria.text.dates import day
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock, disk
from memoria.vault.written.categories import CATEGORIES, is_known, named
from memoria.vault.written.written_entry import bullets

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from datetime import date

    from memoria.rules.insights.insight import Pattern
    from memoria.rules.insights.notebook import Leaf
    from memoria.workspace import Workspace

_SHOWN = 10  # problems that are named; a folder full of foreign files would bury the result


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: the leaves, oldest first; what could not be; files whose names say no day."""

    leaves: tuple[Leaf, ...]
    problems: tuple[str, ...] = ()
    misnamed: tuple[str, ...] = ()


def run(
    arguments: argparse.Namespace,
    work: Workspace,
    show: Callable[[dict[str, Any]], None] = terminal.data,
) -> int:
    """Distill, and print the result by `show` or write it to a file."""
    work.vault.require()
    target = _target(arguments.output)
    first = day(arguments.since)
    found = read(work, first)
    patterns = notebook.patterns(found.leaves)
    if arguments.category:
        patterns = _of_category(patterns, arguments.category)
    now = clock.now(work.settings.zone)
    # the file may go anywhere, and a person may have written a secret into an entry
    safe = _safe(patterns, work.settings.secrets)
    value = distillation(safe, len(found.leaves), now)
    if target:
        _write(work, target, value)
    if arguments.json or not target:
        show(value)
    tell(work, found)
    return 1 if found.problems else 0


def patterns(work: Workspace, since: date | None = None) -> tuple[Pattern, ...]:
    """Give all insights of the notebook from a day on, in order of date, source and line.

    They are raw: no secret has been taken out. `read` says how many entries that were, and what
    could not be read.
    """
    return notebook.patterns(read(work, since).leaves)


def read(work: Workspace, since: date | None = None) -> Read:
    """Read the notebook: all entries from a day on; copies are told from all there are."""
    problems: list[str] = []
    pages, misnamed = work.vault.pages()
    leaves = [*_written(work, pages, problems), *_captured(work, problems)]
    ordered = notebook.notebook(leaves)
    kept = tuple(leaf for leaf in ordered if since is None or leaf.day >= since)
    return Read(kept, tuple(problems), tuple(misnamed))


def tell(work: Workspace, found: Read) -> None:
    """Say what a person has to know of what was read."""
    warn = work.terminal.warn
    for problem in found.problems[:_SHOWN]:
        warn(f"not read: {strip_hidden(problem)}")
    if len(found.problems) > _SHOWN:
        warn(f"not read: {len(found.problems) - _SHOWN} more files")
    if found.misnamed:
        names = ", ".join(strip_hidden(name) for name in found.misnamed[:_SHOWN])
        warn(f"not read, as the names begin with no date (YYYY-MM-DD-slug.md): {names}")
    for name, sources in notebook.unknown(found.leaves).items():
        warn(f"category {name!r} is none of the four and kept as it is: {', '.join(sources[:3])}")
    if not found.leaves:
        work.terminal.say("No entries: `memoria new SLUG` writes one, `memoria import` captures.")


def _written(work: Workspace, names: list[str], problems: list[str]) -> Iterator[Leaf]:
    try:
        placeholders = bullets(work.vault.template())
    except VaultError as error:
        problems.append(str(error))
        placeholders = frozenset()
    for name in names:
        try:
            page = work.vault.page(name)
        except VaultError as error:
            problems.append(str(error))
            continue
        yield notebook.page(name, page.day, page.slug, page.text, placeholders)


def _captured(work: Workspace, problems: list[str]) -> Iterator[Leaf]:
    for when in work.vault.logs():
        try:
            log = work.vault.log(when)
        except VaultError as error:
            problems.append(str(error))
            continue
        yield from notebook.blocks(f"{when}.md", log.blocks)


def _of_category(patterns: tuple[Pattern, ...], given: str) -> tuple[Pattern, ...]:
    """Keep one category; UsageError for one that neither is known nor has an insight."""
    name = named(given)
    kept = tuple(one for one in patterns if one.category == name)
    if not kept and not is_known(name):
        own = sorted({one.category for one in patterns} - set(CATEGORIES))
        raise UsageError(f"--category {given!r}: use one of {', '.join((*CATEGORIES, *own))}")
    return kept


def _safe(patterns: tuple[Pattern, ...], secrets: tuple[str, ...]) -> Iterator[Pattern]:
    """Redact the patterns; each text once, as an entry's insights share their context."""
    texts = list(dict.fromkeys(text for one in patterns for text in (one.insight, one.context)))
    clean = dict(zip(texts, gate.clean(texts, secrets), strict=True))
    for one in patterns:
        insight, context = clean[one.insight], clean[one.context]
        same = insight == one.insight and context == one.context
        yield one if same else replace(one, insight=insight, context=context)


def _target(output: str) -> Path | None:
    """Check where the result is to go, before anything is read."""
    if not output:
        return None
    path = Path(output).expanduser()
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"-o {output}: use a name that ends in {', '.join(ENDINGS)}")
    if path.is_dir() or not path.parent.is_dir():
        what = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise UsageError(f"-o {output}: {what}")
    return path


def _write(work: Workspace, target: Path, value: dict[str, Any]) -> None:
    text = as_text(value, target.suffix.lower())
    disk.replace(target, text.encode("utf-8", "replace"))
    total = value["statistics"]["total_patterns"]
    work.terminal.say(f"{total} insights of {value['entry_count']} entries: {target}")
