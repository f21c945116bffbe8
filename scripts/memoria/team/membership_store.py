"""Keep which team this machine belongs to, and what of the vault is shared with it.

It lies in the state, 0600. The trap: an address may hold a password, so nobody prints one. A folder
that git or a sync program carries has a file per author and machine, which only grows, but for what
is withdrawn. A line that is no JSON is passed over.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.team.fact import (
    AUTHOR,
    MACHINE,
    TOMBSTONE,
    Batch,
    Exchange,
    TeamError,
    TeamFact,
    decode_fact,
    encode_fact,
)
from memoria.text.json_text import read_object, text_at
from memoria.text.restored import restore_record
from memoria.vault.storage import disk
from memoria.vault.storage.state import State, encode_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_FILE = "team.json"
# the machine's id for the next team: in the same one it can take back what it shared before
_LEFT_FILE = "team_left.json"
# a password in an address, in both forms that libpq takes: "://ana:x@host", "password='x y'"
_PASSWORD = re.compile(
    r"(?P<url>://[^:/@\s]*:)\S*(?=@)|(?P<word>password\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^\s&]+)"
)


@dataclass(frozen=True, slots=True)
class Membership:
    """A team that this machine joined: `where` is a folder or the address of a database.

    `projects` are those that are shared, `with_facts` those with lines of outside origin, too.
    """

    where: str
    author: str
    machine: str
    projects: tuple[str, ...] = ()
    with_facts: tuple[str, ...] = ()

    @property
    def is_database(self) -> bool:
        """Whether the team is on PostgreSQL."""
        return is_address(self.where)

    @property
    def shown(self) -> str:
        """Say where the team is, without a password."""
        return strip_password(self.where)

    def with_project(self, project: str, *, with_facts: bool = False) -> Membership:
        """Share a project."""
        facts = {*self.with_facts, project} if with_facts else {*self.with_facts} - {project}
        projects = tuple(sorted({*self.projects, project}))
        return replace(self, projects=projects, with_facts=tuple(sorted(facts)))

    def without_project(self, project: str) -> Membership:
        """Share a project no more."""
        lists = (self.projects, self.with_facts)
        projects, facts = (tuple(name for name in names if name != project) for names in lists)
        return replace(self, projects=projects, with_facts=facts)


def is_address(text: str) -> bool:
    """Whether a text is the address of a database (dbname=x, too), and no folder (/team=x)."""
    return "://" in text or re.match(r"\s*\w+\s*=", text) is not None


def strip_password(address: str) -> str:
    """Take the password out of an address."""
    return _PASSWORD.sub(lambda match: f"{match['url'] or match['word']}...", address)


def read_membership(state: State) -> Membership | None:
    """Give the team that this machine belongs to, None for none."""
    return restore_record(Membership, state.read_json(state.root / _FILE))


def write_membership(state: State, member: Membership) -> None:
    """Write down which team this machine belongs to."""
    disk.replace(state.root / _FILE, encode_json(asdict(member)))


def remove_membership(state: State, member: Membership) -> None:
    """Belong to no team any more."""
    disk.replace(state.root / _LEFT_FILE, encode_json({"machine": member.machine}))
    (state.root / _FILE).unlink(missing_ok=True)


def build_membership(state: State, where: str, author: str) -> Membership:
    """Make a membership for this machine; TeamError for a name that cannot be one."""
    if not AUTHOR.fullmatch(author):
        raise TeamError(
            f"{author!r} cannot be a name in a team: use letters, digits, - and _, at most 32, a "
            "letter first (--name)"
        )
    place = where if is_address(where) else str(Path(where).expanduser().resolve())
    machine = text_at(state.read_json(state.root / _LEFT_FILE), "machine")
    return Membership(place, author, machine or os.urandom(4).hex())


def open_exchange(member: Membership) -> Exchange:
    """Open the exchange of a team; TeamError where it cannot be reached."""
    if member.is_database:
        # the driver is an extra, and costs a third of a second
        from memoria.team.postgres_store import PostgresExchange  # noqa: PLC0415 - as above

        return PostgresExchange(member.where)
    return FolderExchange(Path(member.where), member.author, member.machine)


# -- A team in a folder ----------------------------------------------------------------------------

# "ana.0f3a12bc.jsonl"
_FILE_NAME = re.compile(rf"({AUTHOR.pattern})\.({MACHINE.pattern})\.jsonl")
# two to five people write some 50,000 lines of 400 bytes in years; more is a flood
_MAX_FILE_BYTES = 64 * 1024 * 1024


class FolderExchange:
    """The exchange of two to five people; `machine` tells two machines of one person apart."""

    def __init__(self, folder: Path, author: str, machine: str) -> None:
        self.author = author
        self.identity = f"folder {folder}"
        self._folder = folder
        self._own = folder / f"{author}.{machine}.jsonl"

    def push(self, facts: Sequence[TeamFact]) -> None:
        """Append what this machine's file does not hold."""
        try:
            old_facts = tuple(_decode_facts(disk.read(self._own) or b"", self.author))
            keys = {fact.key for fact in old_facts}
            new = [fact for fact in dict.fromkeys(facts) if fact.key not in keys]
            tombstones = [fact for fact in new if fact.kind == TOMBSTONE]
            # before the words go, or a process that dies in between would leave others with them
            if tombstones:
                disk.append(self._own, _encode_facts(tombstones), 0o644)
            last = self._find_withdrawn()

            def is_alive(fact: TeamFact) -> bool:
                return fact.generation > last.get(fact.id, -1)

            kept_facts = list(filter(is_alive, (*old_facts, *tombstones)))
            if len(kept_facts) < len(old_facts) + len(tombstones):
                disk.replace(self._own, _encode_facts(kept_facts))
            alive = filter(is_alive, new)
            lines = _encode_facts([fact for fact in alive if fact.kind != TOMBSTONE])
            if lines:
                disk.append(self._own, lines, 0o644)
        except OSError as error:
            raise TeamError(f"{self._own} cannot be written: {error.strerror or error}") from error

    def _find_withdrawn(self) -> dict[str, int]:
        """Say up to which generation this person took back each fact, from whichever machine."""
        last: dict[str, int] = {}
        for path in self._list_files():
            is_own = path.name.partition(".")[0] == self.author
            for fact in _decode_facts(disk.read(path) or b"", self.author) if is_own else ():
                if fact.kind == TOMBSTONE:
                    last[fact.text] = max(fact.generation, last.get(fact.text, -1))
        return last

    def pull(self, cursor: str) -> Batch:
        """Give all facts of the files that have changed since."""
        old_hashes = json.loads(cursor) if cursor else {}
        facts: list[TeamFact] = []
        hashes: dict[str, str] = {}
        for path in self._list_files():
            data = disk.read(path) or b""
            hashes[path.name] = disk.sha(data)
            if old_hashes.get(path.name) != hashes[path.name]:
                facts += _decode_facts(data, path.name.partition(".")[0])
        return Batch(tuple(facts), json.dumps(hashes, sort_keys=True))

    def _list_files(self) -> list[Path]:
        if not self._folder.is_dir():
            raise TeamError(f"{self._folder} is not there: is the disk mounted, the sync running?")
        return sorted(
            path
            for path in self._folder.iterdir()
            if _FILE_NAME.fullmatch(path.name)
            and path.is_file()
            and not path.is_symlink()
            and path.stat().st_size <= _MAX_FILE_BYTES
        )

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _encode_facts(facts: Sequence[TeamFact]) -> bytes:
    return b"".join(json.dumps(encode_fact(fact)).encode() + b"\n" for fact in facts)


def _decode_facts(data: bytes, author: str) -> Iterator[TeamFact]:
    """Read the facts of a file; what cannot be read is passed over."""
    facts = (decode_fact(read_object(line), author) for line in data.split(b"\n"))
    yield from filter(None, facts)
