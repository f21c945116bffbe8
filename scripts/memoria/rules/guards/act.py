"""A tool call as the client tells of it -> the Act that a guard judges.

The hook makes it from its event and the replay from a transcript's block, so both judge the same
thing. The traps: the client sends absolute paths, which are made relative to the project where they
lie in it; and a shell call writes and reads files, too, by redirection, `tee` and `cat`.
"""

from __future__ import annotations

from memoria.text.shell import parse as shell

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.text.shell.simple_command import Simple

SHELLS = frozenset({"Bash", "PowerShell"})
WRITERS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
READERS = frozenset({"Read", "NotebookRead"})
# characters of a text that are compared: a file that an agent writes at once is shorter
LONGEST = 400_000
_PRINT_FILES = frozenset({"cat", "head", "tail", "less", "more", "bat"})


class Act:
    """One tool call.

    `paths` are the files that it writes and `reads` those it reads, relative to the project where
    they lie in it, with slashes; of an editing tool there is one. `added` and `removed` are the new
    and the old text of an edit; a whole file that is written has no old text, a shell call only
    what a here-document puts into a file.
    """

    __slots__ = ("added", "commands", "paths", "reads", "removed", "tool")

    def __init__(  # noqa: PLR0913 - a field each
        self,
        tool: str,
        *,
        commands: tuple[Simple, ...] = (),
        paths: tuple[str, ...] = (),
        reads: tuple[str, ...] = (),
        added: str = "",
        removed: str = "",
    ) -> None:
        self.tool, self.commands = tool, commands
        self.paths, self.reads = paths, reads
        self.added, self.removed = added, removed

    @property
    def path(self) -> str:
        """The first file that it writes, else the first that it reads, "" for neither."""
        return next((path for path in (*self.paths, *self.reads)), "")


def act(tool: str, given: object, root: str) -> Act:
    """Make the act of a tool's name and input; `root` is the project's folder, "" if unknown."""
    inputs: Mapping[str, object] = given if isinstance(given, dict) else {}
    if tool in SHELLS:
        return _shell_call(tool, _text(inputs, "command"), root)
    named = _text(inputs, "file_path") or _text(inputs, "notebook_path") or _text(inputs, "path")
    where = (relative(named, root),) if named else ()
    if tool not in WRITERS:
        return Act(tool, reads=where if tool in READERS else ())
    edits = inputs.get("edits")
    parts = [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
    added, removed = [], []
    for part in (inputs, *parts):
        added += [_text(part, name) for name in ("content", "new_string", "new_source")]
        removed += [_text(part, "old_string")]
    return Act(tool, paths=where, added=_joined(added), removed=_joined(removed))


def _shell_call(tool: str, text: str, root: str) -> Act:
    found = shell.commands(text)
    writes: list[str] = []
    reads: list[str] = []
    bodies: list[str] = []
    for one in found:
        plain = [word for word in one.words[1:] if not word.startswith("-")]
        mine = [*one.writes, *(plain if one.name == "tee" else ())]
        writes += mine
        bodies += [one.body] * bool(mine)
        reads += plain if one.name in _PRINT_FILES else ()
    paths = dict.fromkeys(relative(path, root) for path in writes)
    seen = dict.fromkeys(relative(path, root) for path in reads)
    return Act(
        tool,
        commands=found,
        paths=tuple(paths),
        reads=tuple(seen),
        added=_joined(bodies),
    )


def relative(path: str, root: str) -> str:
    """Give a path with slashes and without dots, relative to the root where it lies in it."""
    whole = _plain(path)
    base = _plain(root) if root else ""
    if base and whole.startswith(base.rstrip("/") + "/"):
        return whole[len(base.rstrip("/")) + 1 :]
    return whole


def _plain(path: str) -> str:
    parts: list[str] = []
    path = path.replace("\\", "/")
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _joined(texts: list[str]) -> str:
    return "\n".join(text for text in texts if text)[:LONGEST]


def _text(value: Mapping[str, object], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""
