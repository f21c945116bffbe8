"""Read the client's folder on disk, its settings and its transcripts, and write the settings back.

The settings belong to a person and to the client, which may write them at any moment: so a write
is atomic, goes through a symlink to the file that a dotfiles manager keeps, and is refused when
the file is no longer what was read. The trap: replacing a file in a writable folder succeeds even
where the file itself is read-only, so that is asked first.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memoria.agents import session_file_store as files
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code.settings import Hook
from memoria.agents.json_line import session_id
from memoria.errors import SettingsError
from memoria.vault.storage import disk

SETTINGS = "settings.json"
# one folder of the client's a task
_DESKTOP = "local-agent-mode-sessions/*/*/local_*/.claude/projects"
# Real settings have a few KB; what is larger is not a settings file.
MAX_SETTINGS_BYTES = 16 * 1024 * 1024


def projects_dir(config_dir: Path) -> Path:
    """Give the folder with one folder of transcripts for each working folder."""
    return config_dir / "projects"


def transcripts(projects_dir: Path) -> Iterator[files.SessionFile]:
    """List the sessions' transcripts, by folder and name.

    Regular files alone, one level deep: a symlink may lead anywhere, and what lies deeper, like
    `agent-*.jsonl` beside the sessions of older clients, is a subagent's. Folders that cannot be
    read are left out.
    """
    for folder in sorted(projects_dir.glob("*")):
        if folder.is_dir() and not folder.is_symlink():
            yield from transcripts_in(folder)


def transcripts_in(folder: Path) -> Iterator[files.SessionFile]:
    """List the sessions' transcripts that lie in a folder itself, by name."""
    for path in sorted(folder.glob("*.jsonl")):
        file = None if path.name.startswith("agent-") else files.look_at(path, path.stem)
        if file:
            yield file


def desktop_projects(environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    """List the folders of transcripts that Claude Desktop's agent mode keeps, one a task."""
    config = environ.get("XDG_CONFIG_HOME") or home / ".config"
    data = environ.get("APPDATA") or home / "Library" / "Application Support"
    for place in (Path(config) / "Claude", Path(data) / "Claude"):
        yield from sorted(place.glob(_DESKTOP))


def find_transcript(projects_dir: Path, session: str) -> Path | None:
    """Find a session's transcript, in whichever folder it began."""
    if not session_id(session):
        return None
    paths = (folder / f"{session}.jsonl" for folder in sorted(projects_dir.glob("*")))
    own = (path for path in paths if not path.parent.is_symlink())
    return next((path for path in own if files.look_at(path, session)), None)


def installed_hooks(config_dir: Path, name: str = SETTINGS) -> tuple[Hook, ...]:
    """List Memoria's hooks in the person's settings, each with what is gone of what it names.

    Raises SettingsError for unreadable settings.
    """
    text = read_settings(config_dir, name)
    hooks = []
    for hook in client_settings.installed(text or "", str(config_dir / name)):
        missing = (path for path in (hook.script, hook.python) if not Path(path).is_file())
        hooks.append(replace(hook, gone=next(missing, "")))
    return tuple(hooks)


def plugged(config_dir: Path, name: str = SETTINGS) -> bool:
    """Whether Memoria's plugin is on in these settings; raises SettingsError as above."""
    return client_settings.plugged(read_settings(config_dir, name) or "", str(config_dir / name))


def read_settings(config_dir: Path, name: str = SETTINGS) -> str | None:
    """Give the settings' text to the byte, BOM and line ends included; None where no file is."""
    return _read(config_dir / name)


def write_settings(
    config_dir: Path, text: str | None, expected: str | None, name: str = SETTINGS
) -> None:
    """Put a text in the settings' place, or no file at all for None.

    Raises SettingsError when the file is not `expected` any more, cannot be written, or is
    read-only.
    """
    target = _target(config_dir / name)
    with _reported(target):
        _require_writable(target)
        if text is None:
            is_done = _read(target) == expected
            if is_done:
                target.unlink(missing_ok=True)
        else:
            sha = disk.sha_of(None if expected is None else expected.encode())
            is_done = disk.replace_if(target, text.encode(), sha)
    if not is_done:
        raise SettingsError(f"{target}: something else has just written it; run this again")


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn the system's refusal into one line for the person."""
    try:
        yield
    except OSError as bad:
        reason = bad.strerror or type(bad).__name__
        raise SettingsError(f"{path}: {reason}; nothing was changed there") from bad


def _read(path: Path) -> str | None:
    with _reported(path):
        if not path.exists():
            return None
        if not path.is_file():  # opening a FIFO would wait for ever
            raise SettingsError(f"{path}: not a regular file; nothing was changed")
        if path.stat().st_size > MAX_SETTINGS_BYTES:
            raise SettingsError(f"{path}: too large to be a settings file; nothing was changed")
        data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as bad:
        raise SettingsError(
            f"{path}: not UTF-8 at byte {bad.start}; nothing was changed: save it as UTF-8 first"
        ) from None


def _target(path: Path) -> Path:
    """Follow the links that dotfiles managers set to the file to write."""
    with _reported(path):
        target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise SettingsError(f"{path}: a symlink that leads round in a circle; nothing was changed")
    return target


def _require_writable(target: Path) -> None:
    """Refuse a file that its owner made read-only: replacing it would succeed all the same."""
    if target.exists() and not (
        target.stat().st_mode & stat.S_IWUSR and os.access(target, os.W_OK)
    ):
        raise SettingsError(
            f"{target}: the file is read-only (a dotfiles manager's?); nothing was changed: "
            "make it writable, or put there what --dry-run prints"
        )
