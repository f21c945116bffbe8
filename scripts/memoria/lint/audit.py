"""Look through vault and state for secrets and open modes: `memoria doctor --audit`.

A finding says where (line 0 is all of a file) and of which kind, never what.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import asdict, replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.lint.finding import Finding
from memoria.privacy import clean
from memoria.privacy.secrets import redact
from memoria.text.numbers import format_count
from memoria.vault import setup

if TYPE_CHECKING:
    import argparse
    from collections.abc import Container, Iterable, Iterator, Mapping
    from pathlib import Path

    from memoria.workspace import Workspace

# each check, what it means to the person, in the order in which they are told
CHECKS: Mapping[str, str] = {
    "secret": "A key, password or token: change it where it is valid, then take it out here",
    "mode": "Others on this machine may read or write it: `chmod go= PATH` closes it",
}
# lines of one check on the terminal; --json has all
_MAX_SHOWN = 20
# git's own files hold what was committed; it is not the vault's to judge, nor can it be fixed here
_SKIPPED_FOLDERS = frozenset({".git"})
# what people keep in a vault besides notes: other files are images and archives
_TEXT_ENDINGS = frozenset(
    ("", ".md", ".markdown", ".canvas", ".txt", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".csv")
)
_ANY_OF_OTHERS, _OTHERS_WRITE = 0o077, 0o022
# larger than any note, ledger or index of ten years; more of a file is not looked at
_MAX_BYTES = 64 << 20
# printable bytes in a row, of a database: shorter runs hold no key
_PRINTABLE_RUN = re.compile(rb"[\t\x20-\x7e\x80-\xff]{12,}")
# `"concepts/refresh-token": "0f3a..."`, a note's path and its hash: no key's name and its value
_PATH_AND_HASH = re.compile(r'("[a-z]+/[^"\s]+": ?)"[0-9a-f]{24}"')
# known by the name beside the value: columns of a database stand side by side without a mark
_GUESSED_KINDS = frozenset({"secret", "password"})


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Look through vault and state and print what was found; 1 for errors."""
    work.vault.require()
    secrets, checks = work.settings.secrets, list(CHECKS)
    findings = [replace(row, path=clean.clean_value(row.path, secrets)) for row in _examine(work)]
    findings.sort(key=lambda row: (checks.index(row.check), row.path, row.line))
    if arguments.json:
        counts = {"error": len(findings), "warning": 0}
        terminal.print_json({"findings": list(map(asdict, findings)), "counts": counts})
    else:
        for line in _format_findings(findings):
            terminal.print_line(line)
        terminal.print_line(f"{format_count(len(findings), 'error')}.")
    return 1 if findings else 0


def _examine(work: Workspace) -> Iterator[Finding]:
    """Go through the vault, then the state."""
    vault, state = work.vault, work.vault.state
    yield from _check_mode(".", vault.root, _ANY_OF_OTHERS)
    for full in _walk_files(vault.root, _SKIPPED_FOLDERS | setup.list_program_folders(vault.root)):
        path = full.relative_to(vault.root).as_posix()
        for secret in redact(full.name, work.settings.secrets).found:
            yield Finding("secret", "error", path, 0, f"{secret.kind} in its name")
        # in a folder that is closed the modes within let nobody in; but a sync program copies them
        yield from _check_mode(path, full, _OTHERS_WRITE)
        if full.suffix.lower() in _TEXT_ENDINGS and not path.startswith(".obsidian/"):
            yield from _find_secrets(path, _read_text(full), work.settings.secrets)
    yield from _check_mode(str(state.root), state.root, _ANY_OF_OTHERS)
    for full in _walk_files(state.root):
        yield from _check_mode(str(full), full, _ANY_OF_OTHERS)
        # a waiting transcript is the client's own file, linked: as it is, and gone when it is done
        if not (full.is_relative_to(state.spool) and full.suffix == ".jsonl"):
            text = _PATH_AND_HASH.sub(r"\1", _read_text(full))
            for finding in _find_secrets(str(full), text, work.settings.secrets):
                if full.suffix != ".sqlite" or finding.message not in _GUESSED_KINDS:
                    yield finding


def _walk_files(root: Path, without: Container[str] = ()) -> Iterator[Path]:
    """Go through a folder, folders too; no link is followed, `without` names folders at its top."""
    for folder, folders, files in os.walk(root):
        parent = root.joinpath(os.path.relpath(folder, root))
        folders[:] = sorted(name for name in folders if parent != root or name not in without)
        yield from (parent / name for name in (*folders, *sorted(files)))


def _check_mode(path: str, full: Path, others: int) -> Iterator[Finding]:
    status = full.lstat()
    if os.name == "posix" and not stat.S_ISLNK(status.st_mode) and status.st_mode & others:
        yield Finding("mode", "error", path, 0, f"its mode is {status.st_mode & 0o777:04o}")


def _read_text(path: Path) -> str:
    """Read a file as text, "" where it cannot be read; of a binary one what is printable."""
    if path.is_symlink() or not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError:
        return ""
    if b"\0" in data[:4096]:
        data = b"\n".join(_PRINTABLE_RUN.findall(data))
    return data.decode("utf-8", "replace")


def _find_secrets(path: str, text: str, values: Iterable[str]) -> Iterator[Finding]:
    for secret in redact(text, values).found:
        yield Finding("secret", "error", path, secret.line, secret.kind)


def _format_findings(findings: list[Finding]) -> Iterator[str]:
    for check, group in groupby(findings, key=attrgetter("check")):
        listed = list(group)
        yield f"{CHECKS[check]} ({len(listed)}):"
        for finding in listed[:_MAX_SHOWN]:
            place = f"{finding.path}:{finding.line}" if finding.line else finding.path
            yield f"  {finding.severity}: {place}: {finding.message}"
        if len(listed) > _MAX_SHOWN:
            yield f"  and {len(listed) - _MAX_SHOWN} more; --json tells them all"
        yield ""
