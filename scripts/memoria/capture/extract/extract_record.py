"""Write an extract as the JSON of the file beside its entry, and read it.

The file may be of another version: a field that is missing gets its default and an unknown one is
passed over. `decode` returns None for anything else, and the compile uses the lines of the log.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from memoria.text.restored import restore_record
from memoria.vault.entry import Extract

FORMAT = 1  # for people who read the file; nothing compares it


def encode(extract: Extract, sha: str) -> dict[str, Any]:
    """Give the JSON of an extract; `sha` is the hash of the block that it belongs to."""
    return {"format": FORMAT, "sha": sha, **asdict(extract)}


def decode(value: Mapping[str, Any]) -> Extract | None:
    """Read an extract, None where the value is not one."""
    return restore_record(Extract, value)
