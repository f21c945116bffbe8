"""Begin a written entry daily/DATE-SLUG.md, blank or drafted from a session (`memoria new`).

A file that is there is never written over.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from memoria import terminal
from memoria.capture.extract.extract_record import decode
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.text.dates import parse_day
from memoria.text.markdown import format_code_block, format_inline_code, format_quote, make_inert
from memoria.vault import package_files
from memoria.vault.entry import Entry, Extract
from memoria.vault.file_names import slugify as make_slug
from memoria.vault.storage import clock
from memoria.vault.storage.ledger_records import Mistake
from memoria.vault.store import TEMPLATE
from memoria.vault.written.categories import categorise, format_by_category
from memoria.vault.written.written_entry import format_draft_mark
from memoria.workspace import Workspace

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 80  # characters: with date and ending the name fits on every disk
_NAME = re.compile(r"\{\{\s*(title|date|slug)\s*\}\}", re.IGNORECASE)


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the entry and say where it lies."""
    session_id = arguments.from_session
    session = read_session(work, session_id) if session_id else None
    slug = _normalise_slug(arguments.slug or (make_slug(session.title) if session else ""))
    default_day = session.day if session else clock.now(work.settings.zone).date()
    day = parse_day(arguments.date, "--date") or default_day
    # the title as it was typed, if it was typed as words
    words = " ".join(arguments.slug.split()) or (session.title if session else "")
    title = words if " " in words else slug.replace("-", " ").capitalize()
    text = format_draft(session, title) if session else _fill_template(work, title, day, slug)
    name = f"{day}-{slug}"
    if not arguments.dry_run:
        with work.vault.open_transaction() as change:
            path = work.vault.daily / f"{name}.md"
            if path.exists() or path.is_symlink():
                raise UsageError(f"daily/{name}.md is there already: edit it, or use another name")
            change.put_entry(name, text)
    if arguments.json:
        terminal.print_json({"path": f"daily/{name}.md", "created": not arguments.dry_run})
    elif arguments.dry_run:
        terminal.print_document(text)
    else:
        terminal.print_document(f"daily/{name}.md\n")
        work.terminal.say("Write fast, not pretty; `memoria distill` reads its Improvements.")
    return 0


def _fill_template(work: Workspace, title: str, day: date, slug: str) -> str:
    """Fill in what the template asks for by name: {{title}}, {{date}} and {{slug}}."""
    values = {"title": title, "date": day.isoformat(), "slug": slug}
    template = work.vault.template() or package_files.read_text(f"templates/{TEMPLATE}")
    template = template.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    return _NAME.sub(lambda match: values[match[1].lower()], template) + "\n"


def _normalise_slug(name: str) -> str:
    """Give the slug: what was given, if only case and spaces have to change."""
    if not name:
        raise UsageError("which name? `memoria new SLUG`, such as auth-api")
    normalised = re.sub(r"[\s_-]+", "-", name.strip().lower()).strip("-")
    if _SLUG.fullmatch(normalised) and len(normalised) <= _LONGEST:
        return normalised
    suggestion = make_slug(name)
    hint = f"; perhaps {suggestion}" if suggestion else ""
    raise UsageError(
        f"{name!r} is no name for a file: use letters a-z, digits and hyphens, "
        f"at most {_LONGEST}{hint}"
    )


LATEST = "latest"
_PREFIX = 8  # characters of a session's id that tell it from all others of a person
_MOST = 8  # errors, files: a draft that is not read through teaches nothing


@dataclass(frozen=True, slots=True)
class CapturedSession:
    """A captured session: its id, its last day, and what is held of it, oldest first."""

    id: str
    day: date
    entries: Sequence[Entry]
    extracts: Sequence[Extract]
    mistakes: Sequence[Mistake]

    @property
    def title(self) -> str:
        """Give the title of the first part that has one."""
        return next((entry.draft.title for entry in self.entries if entry.draft.title), "")


