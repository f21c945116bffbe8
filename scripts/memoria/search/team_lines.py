"""Give the index what colleagues shared: a document for each entry of theirs, from the mirror.

Without a team there is no mirror, and of the room of teams nothing is loaded. A colleague's line is
a report with a name and a date: the index holds its author, and whether this machine finds that a
hook may say it (team/judgement.py).
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from memoria.search.index.passages import Document, Line
from memoria.search.index.store import Read, Stamp
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from datetime import date

    from memoria.team.fact import Fact
    from memoria.team.mirror_store import Mirror
    from memoria.workspace import Workspace

# beside the logs, so that what looks among entries looks here, too; no file of a vault lies there
FOLDER = "daily/team/"
# as search/index/passages.py has them
_WEIGHTS = {"decision": 3, "lesson": 3, "fix": 3, "answer": 2, "action": 1}


def exists(work: Workspace) -> bool:
    """Whether there is a mirror of a team's facts."""
    return (work.vault.state.root / "team_mirror.sqlite").exists()


def mirror(work: Workspace) -> Mirror:
    """Give the mirror of a team's facts."""
    from memoria.team.mirror_store import NAME, Mirror  # noqa: PLC0415 - nothing without a team

    return Mirror(work.vault.state.root / NAME)


def sayable(work: Workspace) -> Container[str]:
    """Give the keys of lines that hooks may say, a team's among them."""
    from memoria.team.judgement import Sayable  # noqa: PLC0415 - as above

    return Sayable(work.vault.lines.told)


def own_name(work: Workspace) -> str:
    """Give this person's name in the team, "" for none."""
    from memoria.team.membership_store import membership  # noqa: PLC0415 - as above

    member = membership(work.vault.state)
    return member.author if member else ""


def latest(work: Workspace, projects: Container[str] | None, most: int) -> list[str]:
    """Tell of the latest lines of colleagues in projects, None for all; nothing without a team."""
    if not exists(work):
        return []
    from memoria.team import reports  # noqa: PLC0415 - as above

    today = clock.now(work.settings.zone).date()
    return reports.latest(mirror(work), projects, own_name(work), today, most)


def stamps(work: Workspace) -> dict[str, Stamp]:
    """Give the parts of the mirror as files, but for this person's own: the vault has them."""
    own = own_name(work)
    parts = [part for part in mirror(work).parts() if part.author != own]
    return {f"{FOLDER}{part.author}/{part.month}": part.stamp for part in parts}


def read(work: Workspace, path: str) -> Read:
    """Read a part of the mirror: the entries of one author and month."""
    author, _, month = path.removeprefix(FOLDER).partition("/")
    found = mirror(work)
    stamp = next((part.stamp for part in found.parts() if part[:2] == (author, month)), None)
    today = clock.now(work.settings.zone).date()
    documents = tuple(_documents(path, str(stamp), found.of_part(author, month), today))
    return Read(str(stamp), documents)


def _documents(path: str, sha: str, facts: Sequence[Fact], today: date) -> Iterator[Document]:
    lines = [fact for fact in facts if fact.kind in _WEIGHTS]
    ordered = sorted(lines, key=lambda fact: (fact.day, fact.link, fact.project, fact.title))
    groups = groupby(ordered, lambda fact: (fact.day, fact.link, fact.project, fact.title))
    for (day, link, project, title), group in groups:
        yield _document(path, sha, (day, link, project, title), list(group), today)


def _document(
    path: str, sha: str, about: tuple[str, str, str, str], facts: list[Fact], today: date
) -> Document:
    from memoria.team.reports import link_of  # noqa: PLC0415 - as above

    day, _, project, title = about
    return Document(
        path,
        sha,
        strip_hidden(title) or f"Session of {day}",
        "entry",
        day,
        (project,),
        (),
        strip_hidden("\n".join(fact.text for fact in facts)),
        link=link_of(facts[0]),
        author=facts[0].author,
        lines=tuple(_line(fact, today) for fact in facts),
    )


def _line(fact: Fact, today: date) -> Line:
    from memoria.team.judgement import key  # noqa: PLC0415 - as above

    text = strip_hidden(fact.text.removeprefix("User: "))
    return Line(fact.kind, _WEIGHTS[fact.kind], key(fact, today), text)
