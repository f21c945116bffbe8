"""A verb whose n-th change to the disk fails -> the vault is as before it or as after it.

As SQLite tests itself: the verb runs once and its changes are counted; then it runs again and again
in a world made anew, and each time another one of them fails with the system's own error. After
each failure the vault is recovered, compared, and the same verb has to succeed.

    python -m bench.torture.faults [--every 1] [--verb NAME] [--all-after]

With --all-after everything from that change on fails, as on a disk that is full.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import io
import json
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from bench.torture.world import RULES, World, make, renew

from memoria.cli.undo_files import list_past_steps
from memoria.hooks import protocol, session_spool
from memoria.rules.promotion import placement
from memoria.rules.rulebook import rulebook
from memoria.vault.storage import clock, disk, state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# what changes the disk; reading, closing and looking do not
CALLS = ("open", "write", "fsync", "replace", "link", "mkdir", "unlink", "rmdir", "chmod", "lock")
CODES = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EXDEV, errno.EMFILE)
DOCUMENTED = range(5)
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
# of a record: what differs from run to run
_RANDOM = ("step", "at", "seconds", "salt")
_MOST = 2_000
# the session that is forgotten; its rule was promoted to a file of its own
GONE = "first-1"
# verbs that change a file outside the vault in a transaction of its own
_TWO = ("undo-earlier", "forget")


class Outcome(NamedTuple):
    """How a verb ended: its exit code, what it said, how many changes it came to, which failed."""

    code: int
    said: str
    steps: int
    failed: str


@dataclass
class Fault:
    """Lets the `step`-th change fail, or with `onward` that one and all after it."""

    step: int
    number: int
    onward: bool
    count: int = 0
    failed: str = ""

    def __call__(self, name: str, path: object) -> None:
        """Count a change, and let it fail when it is its turn."""
        self.count += 1
        if self.count == self.step or (self.onward and 0 < self.step <= self.count):
            self.failed = self.failed or f"{name} {path}"
            where = () if isinstance(path, int) else (str(path),)
            raise OSError(self.number, os.strerror(self.number), *where)


class _File:
    """An open file whose writes count."""

    def __init__(self, file: Any, fault: Fault) -> None:  # noqa: ANN401 - any kind of file
        self._file, self._fault = file, fault

    def write(self, data: Any) -> Any:  # noqa: ANN401 - bytes or text
        self._fault("write", self._file.fileno())
        return self._file.write(data)

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(self, *told: object) -> None:
        self._file.__exit__(*told)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the file has
        return getattr(self._file, name)


def patch(fault: Fault) -> None:
    """Put a fault between this process and the disk."""
    for name in ("fsync", "replace", "rename", "link", "mkdir", "unlink", "rmdir", "chmod"):
        setattr(os, name, _counted(name, getattr(os, name), fault))
    opened, fdopened, io_opened, locked = os.open, os.fdopen, io.open, fcntl.flock

    def open_(path: Any, flags: int, *rest: Any, **names: Any) -> int:  # noqa: ANN401 - os.open's
        if flags & os.O_CREAT:
            fault("open", path)
        return opened(path, flags, *rest, **names)

    def fdopen_(handle: int, mode: str = "r", *rest: Any, **names: Any) -> Any:  # noqa: ANN401
        file = fdopened(handle, mode, *rest, **names)
        return _File(file, fault) if set(mode) & set("wa+x") else file

    def io_open(path: Any, mode: str = "r", *rest: Any, **names: Any) -> Any:  # noqa: ANN401
        file = io_opened(path, mode, *rest, **names)
        return _File(file, fault) if set(mode) & set("wa+x") else file

    def flock(handle: int, how: int) -> None:
        if how & fcntl.LOCK_EX:
            fault("lock", handle)
        locked(handle, how)

    os.open, os.fdopen, io.open = open_, fdopen_, io_open  # type: ignore[assignment]
    fcntl.flock = flock  # type: ignore[assignment]


def _counted(name: str, real: Callable[..., Any], fault: Fault) -> Callable[..., Any]:
    def change(*args: Any, **names: Any) -> Any:  # noqa: ANN401 - whatever the call takes
        fault(name, args[0])
        return None if name == "fsync" else real(*args, **names)

    return change


def attempt(world: World, words: tuple[str, ...], fault: Fault) -> Outcome:
    """Run a verb in a process of its own with that fault."""
    log = world.root.parent / "said"
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        _child(world, words, fault, log, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = json.loads(pipe.read() or b'[-1, 0, ""]')
    os.waitpid(child, 0)
    return Outcome(told[0], log.read_text(encoding="utf-8", errors="replace"), told[1], told[2])


def _child(world: World, words: tuple[str, ...], fault: Fault, log: Path, pipe: int) -> None:
    send, leave = os.write, os._exit
    code = -1
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (1, 2):
            os.dup2(handle, stream)
        state._PATIENCE_SECONDS = 0.2  # noqa: SLF001 - a lock that cannot be had is waited for
        clock.now = lambda zone=None: clock.to_local_time(NOW, zone)
        patch(fault)
        code = world.run(*words)
    except BaseException as error:  # noqa: BLE001 - the parent tells it
        with suppress(BaseException):
            send(2, f"Traceback: {type(error).__name__}: {error}\n".encode())
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        send(pipe, json.dumps([code, fault.count, fault.failed]).encode())
        leave(0)


# -- What is compared -----------------------------------------------------------------------------


def facts(world: World) -> dict[str, Any]:
    """Read what may not be half done: notes, ledger, approvals, extracts, the promoted file."""
    places = [*world.vault.glob("daily/*"), *world.vault.glob("knowledge/**/*.md")]
    places += [*world.state.glob("extracts/*"), world.state / "approvals.json"]
    places += [*world.project.glob("*.md"), *world.other.glob("*.md")]
    found: dict[str, Any] = {
        path.relative_to(world.root).as_posix(): path.read_bytes()
        for path in places
        if path.exists()
    }
    text = (world.state / "ledger.jsonl").read_text(encoding="utf-8")
    found["ledger"] = sorted(_record(json.loads(line)) for line in text.splitlines())
    return found


def _record(value: dict[str, Any]) -> str:
    kept = {name: one for name, one in value.items() if name not in _RANDOM}
    if "forgot" in kept:  # salted hashes
        kept["forgot"] = len(kept["forgot"])
    return json.dumps(kept, sort_keys=True)


def core(world: World) -> dict[str, Any]:
    """Read the same without the file that a rule was promoted to: that is another transaction."""
    found = facts(world)
    found["ledger"] = [one for one in found["ledger"] if '"kind": "promote"' not in one]
    return {name: one for name, one in found.items() if not name.startswith(world.other.name)}


def lasting(value: Any) -> Any:  # noqa: ANN401 - whatever was compared
    """Leave out what is derived after a verb in a step of its own: the projects' pages.

    The verb is done without them, and the next run of any verb derives them anew.
    """
    if not isinstance(value, dict):
        return value
    kept = {name: one for name, one in value.items() if not name.startswith(_PAGES)}
    index = kept.get(_INDEX, b"")
    kept[_INDEX] = b"".join(line for line in index.splitlines(keepends=True) if _LINK not in line)
    return kept


_PAGES, _INDEX, _LINK = "vault/knowledge/projects/", "vault/knowledge/index.md", b"[[projects/"


def placed(world: World) -> str:
    """Read the file that a rule was promoted to."""
    path = world.other / "CLAUDE.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def remains(world: World) -> list[str]:
    """Name the files that hold a byte of what was forgotten; the client's own are no business."""
    needles = (GONE.encode(), RULES[1].removesuffix(".").encode())
    files = [path for path in world.root.rglob("*") if path.is_file()]
    own = [path for path in files if not path.is_relative_to(world.root / "home")]
    return [path.name for path in own if any(one in path.read_bytes() for one in needles)]


