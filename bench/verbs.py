"""What a short verb costs a person -> ratios to `python3 -c pass`, in one run.

Counted is CPU, user and system: what else the machine does falls on both alike. The vault holds the
sample sessions, imported and compiled, so rules wait and others are in force. Bytecode is compiled
in a first round, as it is for whoever has installed Memoria.

    python bench/verbs.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from memoria.cli.setup.sample_sessions import read_sample_sessions, write_sessions

ROOT = Path(__file__).resolve().parents[1]
# the ratio that DESIGN 9 asks for
LIMIT = 17


def cpu(command: list[str], environment: dict[str, str]) -> float:
    """Run a program without a terminal; give the seconds of CPU that it took."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime


def memoria(*words: str) -> list[str]:
    """Give the command of a verb."""
    return [sys.executable, "-m", "memoria", *words]


def prepared(folder: Path) -> tuple[dict[str, str], str, str]:
    """Make a vault of the samples; give the environment, the vault and the id of a rule in it."""
    vault, home = folder / "vault", folder / "home"
    home.mkdir()
    write_sessions(folder / "samples", read_sample_sessions())
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "MEMORIA_ENGINE": "offline",
        "MEMORIA_VAULT": str(vault),
        "PYTHONPATH": str(ROOT / "scripts"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    for words in (
        ("init", str(vault)),
        ("import", "--from", str(folder / "samples")),
        ("compile",),
    ):
        subprocess.run(memoria(*words), env=environment, check=True, capture_output=True)
    notes = sorted((vault / "knowledge" / "rules").glob("*.md"))
    said = next(line for line in notes[0].read_text().splitlines() if line.startswith("id: "))
    return environment, str(vault), said.removeprefix("id: ").strip()


def main() -> None:
    """Print a line for each verb: its CPU and how many times that of `-c pass` it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        environment, _, rule = prepared(Path(folder))
        verbs = {"status": (), "review": (), "doctor": (), "why": (rule,), "diff": ()}
        commands = {verb: memoria(verb, *words) for verb, words in verbs.items()}
        commands["pass"] = [sys.executable, "-c", "pass"]
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds + 1):  # the first one compiles
            for name, command in commands.items():
                taken[name].append(cpu(command, environment))
    bare = statistics.median(taken.pop("pass")[1:])
    print(f"{'pass':8} {bare * 1000:6.0f} ms")
    for name, times in taken.items():
        spent = statistics.median(times[1:])
        late = "" if spent <= LIMIT * bare else f"  (more than {LIMIT})"
        print(f"{name:8} {spent * 1000:6.0f} ms  {spent / bare:5.1f} times{late}")


if __name__ == "__main__":
    main()
