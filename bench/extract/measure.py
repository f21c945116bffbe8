"""Score the Offline engine on teams that its weights were not fitted on, by a real import.

For each team the weights are fitted on the others alone; a process of its own imports the team's
transcripts with them into a fresh vault, and the scorer beside the labels says what the vault kept.
Last, the sessions that two judges read are scored with weights fitted on all others. Team agentv
(Codex and Copilot, labels of our own) is only measured: in the fit it raised the order of the
candidates on the other teams by .005 and .007 (AUC), and what was kept of them was no better.

    python -m bench.extract.measure --data DIR [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench.extract import gold
from bench.extract.fit import fit
from bench.extract.gold import EVERY, TEAMS, judged, label_files, projects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.extract.gold import Judged

    from memoria.capture.extract.weights import FittedWeights

# the client's own process: the weights are replaced before the import reads them
_CHILD = """
import json, sys
from memoria.capture.extract import weights
weights.FITTED = weights.FittedWeights(**json.loads(sys.argv.pop(1)))
from memoria.cli.main import main
from memoria.terminal_driver import Driver
sys.exit(main(sys.argv[1:], driver=Driver()))
"""
SHOWN = ("lines", "keep", "weak", "false", "noise", "other")


def sources(data: Path, team: str) -> dict[str, Path]:
    """Name the folders of a team's transcripts, each by its agent."""
    if team != gold.OURS:
        return {"claude-code": projects(data, team)}
    return {agent: data / name for agent, name in gold.AGENTS.items()}


def imported(table: FittedWeights, places: Mapping[str, Path], folder: Path) -> float:
    """Import transcripts into a new vault with these weights; give the seconds of the processor.

    `places` are the folders of transcripts by the names of their agents.
    """
    scripts = Path(__file__).resolve().parents[2] / "scripts"
    (folder / "home").mkdir(parents=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "PYTHONPATH": str(scripts)}
    env |= {"TZ": "UTC", "MEMORIA_DISABLE": "1", "OMP_NUM_THREADS": "1"}
    vault = str(folder / "vault")
    imports = (["import", "--vault", vault, "--agent", agent] for agent in places)
    chosen = zip(imports, places.values(), strict=True)
    verbs = (["init", vault], *([*verb, "--from", str(place)] for verb, place in chosen))
    before = os.times()
    for verb in verbs:
        subprocess.run(
            [sys.executable, "-c", _CHILD, json.dumps(asdict(table)), *verb, "--engine", "offline"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def scored(data: Path, team: str, vault: Path, labels: list[Path]) -> dict[str, float]:
    """Ask the scorer what a vault kept."""
    command = [sys.executable, str(data / "gold" / "score.py"), str(vault), *map(str, labels)]
    command += ["--sentences", str(_sentences(data, team, vault.parent)), "--json"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, float] = json.loads(said)
    return found


def _sentences(data: Path, team: str, folder: Path) -> Path:
    """Name the folder of the sentences that a team's judges read; ours are written there first."""
    if team != gold.OURS:
        return data / "gold" / "sentences" / team
    place = folder / "sentences"
    place.mkdir(exist_ok=True)
    for parts in gold.transcripts(data, team):
        rows = "".join(json.dumps(row) + "\n" for row in gold.sentences(data, team, parts))
        (place / f"{parts[0].session[:8]}.jsonl").write_text(rows, encoding="utf-8")
    return place


def _row(name: str, found: dict[str, float], seconds: float) -> str:
    shares = " ".join(f"{found[key]:>6}" for key in SHOWN)
    recall = found["recall of notes by weight"], found["recall of weight 3"]
    return f"{name:<22} {shares} {recall[0]:>8} {recall[1]:>8} {seconds:>8.1f}"


def _twice(data: Path, folder: Path, sessions: list[Judged]) -> list[Path]:
    """Write the labels of the sessions that two judges read into a file of their own."""
    names = {session.session for session in sessions if session.twice}
    lines = [line for file in label_files(data, "entire") for line in file.read_text().splitlines()]
    chosen = [line for line in lines if json.loads(line)["session"] in names]
    path = folder / "twice.gold.jsonl"
    path.write_text("\n".join(chosen) + "\n", encoding="utf-8")
    return [path]


def main() -> None:
    """Print a line for each team left out, and one for the sessions judged twice."""
    parser = argparse.ArgumentParser(description="Score on teams the weights do not know.")
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds gold/")
    parser.add_argument("--keep", type=Path, help="keep the vaults there")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="memoria-extract-"))
    folder.mkdir(parents=True, exist_ok=True)
    sessions = {team: judged(given.data, team) for team in EVERY}
    print(f"{'held out':<22} {' '.join(f'{key:>6}' for key in SHOWN)}   recall weight 3  seconds")
    for team in EVERY:
        others = [one for name in TEAMS if name != team for one in sessions[name]]
        seconds = imported(fit(others), sources(given.data, team), folder / team)
        labels = label_files(given.data, team)
        print(_row(team, scored(given.data, team, folder / team / "vault", labels), seconds))
    once = [one for name in TEAMS for one in sessions[name] if not one.twice]
    seconds = imported(fit(once), sources(given.data, "entire"), folder / "twice")
    labels = _twice(given.data, folder, sessions["entire"])
    found = scored(given.data, "entire", folder / "twice" / "vault", labels)
    print(_row("judged twice", found, seconds))


if __name__ == "__main__":
    main()
