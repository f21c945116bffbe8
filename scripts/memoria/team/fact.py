"""Define a fact that one person shares with a team, and what carries facts between machines.

Facts are never changed: their id is a hash of what they say, and a tombstone withdraws all
generations of an id up to its own. Rows of hostile people that have another shape are passed over.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, NamedTuple, Protocol

from memoria.errors import MemoriaError
from memoria.text.json_text import read_object
from memoria.text.restored import restore_record

# kinds of lines, as search/index/passages.py has them
LINES = frozenset({"decision", "lesson", "answer", "action", "fix"})
RULE, UNIT, TOMBSTONE = "rule", "unit", "tombstone"
KINDS = LINES | {RULE, UNIT, TOMBSTONE}
# the generation of a tombstone for what was forgotten: no later one can follow
FOREVER = 2**31 - 1
# characters: a line of an entry has at most some hundred
MAX_TEXT = 2_000
_MAX_CHARS = {"project": 200, "link": 120, "title": 200, "text": MAX_TEXT, "detail": 4_000}
# none that a session would take for its own user's or the assistant's
AUTHOR = re.compile(r"(?!(?i:user|you|assistant|claude|memoria)\Z)[A-Za-z][A-Za-z0-9_-]{0,31}")
MACHINE = re.compile(r"[0-9a-f]{8}")
# control characters but for the line break: no text of a fact needs them
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class TeamFact:
    """A line, a fix, a proposed rule, a counted session or a tombstone of one author.

    `link` is the entry that it comes from ("daily/2026-11-02#^e-..."), `title` that entry's. `day`
    is ISO. `detail` is JSON for what is no line. A tombstone's `text` is the id that it withdraws.
    `machine` is the one that pushed it, which takes no part in the id.
    """

    author: str
    project: str
    kind: str
    day: str
    text: str
    link: str = ""
    title: str = ""
    detail: str = ""
    generation: int = 0
    machine: str = ""

    @property
    def id(self) -> str:
        """Hash what the fact says."""
        words = [self.project, self.kind, self.day, self.link, self.text, self.detail]
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:32]

    @property
    def key(self) -> tuple[str, str, int]:
        """Tell it from all others: author, id, generation."""
        return self.author, self.id, self.generation


def build_tombstone(fact: TeamFact, generation: int, machine: str) -> TeamFact:
    """Withdraw a fact, up to a generation of it."""
    texts = (fact.author, fact.project, TOMBSTONE, fact.day, fact.id)
    return TeamFact(*texts, generation=generation, machine=machine)


def encode_fact(fact: TeamFact) -> dict[str, Any]:
    """Give a fact as a row, without its author: a row that names one would only claim it."""
    row = asdict(fact)
    del row["author"]
    return row


def decode_fact(row: object, author: str) -> TeamFact | None:
    """Read a row that this author wrote; None for what is no fact."""
    if not isinstance(row, dict) or not AUTHOR.fullmatch(author):
        return None
    fact = restore_record(TeamFact, row | {"author": author})
    return fact if fact and _is_whole(fact) else None


def _is_whole(fact: TeamFact) -> bool:
    """Whether all of a fact has the shape and the length that it must have."""
    try:
        is_day = str(date.fromisoformat(fact.day)) == fact.day
    except ValueError:
        return False
    return (
        is_day
        and 0 <= fact.generation <= FOREVER
        and fact.kind in KINDS
        and bool(MACHINE.fullmatch(fact.machine))
        and bool(fact.project)
        and all(_is_text(getattr(fact, name), longest) for name, longest in _MAX_CHARS.items())
    )


def _is_text(text: str, longest: int) -> bool:
    """Whether every exchange can hold a text: PostgreSQL takes no NUL, UTF-8 no surrogate."""
    is_plain = not _CONTROL.search(text) and text == text.encode("utf-8", "replace").decode()
    return is_plain and len(text) <= longest


def parse_detail(fact: TeamFact) -> Mapping[str, Any]:
    """Read the JSON of a fact; {} for what is no object."""
    return read_object(fact.detail)


# -- What carries facts --------------------------------------------------------------------------


class TeamError(MemoriaError):
    """The team's exchange cannot be used; the text never holds a password."""


class Batch(NamedTuple):
    """What a pull brought: `cursor` is where the next one begins, "" stands for the beginning.

    `projects` are those that this person may see, None for all. `more` says that some are left.
    """

    facts: tuple[TeamFact, ...]
    cursor: str
    projects: frozenset[str] | None = None
    more: bool = False


class Exchange(Protocol):
    """Carries facts; `author` is the name of the person, `identity` tells two exchanges apart.

    To push twice is to push once, the order does not count, a pull from any cursor brings all that
    came since, and the author of a fact is who wrote it.
    """

    author: str
    identity: str

    def push(self, facts: Sequence[TeamFact]) -> None:
        """Bring facts of this author to the others; TeamError where that fails."""

    def pull(self, cursor: str) -> Batch:
        """Give facts that came since a cursor, those of this author among them."""

    def close(self) -> None:
        """Let go of the connection, if there is one."""
