"""How checks ended, judged by readers -> how often the detector says the same, by class.

A line of the labels is {"call": id, "check": words, "label": passed|failed|unknown|not run,
"class": name}; readers label raw outputs without knowing what the detector says. Sessions are read
from folders laid out as the agents lay them out; nothing of them is part of this repository.

    python bench/extract/outcomes.py LABELS.jsonl [--claude PROJECTS ...] [--codex SESSIONS ...]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from memoria.agents.port import CLAUDE_CODE, CODEX
from memoria.capture.extract.observing.call_outcomes import find_check_outcomes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.agents.transcript import Call

WANTED = 0.98
_SHOWN = 120  # characters of a check's words that a label holds


def calls(projects: Iterable[Path], sessions: Iterable[Path]) -> Iterator[Call]:
    """Read all calls of all sessions."""
    for agent, folders in ((CLAUDE_CODE, projects), (CODEX, sessions)):
        for found in (one for folder in folders for one in agent.sessions(folder)):
            for part in agent.read(found.path):
                yield from part.calls


def said(call: Call, check: str) -> str:
    """Say how the detector has a check of a call end."""
    found = [
        ended.state
        for command, ended in find_check_outcomes(call)
        if " ".join(command.words)[:_SHOWN] == check
    ]
    return found[-1] if found else "not run"


def main() -> int:
    """Print the accuracy by class and by label."""
    parser = argparse.ArgumentParser()
    parser.add_argument("labels", type=Path)
    parser.add_argument("--claude", type=Path, nargs="*", default=[])
    parser.add_argument("--codex", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    known = {call.id: call for call in calls(options.claude, options.codex)}
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for line in options.labels.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        same = said(known[label["call"]], label["check"]) == label["label"]
        for name in ("all", label["class"], label["label"]):
            total[name] += 1
            right[name] += same
    for name, count in total.items():
        print(f"{name:10} {right[name]:4} of {count:4} = {right[name] / count:.3f}")
    return 0 if right["all"] >= WANTED * total["all"] else 1


if __name__ == "__main__":
    sys.exit(main())
