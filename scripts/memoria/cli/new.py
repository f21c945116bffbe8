"""Begin a written entry daily/DATE-SLUG.md, blank or drafted from a session (`memoria new`).

The draft is made from what log, extract and ledger hold of the session, and passes the gate once
more. A file that is there is never written over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.capture.extract import extract_record
from memoria.capture.session_draft import session_draft
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.text.dates import day
from memoria.vault import package_files
from memoria.vault.slugs import slug as slugged
from memoria.vault.storage import clock
from memoria.vault.store import TEMPLATE
from memoria.vault.written.template import blank, filled
from memoria.vault.written.written_entry import draft_mark

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from memoria.capture.session_draft import SessionDraft
    from memoria.vault.entry import Entry, Extract
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

LATEST = "latest"
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 80  # characters: with date and ending the name fits on every disk
_PREFIX = 8  # characters of a session's id that tell it from all others of a person
_CHOICES = 5  # ids that are named where several fit


@dataclass(frozen=True, slots=True)
class _Session:
    """A captured session: its id, project, the day and moment of its last part."""

    id: str
    project: str
    day: date
    at: datetime


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the entry and say where it lies."""
    work.vault.require()
    when = day(arguments.date, "--date")
    chosen = _session(work, arguments.from_session) if arguments.from_session else None
    draft = _draft(work, chosen) if chosen else None
    slug = _slug(arguments.slug, draft)
    when = when or (chosen.day if chosen else clock.now(work.settings.zone).date())
    title = (draft.title if draft else "") or _title(arguments.slug, slug)
    text = blank(_template(work), title=title, day=when, slug=slug)
    if chosen and draft:
        text = _with_draft(text, draft, chosen)
    name = f"{when}-{slug}"
    if not _dry(arguments):
        _write(work, name, text)
    if arguments.json:
        terminal.data(_shown(name, chosen, written=not _dry(arguments)))
    elif _dry(arguments):
        terminal.document(text.rstrip("\n") + "\n")
    else:
        terminal.document(f"daily/{name}.md\n")
        work.terminal.say("Write fast, not pretty; `memoria distill` reads its Improvements.")
    return 0


def _dry(arguments: argparse.Namespace) -> bool:
    return bool(getattr(arguments, "dry_run", False))


def _shown(name: str, chosen: _Session | None, *, written: bool) -> dict[str, object]:
    session = chosen.id if chosen else ""
    return {"path": f"daily/{name}.md", "created": written, "session": session}


def _slug(given: str, draft: SessionDraft | None) -> str:
    """Give the slug: what was given, if only case and spaces have to change; else the title's."""
    if not given:
        made = slugged(draft.title) if draft else ""
        if made:
            return made
        raise UsageError("which name? `memoria new SLUG`, such as auth-api")
    plain = re.sub(r"[\s_-]+", "-", given.strip().lower()).strip("-")
    if _SLUG.fullmatch(plain) and len(plain) <= _LONGEST:
        return plain
    better = slugged(given)
    hint = f"; perhaps {better}" if better else ""
    raise UsageError(
        f"{given!r} is no name for a file: use letters a-z, digits and hyphens, "
        f"at most {_LONGEST}{hint}"
    )


def _title(given: str, slug: str) -> str:
    """Give the title as it was typed, if it was typed as words."""
    words = " ".join(given.split())
    return words if " " in words else slug.replace("-", " ").capitalize()


def _template(work: Workspace) -> str:
    return work.vault.template() or package_files.text(f"templates/{TEMPLATE}")


def _write(work: Workspace, name: str, text: str) -> None:
    with work.vault.changing() as change:
        path = work.vault.daily / f"{name}.md"
        if path.exists() or path.is_symlink():
            raise UsageError(f"daily/{name}.md is there already: edit it, or use another name")
        change.put_entry(name, text)


# -- From a session -------------------------------------------------------------------------------


def _session(work: Workspace, given: str) -> _Session:
    """Find the session that is meant; UsageError where none or several are."""
    known = _known(work.vault.history())
    if not known:
        raise UsageError("no session was captured yet: `memoria import` or `memoria flush` first")
    if given == LATEST:
        return max(known.values(), key=lambda session: session.at)
    if len(given) < _PREFIX and given not in known:
        raise UsageError(
            f"--from-session {given!r}: give {_PREFIX} characters of the id, or latest"
        )
    sessions = [session for session in known.values() if session.id.startswith(given)]
    if not sessions:
        raise UsageError(f"--from-session {given!r}: no captured session has that id")
    if len(sessions) > 1 and given not in known:
        names = ", ".join(session.id for session in sessions[:_CHOICES])
        raise UsageError(f"--from-session {given!r}: several sessions begin so: {names}")
    return known.get(given, sessions[0])


def _known(history: History) -> dict[str, _Session]:
    """Give the captured sessions, each with its last part."""
    known: dict[str, _Session] = {}
    for capture in history.captures.values():
        try:
            at, when = datetime.fromisoformat(capture.at), date.fromisoformat(capture.day)
        except ValueError:
            continue
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        before = known.get(capture.session)
        if capture.session and (before is None or before.at < at):
            known[capture.session] = _Session(capture.session, capture.project, when, at)
    return known


def _draft(work: Workspace, chosen: _Session) -> SessionDraft:
    """Write the draft of a session."""
    history = work.vault.history()
    entries = list(_entries(work, history, chosen))
    mistakes = [seen.mistake for seen in history.mistakes if seen.session == chosen.id]
    draft = session_draft(entries, list(_extracts(work, entries)), mistakes)
    return clean.clean(draft, work.settings.secrets)


def _entries(work: Workspace, history: History, chosen: _Session) -> Iterable[Entry]:
    days = {capture.day for capture in history.captures.values() if capture.session == chosen.id}
    for when in sorted(days):
        log = work.vault.log(date.fromisoformat(when))
        yield from (block.entry for block in log.blocks if block.entry.session == chosen.id)


def _extracts(work: Workspace, entries: Iterable[Entry]) -> Iterable[Extract]:
    for entry in entries:
        value = work.vault.state.read_json(work.vault.state.extracts / f"{entry.id}.json")
        extract = extract_record.decode(value) if value else None
        if extract:
            yield extract


def _with_draft(text: str, draft: SessionDraft, chosen: _Session) -> str:
    lines = [line for _, line in draft.improvements]
    meta = {"session": chosen.id, "project": chosen.project}
    body = filled(text, draft.sections, draft.improvements, meta)
    return f"{body.rstrip()}\n\n{draft_mark(chosen.id, lines)}\n"
