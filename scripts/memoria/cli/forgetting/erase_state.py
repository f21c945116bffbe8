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
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import refresh as snapshot
from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code.git import project_key
from memoria.capture.service import Capture
from memoria.cli.forgetting.selection import STATES
from memoria.errors import MemoriaError, VaultError
from memoria.llm.port import Offline
from memoria.rules.guards.switch_store import COMPILED
from memoria.search.service import refreshed
from memoria.vault import home_page as home
from memoria.vault.storage import disk
from memoria.vault.storage import history as records
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from memoria.capture.spool import Job
    from memoria.cli.forgetting.lost import Lost
    from memoria.cli.forgetting.selection import Selection
    from memoria.workspace import Workspace

# databases that are made again when they are asked for, with what SQLite leaves beside them
_BASES = ("search.sqlite", "lint.json")
_BESIDE = ("", "-journal", "-wal", "-shm", ".new")
# of a session's id, in the names of jobs and events
_NAMED = 36
# so many ids are looked up at once: with fewer, one search for each is quicker
_MANY = 40
# what ids of sessions and entries look like, and the runs of text that one may stand in
_ID = re.compile(rb"[0-9A-Za-z_-]{8,}")


def jobs(work: Workspace, selection: Selection) -> list[Job]:
    """Give the jobs in the spool that are about what is forgotten."""
    return [
        job
        for state in STATES
        for job in work.spool.jobs(state)
        if job.session in selection.sessions
        or (job.cwd and project_key(job.cwd) in selection.projects)
    ]


def waiting(work: Workspace, selection: Selection) -> set[str]:
    """Give the ids of the entries that waiting jobs would make: replies to them may be kept."""
    entries: set[str] = set()
    capture = Capture(work.vault, work.settings, Offline(), work.spool)
    for job in jobs(work, selection):
        path = job.link or Path(job.transcript)
        with suppress(MemoriaError, OSError):
            entries |= {part.entry_id for part in capture.parts(path, source=job.source)}
    return entries


def scour(work: Workspace, selection: Selection) -> None:
    """Clean the state; the caller has written the vault's files and the ledger."""
    state, reports = work.vault.state, work.vault.root / "reports"
    doomed = [*_of_spool(work, selection), *_of_hooks(state.root, selection)]
    doomed += [*reports.glob("lint-*.md"), *reports.glob("report.*")]
    doomed += [state.root / f"{name}{ending}" for name in _BASES for ending in _BESIDE]
    doomed += [state.bandit, state.summary, state.root / COMPILED]
    for folder in (state.injections, state.logs, state.worker):
        doomed += folder.iterdir() if folder.is_dir() else ()
    for folder in (state.root, work.vault.daily, work.vault.knowledge):
        doomed += folder.rglob(".*.tmp")  # of a write that somebody's death has ended
    for path in doomed:
        # models run in the worker's folder, and leave folders in it
        if path.parent == state.worker and path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif not path.is_dir() or path.is_symlink():
            path.unlink(missing_ok=True)
    work.vault.journal.forget()


def _of_spool(work: Workspace, selection: Selection) -> Iterator[Path]:
    names = {job.name for job in jobs(work, selection)}
    for path in work.vault.state.spool.rglob("*"):
        day, _, rest = path.stem.partition("-")
        is_reply = path.parent.name == "replies" and f"{day}-{rest[:12]}" in selection.entries
        if path.stem in names or is_reply or _is_named(path.name, selection.sessions):
            yield path


def _of_hooks(root: Path, selection: Selection) -> Iterator[Path]:
    """Find what hooks have written down of sessions: allotments, claims, events, markers."""
    needles = {name.encode() for name in (*selection.sessions, *selection.projects)}
    for folder in ("given", "seen"):
        for path in (root / folder).rglob("*"):
            is_named = _is_named(path.name, selection.sessions)
            if is_named or _holds(path, needles, {selection.match} - {""}):
                yield path


def _is_named(name: str, sessions: Iterable[str]) -> bool:
    return any(session[:_NAMED] in name for session in sessions)


