"""Take what hooks left about what they gave into the ledger, each once.

A hook takes no lock, so it leaves a small file and the next flush takes it from there. A session's
own file stays, because a resumed session is given the same again; events are deleted once they are
in the ledger. The trap: a flush that dies between the two must not count an event twice, so what is
in the ledger already is known by its session, event and moment.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from memoria.errors import VaultError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memoria.vault.storage.state import State
    from memoria.workspace import Workspace

# what was given, when the session began and what its guards saw have to be known for as long as
# somebody may go on with it
_DAY = 24 * 3600
_KEPT_SECONDS = {"given/*.json": 60 * _DAY, "seen/*": 30 * _DAY}
_KINDS = frozenset({"injection", "guard"})


def collect(work: Workspace) -> int:
    """Take what hooks gave into the ledger; give the number of new records."""
    state, history = work.vault.state, work.vault.history()
    pairs = list(_read_waiting(state))
    known_keys = {_key(record) for kind in _KINDS for record in history.records_of(kind)}
    new_records = {_key(value): value for _, value in pairs if _key(value) not in known_keys}
    if new_records:
        with work.vault.open_transaction() as change:
            for value in new_records.values():
                change.record(dict(value))
    for path, _ in pairs:
        if path.parent.name == "events":
            path.unlink(missing_ok=True)
    for pattern, max_age in _KEPT_SECONDS.items():
        for path in state.root.glob(pattern):
            if time.time() - path.stat().st_mtime > max_age:
                path.unlink(missing_ok=True)
    return len(new_records)


def _read_waiting(state: State) -> Iterator[tuple[Path, dict[str, Any]]]:
    folder = state.given
    for path in sorted([*folder.glob("*.json"), *(folder / "events").glob("*.json")]):
        try:
            value = state.read_json(path)
        except VaultError:
            value = {}
        if value.get("kind") in _KINDS and isinstance(value.get("session"), str):
            yield path, value
        elif path.parent.name == "events":
            path.unlink(missing_ok=True)  # half a file: the disk was full


def _key(value: Mapping[str, Any]) -> tuple[str, str, str, str]:
    # the id, too: one call may break several rules in one moment
    return tuple(str(value.get(name)) for name in ("session", "event", "at", "id"))  # type: ignore[return-value] # four names
