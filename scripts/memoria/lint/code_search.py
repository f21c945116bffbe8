"""Ask git which names stand in the files of the projects on this machine.

A project's folder is known by the sessions that this machine captured there, never by what a page
says. Its repository may be hostile: nothing of it is executed (vault/storage/foreign_git.py), and
of what git prints only words are compared. What cannot be known to its end (no folder, no work
tree, submodules or files that are not checked out, a git that fails or is slow) is no proof.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.port import read
from memoria.agents.transcript import Limits
from memoria.errors import MemoriaError
from memoria.lint.names import MAX_NAME, MIN_NAME, NamesGone
from memoria.privacy.project_keys import project_key
from memoria.vault.storage.child_environment import find_work_tree
from memoria.vault.storage.foreign_git import NO_PROGRAMS, stream_foreign_git

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.vault.storage.history import History

# for one question to git: 5,000 files and 3,000 commits take it one or two each
_GIT_SECONDS = 10.0
# sessions whose folder is asked for: the latest ones may have run in work trees that are gone
_MAX_SESSIONS = 5
# commits, the latest: some years of one person's project, a season of a team's
_MAX_COMMITS = 3_000
_LONG_WORD = re.compile(rb"[A-Za-z_]\w{%d,}" % (MIN_NAME - 1))
# all lines; attributes that call a file binary (generated code often is) do not hide it
_GREP_ALL_LINES = ("grep", "-h", "--text", "--no-color", "--untracked", "-e", "", "--")
# a name may be that of a file, which no other file names
_LIST_PATHS = ("ls-files", "--cached", "--others", "--exclude-standard", "--")
_LOG_CHANGES = ("log", "-p", "-U0", "--format=", "--no-color", "--no-renames", *NO_PROGRAMS)
_LOG_OTHER_BRANCHES = (*_LOG_CHANGES, "--branches", "--not", "HEAD", "--")
_LOG_PAST = (*_LOG_CHANGES, f"--max-count={_MAX_COMMITS}", "HEAD", "--")


def search_code(history: History, project: str, names: frozenset[str], vault: Path) -> NamesGone:
    """Say which names the project's files do not have, in all of its folders on this machine."""
    absent, gone = names, frozenset[str]()
    roots = _find_roots(history, project)
    try:
        for root in roots:
            result = _search_root(root, absent, vault)
            absent, gone = result.absent, gone | result.gone
    except MemoriaError:
        return NamesGone()
    return NamesGone(absent, gone & absent) if roots else NamesGone()


def _find_roots(history: History, project: str) -> tuple[Path, ...]:
    """Give the work trees in which the project's latest sessions ran, each once."""
    own_sessions = [row for row in history.sessions.values() if row.project == project]
    latest = sorted(own_sessions, key=attrgetter("ended", "session"))[-_MAX_SESSIONS:]
    # of a repository without a remote the key is its folder
    folders = [project] if latest and os.path.isabs(project) else []  # noqa: PTH117 - a key is text
    sessions = {session.session for session in latest}
    for mark in history.watermarks.values():
        folders += _read_session_folder(Path(mark.path)) if mark.identity in sessions else ()
    roots = {find_work_tree(folder) for folder in folders if Path(folder).is_dir()} - {None, ""}
    return tuple(Path(root) for root in sorted(roots) if project_key(root) == project)


def _read_session_folder(transcript: Path) -> Iterator[str]:
    """Give the folder that a session began in, none where its transcript is gone."""
    with suppress(MemoriaError):
        for part in islice(read(transcript, Limits(part=1)), 1):
            yield part.cwd


def _search_root(root: Path, names: frozenset[str], vault: Path) -> NamesGone:
    rows = b"".join(stream_foreign_git(root, _GIT_SECONDS, "ls-files", "-t", "--stage"))
    if re.search(rb"^(?:S |\w 160000 )", rows, re.MULTILINE):  # not checked out, or a submodule
        return NamesGone()
    # the lines themselves stand in the vault
    inside, exclusions = Path(os.path.realpath(vault)), list[str]()
    if inside.is_relative_to(root):
        exclusions = [f":(top,exclude,literal){inside.relative_to(root).as_posix()}"]
    absent = names
    for command in (_LIST_PATHS, _GREP_ALL_LINES, _LOG_OTHER_BRANCHES):
        absent = _find_missing_names(root, absent, *command, *exclusions)
    return NamesGone(absent, absent - _find_missing_names(root, absent, *_LOG_PAST, *exclusions))


def _find_missing_names(root: Path, names: frozenset[str], *arguments: str) -> frozenset[str]:
    """Give the names that are not among the words that git prints."""
    missing, tail = {name.encode() for name in names}, b""
    pieces = stream_foreign_git(root, _GIT_SECONDS, *arguments)
    while missing and (piece := next(pieces, b"")):
        # a word that two pieces share is whole in both together
        missing -= set(_LONG_WORD.findall(tail + piece))
        tail = piece[-MAX_NAME:]
    pieces.close()
    return frozenset(name.decode() for name in missing)
