"""A Codex session file on disk -> its Transcript; a plain reader, for files that nobody writes to.

It reads a file whole and from its beginning; capture as it happens needs watermarks and the hooks.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memoria.agents.codex.rollout import Rollout
from memoria.agents.pieces import Limits
from memoria.errors import TranscriptError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memoria.agents.transcript import Transcript


def found(folder: Path) -> Iterator[Path]:
    """List the session files below CODEX_HOME/sessions, oldest first."""
    yield from sorted(folder.glob("*/*/*/rollout-*.jsonl"))


def read(path: Path) -> Transcript:
    """Read a session file; a last line without a newline is left for the next time."""
    limits, end = Limits(), 0
    rollout = Rollout(path.stem[-36:], datetime.fromtimestamp(0, UTC), limits)
    try:
        with path.open("rb") as file:
            for raw in file:
                if not raw.endswith(b"\n"):
                    break
                end += len(raw)
                if len(raw) <= limits.line:
                    rollout.line(raw)
    except OSError as error:
        raise TranscriptError(f"cannot read {str(path)!r}: {error.strerror}") from error
    return rollout.transcript(end)
