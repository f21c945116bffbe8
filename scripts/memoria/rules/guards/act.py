"""Read a tool call, as the client tells of it, as the Act that a guard judges.

A shell call writes and reads files, too: by redirection, `tee` and `cat`.
"""

from __future__ import annotations

import posixpath

from memoria.rules.guards.check import READERS, SHELLS, WRITERS
from memoria.text.shell import parse as shell

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.text.shell.simple_command import SimpleCommand

# characters of a text that are compared: a file that an agent writes at once is shorter
MAX_TEXT_CHARS = 400_000
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
        commands: tuple[SimpleCommand, ...] = (),
        paths: Iterable[str] = (),
        reads: Iterable[str] = (),
        added: Iterable[str] = (),
        removed: Iterable[str] = (),
    ) -> None:
        self.tool, self.commands = tool, commands
        self.paths, self.reads = tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(reads))
        self.added, self.removed = (
            "\n".join(filter(None, texts))[:MAX_TEXT_CHARS] for texts in (added, removed)
        )

    @property
    def path(self) -> str:
        """Give the first file that it writes, else the first that it reads, "" for neither."""
        return next(iter((*self.paths, *self.reads)), "")


def build_act(tool: str, tool_input: object, root: str) -> Act:
    """Make the act of a tool's name and input; `root` is the project's folder, "" if unknown."""
    inputs: Mapping[str, object] = tool_input if isinstance(tool_input, dict) else {}
    if tool in SHELLS:
        return _shell_call(tool, _text(inputs, "command"), root)
    path = _text(inputs, "file_path") or _text(inputs, "notebook_path") or _text(inputs, "path")
    paths = (relative(path, root),) if path else ()
    if tool not in WRITERS:
        return Act(tool, reads=paths if tool in READERS else ())
    edits = inputs.get("edits")
    changes = [inputs, *(edits if isinstance(edits, list) else ())]
    changes = [change for change in changes if isinstance(change, dict)]
    names = ("content", "new_string", "new_source")
    added = [_text(change, name) for change in changes for name in names]
    removed = [_text(change, "old_string") for change in changes]
    return Act(tool, paths=paths, added=added, removed=removed)


def _shell_call(tool: str, text: str, root: str) -> Act:
    commands = shell.parse_commands(text)
    writes: list[str] = []
    reads: list[str] = []
    bodies: list[str] = []
    for command in commands:
        operands = [word for word in command.words[1:] if not word.startswith("-")]
        targets = [*command.writes, *(operands if command.name == "tee" else ())]
        writes += targets
        bodies += [command.body] * bool(targets)
        reads += operands if command.name in _PRINT_FILES else ()
    written_to, read_from = ([relative(path, root) for path in names] for names in (writes, reads))
    return Act(tool, commands=commands, paths=written_to, reads=read_from, added=bodies)


def relative(path: str, root: str) -> str:
    """Give a path with slashes and without dots, relative to the root where it lies in it.

    On a drive of Windows capitals are as small letters, and Git's shell says /c/ for C:.
    """
    full, base = (posixpath.normpath(name.replace("\\", "/")) for name in (path, root))
    base = f"{base.rstrip('/')}/"
    if base[1:2] != ":":
        return full.removeprefix(base) if root else full
    if full[:1] == "/" == full[2:3]:
        full = f"{full[1]}:{full[2:]}"
    return full[len(base) :] if full.lower().startswith(base.lower()) else full


def _text(value: Mapping[str, object], name: str) -> str:
    text = value.get(name)
    return text if isinstance(text, str) else ""