def read_session(work: Workspace, start: str) -> CapturedSession:
    """Read the session of an id, of its first 8 characters, or the latest; UsageError if none."""
    history, state = work.vault.history(), work.vault.state
    captures = sorted(history.captures.values(), key=lambda record: record.at)
    names = list(dict.fromkeys(record.session for record in reversed(captures) if record.session))
    if not names:
        raise UsageError("no session was captured yet: `memoria import` or `memoria flush` first")
    ids = names[:1] if start == LATEST else [name for name in names if name.startswith(start)]
    if len(ids) != 1 or (start != LATEST and len(start) < _PREFIX and start not in names):
        fault = f"{len(ids)} captured sessions begin so"
        raise UsageError(f"--from-session {start!r}: {fault}; give {_PREFIX} characters, or latest")
    days = sorted({record.day for record in captures if record.session == ids[0]})
    logs = [work.vault.log(date.fromisoformat(day)) for day in days]
    entries = [part.entry for log in logs for part in log.blocks if part.entry.session == ids[0]]
    values = (state.read_json(state.extracts / f"{entry.id}.json") for entry in entries)
    extracts = [extract for value in values if value and (extract := decode(value))]
    mistakes = [seen.mistake for seen in history.mistakes if seen.session == ids[0]]
    session = CapturedSession(ids[0], date.fromisoformat(days[-1]), entries, extracts, mistakes)
    return clean.clean_value(session, work.settings.secrets)


def format_draft(session: CapturedSession, title: str) -> str:
    """Write the entry: the six sections, and a mark that names the lines it proposes."""
    drafts = [entry.draft for entry in session.entries]
    checks = dict(check for extract in session.extracts for check in extract.checks)
    improvements = dict(_list_improvements(session))
    format_check = [f"- {format_inline_code(name)}: {'passed' if ok else 'failed'} when last run"
             for name, ok in checks.items()]  # fmt: skip
    bodies = {
        "The Goal": "\n\n".join(make_inert(draft.context) for draft in drafts if draft.context),
        "What We Built": "\n".join(_format_built_lines(session)),
        "The Journey": "\n\n".join(_format_journey(session.mistakes)),
        "Test Results": "\n".join(format_check),
        "Code Samples": "",
        "Improvements": "\n\n".join(format_by_category(improvements.items())),
    }
    parts = [f"# {title}", *(f"## {name}\n\n{body}".strip() for name, body in bodies.items())]
    return "\n\n".join((*parts, format_draft_mark(session.id, list(improvements)))) + "\n"


def _format_built_lines(session: CapturedSession) -> Iterator[str]:
    """Give commits and decisions, then the edited files."""
    for entry in session.entries:
        yield from (f"- {make_inert(line)}" for line in entry.draft.decisions)
    files = dict.fromkeys(file for extract in session.extracts for file in extract.files)
    yield from (f"- {format_inline_code(file)}" for file in islice(files, _MOST))


def _format_journey(mistakes: Iterable[Mistake]) -> Iterator[str]:
    """Give each error once, and what changed until the same went well."""
    for mistake in islice({mistake.signature: mistake for mistake in mistakes}.values(), _MOST):
        if mistake.kind.startswith("correction"):
            yield f"**The user objected:**\n\n{format_quote(mistake.line)}"
            continue
        yield f"**Error:**\n\n{format_code_block(mistake.line)}"
        change = mistake.resolution.change if mistake.resolution else ""
        if change.startswith(("- ", "+ ")):
            yield f"What fixed it:\n\n{format_code_block(change, 'diff')}"
        elif change:
            yield f"What fixed it: {make_inert(change)}."


def _list_improvements(session: CapturedSession) -> Iterator[tuple[str, str]]:
    """Give what the session taught, each line with its category: what the user said first."""
    for extract in session.extracts:
        yield from ((make_inert(rule.text), rule.category) for rule in extract.statements)
    for entry in session.entries:
        yield from ((make_inert(line), categorise(line)) for line in entry.draft.lessons)
