"""Judge what of a colleague's facts may be said, and tell of them.

An author's word alone is not enough. A colleague's lines have keys of a form that no line of the
vault has, so that nobody can make the key of another line. A link `team/ana/2026-11-02#^e-...`
names an entry as the mirror holds it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from memoria.capture.provenance.marks import is_marked
from memoria.errors import UsageError
from memoria.privacy.imperatives import gives_orders
from memoria.team.fact import LINES, TeamFact
from memoria.text.markdown import make_inert
from memoria.text.unicode import is_disguised, strip_hidden

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import date

    from memoria.team.mirror_store import Mirror

# "team/ana/2026-11-02#^e-0f3a12bc34de", also of a day alone
_LINK = re.compile(r"team/([^/\s]{1,40})/(\d{4}-\d{2}-\d{2})(?:#\^?(e-[0-9a-f]{12}))?")
# as the prompt hook says it (search/prompt_match.py)
_VERBS = {
    "decision": "decided",
    "lesson": "found out",
    "fix": "fixed by",
    "answer": "asked and answered",
    "action": "left open",
}
# what a page tells of colleagues, and how many lines of one: more would be that person's page
_SHOWN = frozenset({"decision", "lesson"})
_MAX_OF_AUTHOR = 3
# "User: ", "User, refusing: " tell words as the user's: a colleague's are told as the colleague's
_USER_MARK = re.compile(r"\bUser(?:, [^:]{0,200})?: ")
# of a key that a colleague's line may be said by; keys of the vault's lines are 16 hex digits
PREFIX = "team "
# characters: a line that a hook says has 900 with all others
_MAX_LINE = 400


def key(fact: TeamFact, today: date) -> str:
    """Give the key of a line that a hook may say, "" for one that it may not."""
    return f"{PREFIX}{fact.author} {fact.id[:16]}" if may_be_said(fact, today) else ""


def may_be_said(fact: TeamFact, today: date) -> bool:
    """Whether a line is a bounded report that this machine finds no fault with."""
    text = fact.text
    return (
        fact.kind in LINES
        and len(text) <= _MAX_LINE
        and fact.day <= str(today)
        and text == strip_hidden(text)
        and text == make_inert(text)
        and not is_disguised(text)
        and not is_marked(text)
        and not gives_orders(text)
        and "[[" not in text
        and not _USER_MARK.search(text.removeprefix("User: "))
    )


class SayableKeys:
    """The keys of lines that hooks may say: those this machine knows, and a team's judged ones."""

    def __init__(self, known_keys: Container[str]) -> None:
        self._known = known_keys

    def __contains__(self, name: object) -> bool:
        """Whether a key is one of them; a hash of the vault never has a space in it."""
        return (isinstance(name, str) and name.startswith(PREFIX)) or name in self._known


_BLOCK_ID = re.compile(r"\^?e-[0-9a-f]{12}")


def link_of(fact: TeamFact) -> str:
    """Give the link that cites the entry of a colleague's line.

    Hooks say it: what is no entry's id might be words of theirs, and is left out.
    """
    entry = fact.link.partition("#")[2]
    entry = entry if _BLOCK_ID.fullmatch(entry) else ""
    return f"team/{fact.author}/{fact.day}" + (f"#{entry}" if entry else "")


def lines_of(mirror: Mirror, link: str) -> list[TeamFact]:
    """Give the lines of the entry that a link names, of the whole day where it names none."""
    match = _LINK.fullmatch(link)
    if match is None:
        return []
    author, day, entry = match.groups()
    return [
        fact
        for fact in mirror.facts_of_part(author, day[:7])
        if fact.day == day and fact.kind in LINES and fact.link.endswith(entry or "")
    ]


def text_of(mirror: Mirror, link: str) -> str:
    """Give an entry's lines as a list."""
    return "\n".join(f"- {_plain_text(fact)}" for fact in lines_of(mirror, link))


def trace_entry(mirror: Mirror, link: str) -> dict[str, Any]:
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
        "lines": [{"said": _VERBS[fact.kind], "text": _plain_text(fact)} for fact in facts],
    }


def list_latest(
    mirror: Mirror, projects: Container[str] | None, own_name: str, today: date, limit: int
) -> list[str]:
    """Tell of the latest lines of colleagues in projects, of those that a hook might say, too."""
    lines = mirror.latest(projects, own_name, str(today))
    sayable_facts = [fact for fact in lines if fact.kind in _SHOWN and may_be_said(fact, today)]
    sayable_facts.sort(key=lambda fact: (fact.day, fact.author, fact.id), reverse=True)
    of_author: Counter[str] = Counter()
    rows: list[str] = []
    for fact in sayable_facts:
        of_author[fact.author] += 1
        if of_author[fact.author] <= _MAX_OF_AUTHOR and len(rows) < limit:
            words = f"{_VERBS[fact.kind]}: {_plain_text(fact)}"
            rows.append(f"{fact.author}, {fact.day}, {words} (`{link_of(fact)}`)")
    return rows


def _plain_text(fact: TeamFact) -> str:
    return " ".join(strip_hidden(fact.text).split())
