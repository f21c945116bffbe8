"""Remove every byte of what is forgotten from the state of a vault, and look for it once more.

Databases, snapshots and what was learned are thrown away and made again from what is left, as pages
that a database has freed still hold their bytes. What waits in the spool goes with its links, and
so do logs, reports and the images by which steps could be taken back. All of it can be done twice,
so a forget that was killed finishes when it is run again. The trap: a hook may leave a file at any
moment; what it leaves of a session that was forgotten is not captured.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import refresh as snapshot
from memoria.cli.forgetting.selection import jobs
from memoria.errors import VaultError
from memoria.search.service import refreshed
from memoria.vault import home_page as home
from memoria.vault.storage import disk
from memoria.vault.storage import history as records
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.cli.forgetting.selection import Lost, Selection
    from memoria.workspace import Workspace

# what is made again when it is asked for, with what SQLite leaves beside a database
_MADE = ("search.sqlite*", "lint.json*")
# what goes as a whole: in the state, and in the vault (of a write that somebody's death has ended)
_OF_STATE = (
    *_MADE,
    *("bandit.json", "state.json", "guards.compiled.json", "**/.*.tmp"),
    *("inject/*", "logs/*", "worker/*", "spool/replies/*"),
)
_OF_VAULT = ("reports/lint-*.md", "reports/report.*", "daily/.*.tmp", "knowledge/**/.*.tmp")
# what hooks have written down of sessions: goes by its name, and what can be read by what it says
_BY_NAME, _BY_TEXT = ("spool/**/*",), ("given/**/*", "seen/**/*")
# of a session's id, in the names of jobs and events
_NAMED = 36


def scour(work: Workspace, selection: Selection) -> None:
    """Clean the state; the caller has written the vault's files and the ledger."""
    root, worker = work.vault.state.root, work.vault.state.worker
    doomed = [*_matching(root, _OF_STATE), *_matching(work.vault.root, _OF_VAULT)]
    needles = {name.encode() for name in (*selection.sessions, *selection.projects)}
    for path in _matching(root, _BY_NAME + _BY_TEXT):
        is_named = any(session[:_NAMED] in path.name for session in selection.sessions)
        is_read = path.relative_to(root).parts[0] != "spool"
        if is_named or (is_read and _holds(path, needles, {selection.match} - {""})):
            doomed.append(path)
    for path in doomed:
        # models run in the worker's folder, and leave folders in it
        if path.parent == worker and path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif not path.is_dir() or path.is_symlink():
            path.unlink(missing_ok=True)
    work.vault.journal.forget()


def _matching(root: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from root.glob(pattern)


def rebuild(work: Workspace) -> None:
    """Make again what was thrown away."""
    disk.replace(work.vault.state.summary, encode(records.state(work.vault.history())))
    work.vault.articles.refresh()
    if not snapshot.refresh(work):  # HOME.md may still have it
        raise VaultError("it is not finished: repair that, then `memoria forget` goes on")
    with suppress(VaultError):  # a search makes its index itself
        refreshed(work)


def has_word(path: Path, lost: Lost) -> bool:
    """Whether a file holds a word of it."""
    return lost.marks((disk.read(path) or b"").decode("utf-8", "replace"))


def left(work: Workspace, selection: Selection, intention: Path, lost: Lost) -> list[str]:
    """Look through every byte of vault and state: the files that still hold ids or the text.

    Also a HOME.md that a person has made theirs, if it has a word of it.
    """
    state = work.vault.state.root
    needles = {name.encode() for name in (*selection.sessions, *selection.entries)}
    forms = {selection.match, json.dumps(selection.match)[1:-1]} - {""}
    # what is made again from the vault's files holds what they hold; of a team's mirror what is
    # left is colleagues': theirs alone to forget
    made = {*_matching(state, _MADE), state / "team_mirror.sqlite", intention}
    # these are Memoria's own texts, the same in every vault
    own = state / "written"
    paths = [path for path in _files(work) if path not in made and not path.is_relative_to(own)]
    holding = [path for path in paths if _holds(path, needles, forms)]
    page = work.vault.root / home.NAME
    if page.is_file() and has_word(page, lost):
        holding.append(page)
    # the state may lie in the vault
    return list(dict.fromkeys(map(str, holding)))


def transcripts(work: Workspace, selection: Selection) -> list[str]:
    """Name the client's own files of the sessions: they are not Memoria's to delete."""
    marks = work.vault.history().watermarks.values()
    paths = {mark.path for mark in marks if mark.identity in selection.sessions}
    paths |= {job.transcript for job in jobs(work) if job.session in selection.sessions}
    return sorted(path for path in paths if Path(path).is_file())


def _files(work: Workspace) -> Iterator[Path]:
    for root in dict.fromkeys((work.vault.root, work.vault.state.root)):
        for folder, folders, names in os.walk(root):
            # what git holds is named, not searched: it is pressed
            folders[:] = [name for name in folders if name != ".git"]
            yield from (Path(folder) / name for name in sorted(names))


def _holds(path: Path, needles: Iterable[bytes], forms: Iterable[str]) -> bool:
    """Whether a file holds one of the ids, or the text in whatever case."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        data = path.read_bytes()
    except OSError:
        return False
    text = data.decode("utf-8", "replace").casefold() if forms else ""
    return any(needle in data for needle in needles) or any(
        form in text or form in " ".join(text.split()) for form in forms
    )
