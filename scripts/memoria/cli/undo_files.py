"""A step's images and the files as they are now -> what each file is to become without the step.

Untouched since, a file gets back its old bytes. Edited since, by a person or by a later step, it
keeps those changes where they lie on other lines. What is derived (index.md, HOME.md, snapshots)
and what only tells (log.md) is none of it. The trap: approvals are one object in one file, so they
are merged by rule and not by line; a later approval of another rule is nobody's conflict.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code.settings import difference
from memoria.errors import MemoriaError, VaultError
from memoria.rules.promotion import file_store as files
from memoria.text.merge import joined_apart
from memoria.vault import setup as outfit
from memoria.vault.article import parse
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode
from memoria.vault.storage.undo_images import images

if TYPE_CHECKING:
    from memoria.vault.storage.undo_images import Image, Past
    from memoria.workspace import Workspace

_DERIVED = frozenset({"index.md", "log.md"})


@dataclass(frozen=True, slots=True)
class Revert:
    """What becomes of one file: `after` None takes it away; `why` says why it is left, "" if not.

    `name` is for people, `note` the article's path or "", `sha` the hash of the file as it is.
    `before` is what it holds now. `outside` is a file of another tool.
    """

    path: Path
    name: str
    note: str
    sha: str
    before: bytes | None
    after: bytes | None
    outside: bool = False
    why: str = ""

    @property
    def changes(self) -> bool:
        """Whether the file will be another one."""
        return self.before != self.after

    @property
    def how(self) -> str:
        """Say in a word what happens to it."""
        return "remove" if self.after is None else "write" if self.before is None else "change"

    @property
    def added(self) -> int:
        """How many lines come."""
        return self._count("+")

    @property
    def removed(self) -> int:
        """How many lines go."""
        return self._count("-")

    def _count(self, sign: str) -> int:
        texts = [(data or b"").decode("utf-8", "replace") for data in (self.before, self.after)]
        # the first two lines name the file
        lines = difference(texts[0], texts[1], self.path.name).splitlines()[2:]
        return sum(line.startswith(sign) for line in lines)


def reverts(work: Workspace, step: Past) -> tuple[Revert, ...]:
    """Say what becomes of each file of a step that is taken back."""
    found: dict[Path, list[Image]] = {}
    for image in images(work.vault.journal, step):
        path = Path(image.path)
        if _is_wanted(work, path):
            found.setdefault(path, []).append(image)
    return tuple(_revert(work, path, changes) for path, changes in found.items())


def _is_wanted(work: Workspace, path: Path) -> bool:
    vault = work.vault
    if path.parent == vault.knowledge and path.name in _DERIVED:
        return False
    if path.is_relative_to(vault.state.root):
        return path == vault.state.approvals or path.is_relative_to(vault.state.root / "written")
    inside = path.is_relative_to(vault.daily) or path.is_relative_to(vault.knowledge)
    inside = inside or (path.parent == vault.root and path.name in outfit.BESIDE)
    return inside or not path.is_relative_to(vault.root)


def _revert(work: Workspace, path: Path, changes: list[Image]) -> Revert:
    """Take the changes of one file back, the latest first."""
    own = (work.vault.root, work.vault.state.root)
    outside = not any(path.is_relative_to(one) for one in own)
    note = _note(work, path)
    name = path.relative_to(work.vault.root).as_posix() if not outside and note else str(path)
    try:
        current = disk.read(path)
    except VaultError as error:
        return Revert(path, name, note, "", None, None, outside, str(error))
    sha = "" if current is None else disk.sha(current)
    found = Revert(path, name, note, sha, current, current, outside)
    try:
        return replace(found, after=_without(work, found, changes))
    except _Left as left:
        return replace(found, why=str(left))


class _Left(Exception):
    """A file that is not to be touched."""


def _without(work: Workspace, found: Revert, changes: list[Image]) -> bytes | None:
    data = found.before
    for image in changes:
        data = _one(work, found, image, data)
    if data != found.before:
        _check(work, found, data)
    return data


def _one(work: Workspace, found: Revert, image: Image, data: bytes | None) -> bytes | None:
    sha = "" if data is None else disk.sha(data)
    if sha == image.old:
        return data
    if image.lost:
        raise _Left("what it held before is not kept any more")
    if sha == image.new:
        return image.before
    if found.path == work.vault.state.approvals:
        return _approvals(image, data)
    if data is None:
        raise _Left("it was deleted since")
    if image.before is None or image.after is None:
        raise _Left("it was changed since")
    text = joined_apart(_text(image.after), _text(image.before), _text(data))
    if text is None:
        raise _Left("the same lines were changed since")
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _approvals(image: Image, data: bytes | None) -> bytes:
    """Give approvals the state before, rule by rule; what was decided since stands."""
    old, new, now = (_object(one) for one in (image.before, image.after, data))
    for name in old.keys() | new.keys():
        if now.get(name) == new.get(name) != old.get(name):
            now.pop(name, None)
            if name in old:
                now[name] = old[name]
    return encode(now)


def _object(data: bytes | None) -> dict[str, object]:
    try:
        value = json.loads(data or b"{}")
    except ValueError:
        raise _Left("it is damaged") from None
    return value if isinstance(value, dict) else {}


def _check(work: Workspace, found: Revert, data: bytes | None) -> None:
    """See whether the file may be written so: an article can be read, another tool's is in reach.

    The path was without links when it was kept; one that came since may lead anywhere.
    """
    kind = work.vault.schema.kind_of(found.note) if found.note else None
    try:
        if found.outside:
            if os.path.realpath(found.path) != str(found.path):
                raise _Left("a link lies on its way now")
            files.check(files.read(found.path))
        elif kind and data is not None:
            parse(found.note, kind.name, _text(data))
    except MemoriaError as error:
        raise _Left(str(error)) from error


def _note(work: Workspace, path: Path) -> str:
    """Name a file of the vault as the ledger does: articles by their path, entries with daily/."""
    base = work.vault.knowledge
    if path.is_relative_to(base):
        return path.relative_to(base).as_posix().removesuffix(".md")
    if path.is_relative_to(work.vault.daily):
        return path.relative_to(work.vault.root).as_posix().removesuffix(".md")
    return ""
