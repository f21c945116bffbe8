"""Give the index what colleagues shared: a document for each entry of theirs, from the mirror.

Without a team there is no mirror, and of the room of teams nothing is loaded. A colleague's line is
a report with a name and a date: the index holds its author, and whether this machine finds that a
hook may say it (team/reports.py).
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from memoria.search.index.passages import Document, IndexedLine
from memoria.search.index.store import FileContent, Stamp
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import date

    from memoria.team.fact import TeamFact
    from memoria.team.mirror_store import Mirror
    from memoria.workspace import Workspace

# beside the logs, so that what looks among entries looks here, too; no file of a vault lies there
FOLDER = "daily/team/"
# as search/index/passages.py has them
_WEIGHTS = {"decision": 3, "lesson": 3, "fix": 3, "answer": 2, "action": 1}


def has_mirror(work: Workspace) -> bool:
    """Whether there is a mirror of a team's facts."""
    return (work.vault.state.root / "team_mirror.sqlite").exists()


def open_mirror(work: Workspace) -> Mirror:
    """Give the mirror of a team's facts."""
    from memoria.team.mirror_store import NAME, Mirror  # noqa: PLC0415 - nothing without a team

    return Mirror(work.vault.state.root / NAME)


def sayable_keys(work: Workspace) -> Container[str]:
    """Give the keys of lines that hooks may say, a team's among them."""
    if not has_mirror(work):
        return work.vault.lines.sayable
    from memoria.team.reports import SayableKeys  # noqa: PLC0415 - as above

    return SayableKeys(work.vault.lines.sayable)


def _read_own_name(work: Workspace) -> str:
    """Give this person's name in the team, "" for none."""
    from memoria.team.membership_store import read_membership  # noqa: PLC0415 - as above

    member = read_membership(work.vault.state)
    return member.author if member else ""


def format_latest(work: Workspace, projects: Container[str] | None, limit: int) -> list[str]:
    """Tell of the latest lines of colleagues in projects, None for all; nothing without a team."""
    if not has_mirror(work):
        return []
    from memoria.team import reports  # noqa: PLC0415 - as above

    today = clock.now(work.settings.zone).date()
    return reports.list_latest(open_mirror(work), projects, _read_own_name(work), today, limit)


def read_stamps(work: Workspace) -> dict[str, Stamp]:
    """Give the parts of the mirror as files, but for this person's own: the vault has them."""
    if not has_mirror(work):
        return {}
    own_name, parts = _read_own_name(work), open_mirror(work).parts()
    others = (row for row in parts if row.author != own_name)
    return {f"{FOLDER}{row.author}/{row.month}": row.stamp for row in others}


def read(work: Workspace, path: str) -> FileContent:
    """Read a part of the mirror: the entries of one author and month."""
    author, _, month = path.removeprefix(FOLDER).partition("/")
    team = open_mirror(work)
    stamp = next((part.stamp for part in team.parts() if part[:2] == (author, month)), None)
    today = clock.now(work.settings.zone).date()
    entry = attrgetter("day", "link", "project", "title")
    facts = (row for row in team.facts_of_part(author, month) if row.kind in _WEIGHTS)
    groups = (list(group) for _, group in groupby(sorted(facts, key=entry), entry))
    documents = (_build_document(path, str(stamp), group, today) for group in groups)
    return FileContent(str(stamp), tuple(documents))


def _build_document(path: str, sha: str, facts: list[TeamFact], today: date) -> Document:
    from memoria.team.reports import key, link_of  # noqa: PLC0415 - as above

    first = facts[0]
    texts = (strip_hidden(fact.text.removeprefix("User: ")) for fact in facts)
    return Document(
        path=path,
        sha=sha,
        title=strip_hidden(first.title) or f"Session of {first.day}",
        kind="entry",
        date=first.day,
        projects=(first.project,),
        tags=(),
        text=strip_hidden("\n".join(fact.text for fact in facts)),
        link=link_of(first),
        author=first.author,
        lines=tuple(
            IndexedLine(fact.kind, _WEIGHTS[fact.kind], key(fact, today), text)
            for fact, text in zip(facts, texts, strict=True)
        ),
    )
