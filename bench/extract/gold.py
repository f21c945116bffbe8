"""Read judged sessions and label the product's own candidates by them.

The data lies outside of the repository: DATA/gold with a line of labels for each session, the
sentences that the judges read, and score.py, whose matching of lines with sentences is used here
too, so that what is fitted is what is scored. Of team agentv, whose agents are Codex and Copilot,
the labels are ours and lie beside this file.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from bench.extract import agents

from memoria.agents.port import read
from memoria.capture.extract.candidates import gather_candidates
from memoria.capture.extract.features import describe_candidates
from memoria.capture.extract.observed import observe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from memoria.agents.transcript import Transcript
    from memoria.capture.extract.candidates import Candidate

# team: its files of labels, and its folder of transcripts
TEAMS = {
    "entire": (("entire_a", "entire_b"), "transcripts"),
    "cb": (("cb",), "transcripts_cb"),
}
# its agents, each with its folder of transcripts
OURS, AGENTS = "agentv", {"codex": "transcripts_codex", "copilot": "transcripts_copilot"}
EVERY = (*TEAMS, OURS)


@dataclass(frozen=True, slots=True)
class Judged:
    """A session with its candidates, their features, and what the judge said of each.

    `notes` are what should be remembered of it and `rows` the sentences that the judge read, both
    as score.py has them. `twice` says that two judges read it.
    """

    team: str
    session: str
    gathered: Sequence[Candidate]
    features: Sequence[Mapping[str, float]]
    labels: Sequence[str]
    notes: Sequence[Mapping[str, Any]]
    rows: Sequence[Mapping[str, Any]]
    twice: bool


def scorer(data: Path) -> ModuleType:
    """Load the scorer that lies beside the labels."""
    spec = importlib.util.spec_from_file_location("gold_score", data / "gold" / "score.py")
    if not spec or not spec.loader:
        raise SystemExit(f"{data}/gold has no score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def label_files(data: Path, team: str) -> list[Path]:
    """Name a team's files of labels."""
    if team == OURS:
        return [Path(__file__).with_name(f"{OURS}.gold.jsonl")]
    return [data / "gold" / f"{name}.gold.jsonl" for name in TEAMS[team][0]]


def projects(data: Path, team: str) -> Path:
    """Name the folder of a team's transcripts."""
    return data / TEAMS[team][1] / "projects"


def judged(data: Path, team: str) -> list[Judged]:
    """Read the judged sessions of a team; of two judges the first counts."""
    score = scorer(data)
    labels: dict[str, list[Any]] = {}
    for file in label_files(data, team):
        for line in file.read_text(encoding="utf-8").splitlines():
            value = json.loads(line)
            labels.setdefault(value["session"], []).append(value)
    return [
        _judged(team, score, labels[name], parts[0], sentences(data, team, parts))
        for parts in transcripts(data, team)
        if (name := parts[0].session[:8]) in labels
    ]


def transcripts(data: Path, team: str) -> Iterator[list[Transcript]]:
    """Read the transcripts of a team, each as its parts."""
    folders = [data / name for name in AGENTS.values()]
    if team != OURS:
        folders = [projects(data, team)]
    for folder in folders:
        yield from ([*read(path)] for path in sorted(folder.rglob("*.jsonl")))


def sentences(data: Path, team: str, parts: Sequence[Transcript]) -> list[dict[str, Any]]:
    """Give the sentences of a session that the judges read."""
    if team == OURS:
        return agents.sentences(data, parts)
    file = data / "gold" / "sentences" / team / f"{parts[0].session[:8]}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _judged(
    team: str,
    score: ModuleType,
    values: list[Any],
    transcript: Transcript,
    lines: list[dict[str, Any]],
) -> Judged:
    rows = [dict(row, words=score.words(row["text"])) for row in lines]
    runs = list(score.spans(rows))
    seen = observe(transcript)
    gathered = gather_candidates(seen)
    return Judged(
        team,
        values[0]["session"],
        gathered,
        describe_candidates(gathered, seen),
        [score.grade(one.text, runs, values[0])[0] for one in gathered],
        values[0]["notes"],
        rows,
        twice=len(values) > 1,
    )
