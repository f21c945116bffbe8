"""Say what was written or waits and is not there any more, as lines for the doctor.

A log or a rule's note that a sync client, a full disk or a slip has deleted or emptied is missed by
nobody: whoever reads the vault reads what is left. The ledger knows what was there. A person may
rename a rule's note, and that is no loss.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memoria.errors import VaultError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.workspace import Workspace

_RULES = "rules/"
_SHOWN = 8


def losses(work: Workspace) -> Iterator[str]:
    """Say what is gone, empty or damaged, each with what to do."""
    yield from _logs(work)
    yield from _rules(work)
    yield from _spool(work)


def _logs(work: Workspace) -> Iterator[str]:
    """Look for the logs that entries were written to."""
    captures = work.vault.history().captures.values()
    for day, count in sorted(Counter(one.day for one in captures).items()):
        path = work.vault.daily / f"{day}.md"
        entries = f"{count} {'entry was' if count == 1 else 'entries were'} written there"
        restore = "bring it back from git or a backup, or delete what it held with `memoria forget`"
        if not path.exists():
            yield f"daily/{day}.md is gone ({entries}); {restore}"
        elif not path.read_bytes().strip(b"\0 \t\r\n"):
            yield f"daily/{day}.md is empty ({entries}); {restore}"
    for log in work.vault.logs():
        try:
            work.vault.log(log)
        except VaultError as error:
            yield str(error)


def _rules(work: Workspace) -> Iterator[str]:
    """Look for the notes of rules; one that is there under a name of its own was renamed."""
    written = {path for path in work.vault.history().written if path.startswith(_RULES)}
    there = {path for path in work.vault.articles if path.startswith(_RULES)}
    there |= {path for path in work.vault.articles.unreadable if path.startswith(_RULES)}
    gone = sorted(written - there)
    if len(gone) > len(there - written):
        names = ", ".join(f"knowledge/{path}.md" for path in gone[:_SHOWN])
        yield (
            f"{len(gone)} notes of rules are gone, so the rules hold no more: {names}; bring them "
            "back from git or a backup (a rule you no longer want is rejected, not deleted)"
        )


def _spool(work: Workspace) -> Iterator[str]:
    """Look at the folder that hooks leave their jobs in."""
    new = work.vault.state.spool / "new"
    if not new.is_dir():
        is_taken = new.exists() or new.is_symlink() or work.vault.state.spool.is_file()
        mend = "move it away, then run" if is_taken else "run"
        yield (
            f"{new}, where hooks leave sessions, is no folder; {mend} `memoria init`, and then "
            "`memoria flush --sweep` for what may have waited there"
        )
        return
    for path in work.spool.damaged()[:_SHOWN]:
        if path.parent.name == "dead":
            yield f"{path} was a damaged job; its session was taken up again, so you may delete it"
        else:
            yield f"{path} is damaged; `memoria flush` takes its session up again"
