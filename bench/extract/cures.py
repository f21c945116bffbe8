"""Errors that come back across sessions, and the cure that each would be told of; for judges.

Sessions are imported into a vault of its own, so that what is told has passed all gates. Then each
session in turn meets the cures of those before it: by time, or with a seed in an order by chance,
which gives other pairs of an error and a cure. Folders that hold one team's sessions count as one
project. What is told is what the failure hook would choose; whether the client would have started
it (the command's status was not hidden) is said of each.

    python bench/extract/cures.py PROJECTS... [--seed N] [--show N]
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from memoria.agents.claude_code import transcript_store
from memoria.search.cures import lookup
from memoria.search.cures.from_ledger import build_cures
from memoria.text.shorten import shorten
from memoria.vault.storage.history import fold_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memoria.agents.transcript import Call
    from memoria.vault.storage.history import RecordedMistake

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
_AFTER = 8  # calls behind an error that a judge is shown
_SHOWN = 1_500  # characters of an output, of an edit


@dataclass(frozen=True)
class Comeback:
    """An error that an earlier session had, the call it came in, and the cure that is told."""

    seen: RecordedMistake
    call: Call
    after: tuple[Call, ...]
    cure: Mapping[str, str] | None


def imported(projects: Path) -> tuple[RecordedMistake, ...]:
    """Import a folder into a vault that was just made; give the mistakes, by time."""
    with tempfile.TemporaryDirectory() as home:
        vault = str(Path(home) / "vault")
        for words in (("init", vault), ("import", "--from", str(projects), "--vault", vault)):
            _memoria(home, *words)
        (ledger,) = Path(home).rglob("ledger.jsonl")
        mistakes = fold_ledger(ledger.read_text(encoding="utf-8").splitlines()).mistakes
    return tuple(sorted(mistakes, key=lambda seen: seen.mistake.at))


def _memoria(home: str, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "memoria", *arguments],
        env={"HOME": home, "PATH": os.defpath, "TZ": "UTC", "PYTHONPATH": str(SCRIPTS)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )


def calls_of(projects: Path) -> dict[str, tuple[Call, ...]]:
    """Read all calls, by session."""
    found: dict[str, tuple[Call, ...]] = {}
    for path in sorted(projects.glob("*/*.jsonl")):
        for part in transcript_store.read(path):
            found[part.session] = (*found.get(part.session, ()), *part.calls)
    return found


def comebacks(
    mistakes: Sequence[RecordedMistake], calls: Mapping[str, Sequence[Call]], order: Sequence[str]
) -> Iterator[Comeback]:
    """Let each session meet the cures of those before it in an order; each error once a session."""
    for at, session in enumerate(order):
        earlier = [seen._replace(project="") for seen in mistakes if seen.session in order[:at]]
        rows = [{**asdict(cure), "log": f"daily/{cure.day}"} for cure in build_cures(earlier, {})]
        known = {seen.mistake.signature for seen in earlier}
        met: set[str] = set()
        for seen in mistakes:
            mark = seen.mistake.signature
            if seen.session == session and mark in known - met:
                met.add(mark)
                index = next(
                    (i for i, call in enumerate(calls[session]) if call.id == seen.mistake.call),
                    None,
                )
                if index is not None:
                    call = calls[session][index]
                    told = _told(rows, call) if seen.mistake.tool == "shell" else {}
                    after = tuple(calls[session][index + 1 : index + 1 + _AFTER])
                    yield Comeback(seen, call, after, told.get(mark))


def _told(rows: Sequence[Mapping[str, str]], call: Call) -> dict[str, Mapping[str, str]]:
    """Give what the failure hook would tell of a call, by signature."""
    text = shorten(call.result, lookup.RESULT)
    chosen = lookup.choose_cures(rows, text, call.command, "")
    return {cure["signature"]: cure for cure in chosen}


def show(number: int, found: Comeback) -> None:
    """Print an error that came back, what is told, and what the session then did."""
    seen, call = found.seen, found.call
    print(f"\n{'=' * 90}\n[{number}] session {seen.session[:8]}, {seen.mistake.at:%Y-%m-%d %H:%M}")
    hook = "" if call.is_error else "  (status hidden: the hook is not started)"
    print(f"COMMAND{hook}: {call.command[:400]}\nERROR: {seen.mistake.line}")
    print(f"OUTPUT:\n{shorten(call.result, _SHOWN)}")
    print(f"TOLD: {lookup.format_cure(found.cure, '') if found.cure else '(nothing)'}")
    if found.cure:
        print(f"      (then the error was: {found.cure['line']})")
    print("WHAT THE SESSION THEN DID:")
    for later in found.after:
        print(f"  {later.kind}: {(later.command or later.path)[:300]}")
        for hunk in later.hunks[:2]:
            print(f"    - {hunk.old[: _SHOWN // 3]}\n    + {hunk.new[: _SHOWN // 3]}")
        if later.kind == "shell":
            print(f"    status {later.status}, {later.result[-200:]!r}")


def main() -> None:
    """Print the errors that came back and how many of them have a cure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("projects", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=0, help="0: the order of time")
    parser.add_argument("--show", type=int, default=0, help="so many that were told, by chance")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    found: list[Comeback] = []
    for folder in options.projects:
        mistakes, calls = imported(folder), calls_of(folder)
        order = list(dict.fromkeys(seen.session for seen in mistakes))
        if options.seed:
            rng.shuffle(order)
        found += comebacks(mistakes, calls, order)
    shells = [one for one in found if one.seen.mistake.tool == "shell"]
    told = [one for one in shells if one.cure]
    print(Counter(one.seen.mistake.tool for one in found), "came back")
    print(f"of commands {len(shells)}, with a cure {len(told)}")
    for one in shells:
        print(f"  {'told' if one.cure else '    '} {one.seen.mistake.signature[:100]}")
    for number, one in enumerate(rng.sample(told, min(options.show, len(told))), 1):
        show(number, one)


if __name__ == "__main__":
    main()
