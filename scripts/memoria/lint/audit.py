"""Look through the vault and its state for what must not be there: `memoria doctor --audit`.

It changes nothing; the exit code is 1 if an error was found, 0 with warnings alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.errors import MemoriaError
from memoria.lint import audit_checks
from memoria.lint.finding import Finding
from memoria.privacy import clean
from memoria.rules import model as rule
from memoria.vault import setup
from memoria.vault.storage import file_list

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from memoria.vault.storage.file_list import Item
    from memoria.workspace import Workspace

# lines of one check on the terminal; --json has all
_SHOWN = 20
# git's own files hold what was committed; it is not the vault's to judge, nor can it be mended here
_NOT_OURS = frozenset({".git"})
_NOTES = (".md", ".markdown", ".canvas")
# what people keep in a vault besides notes: other files are images and archives
_TEXTS = (*_NOTES, ".txt", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".csv", ".html", ".env", "")
_OTHERS_WRITE = 0o022


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Look through vault and state and print what was found; 1 for errors."""
    work.vault.require()
    secrets, checks = work.settings.secrets, list(audit_checks.CHECKS)
    findings = [replace(one, path=clean.clean(one.path, secrets)) for one in examine(work)]
    findings.sort(key=lambda one: (checks.index(one.check), one.path, one.line))
    counts = Counter(finding.severity for finding in findings)
    if arguments.json:
        shown = {"error": counts["error"], "warning": counts["warning"]}
        terminal.data({"findings": [asdict(finding) for finding in findings], "counts": shown})
    else:
        for line in _lines(findings):
            terminal.line(line)
        terminal.line(f"{counts['error']} errors, {counts['warning']} warnings.")
    return 1 if counts["error"] else 0


def examine(work: Workspace) -> Iterator[Finding]:
    """Go through the vault, then the state, then the rules."""
    vault, state = work.vault, work.vault.state
    items = list(file_list.items(vault.root, _NOT_OURS | setup.program(vault.root)))
    yield from _vault(work, items)
    yield from _state(work)
    try:
        yield from _rules(work)
    except MemoriaError as error:
        yield Finding("rule", "error", state.approvals.name, 0, str(error))


def _vault(work: Workspace, items: list[Item]) -> Iterator[Finding]:
    paths = [item.path for item in items]
    yield from audit_checks.plugins(paths)
    yield from audit_checks.conflicts(paths)
    yield from audit_checks.mode(".", _bits(work.vault.root))
    for item in items:
        for finding in audit_checks.secrets(item.path, item.full.name, work.settings.secrets):
            yield replace(finding, line=0, message=f"{finding.message} in its name")
        # in a folder that is closed the modes within let nobody in; but a sync client copies them
        if item.bits & _OTHERS_WRITE:
            yield from audit_checks.mode(item.path, item.bits)
        is_text = item.full.suffix.lower() in _TEXTS and not item.path.startswith(".obsidian/")
        if item.is_folder or not is_text:
            continue
        text = file_list.text(item.full)
        yield from audit_checks.secrets(item.path, text, work.settings.secrets)
        if item.path.endswith(_NOTES):
            yield from audit_checks.disguises(item.path, text)
            yield from audit_checks.active(item.path, text)


def _state(work: Workspace) -> Iterator[Finding]:
    state = work.vault.state
    yield from audit_checks.mode(str(state.root), _bits(state.root))
    for item in file_list.items(state.root):
        path = f"{state.root}/{item.path}"
        yield from audit_checks.mode(path, item.bits)
        # a waiting transcript is the client's own file, linked: as it is, and gone when it is done
        waits = item.path.startswith("spool/") and item.full.suffix == ".jsonl"
        if not item.is_folder and not waits:
            text = audit_checks.unhashed(file_list.text(item.full))
            for finding in audit_checks.secrets(path, text, work.settings.secrets):
                # columns of a row follow each other without a mark: a title that ends with the word
                # token and a date beside it look like a key
                guessed = finding.message in audit_checks.GUESSED
                if not (guessed and item.full.suffix == ".sqlite"):
                    yield finding


def _rules(work: Workspace) -> Iterator[Finding]:
    state = work.vault.state
    approvals = {key: str(value) for key, value in state.read_json(state.approvals).items()}
    shelf = work.vault.articles
    notes = (shelf.get(path) for path in shelf.paths() if path.startswith("rules/"))
    rules = rule.rules(note for note in notes if note)
    injected = [
        str(row.get("id"))
        for path in sorted(state.injections.glob("*.json"))
        for row in state.read_json(path).get("rules", [])
        if isinstance(row, dict)
    ]
    for finding in audit_checks.unapproved(rules, approvals, injected):
        place = f"{state.root}/" if finding.path == "hooks.json" else ""
        yield replace(finding, path=place + finding.path)


def _bits(path: Path) -> int:
    return next((item.bits for item in file_list.items(path.parent) if item.full == path), 0)


def _lines(findings: list[Finding]) -> Iterator[str]:
    for check, alike in groupby(findings, key=attrgetter("check")):
        mine = list(alike)
        yield f"{audit_checks.CHECKS[check]} ({len(mine)}):"
        for finding in mine[:_SHOWN]:
            place = f"{finding.path}:{finding.line}" if finding.line else finding.path
            yield f"  {finding.severity}: {place}: {finding.message}"
        if len(mine) > _SHOWN:
            yield f"  and {len(mine) - _SHOWN} more; --json tells them all"
        yield ""
