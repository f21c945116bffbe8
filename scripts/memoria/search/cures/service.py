"""Bring the failure hook's file up to date with what errors went away after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.errors import VaultError
from memoria.search.cures import store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.search.cures.known_cures import Cure
    from memoria.workspace import Workspace


def refresh(work: Workspace, known: Sequence[Cure]) -> bool:
    """Write the cures for the hook; say whether that could be done."""
    try:
        with work.vault.state.lock("recall"):
            store.write(work.vault.state.root / store.NAME, known)
    except (VaultError, OSError) as error:
        work.terminal.warn(f"{error}; the failure hook does without")
        return False
    return True
