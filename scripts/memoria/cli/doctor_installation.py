"""Look at what an installation rests on: hooks, switches, the place and the interpreter.

Each check of `memoria doctor` is a value; what mends a fault is a command that can be pasted.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import __version__
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.vault import package_files, setup

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from memoria.workspace import Workspace

# ends with 1 in a Python that is too old for the hooks
_NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 11))"
# for a program to start: a cold disk and a virus scanner together stay far below
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: is it well, what was found, and what mends it."""

    name: str
    ok: bool
    detail: str


def command(work: Workspace, words: str, vault: str = "") -> str:
    """Give a command for this vault as it can be pasted into a shell."""
    return f"`memoria {words} --vault {vault or shlex.quote(str(work.vault.root))}`"


def hooks(work: Workspace) -> Iterator[Check]:
    """Say which hooks capture into this vault, and what keeps them from working."""
    own = work.settings.config_dir
    installed = client.installed_hooks(own)
    mine = [hook for hook in installed if Path(hook.vault) == work.vault.root]
    other = sorted({hook.vault for hook in installed} - {str(work.vault.root)})
    is_plugged = client.plugged(own)
    if not mine:
        detail = f"none for this vault; {command(work, 'install')} captures every project"
        if is_plugged:
            detail = "those of the plugin, which serve its option's vault, or ~/memoria"
        if other:
            detail += f" (there are some for {', '.join(other)})"
        yield Check("hooks", ok=is_plugged and not other, detail=detail)
        return
    detail = f"{', '.join(sorted({hook.event for hook in mine}))} in {own}"
    if is_plugged:
        detail += "; the plugin's as well: either is enough, and nothing is captured twice"
    wrong = next(_faults(work, mine), "")
    if wrong:
        detail = f"{wrong}; {command(work, 'install')} fixes it"
    yield Check("hooks", ok=not wrong, detail=detail)


def _faults(work: Workspace, mine: Collection[client_settings.Hook]) -> Iterator[str]:
    """Say what keeps hooks from working as they are installed, the worst first."""
    for gone in sorted({hook.gone for hook in mine} - {""}):
        yield f"{gone} is gone"
    for python in sorted({hook.python for hook in mine} - {sys.executable}):
        complaint = _complaint(python, "-S", "-E", "-c", _NEW_ENOUGH)
        if complaint:
            yield f"{python} is of no use any more ({complaint})"
    lacking = {event for event, _ in client_settings.SCRIPTS} - {hook.event for hook in mine}
    if lacking:
        yield f"none for {', '.join(sorted(lacking))}"
    for astray in sorted({hook.state for hook in mine} - {str(work.settings.state)}):
        theirs = astray or "no folder"
        yield f"they use the state in {theirs}, and commands that in {work.settings.state}"


def switches(work: Workspace) -> Iterator[Check]:
    """Say what switches all hooks off, whatever is installed."""
    own = work.settings.config_dir
    notes = list(client_settings.notes(client.read_settings(own) or "", str(own / client.SETTINGS)))
    if work.settings.environment.get("MEMORIA_DISABLE", "0") not in {"", "0"}:
        notes.append("MEMORIA_DISABLE is set in this environment: hooks that get it do nothing")
    for note in notes:
        yield Check("switched off", ok=False, detail=note)


def place(work: Workspace) -> Iterator[Check]:
    """Say what came with the folder, what is of another version, and which Python is gone."""
    brought = work.vault.root / ".memoria"
    if os.path.lexists(brought):
        detail = f"{brought} came with the folder and is not used; delete it"
        yield Check("brought along", ok=False, detail=detail)
    if work.settings.ignored:
        yield Check("settings", ok=True, detail=work.settings.notice)
    was = setup.version(work.vault.state).get("version")
    if was and was != __version__:
        detail = f"set up by version {was}; {command(work, 'update')} brings it to {__version__}"
        yield Check("version", ok=True, detail=detail)
    wrong = _interpreter(work)
    if wrong:
        detail = f"{wrong}, so sessions wait in {work.vault.state.spool}; "
        yield Check("interpreter", ok=False, detail=f"{detail}{command(work, 'install')} fixes it")


def _interpreter(work: Workspace) -> str:
    """Say why flushes cannot run in what hooks start them with, "" where they can."""
    value = work.vault.state.read_json(work.vault.state.snapshot).get("command")
    words = [str(word) for word in value] if isinstance(value, list) else []
    if words == [sys.executable, str(package_files.PACKAGE / "__main__.py")]:
        return ""  # it is what runs here
    gone = [word for word in words if not Path(word).is_file()]
    if gone:
        return f"{gone[0]}, which flushes run in, is gone"
    complaint = _complaint(*words, "--version") if words else ""
    return f"{words[0]}, which flushes run in, does not start ({complaint})" if complaint else ""


def _complaint(*words: str) -> str:
    """Run a program; give "" where it ends with 0, else the last line that it says, or why.

    A file that is there says little: the libraries or packages that it needs may be gone.
    """
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "it does not end"
    except OSError as error:
        return error.strerror or type(error).__name__
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else (lines or [f"it ends with code {done.returncode}"])[-1]
