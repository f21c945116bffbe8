"""List what earlier sessions of a project left to do, as their logs have it today.

An item that a person or a later session has ticked is done. Only the latest logs are read: what
nobody has come back to for two months is no longer what is open. The trap: a pulled log holds what
anybody wrote, so only lines that this machine wrote and may say are shown to a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.provenance.sayable import known_by
from memoria.errors import VaultError
from memoria.text.markdown import inert

if TYPE_CHECKING:
    from datetime import date

    from memoria.vault.store import Vault

_DAYS = 60  # that are looked at
MOST = 12  # items: what a prompt has room for


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An action item of a daily log, and the day of that log."""

    text: str
    day: date


def open_items(vault: Vault, project: str, before: date) -> tuple[OpenItem, ...]:
    """List the open items of a project up to a day, the latest first, each text once."""
    items: dict[str, OpenItem] = {}
    sayable = vault.lines.told
    for day in reversed([day for day in vault.logs() if day <= before][-_DAYS:]):
        try:
            blocks = vault.log(day).blocks
        except VaultError:
            continue  # compile and doctor name a log that cannot be read
        for block in blocks:
            if block.entry.project == project:
                for text in block.entry.draft.actions:
                    if known_by(inert(text)) in sayable:
                        items.setdefault(text, OpenItem(text, day))
        if len(items) >= MOST:
            break
    return tuple(items.values())[:MOST]
