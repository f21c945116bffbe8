"""Say in a few lines what an install would change, above its diff (`memoria install --dry-run`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# columns of a terminal as it opens; the shell's line that starts a hook has several hundred
_WIDTH = 80
_MOMENTS = {
    "SessionStart": "when a session starts:   tells it your rules and the work at hand",
    "UserPromptSubmit": "with each prompt:        tells what is known of it",
    "PostToolUseFailure": "after a failed command:  tells what fixed that error before",
    "PreToolUse": "before some commands:    runs the guards that you switched on",
    "SessionEnd": "at a session's end, and before it is compacted: saves it into",
}


def summary(settings: Path, events: Collection[str], vault: Path, undo: str) -> str:
    """Name the file, what is hooked and what it does, what is kept, and how it is undone."""
    moments = [f"  {text}" for event, text in _MOMENTS.items() if event in events]
    if "SessionEnd" in events:
        moments[-1] += f" {homely(vault)}"
    back = "puts back the copy that is kept first" if settings.is_file() else "deletes it again"
    return "\n".join(
        (
            f"Nothing is written now. Hooks that would stand in {homely(settings)}:",
            *moments,
            f"Undo: {undo} {back}. The change, long lines cut:",
            "",
        )
    )


def shortened(diff: str) -> str:
    """Cut the entries of a diff that no terminal shows in one line; the file's name stays whole."""
    return "\n".join(_cut(line) for line in diff.split("\n"))


def _cut(line: str) -> str:
    is_entry = line.startswith(("+ ", "- ", " "))
    return f"{line[: _WIDTH - 2]} …" if is_entry and len(line) > _WIDTH else line


def homely(path: Path) -> str:
    """Give a path as a person types it, with ~ for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
