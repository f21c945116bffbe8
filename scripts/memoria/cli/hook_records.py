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

# a session that nobody resumed in so long is not resumed any more
_KEPT_SECONDS = 60 * 24 * 3600
_KINDS = frozenset({"injection", "guard"})


def collect(work: Workspace) -> int:
    """Take what hooks gave into the ledger; give the number of new records."""
    state = work.vault.state
    waiting = list(_waiting(state))
    if not waiting:
        return 0
    history = work.vault.history()
    known = {_key(one) for kind in _KINDS for one in history.of(kind)}
    new = {_key(value): value for _, value in waiting if _key(value) not in known}
    if new:
        with work.vault.changing() as change:
            for value in new.values():
                change.record(dict(value))
    for path, _ in waiting:
        if path.parent.name == "events":
            path.unlink(missing_ok=True)
    for path in state.given.glob("*.json"):
        if time.time() - path.stat().st_mtime > _KEPT_SECONDS:
            path.unlink(missing_ok=True)
    return len(new)


def _waiting(state: State) -> Iterator[tuple[Path, dict[str, Any]]]:
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
