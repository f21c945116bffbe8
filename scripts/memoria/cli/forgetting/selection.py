"""Find the sessions, parts and texts that a person wants forgotten.

A session goes by its id or how that begins, a project by its key or name with all its sessions so
far, a text with every part that holds it. The trap: a session may be known by its log alone
(another machine captured it), or only wait in the spool.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code.git import project_key
from memoria.errors import MemoriaError, UsageError, VaultError
from memoria.vault.project import label
from memoria.vault.short_sessions import short_sessions
from memoria.vault.storage import disk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from memoria.capture.spool import Job
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

# of a session's id: what a person types to mean one of some thousand
_SHORTEST = 4
# a text that stands in everything would forget everything
_LEAST_TEXT = 3
STATES = ("new", "claimed", "dead")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """A captured part as ledger and log know it; `day` and times are ISO, "" where not known."""

    entry: str
    session: str
    project: str
    day: str
    began: str = ""
    ended: str = ""
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten; see vault/storage/tombstones.py for the fields."""

    sessions: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()
    spans: tuple[tuple[str, str, str], ...] = ()
    projects: frozenset[str] = frozenset()
    match: str = ""

    def record(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in asdict(self).items()
        }

    def __or__(self, other: Selection) -> Selection:
        """Give both; a text of the second counts."""
        return Selection(
            self.sessions | other.sessions,
            self.entries | other.entries,
            (*self.spans, *other.spans),
            self.projects | other.projects,
            other.match or self.match,
        )


def restored(value: dict[str, Any]) -> Selection:
    """Read what `Selection.record` gave."""
    sets = {name: frozenset(value[name]) for name in ("sessions", "entries", "projects")}
    spans = tuple((session, began, ended) for session, began, ended in value["spans"])
    return Selection(spans=spans, match=str(value["match"]), **sets)


def select(arguments: argparse.Namespace, work: Workspace) -> Selection:
    """Find what is meant; UsageError where nothing is, or several things are."""
    if bool(arguments.what) == bool(arguments.match):
        raise UsageError("forget what? a session, a project or --match TEXT")
    known = Known(work)
    return known.holding(arguments.match) if arguments.match else known.named(arguments.what)


def logs(work: Workspace) -> Iterator[Log]:
    """Read all logs that can be read; others are named with what is left, if they hold anything."""
    for date in work.vault.logs():
        try:
            yield work.vault.log(date)
        except VaultError:
            continue


def extract(work: Workspace, entry: str) -> tuple[Path, dict[str, Any]]:
    """Read the extract of an entry, {} for none; give its place, too."""
    path = work.vault.state.extracts / f"{entry}.json"
    try:
        return path, work.vault.state.read_json(path) if entry and ":" not in entry else {}
    except MemoriaError:
        return path, {}


def flat(text: str) -> str:
    """Give a text in lower case with single blanks."""
    return " ".join(text.split()).casefold()


