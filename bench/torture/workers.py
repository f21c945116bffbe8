"""One process each that works on the vault without end, as a machine of a busy person would.

Each says what is done only once it is told so, in one write to the file of acknowledgements. The
two switches take out what the promises rest on, to show that the audit finds it.
"""

from __future__ import annotations

import os
import random
import re
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from bench.torture.world import DOOMED, DOOMED_DAY

from memoria.cli.undo import undo
from memoria.cli.undo_files import list_past_steps
from memoria.hooks import protocol, session_spool
from memoria.rules.rulebook import rulebook
from memoria.vault.storage import disk
from memoria.vault.storage.journal import Append, Journal, Write
from memoria.vault.storage.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench.torture.world import World

    from memoria.vault.storage.journal import Change

# of a person's line, to find it again
MARK = "A person's line"
# seconds between two edits of the person: ten times as often as a quick writer saves
_PAUSE = (0.01, 0.15)


def start(world: World, role: str, key: str, without: frozenset[str]) -> int:
    """Start a worker; give its process id."""
    child = os.fork()
    if child:
        return child
    with suppress(BaseException):
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        if not without:
            # a kill is no power cut: what is written is there, so flushing would only take time
            os.fsync = lambda _: None  # type: ignore[assignment]
        weaken(without)
        _work(world, role, key)
    os._exit(1)


def weaken(without: Iterable[str]) -> None:
    """Take out the lock or the journal in this process."""
    if "lock" in without:
        State.lock = _unlocked  # type: ignore[assignment,method-assign]
    if "journal" in without:
        Journal.commit = _plainly  # type: ignore[assignment,method-assign]
        Journal.recover = lambda _: 0  # type: ignore[assignment,method-assign]


@contextmanager
def _unlocked(_: State, name: str, *, wait: bool = True) -> Iterator[None]:
    del name, wait
    yield


def _plainly(_: Journal, changes: Iterable[Change], **_names: str) -> None:
    """Replace each file atomically, one after the other: what many take for enough."""
    for change in changes:
        if isinstance(change, Append):
            with change.path.open("ab") as file:
                file.write(change.data)
        elif isinstance(change, Write):
            if change.data is None:
                change.path.unlink()
            else:
                disk.replace(change.path, change.data)


def _work(world: World, role: str, key: str) -> None:
    rng = random.Random(key)
    do = _ROLES[role]
    number = 0
    while True:
        number += 1
        # a transaction that met another's change is refused, as it says; the next one goes on
        with suppress(Exception):
            do(world, f"{key}n{number}", rng)


def _acknowledge(world: World, word: str, key: str) -> None:
    handle = os.open(world.acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{word} {key}\n".encode())
    finally:
        os.close(handle)


def _spool(world: World, key: str, rng: random.Random) -> None:
    # a rule's note goes with the only session that said it, and a person's lines in it are moved
    plain = key.startswith(DOOMED) or rng.random() < 0.8
    path = world.session(key, rng.randrange(500), "" if plain else _rule(rng))
    event = {
        "session_id": key,
        "transcript_path": str(path),
        "cwd": "/home/ana/shop",
        "hook_event_name": "SessionEnd",
        "reason": "other",
    }
    if session_spool.spool_session(protocol.HookPlace(str(world.vault), str(world.state)), event):
        _acknowledge(world, "session", key)


def _rule(rng: random.Random) -> str:
    return f"Always check the ledger of branch number {rng.randrange(10_000)} before you deploy."


def _flush(world: World, key: str, rng: random.Random) -> None:
    for part in range(rng.randrange(1, 4)):
        _spool(world, f"{key}p{part}", rng)
    world.run("flush", *(["--detached"] if rng.random() < 0.5 else []))


def _compile(world: World, _: str, rng: random.Random) -> None:
    world.run("compile", *(["--all"] if rng.random() < 0.1 else []))


def _reward(world: World, key: str, rng: random.Random) -> None:
    found = rng.choice(rulebook(world.work()).rules).id
    if world.run("reward", found, rng.choice(["0", "1"]), "--context", f"context-{key}") == 0:
        _acknowledge(world, "reward", f"context-{key}")


def _review(world: World, key: str, rng: random.Random) -> None:
    rules = rulebook(world.work()).rules
    found = rng.choice(rules).id
    what = rng.randrange(4)
    if what == 0:
        text = f"Always name the ticket {key} in the title of the pull request."
        if world.run("remember", text) == 0:
            _acknowledge(world, "remember", text)
    elif what == 1 and len(rules) > 6:
        world.run(rng.choice(["reject", "retire"]), found)
    elif what == 2:
        world.run("promote", found, "--dir", str(world.project))
    else:
        world.run("promote", "--dir", str(world.project))


def _ask(world: World, key: str, rng: random.Random) -> None:
    if rng.random() < 0.5:
        world.run("query", "--file-back", f"Why does the {rng.choice(_ASKED)} fail? ({key[:4]})")
    else:
        world.run("lint", "--fix", "--structural-only")


_ASKED = ("token check", "invoice export", "login form")


def _forget(world: World, key: str, rng: random.Random) -> None:
    """Capture a session, or forget one: what was acknowledged as forgotten is nowhere any more."""
    if rng.random() < 0.5:
        _spool(world, f"{DOOMED}{key}", rng)
        world.run("flush")
        return
    begun = {*world.acknowledged("forgetting")} - {*world.acknowledged("forgot")}
    known = [one for one in world.acknowledged("session") if one.startswith(DOOMED)]
    left = [one for one in known if one not in world.acknowledged("forgot")]
    name = rng.choice(sorted(begun & {*left}) or left)
    if name not in begun:
        _acknowledge(world, "forgetting", name)
    if world.run("forget", name, "--yes") == 0:
        _acknowledge(world, "forgot", name)


def _undo(world: World, _: str, rng: random.Random) -> None:
    """Take back a step that nobody was told of as a person's word, or one's undo."""
    work = world.work()
    gone = work.vault.history().undone
    steps = [one for one in list_past_steps(work.vault.journal) if one.label in _UNDONE]
    step = rng.choice([one for one in steps if one.id not in gone][-4:])
    # by the step itself: its number may be another's after a forget
    if not undo(work, step).refused:
        _acknowledge(world, "undone", step.id)


# an undo of an undo would make "undone" untrue
_UNDONE = frozenset({"compile", "query", "lint"})


def _edit(world: World, key: str, rng: random.Random) -> None:
    """Add a line as a person does who has a note open in an editor."""
    notes = [
        *(one for one in world.vault.glob("daily/20*.md") if one.stem != DOOMED_DAY),
        *world.vault.glob("knowledge/[cprt]*/*.md"),
        world.project / "CLAUDE.md",
    ]
    path = rng.choice(notes)
    with path.open("r+b") as file:  # an editor makes no file anew that was just removed
        file.seek(0, os.SEEK_END)
        file.write(f"- {MARK} {key}.\n".encode())
    name = path.relative_to(world.root).as_posix()
    _acknowledge(world, "line", f"{key} {name}")
    signal.sigtimedwait([], rng.uniform(*_PAUSE))
    if (world.root / "stop").exists():
        os._exit(0)


def marked(text: str) -> list[str]:
    """Give the keys of the person's lines in a text."""
    return re.findall(rf"{MARK} (\w+)\.", text)


_ROLES: dict[str, Callable[[World, str, random.Random], None]] = {
    "flush": _flush,
    "compile": _compile,
    "reward": _reward,
    "review": _review,
    "ask": _ask,
    "edit": _edit,
    "forget": _forget,
    "undo": _undo,
}
