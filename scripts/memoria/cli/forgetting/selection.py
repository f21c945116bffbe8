"""Find the sessions that a person wants forgotten, and what of the vault's text is theirs.

A session goes by its id or how that begins, a project by its key or name with all its sessions so
far, a text with every session that holds it. A line of a note names the entry that it was taken
from, so whether it goes is looked up; what names no entry (a title, a file's name, a person's line)
is compared by its words: one that only the forgotten entries have gives them away. The trap: a
session may be known by its log alone (another machine captured it), or only wait in the spool.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.cli.decide import trust
from memoria.errors import MemoriaError, UsageError, VaultError
from memoria.privacy.project_keys import project_key
from memoria.program import quote_words
from memoria.vault.citations import Citation, parse_citations
from memoria.vault.daily_log import ShortSession, find_short_sessions
from memoria.vault.package_files import read_text as package_text
from memoria.vault.project import label
from memoria.vault.storage import disk
from memoria.vault.written.written_entry import parse_written_entry

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from memoria.capture.spool import Job
    from memoria.vault.daily_log import Block
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

# of a session's id: what a person types to mean one of some thousand
_SHORTEST = 4
# a text that stands in everything would forget everything
_LEAST_TEXT = 3
_STATES = ("new", "claimed", "dead")
# shorter words stand in any text; a name or a key is longer
_WORD = re.compile(r"[^\W_]{3,}")
# English as everybody writes it: its words give nobody away
_EVERYDAY = ("prompts/compile.md", "prompts/flush.md", "prompts/learn.md", "prompts/query.md")
# fields of an extract whose values are names of ours
_FORM = frozenset({"kind", "origin", "sha", "titled_by"})


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten; `match` is a text in lower case, "" for none."""

    sessions: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    match: str = ""

    def record(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return asdict(self) | {name: sorted(getattr(self, name)) for name in _SETS}

    def has(self, part: Block | ShortSession) -> bool:
        """Whether an entry of a log goes, or the line of a session without one."""
        if isinstance(part, ShortSession):
            return part.part in self.entries or part.session in self.sessions
        return part.entry.id in self.entries or part.entry.session in self.sessions


_SETS = ("sessions", "entries", "projects")


def parse_selection(value: dict[str, Any]) -> Selection:
    """Read what `Selection.record` gave."""
    sets = {name: frozenset(value[name]) for name in _SETS}
    return Selection(**sets, match=str(value["match"]))


class _CapturedPart(NamedTuple):
    """A captured part as ledger or log know it; the session is "" for an imported entry."""

    entry: str
    session: str
    project: str
    text: str = ""


def select(arguments: argparse.Namespace, work: Workspace) -> Selection:
    """Find what is meant; UsageError where nothing is, or several things are."""
    name, text = arguments.what, " ".join((arguments.match or "").split()).casefold()
    if bool(name) == bool(text):
        raise UsageError("forget what? a session, a project or --match TEXT")
    parts, jobs = [*_list_captured_parts(work)], list_jobs(work)
    if text:
        if len(text) < _LEAST_TEXT:
            raise UsageError(f"--match {text!r}: name at least {_LEAST_TEXT} characters")
        sessions = {job.session for job in jobs if _file_holds(job, text)}
        text_parts = [piece for piece in parts if text in " ".join(piece.text.split()).casefold()]
        sessions |= {piece.session for piece in text_parts}
        return replace(_select_sessions(parts, sessions, text_parts), match=text)
    names = {piece.session for piece in parts} | {job.session for job in jobs}
    names |= {str(record.get("session")) for record in work.vault.history().records_of("injection")}
    ids = {name} & names or {key for key in names if key.startswith(name)}
    if len(ids) > 1 and len(name) >= _SHORTEST:
        id_text = ", ".join(sorted(ids)[:3])
        raise UsageError(f"{name!r} begins several sessions' ids: {id_text}")
    if ids and (name in ids or len(name) >= _SHORTEST):
        return _select_sessions(parts, ids)
    return _select_project(work, name, parts, jobs)


def _select_project(
    work: Workspace, name: str, parts: list[_CapturedPart], jobs: list[Job]
) -> Selection:
    keys = {piece.project for piece in parts}
    keys |= {str(record.get("project") or "") for record in work.vault.history().records_of("hand")}
    keys = (keys | {project_key(job.cwd) for job in jobs if job.cwd}) - {""}
    matches = {name} & keys or {key for key in keys if name == label(key)}
    if len(matches) != 1:
        problem = f"{name!r} names several projects; `memoria forget PROJECT` with one of: "
        problem += ", ".join(map(quote_words, sorted(matches)))
        raise UsageError(problem if matches else f"there is no session and no project {name!r}")
    project_parts = [piece for piece in parts if piece.project in matches]
    sessions = {job.session for job in jobs if job.cwd and project_key(job.cwd) in matches}
    sessions |= {piece.session for piece in project_parts}
    return replace(_select_sessions(parts, sessions, project_parts), projects=frozenset(matches))


def entries_of(work: Workspace, sessions: frozenset[str]) -> frozenset[str]:
    """Give all entries so far of sessions."""
    return _select_sessions(_list_captured_parts(work), set(sessions)).entries


def _select_sessions(
    parts: Iterable[_CapturedPart], sessions: set[str], extra: Iterable[_CapturedPart] = ()
) -> Selection:
    """Take sessions with all their entries so far, and `extra` pieces, some of no session."""
    sessions = sessions - {""}
    entries = {piece.entry for piece in parts if piece.session in sessions}
    entries |= {piece.entry for piece in extra}
    return Selection(frozenset(sessions), frozenset(entries - {""}))


def _list_captured_parts(work: Workspace) -> Iterator[_CapturedPart]:
    history = work.vault.history()
    for item in history.captures.values():
        yield _CapturedPart(item.entry, item.session, item.project, _extract_text(work, item.entry))
    for session in history.sessions.values():
        context = json.dumps(session.context, ensure_ascii=False)
        yield _CapturedPart("", session.session, session.project, context)
    for mark in history.watermarks.values():
        yield _CapturedPart("", mark.identity, "")
    for log in trust.read_logs(work):
        for block in log.blocks:
            entry, text = block.entry, log.text[block.start : block.end]
            if entry.session or block.written:  # else a person wrote it
                yield _CapturedPart(entry.id, entry.session, entry.project, text)
        for short in find_short_sessions(log.text):
            yield _CapturedPart(short.part, short.session, short.project, short.line)


def list_jobs(work: Workspace) -> list[Job]:
    """Give all jobs in the spool."""
    return [job for state in _STATES for job in work.spool.jobs(state)]


def read_extract(work: Workspace, entry: str) -> tuple[Path, dict[str, Any]]:
    """Read the extract of an entry, {} for none; give its place, too."""
    path = work.vault.state.extracts / f"{entry}.json"
    try:
        return path, work.vault.state.read_json(path) if entry else {}
    except MemoriaError:
        return path, {}


def _file_holds(job: Job, match: str) -> bool:
    """Whether a waiting transcript holds a text, as it stands or as JSON writes it."""
    forms = {match, json.dumps(match)[1:-1], json.dumps(match, ensure_ascii=False)[1:-1]}
    paths = (path for path in (job.link, Path(job.transcript)) if path and path.is_file())
    text = next((path.read_text("utf-8", "replace").casefold() for path in paths), "")
    return any(form in text for form in forms)


# -- What is theirs --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LostContent:
    """What goes: the ids of entries, the logs that lose one, and of these those left without any.

    Logs are named as links have them. `all_words` are those of these entries, `words` those that
    only they have. `match` goes wherever it stands. `projects` are those that no entry is about
    any more.
    """

    entries: frozenset[str] = frozenset()
    days: frozenset[str] = frozenset()
    over: frozenset[str] = frozenset()
    all_words: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    match: str = ""
    projects: frozenset[str] = frozenset()

    def holds(self, text: str) -> bool:
        """Whether a text holds the one that was asked for."""
        return bool(self.match) and self.match in text.casefold()

    def marks(self, text: str) -> bool:
        """Whether a text has what only the forgotten entries said."""
        return self.holds(text) or not self.words.isdisjoint(find_words(text))

    def says(self, text: str) -> bool:
        """Whether a text has nothing but words of theirs."""
        return self.marks(text) and find_words(text) <= self.all_words

    def has(self, citation: Citation) -> bool:
        """Whether what a link names is gone."""
        return citation.entry in self.entries if citation.entry else citation.note in self.over

    def is_cited_in(self, text: str) -> bool:
        """Whether a text names an entry that goes, or a log that loses one."""
        return any(
            self.has(citation) or (not citation.entry and citation.note in self.days)
            for citation in parse_citations(text)
        )

    def drops_line(self, item: str) -> bool:
        """Whether a line of a note goes: all that it names is gone, or it has words of it."""
        citations = parse_citations(item)
        if citations and all(map(self.has, citations)):
            return True
        return self.marks(item) if self.is_cited_in(item) else self.holds(item)


def find_words(text: str) -> frozenset[str]:
    """Give the words of a text that can give away whose it is."""
    return frozenset(_WORD.findall(text.casefold()))


def find_lost_content(work: Workspace, selection: Selection, logs: Iterable[Log]) -> LostContent:
    """Find out what goes of which day and project, and which words nothing that stays has."""
    entries = set(selection.entries)
    # of what stays (False) and of what goes (True)
    texts: dict[bool, list[str]] = {
        True: [_extract_text(work, entry) for entry in selection.entries],
        False: [disk.read_text(work.vault.root / "AGENTS.md")[0], *map(package_text, _EVERYDAY)],
    }
    days: dict[bool, set[str]] = defaultdict(set)
    projects: dict[bool, set[str]] = defaultdict(set)
    for log in logs:
        for block in log.blocks:
            is_lost = selection.has(block)
            entries |= {block.entry.id} if is_lost else set()
            days[is_lost].add(f"daily/{log.day}")
            projects[is_lost].add(block.entry.project)
            texts[is_lost].append(log.text[block.start : block.end])
            texts[is_lost].append(_extract_text(work, block.entry.id))
        for short in find_short_sessions(log.text):
            projects[selection.has(short)].add(short.project)
            texts[selection.has(short)].append(short.line)
    for name in work.vault.pages()[0]:
        with suppress(VaultError):
            text = work.vault.page(name).text
            # a draft of a session repeats its words
            texts[False] += (
                [text] if parse_written_entry(text).session not in selection.sessions else []
            )
    lost_words = find_words("\n".join(texts[True]))
    return LostContent(
        frozenset(entries),
        frozenset(days[True]),
        frozenset(days[True] - days[False]),
        lost_words,
        lost_words - find_words("\n".join(texts[False])),
        selection.match,
        frozenset(projects[True] - projects[False] - {""}) | selection.projects,
    )


def _extract_text(work: Workspace, entry: str) -> str:
    """Give the texts of an extract, without the words that are its form."""
    return "\n".join(_list_strings(read_extract(work, entry)[1]))


def _list_strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        value = [item for name, item in value.items() if name not in _FORM]
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (text for item in value for text in _list_strings(item))