def rebuild(work: Workspace) -> None:
    """Make again what was thrown away."""
    disk.replace(work.vault.state.summary, encode(records.state(work.vault.history())))
    work.vault.articles.refresh()
    if not snapshot.refresh(work):  # HOME.md may still have it
        raise VaultError("it is not finished: repair that, then `memoria forget` goes on")
    with suppress(VaultError):  # a search makes its index itself
        refreshed(work)


def put_aside(work: Workspace, lost: Lost) -> list[Path]:
    """Give the files that were put aside, or copied by an update, and hold a word of it."""
    copies = (work.vault.state.root / "backups").rglob("*")
    aside = [*work.vault.journal.conflicts(), *(path for path in copies if path.is_file())]
    return [path for path in aside if _has_word(path, lost)]


def _has_word(path: Path, lost: Lost) -> bool:
    return lost.marks((disk.read(path) or b"").decode("utf-8", "replace"))


def left(work: Workspace, selection: Selection, intention: Path, lost: Lost) -> list[str]:
    """Look through every byte of vault and state: the files that still hold ids or the text.

    Also a HOME.md that a person has made theirs, if it has a word of it.
    """
    state = work.vault.state.root
    needles = {name.encode() for name in (*selection.sessions, *selection.entries)}
    needles = {needle for needle in needles if b":" not in needle}
    forms = {selection.match, json.dumps(selection.match)[1:-1]} - {""}
    # what is made again from the vault's files holds what they hold; of a team's mirror what is
    # left is colleagues': theirs alone to forget
    made = {state / name for name in (*_BASES, "team_mirror.sqlite")} | {intention}
    # these are Memoria's own texts, the same in every vault
    own = state / "written"
    paths = [path for path in _files(work) if path not in made and not path.is_relative_to(own)]
    holding = [path for path in paths if _holds(path, needles, forms)]
    page = work.vault.root / home.NAME
    if page.is_file() and _has_word(page, lost):
        holding.append(page)
    # the state may lie in the vault
    return list(dict.fromkeys(map(str, holding)))


def transcripts(work: Workspace, selection: Selection) -> list[str]:
    """Name the client's own files of the sessions: they are not Memoria's to delete."""
    marks = work.vault.history().watermarks.values()
    known = {Path(mark.path) for mark in marks if mark.identity in selection.sessions}
    folder = client.projects_dir(work.settings.config_dir)
    there = (client.find_transcript(folder, session) for session in selection.sessions)
    known |= {path for path in there if path}
    return sorted(str(path) for path in known if path.is_file())


def repository(root: Path) -> Path | None:
    """Give the folder whose git history may keep copies of the vault's files."""
    return next((path for path in (root, *root.parents) if (path / ".git").exists()), None)


def _files(work: Workspace) -> Iterator[Path]:
    for root in dict.fromkeys((work.vault.root, work.vault.state.root)):
        for folder, folders, names in os.walk(root):
            # what git holds is named, not searched: it is pressed
            folders[:] = [name for name in folders if name != ".git"]
            yield from (Path(folder) / name for name in sorted(names))


def _holds(path: Path, needles: Collection[bytes], forms: Iterable[str]) -> bool:
    """Whether a file holds one of the ids, or the text in whatever case."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        data = path.read_bytes()
    except OSError:
        return False
    if _has_one(data, needles):
        return True
    text = data.decode("utf-8", "replace").casefold() if forms else ""
    return any(form in text or form in " ".join(text.split()) for form in forms)


def _has_one(data: bytes, needles: Collection[bytes]) -> bool:
    """Whether one of the needles is there; of a thousand those of ids' form are looked up at once.

    The time is that of the data then, not of the data times the needles.
    """
    if len(needles) < _MANY:
        return any(needle in data for needle in needles)
    ids = {needle for needle in needles if _ID.fullmatch(needle)}
    sizes = {len(needle) for needle in ids}
    parts = (
        run[at : at + size]
        for run in set(_ID.findall(data))
        for size in sizes
        for at in range(len(run) - size + 1)
    )
    return not ids.isdisjoint(parts) or any(needle in data for needle in {*needles} - ids)
