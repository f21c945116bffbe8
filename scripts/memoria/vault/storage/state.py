"""Say where everything lies in this machine's state of a vault, and lock it.

The locks are files that are never deleted (that would race with their next owner), taken with flock
or its Windows counterpart, so that they fall when their owner dies.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from memoria.errors import VaultError
from memoria.vault.storage import disk

# what a person can do where a state cannot be written
_REMEDY = "; work as its owner, or move the folder and name it: `memoria init --state DIR`"
# a transaction takes well under a second; a minute means that its owner hangs
_PATIENCE_SECONDS = 60.0
# a few hundred lines: they are for the person who asks why nothing was captured of late
_LOG_BYTES = 64 * 1024


class Busy(VaultError):
    """Another process holds the lock."""


class State:
    """The state folder of one vault."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ledger = root / "ledger.jsonl"
        self.summary = root / "state.json"
        self.approvals = root / "approvals.json"
        self.extracts = root / "extracts"
        self.known_lines = root / "known_lines.txt"
        self.journal = root / "journal"
        self.spool = root / "spool"
        self.search = root / "search.sqlite"
        self.logs = root / "logs"
        self.worker = root / "worker"
        self.snapshot = root / "hooks.json"
        self.injections = root / "inject"
        self.given = root / "given"
        self.bandit = root / "bandit.json"

    @property
    def exists(self) -> bool:
        """Whether the vault was initialised on this machine: only then do hooks act."""
        return self.root.is_dir()

    def create(self) -> None:
        """Make the state folder and those in it that hooks and workers expect."""
        try:
            disk.make_folder(self.root).chmod(disk.PRIVATE_FOLDER)
            for path in (self.spool / "new", self.logs, self.worker, self.injections):
                disk.make_folder(path)
        except OSError as error:
            raise VaultError(f"cannot make {self.root}: {error.strerror}") from error

    @contextmanager
    def lock(self, name: str, *, wait: bool = True) -> Iterator[None]:
        """Hold the lock `name`; Busy when another process has it (and goes on having it)."""
        import filelock  # noqa: PLC0415 - what only reads holds no lock

        try:
            disk.make_folder(self.root / "locks")
            lock = filelock.FileLock(
                self.root / "locks" / name,
                timeout=_PATIENCE_SECONDS if wait else 0,
                mode=0o600,
                # its stand-in where a disk has no locks is a file that stays when its owner dies
                fallback_to_soft=False,
            )
            lock.acquire()
        except filelock.Timeout as error:
            self._check_openable(self.root / "locks" / name)
            raise Busy(f"another memoria process holds the {name} lock; try again later") from error
        except (OSError, NotImplementedError) as error:
            reason = getattr(error, "strerror", None) or error
            raise VaultError(f"cannot lock {self.root}: {reason}{_REMEDY}") from error
        try:
            yield
        finally:
            lock.release()

    def _check_openable(self, path: Path) -> None:
        """Tell a lock that may not be opened, for which filelock waits, from one that is held."""
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, disk.PRIVATE_FILE))
        except OSError as error:
            reason = error.strerror or error
            raise VaultError(f"cannot lock {self.root}: {reason}{_REMEDY}") from error

    def note(self, now: datetime, lines: Iterable[str]) -> None:
        """Add lines to the log of the detached work, which has no terminal to say them on."""
        path = self.logs / "flush.log"
        rows = "".join(f"{now.isoformat(timespec='seconds')} {line[:500]!r}\n" for line in lines)
        if rows:
            log = (disk.read(path) or b"")[-_LOG_BYTES:]
            disk.replace(path, log + rows.encode("utf-8", "replace"))

    def read_json(self, path: Path) -> dict[str, Any]:
        """Read a JSON object of the state; {} for no file, VaultError for a broken one."""
        data = disk.read(path)
        if data is None:
            return {}
        try:
            value = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise VaultError(f"{path} is not valid JSON") from error
        if not isinstance(value, dict):
            raise VaultError(f"{path} is not a JSON object")
        return value


def encode_json(value: object) -> bytes:
    """Give JSON the way the state's files hold it."""
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return text.encode("utf-8", "replace") + b"\n"
