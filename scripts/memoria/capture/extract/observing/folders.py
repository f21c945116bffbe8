"""Tell in which folder a command worked, and whether that is of the session's repository.

An agent works in worktrees beside its own folder and in other repositories; what git and checks
said there is not of this folder.
"""

import posixpath
import re
from collections.abc import Sequence

from memoria.agents.transcript import Call
from memoria.text.shell.actions import Command
from memoria.vault.project import folder_key, label

_DRIVE = re.compile(r"\A/([a-zA-Z])(?:/|\Z)")
_VARIABLE = frozenset("$~`")  # names no folder


def find_call_folder(call: Call, commands: Sequence[Command]) -> str:
    """Give the folder that a call's first commands name: an input, `cd DIR`, `git -C DIR`."""
    folder = call.argument("workdir")
    for command in commands:
        if command.words[:1] == ("cd",) and len(command.words) > 1:
            folder = posixpath.join(folder, command.words[1])
        elif command.words[:2] == ("git", "-C") and len(command.words) > 2:  # noqa: PLR2004 - DIR
            return posixpath.join(folder, command.words[2])
        else:
            break
    return folder


def name_other_repository(folder: str, cwd: str) -> str:
    """Name the repository of a folder that is not of the one around `cwd`, "" where it is."""
    # Git's shell on Windows names a drive "/c/"
    folder = _DRIVE.sub(r"\1:/", folder) if cwd[1:2] == ":" else folder
    path = folder if folder[1:2] == ":" else posixpath.normpath(posixpath.join(cwd, folder))
    own, other = (f"{folder_key(place)}/" for place in (cwd, path))
    # a variable names no folder, and one around this is of the same repository
    is_own = own.startswith(other) or other.startswith(own) or not cwd or _VARIABLE & set(folder)
    return "" if is_own else label(other)


def is_below(path: str, folder: str, cwd: str) -> bool:
    """Whether a file lies in the worktree of a folder, also where it is not told from the root.

    A check of a folder within `cwd` looks at what lies beside it, too.
    """
    is_known = path.startswith("/") and folder.startswith("/") and not _VARIABLE & set(folder)
    root, own = (f"{posixpath.normpath(name)}/" for name in (folder, cwd or "/"))
    if root.startswith(own) and folder_key(root) == root.rstrip("/"):
        root = own
    return not is_known or f"{path}/".startswith(root)
