"""Give a working folder's project and branch, read from the repository's files alone.

Hooks call this within their few milliseconds, and any folder may hold a hostile repository: so git
is never run (its config can name programs), reads are bounded and never block, and no pathlib is
loaded. The trap: in a worktree and in a submodule `.git` is a file; a worktree's remotes
stand in the main repository's folder, which `commondir` names, a submodule's in its own.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from memoria.vault.project import folder_key, remote_key

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator

# `.git` and `commondir` files hold one path; Linux allows paths of 4096 bytes.
POINTER_BYTES = 4_200
# Remotes stand at the top of a config; 256 KiB is a thousand branches.
CONFIG_BYTES = 256 * 1024
_REF = "ref: refs/heads/"
# What a bare repository that worktrees hang on is called inside the project's folder.
INNER = {".git", ".bare"}


def project_key(cwd: str) -> str:
    """Give the key of the project that the folder belongs to; the folder need not exist any more.

    That is the remote's "host/owner/repo", for a repository without one its main folder, outside
    of every repository the folder itself. Never raises.
    """
    keys = map(_find_repository_key, _walk_upwards(cwd))
    return next(filter(None, keys), folder_key(cwd))


def current_branch(cwd: str) -> str:
    """Give the branch that is checked out in a folder's repository, "" for none."""
    for folder in _walk_upwards(cwd):
        gitdir = _find_gitdir(folder)
        head = _read_start(f"{gitdir}/HEAD", POINTER_BYTES) if gitdir else ""
        if head:
            return head.removeprefix(_REF).strip() if head.startswith(_REF) else ""
    return ""


def _walk_upwards(cwd: str) -> Iterator[str]:
    """Give a folder and all those above it."""
    try:
        folder = os.path.realpath(cwd) if os.path.isabs(cwd) else ""
    except (OSError, ValueError):  # a NUL or a lone surrogate: no such path can exist
        return
    while folder:
        yield folder
        parent = os.path.dirname(folder)
        folder = parent if parent != folder else ""


def _find_repository_key(folder: str) -> str:
    """Give the key of the repository whose root is here, "" where none is."""
    gitdir = _find_gitdir(folder)
    # A `.git` without HEAD, or one that points nowhere, is none for git either: it looks further up
    if not gitdir or not os.path.exists(f"{gitdir}/HEAD"):
        return ""
    pointer = _read_start(f"{gitdir}/commondir", POINTER_BYTES).strip()
    common_dir = _resolve_pointer(gitdir, pointer) if pointer else gitdir
    if not common_dir:
        return ""
    main_folder = _find_main_folder(common_dir) if pointer else folder
    return remote_key(_read_start(f"{common_dir}/config", CONFIG_BYTES)) or folder_key(main_folder)


def _find_gitdir(folder: str) -> str:
    """Give the folder with the repository's files, "" where none is."""
    dot_git = f"{folder}/.git"
    if os.path.isdir(dot_git):
        return dot_git
    key, _, target = _read_start(dot_git, POINTER_BYTES).partition(":")
    return _resolve_pointer(folder, target.strip()) if key == "gitdir" else ""


def _resolve_pointer(base: str, target: str) -> str:
    r"""Resolve a pointer; one to another computer (\\host\share) would send it our login."""
    if target.replace("\\", "/").startswith("//"):
        return ""
    return os.path.normpath(os.path.join(base, target))


def _find_main_folder(common_dir: str) -> str:
    """Give the project's folder for the folder with its shared files."""
    head, tail = os.path.split(common_dir)
    return head if tail in INNER else common_dir.removesuffix(".git")


def _read_start(path: str, limit: int) -> str:
    """Give the beginning of a regular file as text, "" for anything else."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return ""
    try:
        # A FIFO or a device would hold the hook up for ever
        data = os.read(descriptor, limit) if S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        data = b""
    finally:
        os.close(descriptor)
    return data.decode("utf-8", "replace")
