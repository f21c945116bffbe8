"""Read the client's folder on disk, its settings and its transcripts, and write the settings back.

The settings belong to a person and to the client, which may write them at any moment; a write goes
through a symlink to the file that a dotfiles manager keeps.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memoria.agents import session_file_store
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code.settings import Hook
from memoria.agents.json_line import session_id
from memoria.vault.storage import foreign_file

SETTINGS = "settings.json"
# one folder of the client's for each task
_DESKTOP_PROJECTS = "local-agent-mode-sessions/*/*/local_*/.claude/projects"


def projects_dir(config_dir: Path) -> Path:
    """Give the folder with one folder of transcripts for each working folder."""
    return config_dir / "projects"


def list_transcripts(projects_dir: Path) -> Iterator[session_file_store.SessionFile]:
    """List the sessions' transcripts, by folder and name.

    Regular files alone, one level deep: a symlink may lead anywhere, and what lies deeper, like
    `agent-*.jsonl` beside the sessions of older clients, is a subagent's. Folders that cannot be
    read are left out.
    """
    for folder in sorted(projects_dir.glob("*")):
        if folder.is_dir() and not folder.is_symlink():
            yield from list_transcripts_in(folder)


def list_transcripts_in(folder: Path) -> Iterator[session_file_store.SessionFile]:
    """List the sessions' transcripts that lie in a folder itself, by name."""
    for path in sorted(folder.glob("*.jsonl")):
        is_subagents = path.name.startswith("agent-")
        if not is_subagents and (file := session_file_store.look_at(path, path.stem)):
            yield file


def list_desktop_projects(environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    """List the folders of transcripts that Claude Desktop's agent mode keeps, one a task."""
    config = environ.get("XDG_CONFIG_HOME") or home / ".config"
    data = environ.get("APPDATA") or home / "Library" / "Application Support"
    for place in (Path(config) / "Claude", Path(data) / "Claude"):
        yield from sorted(place.glob(_DESKTOP_PROJECTS))


def find_transcript(projects_dir: Path, session: str) -> Path | None:
    """Find a session's transcript, in whichever folder it began."""
    if not session_id(session):
        return None
    paths = (folder / f"{session}.jsonl" for folder in sorted(projects_dir.glob("*")))
    own = (path for path in paths if not path.parent.is_symlink())
    return next((path for path in own if session_file_store.look_at(path, session)), None)


def read_installed_hooks(config_dir: Path, name: str = SETTINGS) -> tuple[Hook, ...]:
    """List Memoria's hooks in the person's settings, each with what is gone of what it names.

    Raises UsageError for unreadable settings.
    """
    text = read_settings(config_dir, name)
    hooks = []
    for hook in client_settings.parse_hooks(text or "", str(config_dir / name)):
        missing_paths = (path for path in (hook.script, hook.python) if not Path(path).is_file())
        hooks.append(replace(hook, gone=next(missing_paths, "")))
    return tuple(hooks)


def is_plugin_enabled(config_dir: Path, name: str = SETTINGS) -> bool:
    """Whether Memoria's plugin is on in these settings; raises UsageError as above."""
    text = read_settings(config_dir, name) or ""
    return client_settings.is_plugin_enabled(text, str(config_dir / name))


def read_settings(config_dir: Path, name: str = SETTINGS) -> str | None:
    """Give the settings' text to the byte, BOM and line ends included; None where no file is."""
    return foreign_file.read(config_dir / name)


def write_settings(
    config_dir: Path, text: str | None, expected: str | None, name: str = SETTINGS
) -> None:
    """Put a text in the settings' place, or no file at all for None.

    Raises UsageError when the file is not `expected` any more, cannot be written, or is read-only.
    """
    foreign_file.write(foreign_file.follow_links(config_dir / name), expected, text)
