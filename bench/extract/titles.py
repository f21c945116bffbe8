"""Fit the weights of the parts that may name a session on clauses that readers graded.

A softmax over the parts of a session: the weight that it gives to the best grade there is. Each
weight is held to the side that SIDES gives it, and the L2 penalty keeps it small.

    python -m bench.extract.titles --data DIR                  writes the package's weights
    python -m bench.extract.titles --data DIR --apart [--show]  leaves each writer, each team out

The grades are titles.gold.jsonl beside this file, a line a session, made by one reader: {"session":
ID, "writer": NAME, "good": [HASH ...], "fair": [HASH ...]}. They hold no words of the sessions: a
clause is known by its hash, and one that has no grade, as one of a new kind, is bad.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from memoria.agents import port
from memoria.capture.extract import title_parts
from memoria.capture.extract.candidates import gather_candidates
from memoria.capture.extract.features import describe_candidates
from memoria.capture.extract.observed import observe
from memoria.capture.extract.selection import find_eligible
from memoria.capture.extract.session_extract import NAMING
from memoria.capture.extract.weights import estimate_worth

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.capture.extract.observing.observations import ObservedSession
    from memoria.capture.extract.title_parts import TitlePart

FOLDERS = {
    "entire": "transcripts/projects/*/*.jsonl",
    "cb": "transcripts_cb/projects/*/*.jsonl",
    "codex": "transcripts_codex/sessions/**/*.jsonl",
    "copilot": "transcripts_copilot/session-state/*/events.jsonl",
}
SIDES = {
    **dict.fromkeys(("central", "edits", "first"), (0, None)),
    **dict.fromkeys(("side", "idle"), (None, 0)),
}
PENALTY = 3.0  # from 1 to 10 the choice changes in two sessions of 57
FAIR = 0.3  # of a good part
_ID, _HASH = 8, 12
_TABLE = re.compile(r"(?<=\nWEIGHTS: Final\[Mapping\[str, float\]\] = \{\n)[^}]*(?=\})")


class Graded(NamedTuple):
    """A session's parts with their measures and grades: 2 good, 1 fair, 0 bad."""

    session: str
    team: str
    writer: str
    parts: Sequence[TitlePart]
    measures: Sequence[dict[str, float]]
    grades: Sequence[int]


def graded(data: Path) -> Iterator[Graded]:
    """Read the graded sessions; a second part of one is called ID.1."""
    rows = Path(__file__).with_name("titles.gold.jsonl").read_text(encoding="utf-8").splitlines()
    grades = {row["session"]: row for row in map(json.loads, rows)}
    for team, glob in FOLDERS.items():
        for path in sorted(data.glob(glob)):
            agent = port.agent_of(path)
            for number, transcript in enumerate(agent.read(path)):
                name = agent.session(path)[:_ID] + (f".{number}" if number else "")
                if row := grades.get(name):
                    seen = observe(transcript)
                    found = title_parts.find_title_parts(seen, _lines(seen))
                    described = title_parts.describe_parts(
                        found, seen, title_parts.count_turn_words(seen)
                    )
                    marks = [_grade(part.text, row) for part in found]
                    if found:
                        yield Graded(name, team, row["writer"], found, described, marks)


def _lines(seen: ObservedSession) -> list[str]:
    """Give the lines that may name a session, as the extract does."""
    gathered = gather_candidates(seen)
    described = describe_candidates(gathered, seen)
    among = find_eligible(gathered, described)
    best = [gathered[at] for at in sorted(among, key=lambda at: -estimate_worth(described[at]))]
    told = [one for one in best if one.source != "narration"] or best
    return [one.text for one in told[:NAMING]]


def _grade(text: str, row: dict[str, list[str]]) -> int:
    name = hashlib.sha256(text.encode()).hexdigest()[:_HASH]
    return 2 if name in row["good"] else int(name in row["fair"])


def fit(sessions: Sequence[Graded]) -> dict[str, float]:
    """Fit weights on graded sessions."""
    names = sorted({name for one in sessions for each in one.measures for name in each})
    values = [
        np.array([[each.get(n, 0.0) for n in names] for each in s.measures]) for s in sessions
    ]
    spread = np.vstack(values).std(0) + 1e-9
    worth = []
    for one in sessions:
        marks = np.array(one.grades)
        worth.append(np.where(marks == marks.max(), 1.0, np.where(marks == 1, FAIR, 0.0)))

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.5 * PENALTY * float(weights @ weights), PENALTY * weights
        for rows, good in zip(values, worth, strict=True):
            logits = (rows / spread) @ weights
            chance = np.exp(logits - logits.max())
            chance /= chance.sum()
            held = chance * good
            total -= float(np.log(held.sum() + 1e-12))
            slope = slope - (rows / spread).T @ (held / (held.sum() + 1e-12) - chance)
        return total, slope

    bounds = [SIDES.get(name, (None, None)) for name in names]
    start = np.zeros(len(names))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x / spread
    weights = {name: round(float(each), 2) for name, each in zip(names, found, strict=True)}
    return dict(sorted(weights.items(), key=lambda one: -abs(one[1])))


def chosen(one: Graded, weights: dict[str, float]) -> int:
    """Give the number of the part that weighs most."""
    sums = [sum(weights.get(n, 0.0) * v for n, v in each.items()) for each in one.measures]
    return sums.index(max(sums))


def apart(sessions: Sequence[Graded], by: str, *, show: bool) -> Counter[int]:
    """Count the grades of what is chosen with weights that do not know a session's writer."""
    counts: Counter[int] = Counter()
    for name in sorted({getattr(one, by) for one in sessions}):
        weights = fit([one for one in sessions if getattr(one, by) != name])
        for one in (one for one in sessions if getattr(one, by) == name):
            at = chosen(one, weights)
            counts[one.grades[at]] += 1
            if show:
                print(one.grades[at], max(one.grades), one.session, one.parts[at])
    return counts


def main() -> None:
    """Fit on all and write it, or leave out and count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, required=True, help="the folder that holds transcripts/"
    )
    parser.add_argument("--apart", action="store_true", help="leave out, count, write nothing")
    parser.add_argument("--show", action="store_true", help="print what is chosen")
    given = parser.parse_args()
    sessions = list(graded(given.data))
    best = Counter(max(one.grades) for one in sessions)
    print(f"{len(sessions)} sessions, {sum(len(one.parts) for one in sessions)} parts; best {best}")
    if given.apart:
        for by in ("writer", "team"):
            print(by, apart(sessions, by, show=given.show))
        return
    weights = fit(sessions)
    print("chosen", Counter(one.grades[chosen(one, weights)] for one in sessions))
    path = Path(title_parts.__file__)
    table = "".join(f'    "{name}": {value},\n' for name, value in weights.items() if value)
    path.write_text(_TABLE.sub(lambda _: table, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
