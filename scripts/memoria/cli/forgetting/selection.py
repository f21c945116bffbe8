"""Find the sessions, parts and texts that a person wants forgotten.

A session goes by its id or how that begins, a project by its key or name with all its sessions so
far, a day with all that was captured from it on, a text with every part that holds it. The trap: a
session may be known by its log alone (another machine captured it), or only wait in the spool.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import date
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
    from memoria.workspace import Workspace

# of a session's id: what a person types to mean one of some thousand
_SHORTEST = 4
# a text that stands in everything would forget everything
_LEAST_TEXT = 3
_STATES = ("new", "claimed", "dead")
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

    @property
    def empty(self) -> bool:
        """Whether nothing that was captured is meant."""
        return not (self.sessions or self.entries or self.match)

    def record(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            name: sorted(one) if isinstance(one, frozenset) else one
            for name, one in asdict(self).items()
        }


def restored(value: dict[str, Any]) -> Selection:
    """Read what `Selection.record` gave."""
    sets = {name: frozenset(value[name]) for name in ("sessions", "entries", "projects")}
    spans = tuple((one[0], one[1], one[2]) for one in value["spans"])
    return Selection(spans=spans, match=str(value["match"]), **sets)


def joined(selection: Selection, other: Selection) -> Selection:
    """Give both; a text of the second counts."""
    return Selection(
        selection.sessions | other.sessions,
        selection.entries | other.entries,
        (*selection.spans, *other.spans),
        selection.projects | other.projects,
        other.match or selection.match,
    )


def select(arguments: argparse.Namespace, work: Workspace) -> Selection:
    """Find what is meant; UsageError where nothing is, or several things are."""
    wanted = [bool(one) for one in (arguments.what, arguments.match, arguments.since)]
    if sum(wanted) != 1:
        raise UsageError("forget what? a session, a project, --match TEXT or --since DATE")
    known = Known(work)
    if arguments.since:
        return known.since(_day(arguments.since))
    if arguments.match:
        return known.holding(arguments.match)
    return known.named(arguments.what)


def captured(work: Workspace, selection: Selection) -> frozenset[str]:
    """Give the entries that there are by now of the sessions that go as a whole."""
    pieces = Known(work).pieces.values()
    return frozenset(piece.entry for piece in pieces if piece.session in selection.sessions)


def is_named(selection: Selection, arguments: argparse.Namespace) -> bool:
    """Whether a person's words mean what an selection already has."""
    what, match = str(arguments.what or ""), " ".join((arguments.match or "").split()).casefold()
    names = selection.sessions if len(what) >= _SHORTEST else ()
    keys = {*selection.projects, *map(label, selection.projects)}
    if match:
        return match == selection.match
    return what in {*selection.sessions, *keys} or any(name.startswith(what) for name in names)


def _day(text: str) -> str:
    try:
        return str(date.fromisoformat(text))
    except ValueError as error:
        raise UsageError(f"--since {text!r}: use a date, YYYY-MM-DD") from error