def promotion(world: World) -> tuple[bool, ...]:
    """Say whether the rule that is to be promoted is approved, in the file, and in the ledger."""
    work = world.work()
    found = _target(world)
    text = (world.project / "CLAUDE.md").read_text(encoding="utf-8")
    held = placement.read_promotions(work).values()
    approved = work.vault.state.read_json(work.vault.state.approvals)
    recorded = any(found in one.ids for one in held)
    return found in approved, TEXT in text, recorded


TEXT = "Always measure twice before you cut the release branch"


def _target(world: World) -> str:
    return next(one.id for one in rulebook(world.work()).rules if one.text.startswith(TEXT))


def compared(world: World, verb: str) -> Any:  # noqa: ANN401 - whatever can be compared
    """Give what has to be old or new for a verb."""
    if verb == "promote":
        return promotion(world)
    return core(world) if verb in _TWO else facts(world)


# -- The walk -------------------------------------------------------------------------------------


def prepare(world: World) -> None:
    """Leave work for each verb: a job in the spool, an entry to compile, a rule that waits."""
    world.session("later", 40)
    world.run("import")
    world.run("remember", "Keep the list of ports in order.")
    world.run("remember", f"{TEXT}.")
    world.run("reject", _target(world))
    note = next(world.vault.glob("knowledge/rules/always-measure*.md"))
    text = note.read_text(encoding="utf-8").replace("status: rejected", "status: waiting")
    note.write_text(text, encoding="utf-8")
    rule = RULES[1].removesuffix(".")
    found = next(one.id for one in rulebook(world.work()).rules if one.text.startswith(rule))
    world.other.mkdir()
    with redirect_stdout(io.StringIO()):  # the difference of the file
        world.run("promote", found, "--dir", str(world.other))
    path = world.session("waiting", 41)
    event = {"session_id": "waiting", "transcript_path": str(path), "cwd": "/home/ana/shop"}
    place = protocol.HookPlace(str(world.vault), str(world.state))
    session_spool.spool_session(place, event | {"hook_event_name": "SessionEnd"})


