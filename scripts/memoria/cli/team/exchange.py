"""Exchange with the team: at the end of a detached flush, or when a person asks for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memoria.team import membership_store
from memoria.team import service as team

if TYPE_CHECKING:
    from memoria.team.membership_store import Membership
    from memoria.team.service import Exchanged
    from memoria.workspace import Workspace


def exchange(work: Workspace, member: Membership) -> Exchanged:
    """Pull and push; one process at a time. What came changes what hooks read."""
    from memoria.cli.team.outgoing_facts import wanted  # noqa: PLC0415 - reads the whole vault

    with work.vault.state.lock("team"):
        wants = wanted(work, member)
        done = team.exchanged(work.vault.state, member, wants, time.time())
        if done.has_left:
            membership_store.keep(work.vault.state, member.withdrawing())
    if done.pulled or done.pushed:
        work.vault.changed = True
    return done


def after_flush(work: Workspace) -> list[str]:
    """Exchange with the team if there is one and it is due; give what went wrong."""
    from memoria.errors import MemoriaError  # noqa: PLC0415 - beside what needs it

    state = work.vault.state
    try:
        member = membership_store.membership(state)
        if member and team.is_due(state, time.time()):
            exchange(work, member)
    except MemoriaError as error:
        return [f"team: {error}"]
    return []
