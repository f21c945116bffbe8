"""List what earlier sessions of a project left to do, as their logs have it today.

An item that a person or a later session has ticked is done. Only the latest logs are read: what
nobody has come back to for two months is no longer open. A pulled log holds what anybody wrote, so
only lines that this machine wrote and may say are shown to a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.provenance.marks import known_by
from memoria.errors import VaultError
from memoria.text.markdown import inert

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from datetime import date, datetime

    from memoria.vault.store import Vault

_DAYS = 60  # that are looked at
MOST = 12  # items: what a prompt has room for


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An action item of a daily log, and the day of that log."""

    text: str
    day: date


def open_items(vault: Vault, project: str, before: datetime) -> tuple[OpenItem, ...]:
    """List the open items of a project from before a moment, the latest first, each text once.

    An entry's own moment has no seconds in its log, so those of the same minute are left out.
    """
    until = before.replace(tzinfo=None, second=0, microsecond=0)
    items: dict[str, OpenItem] = {}
    sayable = vault.lines.told
    for day in reversed([day for day in vault.logs() if day <= before.date()][-_DAYS:]):
        try:
            entries = [block.entry for block in vault.log(day).blocks]
        except VaultError:
            continue  # compile and doctor name a log that cannot be read
        for entry in entries:
            if entry.project == project and entry.at < until:
                for text in entry.draft.actions:
                    if known_by(inert(text)) in sayable:
                        items.setdefault(text, OpenItem(text, day))
        if len(items) >= MOST:
            break
    return tuple(items.values())[:MOST]


def done(
    vault: Vault, project: str, before: datetime, shown: Mapping[str, str], names: Container[str]
) -> tuple[OpenItem, ...]:
    """Find the items that an answer calls done by the ids under which they were `shown`."""
    texts = {text for name, text in shown.items() if name in names}
    found = open_items(vault, project, before) if texts else ()
    return tuple(item for item in found if item.text in texts)