class Known:
    """All that was captured or waits, by parts and jobs."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self._pieces = {piece.entry: piece for piece in self._of_ledger()}
        for piece in self._of_logs():
            known = self._pieces.get(piece.entry, piece)
            texts = piece.texts if known is piece else (*piece.texts, *known.texts)
            self._pieces[piece.entry] = replace(
                piece, began=known.began, ended=known.ended, texts=texts
            )
        self._jobs = [job for state in STATES for job in work.spool.jobs(state)]

    def named(self, name: str) -> Selection:
        """Find the session or the project that a person names."""
        given = self._work.vault.history().of("injection")
        sessions = {piece.session for piece in self._pieces.values()}
        sessions |= {job.session for job in self._jobs}
        sessions |= {str(record.get("session")) for record in given}
        if name in sessions:
            return self.whole([name])
        begun = sorted(one for one in sessions if one.startswith(name))
        if len(name) < _SHORTEST or not begun:
            return self._project(name)
        if len(begun) > 1:
            raise UsageError(f"{name!r} begins several sessions' ids: {', '.join(begun[:3])}")
        return self.whole(begun)

    def _project(self, name: str) -> Selection:
        by_hand = self._work.vault.history().of("hand")
        keys = {piece.project for piece in self._pieces.values()}
        keys |= {str(record.get("project") or "") for record in by_hand}
        keys |= {project_key(job.cwd) for job in self._jobs if job.cwd}
        fitting = {name} & (keys - {""}) or {key for key in keys - {""} if name == label(key)}
        if len(fitting) > 1:
            raise UsageError(f"{name!r} names several projects: {', '.join(sorted(fitting)[:4])}")
        if not fitting:
            raise UsageError(f"there is no session and no project {name!r}")
        mine = [piece.session for piece in self._pieces.values() if piece.project in fitting]
        mine += [job.session for job in self._jobs if job.cwd and project_key(job.cwd) in fitting]
        return self.whole(mine) | Selection(projects=frozenset(fitting))

    def holding(self, text: str) -> Selection:
        """Find the parts that hold a text, and the waiting transcripts that do."""
        match = flat(text)
        if len(match) < _LEAST_TEXT:
            raise UsageError(f"--match {text!r}: name at least {_LEAST_TEXT} characters")
        pieces = self._pieces.values()
        selection = self._parts(
            piece for piece in pieces if any(match in told for told in map(flat, piece.texts))
        )
        waiting = self.whole(job.session for job in self._jobs if _file_holds(job, match))
        return selection | waiting | Selection(match=match)

    def whole(self, sessions: Iterable[str]) -> Selection:
        """Take sessions with all their entries so far."""
        names = frozenset(session for session in sessions if session)
        mine = (piece.entry for piece in self._pieces.values() if piece.session in names)
        return Selection(sessions=names, entries=frozenset(mine))

    def _parts(self, chosen: Iterable[Piece]) -> Selection:
        """Take parts; a session of which all are taken goes as a whole."""
        parts = {piece.entry: piece for piece in chosen if piece.session}
        rest = {piece.session for name, piece in self._pieces.items() if name not in parts}
        whole = frozenset(piece.session for piece in parts.values()) - rest
        spans = [piece for piece in parts.values() if piece.session not in whole and piece.ended]
        return Selection(
            whole,
            frozenset(parts),
            tuple((piece.session, piece.began or piece.ended, piece.ended) for piece in spans),
        )

    def _of_ledger(self) -> Iterator[Piece]:
        data = disk.read(self._work.vault.state.ledger) or b""
        # by line ends alone: a record may hold U+2028
        for text in data.decode("utf-8", "replace").split("\n"):
            try:
                value = json.loads(text) if '"session"' in text else None
            except ValueError:
                continue
            if isinstance(value, dict) and value.get("kind") == "session" and value.get("session"):
                names = ("session", "project", "day", "began", "ended")
                session, project, *times = (str(value.get(name) or "") for name in names)
                at, began, ended = times
                entry = str(value.get("entry") or "")
                told = (value.get("context"), extract(self._work, entry)[1])
                texts = tuple(json.dumps(one, ensure_ascii=False) for one in told)
                # a part without entry and line is told by the end of what was read of it
                name = entry or str(value.get("line") or f"{session}:{value.get('end')}")
                yield Piece(name, session, project, at, began, ended, texts)

    def _of_logs(self) -> Iterator[Piece]:
        for log in logs(self._work):
            at = str(log.day)
            for block in log.blocks:
                entry, text = block.entry, log.text[block.start : block.end]
                # one that Memoria wrote of no session: it came from a buildlog
                session = entry.session or (f"{entry.id}:" if block.written else "")
                yield Piece(entry.id, session, entry.project, at, texts=(text,))
            for short in short_sessions(log.text):
                yield Piece(short.part, short.session, short.project, at, texts=(short.line,))


def _file_holds(job: Job, match: str) -> bool:
    """Whether a waiting transcript holds a text, as it stands or as JSON writes it."""
    forms = [match, json.dumps(match)[1:-1], json.dumps(match, ensure_ascii=False)[1:-1]]
    path = next(
        (path for path in (job.link, Path(job.transcript)) if path and path.is_file()), None
    )
    if path is None:
        return False
    rest = ""
    with path.open(encoding="utf-8", errors="replace") as file:
        while chunk := file.read(_CHUNK):
            text = (rest + chunk).casefold()
            if any(form in text for form in forms):
                return True
            rest = chunk[-4 * len(match) :]
    return False
