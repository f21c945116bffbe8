"""How fast and in how much memory `memoria import` reads sessions -> figures beside a bare loop.

The bare loop calls json.loads on every line of the same files in the same run, so the ratio holds
on any machine. What is imported are the sample sessions, put together anew by chance, each with
ids and times of its own; or a folder of real ones. The import runs as a person would run it: a
process of its own, with an empty home and a vault that was just made; its start-up is shown apart.
Speed and ratio are of processor time, since the machine may be doing other things as well.

    python bench/importing.py [--sessions 200] [--from FOLDER_OF_PROJECTS] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memoria.cli.setup.sample_sessions import read_sample_sessions, write_sessions

if TYPE_CHECKING:
    from memoria.cli.setup.sample_sessions import SampleSession

SEED = 20261005
JOINED = 6  # samples to a session: 150 kB then, of which nearly all is conversation
EVERY = timedelta(minutes=97)  # between two sessions: some fifteen on a day
SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
# A process's peak begins with that of the one it was forked from: this one is small.
WATCH = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, capture_output=True, text=True)
seconds = time.perf_counter() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
measured = [seconds, used.ru_utime + used.ru_stime, used.ru_maxrss]
print(json.dumps([*measured, done.returncode, done.stdout, done.stderr]))
"""
UNIT = 1 if sys.platform == "darwin" else 1024  # bytes in which the system counts the peak


class Run(NamedTuple):
    """One import: seconds by the clock and of the processor, peak memory in bytes, what it said."""

    seconds: float
    busy: float
    peak: int
    said: dict[str, object]


def write(folder: Path, sessions: int) -> None:
    """Write made-up sessions as the client lays them out, the same for the same number."""
    rng = random.Random(SEED)
    began = datetime(2026, 1, 5, 8)  # noqa: DTZ001 - a Session names its beginning in UTC, bare
    samples = read_sample_sessions()
    for number in range(sessions):
        write_sessions(folder, [_joined(rng, samples, began + number * EVERY)])


def _joined(rng: random.Random, samples: list[SampleSession], began: datetime) -> SampleSession:
    first = rng.choice(samples)
    ours = [session for session in samples if session.project == first.project]
    steps = [step for session in rng.choices(ours, k=JOINED) for step in session.steps]
    return replace(first, began=began.isoformat(), steps=tuple(steps))


def bare(paths: list[Path]) -> float:
    """Parse every line and keep nothing; give the seconds of the processor."""
    begin = time.process_time()
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)
    return time.process_time() - begin


def imported(projects: Path) -> Run:
    """Import a folder into a vault that was just made, with an empty home."""
    with tempfile.TemporaryDirectory() as home:
        vault = str(Path(home) / "vault")
        _memoria(home, "init", vault)
        return _memoria(home, "import", "--from", str(projects), "--vault", vault, "--json")


def _memoria(home: str, *arguments: str) -> Run:
    program = [sys.executable, "-m", "memoria", *arguments]
    environment = {"HOME": home, "PATH": os.defpath, "TZ": "UTC", "PYTHONPATH": str(SCRIPTS)}
    watched = subprocess.run(
        [sys.executable, "-S", "-E", "-c", WATCH, *program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, busy, peak, code, out, talk = json.loads(watched.stdout)
    if code:
        raise SystemExit(f"memoria {arguments[0]} ended with {code}: {talk.strip()[-2000:]}")
    return Run(seconds, busy, peak * UNIT, json.loads(out) if "--json" in arguments else {})


def measure(projects: Path, rounds: int) -> None:
    """Print the best of some rounds: what is above it is what else the machine did."""
    paths = sorted(projects.glob("*/*.jsonl"))
    megabytes = sum(path.stat().st_size for path in paths) / 1e6
    with tempfile.TemporaryDirectory() as empty:
        idle = imported(Path(empty))
    plain = min(bare(paths) for _ in range(rounds))
    runs = [imported(projects) for _ in range(rounds)]
    best = min(runs, key=lambda run: run.busy)
    own = best.busy - idle.busy
    print(
        f"{len(paths)} sessions, {megabytes:.1f} MB, {best.said['entries']} entries: import "
        f"{best.seconds:.2f} s by the clock, of which start-up {idle.seconds:.2f} s\n"
        f"processor, no start-up: {len(paths) / own:.1f} sessions/s, {megabytes / own:.2f} MB/s, "
        f"{own / len(paths) * 1000:.1f} ms a session\n"
        f"bare json.loads: {megabytes / plain:.0f} MB/s, ratio {plain / own:.4f}\n"
        f"peak memory: {max(run.peak for run in runs) / 1e6:.0f} MB, "
        f"of an import of nothing {idle.peak / 1e6:.0f} MB"
    )


def main() -> None:
    """Measure made-up sessions, or those of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=200, help="how many to make up")
    parser.add_argument("--from", dest="source", type=Path, help="import this folder instead")
    parser.add_argument("--rounds", type=int, default=3, help="the best of them counts")
    options = parser.parse_args()
    if options.source:
        measure(options.source, options.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), options.sessions)
        measure(Path(folder), options.rounds)


if __name__ == "__main__":
    main()
