"""Write an extract as the JSON of the file beside its entry, and read it.

`decode` returns None for what is no extract, and the compile uses the lines of the log.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memoria.errors import VaultError
from memoria.text.restored import restore_record
from memoria.vault.entry import Extract

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.workspace import Workspace


def encode(extract: Extract, sha: str) -> dict[str, Any]:
    """Give the JSON of an extract; `sha` is the hash of the block that it belongs to."""
    return {"sha": sha, **asdict(extract)}


def decode(value: Mapping[str, Any]) -> Extract | None:
    """Read an extract, None where the value is not one."""
    return restore_record(Extract, value)


def read_extract(work: Workspace, identity: str) -> Extract | None:
    """Give what was found in the session of an entry, None where that is not known."""
    state = work.vault.state
    try:
        value = state.read_json(state.extracts / f"{identity}.json")
    except VaultError:
        return None  # the lines of the entry itself serve in its place
    return decode(value) if value else None