@dataclass
class Known:
    """All that was captured or waits, by parts and jobs."""

    work: Workspace
    pieces: dict[str, Piece] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read ledger, logs and spool."""
        self.pieces = {piece.entry: piece for piece in self._of_ledger()}
        for piece in self._of_logs():
            before = self.pieces.get(piece.entry)
            times = (before.began, before.ended) if before else ("", "")
            texts = (*piece.texts, *(before.texts if before else ()))
            self.pieces[piece.entry] = Piece(
                piece.entry, piece.session, piece.project, piece.day, *times, texts
            )
        spool = self.work.spool
        self.jobs = [job for state in _STATES for job in spool.jobs(state)]

    def named(self, name: str) -> Selection:
        """Find the session or the project that a person names."""
        given = self.work.vault.history().of("injection")
        sessions = {piece.session for piece in self.pieces.values()}
        sessions |= {job.session for job in self.jobs}
        sessions |= {str(one.get("session")) for one in given}
        found = [session for session in sessions if session and session == name]
        if not found and len(name) >= _SHORTEST:
            found = sorted(session for session in sessions if session.startswith(name))
        if len(found) > 1:
            raise UsageError(f"{name!r} begins several sessions' ids: {', '.join(found[:3])}")
        return self._whole(found) if found else self._project(name)

    def _project(self, name: str) -> Selection:
        keys = {piece.project for piece in self.pieces.values()}
        keys |= {str(one.get("project") or "") for one in self.work.vault.history().of("hand")}
        keys |= {project_key(job.cwd) for job in self.jobs if job.cwd}
        found = {one for one in keys - {""} if name == one}
        found = found or {one for one in keys - {""} if name == label(one)}
        if len(found) > 1:
            raise UsageError(f"{name!r} names several projects: {', '.join(sorted(found)[:4])}")
        if not found:
            raise UsageError(f"there is no session and no project {name!r}")
        mine = [piece.session for piece in self.pieces.values() if piece.project in found]
        mine += [job.session for job in self.jobs if job.cwd and project_key(job.cwd) in found]
        return joined(self._whole(mine), Selection(projects=frozenset(found)))

    def since(self, day: str) -> Selection:
        """Find what was captured of sessions that ended on a day or later, and what waits."""
        selection = self._parts(piece for piece in self.pieces.values() if piece.day >= day)
        waiting = [job.session for job in self.jobs]
        return joined(selection, self._whole(waiting))

    def holding(self, text: str) -> Selection:
        """Find the parts that hold a text, and the waiting transcripts that do."""
        match = " ".join(text.split()).casefold()
        if len(match) < _LEAST_TEXT:
            raise UsageError(f"--match {text!r}: name at least {_LEAST_TEXT} characters")
        mine = (
            piece
            for piece in self.pieces.values()
            if any(match in told for told in map(_flat, piece.texts))
        )
        selection = self._parts(piece for piece in mine if piece.session)
        waiting = [job.session for job in self.jobs if _file_holds(job, match)]
        return joined(joined(selection, self._whole(waiting)), Selection(match=match))

    def _whole(self, sessions: Iterable[str]) -> Selection:
        names = frozenset(session for session in sessions if session)
        mine = (piece.entry for piece in self.pieces.values() if piece.session in names)
        return Selection(sessions=names, entries=frozenset(mine))

    def _parts(self, chosen: Iterable[Piece]) -> Selection:
        """Take parts; a session of which all are taken goes as a whole."""
        parts = {piece.entry: piece for piece in chosen if piece.session}
        rest = {piece.session for piece in self.pieces.values() if piece.entry not in parts}
        whole = frozenset(piece.session for piece in parts.values()) - rest
        spans = [piece for piece in parts.values() if piece.session not in whole and piece.ended]
        return Selection(
            whole,
            frozenset(parts),
            tuple((piece.session, piece.began or piece.ended, piece.ended) for piece in spans),
        )

    def _of_ledger(self) -> Iterator[Piece]:
        data = disk.read(self.work.vault.state.ledger) or b""
        # by line ends alone: a record may hold U+2028
        for text in data.decode("utf-8", "replace").split("\n"):
            try:
                value = json.loads(text) if '"session"' in text else None
            except ValueError:
                continue
            if isinstance(value, dict) and value.get("kind") == "session" and value.get("session"):
                yield self._piece(value)

    def _piece(self, value: dict[str, Any]) -> Piece:
        names = ("entry", "session", "project", "day", "began", "ended")
        entry, session, *rest = (str(value.get(name) or "") for name in names)
        texts = (json.dumps(value.get("context"), ensure_ascii=False), self._extract(entry))
        project, day, began, ended = rest
        # a part without entry and line is told by the end of what was read of it
        name = entry or str(value.get("line") or f"{session}:{value.get('end')}")
        return Piece(name, session, project, day, began, ended, texts)

    def _extract(self, entry: str) -> str:
        if not entry:
            return ""
        try:
            value = self.work.vault.state.read_json(
                self.work.vault.state.extracts / f"{entry}.json"
            )
        except MemoriaError:
            return ""
        return json.dumps(value, ensure_ascii=False)

    def _of_logs(self) -> Iterator[Piece]:
        for day in self.work.vault.logs():
            try:
                log = self.work.vault.log(day)
            except VaultError:
                continue  # named with what is left, if it holds anything
            for block in log.blocks:
                entry = block.entry
                text = log.text[block.start : block.end]
                # one that Memoria wrote of no session: it came from a buildlog
                session = entry.session or (f"{entry.id}:" if block.written else "")
                yield Piece(entry.id, session, entry.project, str(day), texts=(text,))
            for short in short_sessions(log.text):
                texts = (short.line,)
                yield Piece(short.part, short.session, short.project, str(day), texts=texts)


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _file_holds(job: Job, match: str) -> bool:
    """Whether a waiting transcript holds a text, as it stands or as JSON writes it."""
    wanted = [match, json.dumps(match)[1:-1], json.dumps(match, ensure_ascii=False)[1:-1]]
    path = next((one for one in (job.link, Path(job.transcript)) if one and one.is_file()), None)
    if path is None:
        return False
    rest = ""
    with path.open(encoding="utf-8", errors="replace") as file:
        while chunk := file.read(_CHUNK):
            text = (rest + chunk).casefold()
            if any(one in text for one in wanted):
                return True
            rest = chunk[-4 * len(match) :]
    return False
