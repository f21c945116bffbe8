"""Run git in a folder whose repository may be hostile, and give what it prints.

A repository's own config can name programs: hooks, a file system monitor, a pager, external diffs,
text conversions, a signature's verifier, a transport that fetches what a partial clone lacks. Each
is set to nothing for all commands here, above the repository's config; nobody else's config and no
variable of the session is read. Who asks for a diff adds NO_PROGRAMS, as an attribute can name one.
"""

import os
import subprocess
from collections.abc import Generator
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer

from memoria.errors import VaultError
from memoria.vault.storage.child_environment import on_path

# a repository within this one has a config of its own, so none is looked into
NO_PROGRAMS = ("--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=all")
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.quotePath=false"),
    *("protocol.allow=never", "log.showSignature=false", "core.pager=cat", "log.mailmap=false"),
    "submodule.recurse=false",
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # a config can allow one protocol by name, above protocol.allow; this stands above both
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_PIECE_BYTES = 1 << 20  # what is read at once


def run_foreign_git(root: Path, *arguments: str) -> str:
    """Give what a command prints, "" where it fails."""
    program = on_path("git")
    if program is None:
        return ""
    result = subprocess.run(
        _build_command(program, root, arguments),
        env=_build_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return result.stdout.decode("utf-8", "replace") if result.returncode == 0 else ""


def stream_foreign_git(root: Path, seconds: float, *arguments: str) -> Generator[bytes]:
    """Give what a command prints piece by piece; VaultError where not all of it is there.

    That is where git fails, complains of anything, or takes longer than so many seconds.
    """
    program = on_path("git")
    if program is None:
        raise VaultError("there is no git")
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            _build_command(program, root, arguments),
            env=_build_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
        ) as process,
    ):
        timer = Timer(seconds, process.kill)
        timer.start()
        try:
            assert process.stdout  # noqa: S101 - it is a pipe
            yield from iter(partial(process.stdout.read, _PIECE_BYTES), b"")
            if process.wait() or os.fstat(complaints.fileno()).st_size:
                raise VaultError(f"git cannot tell all of {root}")
        finally:
            timer.cancel()
            process.kill()


def _build_command(program: str, root: Path, arguments: tuple[str, ...]) -> list[str]:
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return [program, "--no-pager", "-C", str(root), *settings, *arguments]


def _build_environment() -> dict[str, str]:
    names = (name for name in ("PATH", "SYSTEMROOT") if name in os.environ)
    return {name: os.environ[name] for name in names} | _ENVIRONMENT
