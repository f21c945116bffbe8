"""Random days of four machines: all agree at the end, and what was forgotten is gone.

MEMORIA_TEST_EXAMPLES=1000 lives through a thousand.
"""

import os
import random
from contextlib import suppress

import pytest
from teams import Folder, Machine

NAMES = [("ana", "aaaaaaaa"), ("ana", "cccccccc"), ("ben", "bbbbbbbb"), ("eve", "eeeeeeee")]


DAYS = int(os.environ.get("MEMORIA_TEST_EXAMPLES", "40"))


class Dying:
    """An exchange that dies before, within or after what it does; what it did stays done."""

    def __init__(self, exchange, rng):
        self.author, self.identity = exchange.author, exchange.identity
        self._exchange, self._rng = exchange, rng

    def push(self, facts):
        at = self._rng.randrange(len(facts) + 1)
        if self._rng.random() < 0.3:
            self._exchange.push(facts[:at])
            raise ConnectionError
        self._exchange.push(facts)
        if self._rng.random() < 0.2:
            raise ConnectionError

    def pull(self, cursor):
        if self._rng.random() < 0.2:
            raise ConnectionError
        return self._exchange.pull(cursor)

    def close(self):
        self._exchange.close()


class Flaky:
    def __init__(self, team, rng):
        self._team, self._rng = team, rng
        self.steady = False

    def of(self, name, machine=""):
        exchange = self._team.of(name, machine)
        return exchange if self.steady else Dying(exchange, self._rng)


def live(team, folder, rng, names, steps):
    """Let machines add, edit, forget and exchange by chance; then all exchange in peace."""
    flaky = Flaky(team, rng)
    machines = [Machine(flaky, name, folder, machine) for name, machine in names]
    forgotten = set()
    for number in range(steps):
        machine = rng.choice(machines)
        action = rng.choice(["add", "edit", "forget", "sync", "sync", "lose"])
        mine = sorted(machine.lines)
        if action == "add":
            machine.lines.add(f"line {number}")
        elif action in {"edit", "forget"} and mine:
            gone = rng.choice(mine)
            machine.lines.remove(gone)
            forgotten.add((machine.name, gone))
            machine.lines |= {f"line {number} edited"} if action == "edit" else set()
        elif action == "lose" and rng.random() < 0.2:
            machine.mirror.delete()
        elif action == "sync":
            with suppress(ConnectionError):
                machine.sync()
    flaky.steady = True
    for machine in machines * 2:
        machine.sync()
    wanted = {(machine.name, text) for machine in machines for text in machine.lines}
    return machines, wanted, forgotten


@pytest.mark.parametrize("seed", range(DAYS))
def test_machines_agree_at_the_end(tmp_path, seed):
    machines, wanted, forgotten = live(
        Folder(tmp_path), tmp_path, random.Random(seed), NAMES, steps=30
    )
    assert all(machine.seen() == wanted for machine in machines)
    assert not wanted & forgotten


@pytest.mark.parametrize("seed", range(max(3, DAYS // 20)))
def test_machines_agree_on_a_database(database, tmp_path, seed):
    machines, wanted, forgotten = live(database, tmp_path, random.Random(seed), NAMES[:3], steps=60)
    assert all(machine.seen() == wanted for machine in machines)
    assert not wanted & forgotten
