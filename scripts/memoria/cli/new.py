"""Begin a written entry daily/DATE-SLUG.md, blank or drafted from a session (`memoria new`).

The draft is made from what log, extract and ledger hold of the session, and passes the gate once
more. A file that is there is never written over.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NamedTuple

from memoria import terminal
from memoria.capture.extract.extract_record import decode
from memoria.capture.session_draft import session_draft
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.text.dates import day
from memoria.vault import package_files
from memoria.vault.file_names import slug as slugged
from memoria.vault.storage import clock
from memoria.vault.store import TEMPLATE
from memoria.vault.written.template import blank, filled
from memoria.vault.written.written_entry import draft_mark

if TYPE_CHECKING:
    import argparse

    from memoria.capture.session_draft import SessionDraft
    from memoria.workspace import Workspace

LATEST = "latest"
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 80  # characters: with date and ending the name fits on every disk
_PREFIX = 8  # characters of a session's id that tell it from all others of a person
_CHOICES = 5  # ids that are named where several fit


class _Session(NamedTuple):
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
    # the title as it was typed, if it was typed as words
    words = " ".join(arguments.slug.split())
    title = words if " " in words else slug.replace("-", " ").capitalize()
    template = work.vault.template() or package_files.text(f"templates/{TEMPLATE}")
    text = blank(template, title=(draft.title if draft else "") or title, day=when, slug=slug)
    if chosen and draft:
        meta = {"session": chosen.id, "project": chosen.project}
        body = filled(text, draft.sections, draft.improvements, meta).rstrip()
        text = f"{body}\n\n{draft_mark(chosen.id, [line for _, line in draft.improvements])}\n"
    name = f"{when}-{slug}"
    if not arguments.dry_run:
        _write(work, name, text)
    if arguments.json:
        session, is_made = chosen.id if chosen else "", not arguments.dry_run
        terminal.data({"path": f"daily/{name}.md", "created": is_made, "session": session})
    elif arguments.dry_run:
        terminal.document(text.rstrip("\n") + "\n")
    else:
        terminal.document(f"daily/{name}.md\n")
        work.terminal.say("Write fast, not pretty; `memoria distill` reads its Improvements.")
    return 0


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


def _write(work: Workspace, name: str, text: str) -> None:
    with work.vault.changing() as change:
        path = work.vault.daily / f"{name}.md"
        if path.exists() or path.is_symlink():
            raise UsageError(f"daily/{name}.md is there already: edit it, or use another name")
        change.put_entry(name, text)


# -- From a session -------------------------------------------------------------------------------


def _session(work: Workspace, given: str) -> _Session:
    """Find the session that is meant; UsageError where none or several are."""
    known = _known(work)
    if not known:
        raise UsageError("no session was captured yet: `memoria import` or `memoria flush` first")
    if given == LATEST:
        return max(known.values(), key=lambda session: session.at)
    if given in known:
        return known[given]
    wrong = f"--from-session {given!r}:"
    if len(given) < _PREFIX:
        raise UsageError(f"{wrong} give {_PREFIX} characters of the id, or latest")
    sessions = [session for session in known.values() if session.id.startswith(given)]
    if not sessions:
        raise UsageError(f"{wrong} no captured session has that id")
    if len(sessions) > 1:
        names = ", ".join(session.id for session in sessions[:_CHOICES])
        raise UsageError(f"{wrong} several sessions begin so: {names}")
    return sessions[0]


def _known(work: Workspace) -> dict[str, _Session]:
    """Give the captured sessions, each with its last part."""
    known: dict[str, _Session] = {}
    for capture in work.vault.history().captures.values():
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
    history, state = work.vault.history(), work.vault.state
    days = {capture.day for capture in history.captures.values() if capture.session == chosen.id}
    entries = [
        block.entry
        for when in sorted(days)
        for block in work.vault.log(date.fromisoformat(when)).blocks
        if block.entry.session == chosen.id
    ]
    values = (state.read_json(state.extracts / f"{entry.id}.json") for entry in entries)
    extracts = [extract for value in values if value and (extract := decode(value))]
    mistakes = [seen.mistake for seen in history.mistakes if seen.session == chosen.id]
    return clean.clean(session_draft(entries, extracts, mistakes), work.settings.secrets)
