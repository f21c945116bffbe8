"""Read judged sessions and label the product's own candidates by them.

The data lies outside of the repository: DATA/gold with a line of labels for each session, the
sentences that the judges read, and score.py, whose matching of lines with sentences is used here
too, so that what is fitted is what is scored.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from memoria.agents.claude_code.transcript_store import read
from memoria.capture.extract.candidates import candidates
from memoria.capture.extract.features import features
from memoria.capture.extract.observed import observe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from memoria.capture.extract.candidates import Candidate

# team: its files of labels, and its folder of transcripts
TEAMS = {
    "entire": (("entire_a", "entire_b"), "transcripts"),
    "cb": (("cb",), "transcripts_cb"),
}


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
    return [data / "gold" / f"{name}.gold.jsonl" for name in TEAMS[team][0]]


def projects(data: Path, team: str) -> Path:
    """Name the folder of a team's transcripts."""
    return data / TEAMS[team][1] / "projects"


def judged(data: Path, team: str) -> list[Judged]:
    """Read the judged sessions of a team; of two judges the first counts."""
    score = scorer(data)
    found: dict[str, list[Any]] = {}
    for file in label_files(data, team):
        for line in file.read_text(encoding="utf-8").splitlines():
            value = json.loads(line)
            found.setdefault(value["session"], []).append(value)
    paths = {path.stem[:8]: path for path in projects(data, team).glob("*/*.jsonl")}
    return [
        _judged(data, team, score, session, values, paths[session])
        for session, values in found.items()
    ]


def _judged(  # noqa: PLR0913, PLR0917 - a session, and where its parts are
    data: Path, team: str, score: ModuleType, session: str, values: list[Any], path: Path
) -> Judged:
    sentences = data / "gold" / "sentences" / team / f"{session}.jsonl"
    lines = sentences.read_text(encoding="utf-8").splitlines()
    rows = [dict(row, words=score.words(row["text"])) for row in map(json.loads, lines)]
    runs = list(score.spans(rows))
    seen = observe(next(iter(read(path))))
    gathered = candidates(seen)
    return Judged(
        team,
        session,
        gathered,
        features(gathered, seen),
        [score.grade(one.text, runs, values[0])[0] for one in gathered],
        values[0]["notes"],
        rows,
        twice=len(values) > 1,
    )
