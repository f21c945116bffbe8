"""A folder or file of another tool's memory -> which kind it is, and the texts it holds.

What it is is told by its files and not by its name. Nothing there is changed, links are not
followed out of it, and what is too large is named and left. The trap: a project's folder can be
several at once (a CLAUDE.md beside a buildlog); the kind that holds most is taken, and a file that
is named is just that file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memoria.edges import disk
from memoria.errors import UsageError, VaultError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Kind = Literal["compiler", "buildlog", "auto-memory", "instructions"]
# as much as an entry that a person writes may have
_MOST_BYTES = 4 * 1024 * 1024
_LOG = re.compile(r"\d{4}-\d\d-\d\d\.md")
_ENTRY = re.compile(r"\d{4}-\d\d-\d\d-.+\.md")
_STATE = ("promoted.json", "rejected.json", "review_learnings.json")
_INDEX = frozenset({"index.md", "log.md"})


@dataclass(frozen=True, slots=True)
class Foreign:
    """What was found: texts by their paths below `root`, and the files that were left, with why."""

    kind: Kind
    root: Path
    texts: dict[str, str]
    left: list[str] = field(default_factory=list)


def foreign(path: Path) -> Foreign | None:
    """Read a tool's folder or a file of instructions; None for what is none of them.

    UsageError for a file that is no text.
    """
    if path.is_file():
        if path.suffix.lower() not in {".md", ".mdc"}:
            raise UsageError(f"{path} is no Markdown; name a folder or a .md file")
        return _read("instructions", path.parent, [path])
    buildlog = next(
        (one for one in (path, path / "buildlog") if (one / ".buildlog").is_dir()), None
    )
    if buildlog is None and any(_matching(path / "buildlog", _ENTRY)):
        buildlog = path / "buildlog"
    if buildlog is not None:
        state = [buildlog / ".buildlog" / name for name in _STATE]
        return _read("buildlog", buildlog, [*_matching(buildlog, _ENTRY), *filter(_is_file, state)])
    if (path / "knowledge").is_dir() and any(_matching(path / "daily", _LOG)):
        return _read("compiler", path, _of_a_compiler(path))
    memory = path if (path / "MEMORY.md").is_file() else path / "memory"
    if (memory / "MEMORY.md").is_file():
        return _read("auto-memory", memory, sorted(memory.glob("*.md")))
    return None


def _of_a_compiler(path: Path) -> list[Path]:
    articles = [one for one in sorted((path / "knowledge").rglob("*.md")) if one.name not in _INDEX]
    state = path / "scripts" / "state.json"
    return [*_matching(path / "daily", _LOG), *articles, *([state] if _is_file(state) else [])]


def _matching(folder: Path, name: re.Pattern[str]) -> list[Path]:
    return sorted(one for one in folder.glob("*.md") if name.fullmatch(one.name))


def _is_file(path: Path) -> bool:
    return path.is_file()


def _read(kind: Kind, root: Path, paths: Iterable[Path]) -> Foreign:
    found = Foreign(kind, root, {})
    for path in paths:
        name = path.relative_to(root).as_posix()
        try:
            if path.is_symlink():
                found.left.append(f"{name}: a link")
            else:
                found.texts[name] = disk.text(path, _MOST_BYTES)[0]
        except (VaultError, OSError) as error:
            found.left.append(f"{name}: {getattr(error, 'strerror', None) or error}")
    return found
