"""Begin a written entry daily/DATE-SLUG.md, blank or drafted from a session (`memoria new`).

A file that is there is never written over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.cli import session_draft
from memoria.errors import UsageError
from memoria.text.dates import day
from memoria.vault import package_files
from memoria.vault.file_names import slug as slugged
from memoria.vault.storage import clock
from memoria.vault.store import TEMPLATE

if TYPE_CHECKING:
    import argparse
    from datetime import date

    from memoria.workspace import Workspace

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 80  # characters: with date and ending the name fits on every disk
_NAME = re.compile(r"\{\{\s*(title|date|slug)\s*\}\}", re.IGNORECASE)


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the entry and say where it lies."""
    work.vault.require()
    of = arguments.from_session
    held = session_draft.session(work, of) if of else None
    slug = _slug(arguments.slug or (slugged(held.title) if held else ""))
    today = held.day if held else clock.now(work.settings.zone).date()
    when = day(arguments.date, "--date") or today
    # the title as it was typed, if it was typed as words
    words = " ".join(arguments.slug.split()) or (held.title if held else "")
    title = words if " " in words else slug.replace("-", " ").capitalize()
    text = session_draft.drafted(held, title) if held else _blank(work, title, when, slug)
    name = f"{when}-{slug}"
    if not arguments.dry_run:
        with work.vault.changing() as change:
            path = work.vault.daily / f"{name}.md"
            if path.exists() or path.is_symlink():
                raise UsageError(f"daily/{name}.md is there already: edit it, or use another name")
            change.put_entry(name, text)
    if arguments.json:
        terminal.data({"path": f"daily/{name}.md", "created": not arguments.dry_run})
    elif arguments.dry_run:
        terminal.document(text)
    else:
        terminal.document(f"daily/{name}.md\n")
        work.terminal.say("Write fast, not pretty; `memoria distill` reads its Improvements.")
    return 0


def _blank(work: Workspace, title: str, when: date, slug: str) -> str:
    """Fill in what the template asks for by name: {{title}}, {{date}} and {{slug}}."""
    values = {"title": title, "date": when.isoformat(), "slug": slug}
    template = work.vault.template() or package_files.text(f"templates/{TEMPLATE}")
    template = template.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    return _NAME.sub(lambda match: values[match[1].lower()], template) + "\n"


def _slug(given: str) -> str:
    """Give the slug: what was given, if only case and spaces have to change."""
    if not given:
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
