"""Admit a vault that is not registered on this machine, after a question, to reading alone.

A folder of notes may be anybody's: reading it can show what they wrote, and no more than that. So
nothing is written into it or outside, and what a verb needs for itself lies in a temporary state
that goes with it. A vault that was moved gets its state back by the same way, a question: the
folder itself proves nothing, as a clone has all that it holds.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from memoria.errors import VaultError
from memoria.program import quote_words
from memoria.text.unicode import strip_hidden
from memoria.vault.storage.registry import Registry
from memoria.vault.store import Vault
from memoria.workspace import Workspace, workspace

# verbs that make a vault or enter the one that is there
MAKING = frozenset({"init", "install", "start", "import"})
# verbs that do without a vault, or ask for it themselves
ANYWHERE = MAKING | {"completion", "demo", "doctor", "mcp", "team", "uninstall"}
# verbs that only show what stands in a vault
READING = frozenset({"diff", "distill", "list", "search", "skills", "stats", "status", "why"})


@contextmanager
def admit_vault(work: Workspace, verb: str, *, trust: bool) -> Iterator[Workspace]:
    """Give the workspace that a verb may use; VaultError where nobody vouches for the vault.

    Asks at a terminal; `trust` answers for a script that the vault may be read.
    """
    is_unknown = not work.settings.registered and work.vault.looks_like_one
    has_person = sys.stdin.isatty() and sys.stderr.isatty()
    moved_work = _move_if_confirmed(work) if is_unknown and has_person else None
    gone = Registry().list_gone_vaults() if is_unknown and verb in MAKING and not has_person else ()
    for old in gone:
        work.terminal.warn(
            f"{old} is gone. If it was moved here, its approvals and ledger do not come along "
            "without a terminal: move the folder once more, and `memoria status` there, at a "
            "terminal of your own, asks."
        )
    if moved_work or not (is_unknown and verb in READING):
        yield moved_work or work
        return
    vault = work.settings.vault
    if not trust and not has_person:
        raise VaultError(
            f"{vault} is not registered on this machine: `memoria init {quote_words(str(vault))}` "
            "registers it, --trust only reads it"
        )
    if not trust and not _ask_yes_no(f"{vault} is not registered on this machine. Read it, once?"):
        raise VaultError(
            f"{vault} was not read; `memoria init {quote_words(str(vault))}` registers it"
        )
    import tempfile  # noqa: PLC0415 - every verb comes by here

    # Windows deletes no file that a scanner has open; nothing in it is worth an error
    with tempfile.TemporaryDirectory(prefix="memoria-", ignore_cleanup_errors=True) as folder:
        temporary = workspace(replace(work.settings, state=Path(folder)))
        temporary.vault.state.create()
        vault_reader = Vault(vault, temporary.vault.state, read_only=True)
        yield replace(temporary, vault=vault_reader, terminal=work.terminal)


def _move_if_confirmed(work: Workspace) -> Workspace | None:
    """Ask whether a vault that is gone lies here now; give its workspace where it does."""
    vault, registry = work.settings.vault, Registry()
    for old in registry.list_gone_vaults():
        if _ask_yes_no(f"Was the vault {old} moved to {vault}? Its rules and ledger come along."):
            registry.move(old, vault)
            state = registry.state(vault) or work.settings.state
            settings = replace(work.settings, state=state, registered=True)
            moved_work = replace(workspace(settings), terminal=work.terminal)
            from memoria import refresh  # noqa: PLC0415 - each verb would pay for it

            refresh.refresh(moved_work)  # hooks ask the state which vault it is of
            work.terminal.say("Installed hooks name the old place: `memoria install` renews them.")
            return moved_work
    return None


def _ask_yes_no(question: str) -> bool:
    sys.stderr.write(f"{strip_hidden(question)} [y/N] ")  # a cloned folder may have any name
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
