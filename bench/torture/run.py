"""Processes that are killed at random moments -> how many promises were broken (it must be none).

Several processes flush, compile, reward, review, promote, ask and mend at once, and a person edits
the same notes; SIGKILL ends one after the other at random moments. After each round what they left
is audited (audit.py).

    python -m bench.torture.run [--kills 1000] [--without lock|journal] [--retract] [--show]

With --without the locks or the journal are taken out: the audit has to find that.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.torture.audit import audit
from bench.torture.workers import start
from bench.torture.world import World, make, renew

# two of each that race for the same lock, one of each that is rare
ROLES = ("flush", "flush", "compile", "reward", "review", "ask")
# these take away what others were told is there, so they run only when they are asked for
RETRACTING = ("forget", "forget", "undo")
# of a round; the audit costs as much as some ten kills, and what is found names its round
KILLS = 12
# seconds between two kills: an operation takes 10 to 300 ms beside five others, so that most are
# met in their middle and some come to their end
_PAUSE = (0.01, 0.25)
# to forget takes a second beside the others, and it is to come to its end at times, too
_LONG_PAUSE = (0.01, 1.2)


@dataclass
class Result:
    """What came of all rounds; `faults` are the broken promises, with the round's number."""

    rounds: int = 0
    kills: int = 0
    damaged: int = 0
    acknowledged: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def lost(self) -> int:
        """Count what was acknowledged and is not there."""
        names = ("captured: session", "rewarded:", "taught:", "persons:", "forgotten:", "undone:")
        return sum(fault.partition(": ")[2].startswith(names) for fault in self.faults)


def torture(  # noqa: PLR0913 - the figures of a run, by name
    folder: Path,
    *,
    kills: int,
    sessions: int = 0,
    without: frozenset[str] = frozenset(),
    seed: int = 7,
    until_found: bool = False,
    say: bool = False,
    roles: tuple[str, ...] = ROLES,
) -> Result:
    """Kill so many processes, in rounds; with `until_found` stop at the first broken promise.

    With `sessions` go on until so many were acknowledged, too: a slow machine needs more rounds.
    """
    rng = random.Random(seed)
    world, kept = make(folder / "world"), folder / "kept"
    result = Result()
    while (result.kills < kills or result.acknowledged["session"] < sessions) and not (
        until_found and result.faults
    ):
        renew(world, kept)
        left = kills - result.kills
        result.kills += _round(world, rng, without, min(KILLS, left) if left > 0 else KILLS, roles)
        result.rounds += 1
        faults = _audited(world)
        result.damaged += bool(faults)
        result.faults += [f"round {result.rounds}: {fault}" for fault in faults]
        for word in ("session", "reward", "remember", "line", "forgot", "undone"):
            result.acknowledged[word] += len(world.acknowledged(word))
        if say:
            print(result.rounds, result.kills, dict(result.acknowledged), faults, flush=True)
    return result


def _round(
    world: World,
    rng: random.Random,
    without: frozenset[str],
    kills: int,
    roles: tuple[str, ...],
) -> int:
    running = [(start(world, role, f"w{at}k0", without), at, role) for at, role in enumerate(roles)]
    person = start(world, "edit", "person", frozenset())
    for number in range(1, kills + 1):
        time.sleep(rng.uniform(*(_LONG_PAUSE if "forget" in roles else _PAUSE)))
        victim = rng.randrange(len(running))
        child, at, role = running.pop(victim)
        _end(child)
        running.append((start(world, role, f"w{at}k{number}", without), at, role))
    (world.root / "stop").touch()  # the person is no process that is killed
    os.waitpid(person, 0)
    for child, _, _ in running:
        _end(child)
    return kills + len(running)


def _end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _audited(world: World) -> list[str]:
    """Audit in a process of its own, which knows nothing of the world before."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(read)
            said = audit(world)
        except BaseException as error:  # noqa: BLE001 - it is told as a fault
            said = [f"audit: {type(error).__name__}: {error}"]
        os.write(write, json.dumps(said)[:60_000].encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return [str(line) for line in json.loads(data)]


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument(
        "--sessions", type=int, default=0, help="go on until so many were acknowledged, too"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--without", action="append", choices=("lock", "journal"), default=[])
    parser.add_argument("--until-found", action="store_true", help="stop at a broken promise")
    parser.add_argument("--show", action="store_true", help="say what each round came to")
    parser.add_argument(
        "--retract", action="store_true", help="two workers that forget and one that undoes, too"
    )
    chosen = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = torture(
            Path(folder),
            kills=chosen.kills,
            sessions=chosen.sessions,
            without=frozenset(chosen.without),
            seed=chosen.seed,
            until_found=chosen.until_found,
            say=chosen.show,
            roles=("flush", "compile", "review", "ask", *RETRACTING) if chosen.retract else ROLES,
        )
        os.chdir("/")
    kinds = Counter(fault.split(": ")[1] for fault in result.faults)
    print(
        f"without {', '.join(chosen.without) or 'nothing'}: {result.kills} kills in "
        f"{result.rounds} rounds, {time.perf_counter() - began:.0f} s; acknowledged "
        f"{dict(result.acknowledged)}; lost {result.lost}; damaged rounds {result.damaged}; "
        f"by promise {dict(kinds)}"
    )
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
