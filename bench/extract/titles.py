"""Compare the titles of entries with those that judges gave the sessions, by their words.

    python -m bench.extract.titles --data DIR [--show]

Nothing is fitted on them; what was chosen by looking at one team's is seen on the other's.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from bench.extract.gold import TEAMS, label_files, projects

from memoria.agents.claude_code.transcript_store import read
from memoria.capture.extract.observed import observe
from memoria.capture.extract.session_extract import extract
from memoria.text.word_overlap import stems

BAD = 0.2  # of F: what has less names something else


class Named(NamedTuple):
    """A session's title, the judge's that is nearest, and how much of their words is the same."""

    title: str
    judged: str
    score: float


def judged_titles(data: Path, team: str) -> dict[str, list[str]]:
    """Give the titles that the judges of a team gave its sessions."""
    found: dict[str, list[str]] = {}
    for file in label_files(data, team):
        for line in file.read_text(encoding="utf-8").splitlines():
            value = json.loads(line)
            found.setdefault(value["session"], []).append(value["title"])
    return found


def compared(title: str, judged: list[str]) -> Named:
    """Compare a title with the nearest of the judges'."""
    own = stems(title)
    words = {one: stems(one) for one in judged}
    scores = {
        one: 2 * len(own & each) / max(1, len(own) + len(each)) for one, each in words.items()
    }
    nearest = max(scores, key=scores.__getitem__)
    return Named(title, nearest, scores[nearest])


def main() -> None:
    """Print for each team the mean F of the words, and how many titles name something else."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds gold/")
    parser.add_argument("--show", action="store_true", help="print the titles")
    given = parser.parse_args()
    for team in TEAMS:
        paths = {path.stem[:8]: path for path in projects(given.data, team).glob("*/*.jsonl")}
        rows = [
            compared(extract(observe(next(iter(read(paths[name]))))).draft.title, titles)
            for name, titles in judged_titles(given.data, team).items()
        ]
        for row in rows if given.show else ():
            print(f"{row.score:.2f} {row.title!r}\n     {row.judged!r}")
        scores = [row.score for row in rows]
        bad = sum(score < BAD for score in scores)
        print(f"{team}: {len(rows)} titles, F {mean(scores):.3f}, {bad} below {BAD}")


if __name__ == "__main__":
    main()
