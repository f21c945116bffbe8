"""`memoria ledger export|import`: what a person's machines saw, exchanged by a file.

Each machine has a ledger of its own, outside of what is synced; a shard carries what happened in
its sessions to another, where it is learned from as if it had happened there. Twice is the same as
once. The trap: a file can come from anybody, so it brings no approval and no decision, its texts
pass the gate again, and the whole step can be taken back.
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.commands import snapshot
from memoria.edges import disk, handed, terminal
from memoria.errors import UsageError
from memoria.stages import gate, retraction, shard
from memoria.stages import ledger as records
from memoria.stages.moment import day

if TYPE_CHECKING:
    import argparse

    from memoria.commands.workspace import Workspace
    from memoria.stages.ledger import Record
    from memoria.stages.shard import Arrival

# ten thousand sessions have some 40 MB
MOST_BYTES = 256 << 20
# of a record: what was said, or holds such
_TEXTS = frozenset(
    {"line", "change", "quote", "context", "outcome", "description", "rules", "record"}
)


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Write a shard, or take one in."""
    work.vault.require()
    if arguments.action == "export":
        _export(arguments, work)
    else:
        _import(arguments, work)
    return 0


def _export(arguments: argparse.Namespace, work: Workspace) -> None:
    work.vault.history()  # what a dead process has committed; and a newer ledger is refused
    found = _records(work)
    cleaned = (_clean(one, work) for one in found)
    lines = list(shard.shard(cleaned, machine(work), str(day(arguments.since) or "")))
    text = "".join(lines)
    if arguments.output:
        put(arguments.output, text)
    if arguments.json:
        terminal.data([json.loads(one) for one in lines])
    elif not arguments.output:
        for one in lines:
            terminal.line(one.removesuffix("\n"))
    count = len(lines) - 1
    work.terminal.say(
        f"{count} records{f' written to {arguments.output}' if arguments.output else ''}; "
        "`memoria ledger import FILE` takes them in on another machine of yours."
    )


def put(name: str, text: str) -> None:
    """Write a file that a person named; UsageError where there is no folder for it."""
    path = Path(name).expanduser()
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent} to write {path.name} to")
    if path.is_dir():
        raise UsageError(f"{name} is a folder; name a file")
    disk.replace(path, text.encode("utf-8", "replace"))


def _import(arguments: argparse.Namespace, work: Workspace) -> None:
    lines = handed.text(arguments.file, MOST_BYTES).split("\n")
    with work.vault.step("ledger"), work.vault.changing() as change:
        change.label = "ledger"
        forgotten = work.vault.history().has_forgotten
        found = shard.arrival(lines, _records(work), machine(work))
        for one in found.records:
            # another machine may still know what was forgotten here
            if not forgotten(str(one.get("session"))):
                change.record(_clean(one, work))
    if found.records:
        snapshot.refresh(work)
    if arguments.json:
        terminal.data(
            {
                "machine": found.machine,
                "taken": dict(found.kinds),
                "known": found.known,
                "strange": found.strange,
            }
        )
    _tell(work, found)


def _tell(work: Workspace, found: Arrival) -> None:
    counts = ", ".join(f"{count} {name}" for name, count in sorted(found.kinds.items()))
    work.terminal.say(
        f"From {found.machine}: {counts or 'nothing new'}; {found.known} were known already."
    )
    if found.told:
        work.terminal.say(
            f"{found.told} decisions and experiments of that machine are kept to read; none is in "
            "force here: `memoria review` decides."
        )
    if found.strange:
        work.terminal.warn(f"{found.strange} lines were no records of a shard, and left out.")


def _clean(one: Record, work: Workspace) -> Record:
    """Take secrets out of what people and tools said; ids and hashes stay, which look like some."""
    return one | {
        name: gate.clean(one[name], work.settings.secrets) for name in _TEXTS & one.keys()
    }


def _records(work: Workspace) -> list[Record]:
    data = disk.read(work.vault.state.ledger) or b""
    found = records.records(data.decode("utf-8", "replace"))
    gone = retraction.undone(found)
    # an import that was taken back can be made again
    return [one for one in found if retraction.stands(one, gone)]


def machine(work: Workspace) -> str:
    """Give this machine's name for the vault: random, made when it is first asked for."""
    path = work.vault.state.root / "machine"
    known = (disk.read(path) or b"").decode("ascii", "replace").strip()
    if not known:
        known = f"m-{secrets.token_hex(6)}"
        disk.replace(path, known.encode() + b"\n")
    return known
