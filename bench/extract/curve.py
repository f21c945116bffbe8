"""Show what printing less costs: recall against the share kept, by floor and by budget.

Each team's candidates that are eligible are weighed with weights fitted on the other teams and
selected as the product does, without the rest of the entry; bench.extract.measure has the figures
of a real import.

    python -m bench.extract.curve --data DIR
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.extract.fit import fit
from bench.extract.gold import TEAMS, judged, scorer

from memoria.capture.extract.selection import choose_candidates, count_allowed_lines, find_eligible
from memoria.capture.extract.weights import estimate_worth

if TYPE_CHECKING:
    from types import ModuleType

    from bench.extract.gold import Judged

    from memoria.capture.extract.weights import FittedWeights

FLOORS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
SCALES = (0.5, 1.0, 1.5)  # of the product's budget
_NAMES = ("keep", "weak", "false", "noise", "other")


def point(
    sessions: list[Judged], table: FittedWeights, score: ModuleType, floor: float, scale: float
) -> str:
    """Give one point of the curve: lines, shares, recall by weight, recall of weight 3."""
    labels: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for one in sessions:
        worths = [estimate_worth(each, table) for each in one.features]
        among = find_eligible(one.gathered, one.features)
        most = round(scale * count_allowed_lines(len(one.gathered)))
        chosen = choose_candidates(one.gathered, worths, among, floor=floor, most=most)
        labels.update(one.labels[number] for number in chosen)
        found.update(_recall(one, [one.gathered[number].text for number in chosen], score))
    lines = labels.total()
    shares = " ".join(f"{labels[name] / max(1, lines):6.2f}" for name in _NAMES)
    recall, full = found["got"] / found["all"], found["got 3"] / found["all 3"]
    return f"{lines:5} {shares} {recall:7.2f} {full:8.2f}"


def _recall(one: Judged, lines: list[str], score: ModuleType) -> Counter[str]:
    words = [score.words(line) for line in lines]
    found: Counter[str] = Counter()
    for note in (note for note in one.notes if note["ids"]):
        hit = bool(score.recalled(note, words, one.rows))
        found.update({"all": note["weight"], "got": hit * note["weight"]})
        if note["weight"] == 3:
            found.update({"all 3": 1, "got 3": int(hit)})
    return found


def main() -> None:
    """Print the curve of each team that is left out."""
    parser = argparse.ArgumentParser(description="Recall against the share kept.")
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds gold/")
    given = parser.parse_args()
    score = scorer(given.data)
    sessions = {team: judged(given.data, team) for team in TEAMS}
    print("held out  floor scale lines   keep   weak  false  noise  other  recall weight 3")
    for team in TEAMS:
        others = [one for name in TEAMS if name != team for one in sessions[name]]
        table = fit(others)
        for scale in SCALES:
            for floor in FLOORS:
                row = point(sessions[team], table, score, floor, scale)
                print(f"{team:<9} {floor:5} {scale:5} {row}")


if __name__ == "__main__":
    main()