def verbs(world: World) -> dict[str, tuple[str, ...]]:
    """Give the verbs that are tried, with their words."""
    rule = _target(world)
    first = next(
        one for one in list_past_steps(world.work().vault.journal) if one.label == "remember"
    )
    return {
        "flush": ("flush",),
        "compile": ("compile",),
        "file-back": ("query", "--file-back", "Why does the token check fail?"),
        "promote": ("promote", rule, "--dir", str(world.project)),
        "reward": ("reward", rule, "1"),
        "remember": ("remember", "Always keep the port in the settings file."),
        "lint": ("lint", "--fix", "--structural-only"),
        "retire": ("retire", rule),
        "undo": ("undo",),
        "undo-earlier": ("undo", str(first.number)),
        "forget": ("forget", GONE, "--yes"),
    }


def walk(world: World, verb: str, *, every: int = 1, onward: bool = False) -> tuple[int, list[str]]:
    """Let every `every`-th change of a verb fail; give how many there are, and what went wrong.

    The world is one that was prepared.
    """
    kept = world.root.parent / "kept"
    renew(world, kept)
    words = verbs(world)[verb]
    old = compared(world, verb)
    done = attempt(world, words, Fault(0, 0, onward=False))
    if done.code != 0:
        return 0, [f"{verb} fails by itself: {done.said[-300:]}"]
    ends = Ends(old, compared(world, verb), placed(world))
    wrong = []
    # another step first for each verb: the first few are the same lock and journal
    for step in range(1 + len(verb) % every, min(done.steps, _MOST) + 1, every):
        renew(world, kept)
        number = CODES[step % len(CODES)]
        ended = attempt(world, words, Fault(step, number, onward))
        name = f"{verb} step {step} ({ended.failed}, {errno.errorcode[number]})"
        also = _DEAD if onward and verb == "promote" else ()
        wrong += [f"{name}: {line}" for line in _judged(world, words, ended, ends, also, verb)]
    return done.steps, wrong


