"""Tell of what colleagues shared: the entry that a link names, and the latest lines of a project.

A link `team/ana/2026-11-02#^e-...` names an entry as the mirror holds it; once it is withdrawn the
link names nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from memoria.errors import UsageError
from memoria.team.fact import LINES
from memoria.team.judgement import may_be_said
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import date

    from memoria.team.fact import Fact
    from memoria.team.mirror_store import Mirror

_LINK = re.compile(r"team/([^/\s]{1,40})/(\d{4}-\d{2}-\d{2})(?:#\^?(e-[0-9a-f]{12}))?")
# as the prompt hook says it (search/prompt_match.py)
_SAID = {
    "decision": "decided",
    "lesson": "found out",
    "fix": "fixed by",
    "answer": "asked and answered",
    "action": "left open",
}
# what a page tells of colleagues, and how many lines of one: more would be that person's page
_TOLD = frozenset({"decision", "lesson"})
_OF_AUTHOR = 3


def link_of(fact: Fact) -> str:
    """Give the link that cites the entry of a colleague's line."""
    entry = fact.link.partition("#")[2]
    return f"team/{fact.author}/{fact.day}" + (f"#{entry}" if entry else "")


def lines_of(mirror: Mirror, link: str) -> list[Fact]:
    """Give the lines of the entry that a link names, of the whole day where it names none."""
    match = _LINK.fullmatch(link)
    if match is None:
        return []
    author, day, entry = match.groups()
    return [
        fact
        for fact in mirror.of_part(author, day[:7])
        if fact.day == day and fact.kind in LINES and fact.link.endswith(entry or "")
    ]


def text_of(mirror: Mirror, link: str) -> str:
    """Give an entry's lines as a list."""
    return "\n".join(f"- {_plain(fact)}" for fact in lines_of(mirror, link))


def traced(mirror: Mirror, link: str) -> dict[str, Any]:
    """Say what the entry that a link names holds; UsageError where the mirror has none."""
    facts = lines_of(mirror, link)
    if not facts:
        raise UsageError(
            f"the team shares no {link}: it was withdrawn, or `memoria team sync` brings it"
        )
    first = facts[0]
    origin = f"shared by {first.author}, whose machine has the log and the session"
    return {
        "kind": "colleague",
        "path": link,
        "title": f"{strip_hidden(first.title)} ({origin})".strip(),
        "author": first.author,
        "day": first.day,
        "project": strip_hidden(first.project),
        "lines": [{"said": _SAID[fact.kind], "text": _plain(fact)} for fact in facts],
    }


def latest(
    mirror: Mirror, projects: Container[str] | None, own: str, today: date, most: int
) -> list[str]:
    """Tell of the latest lines of colleagues in projects, of those that a hook might say, too."""
    held = mirror.latest(projects, own, str(today))
    good = [fact for fact in held if fact.kind in _TOLD and may_be_said(fact, today)]
    good.sort(key=lambda fact: (fact.day, fact.author, fact.id), reverse=True)
    of_author: Counter[str] = Counter()
    rows: list[str] = []
    for fact in good:
        of_author[fact.author] += 1
        if of_author[fact.author] <= _OF_AUTHOR and len(rows) < most:
            said = f"{_SAID[fact.kind]}: {_plain(fact)}"
            rows.append(f"{fact.author}, {fact.day}, {said} (`{link_of(fact)}`)")
    return rows


def _plain(fact: Fact) -> str:
    return " ".join(strip_hidden(fact.text).split())