# an approval and a file outside the vault are two transactions: on a disk that has died for good
# after the first, the approval cannot be taken back, and the ledger may say too much
_DEAD = ((True, False, False), (True, False, True))


class Ends(NamedTuple):
    """What may be found after a verb: all as before it, or as after it with that file outside."""

    old: Any
    new: Any
    outside: str


def _judged(  # noqa: PLR0913, PLR0917 - one thing to compare with each
    world: World,
    words: tuple[str, ...],
    ended: Outcome,
    ends: Ends,
    also: tuple[object, ...],
    verb: str,
) -> Iterator[str]:
    if ended.code not in DOCUMENTED or "Traceback" in ended.said:
        yield f"exit code {ended.code}: {ended.said[-300:]}"
    if ended.code and not ended.said.strip():
        yield "no error is named"
    with suppress(OSError), world.work().vault.open_transaction():
        pass
    now = compared(world, verb)
    if lasting(now) not in [lasting(ends.old), lasting(ends.new), *also]:
        yield f"between: {_difference(now, ends.old, ends.new)}"
    if ended.code == 0 and (now != ends.new or placed(world) != ends.outside):
        yield f"it says that it is done, and it is not: {_difference(now, now, ends.new)}"
    yield from _finished(world, _again(world, words, ended, ends, verb), ends, verb)
    disk.remove_stale_temporaries(world.root, time.time() + 24 * 3600)
    left = [path.name for path in world.root.rglob("*.tmp")]
    if left:
        yield f"files are left: {left}"


def _again(
    world: World, words: tuple[str, ...], ended: Outcome, ends: Ends, verb: str
) -> tuple[str, ...]:
    """Say what a person does next to come to the end of it, () where that is reached."""
    if compared(world, verb) != ends.new:
        return words
    if verb == "forget" and ended.code:  # the vault is done, caches and spool may not be
        return words
    if verb in _TWO and placed(world) != ends.outside:
        return ("promote", "--dir", str(world.other))
    return ()


def _finished(world: World, words: tuple[str, ...], ends: Ends, verb: str) -> Iterator[str]:
    again = attempt(world, words, Fault(0, 0, onward=False)) if words else None
    if again and again.code != 0:
        yield f"the next run fails: {again.said[-300:]}"
    now = compared(world, verb)
    if again and verb != "promote" and now != ends.new:
        yield f"the next run comes to something else: {_difference(now, ends.old, ends.new)}"
    if verb in _TWO and placed(world) != ends.outside:
        yield f"the file outside is another one: {placed(world)!r}"
    if verb == "forget" and remains(world):
        yield f"not forgotten: {remains(world)}"


def _difference(now: Any, old: Any, new: Any) -> str:  # noqa: ANN401 - as compared
    if not isinstance(now, dict):
        return f"{now}, neither {old} nor {new}"
    names = sorted({*now, *old, *new})
    like = {
        name: "".join(
            word
            for word, other in (("old ", old), ("new", new))
            if now.get(name) == other.get(name)
        )
        for name in names
        if old.get(name) != new.get(name) or now.get(name) != old.get(name)
    }
    return str(like)


def main() -> int:
    """Walk through all verbs and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--verb", action="append", default=[])
    parser.add_argument("--all-after", action="store_true")
    chosen = parser.parse_args()
    total: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        world = make(Path(folder) / "world")
        prepare(world)
        for verb in chosen.verb or verbs(world):
            steps, wrong = walk(world, verb, every=chosen.every, onward=chosen.all_after)
            total[verb], failed = steps, failed + len(wrong)
            print(f"{verb}: {steps} changes, {len(wrong)} wrong", flush=True)
            for line in wrong:
                print(f"  {line}"[:600], flush=True)
        os.chdir("/")
    print(f"{sum(total.values())} changes, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
