"""What guards cost each tool call -> ratios to the bare hook with 1, 20 and 200 checks.

The bare hook parses one JSON object from stdin and prints one: less no hook can do. All programs
take turns, so that what else the machine does falls on all alike. The checks are of all kinds that
the schema has, and the compiled file is made by the product.

    python bench/guards.py [--rounds 40]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from typing import TYPE_CHECKING

from memoria.rules.guards import guard_index
from memoria.text.shell import parse as shell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
HOOK = ROOT / "scripts" / "memoria" / "hooks" / "pre_tool_use.py"
PYTHON = [sys.executable, "-S", "-E"]
BARE = """
import json, sys
event = json.load(sys.stdin)
print(json.dumps({"hookSpecificOutput": {"hookEventName": event["hook_event_name"]}}))
"""
CLEAN = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
MOST = 1.5
COUNTS = (1, 20, 200)
# of a hundred programs the first is git: what a person's rules are about
PROGRAMS = ["git", *(f"program{number}" for number in range(99))]
CALLS = {
    "a call of no check": {"tool_name": "Bash", "tool_input": {"command": "ls -la && wc -l x"}},
    "a command that keeps it": {"tool_name": "Bash", "tool_input": {"command": "git push"}},
    "a command that breaks it": {"tool_name": "Bash", "tool_input": {"command": "git push -f"}},
    "an edit": {
        "tool_name": "Edit",
        "tool_input": {"file_path": "/p/src/a.py", "old_string": "x\n" * 500, "new_string": "y"},
    },
}
# a command as agents write them: a chain with a here-document
LONG = "cd /p && cat > notes.md <<'EOF'\n" + "a line of a file, it's text\n" * 400 + "EOF\n" * 1
LONG += 'git add -A && git commit -m "$(cat <<EOF\nWhy\n\nBecause.\nEOF\n)" && git push | tail -3'


def check(number: int, program: str) -> dict[str, object]:
    """Give a check about a program, of the kind that its number says."""
    kinds: list[dict[str, object]] = [
        {"occasion": {"command": [f"{program} push"]}, "broken": {"with": ["--force", "-f"]}},
        {"occasion": {"command": [f"{program} install"]}, "instead": f"uv add, {program}"},
        {
            "occasion": {"command": [f"{program} commit"]},
            "needs": {"command": ["pytest", f"test{number}"]},
            "since": {"path": [f"folder{number}/**/*.py"]},
        },
        {"occasion": {"path": [f"src{number}/**"], "added": [f"print{number}("]}},
    ]
    return kinds[number % len(kinds)]


def words(root: Path, count: int, programs: Sequence[str] = PROGRAMS) -> list[str]:
    """Make what the hook reads of a vault with so many guards; name both to the hook."""
    made = root / f"vault{count}-{len(programs)}"
    state = root / f"state{count}-{len(programs)}"
    (state / "seen").mkdir(parents=True)
    state.chmod(0o700)
    (state / "hooks.json").write_text(json.dumps({"vault": str(made), "projects": "/p"}))
    rows = [
        {
            "id": f"wf-{number:010x}",
            "text": f"The rule number {number}, in as many words as rules have",
            "mode": "bump",
            "project": "",
            "hash": "0" * 16,
            "check": check(number, programs[number % len(programs)]),
        }
        for number in range(count)
    ]
    (state / "guards.compiled.json").write_text(json.dumps(guard_index.build_index(rows)))
    return ["--vault", str(made), "--state", str(state)]


def cpu(command: Sequence[str], event: Mapping[str, object]) -> float:
    """Give the seconds of processor time of one start: what other processes do is not in it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, input=json.dumps(event).encode(), stdout=subprocess.PIPE, env=CLEAN, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    broken = "breaks" in str(event["name"])
    if "vault" in " ".join(command) and broken != (b"deny" in done.stdout):
        raise SystemExit(f"{event['name']}: {done.stdout!r}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        programs = {"bare interpreter": ([*PYTHON, "-c", "pass"], "an edit")}
        programs["bare hook"] = ([*PYTHON, "-c", BARE], "an edit")
        for count in COUNTS:
            command = [*PYTHON, str(HOOK), *words(Path(folder), count)]
            programs |= {f"{count:4} checks, {call}": (command, call) for call in CALLS}
        command = [*PYTHON, str(HOOK), *words(Path(folder), COUNTS[-1], ["git"])]
        for call in CALLS:
            programs[f"{COUNTS[-1]:4} checks, all of git, {call}"] = (command, call)
        times: dict[str, list[float]] = {name: [] for name in programs}
        for number in range(rounds):
            for name, (command, call) in programs.items():
                event: dict[str, object] = {
                    **CALLS[call],
                    "name": call,
                    "hook_event_name": "PreToolUse",
                    "cwd": "/p",
                    # a session of its own, so that the same call breaks the rule each time
                    "session_id": f"s-{number}-{len(times[name])}-{abs(hash(name))}",
                    "tool_use_id": f"t-{number}",
                }
                times[name].append(cpu(command, event))
    base = statistics.median(times["bare hook"])
    for name, found in times.items():
        median = statistics.median(found)
        mark = "" if median / base <= MOST or "bare" in name else f"  (to reach: {MOST})"
        print(f"{name:58} {median * 1000:6.1f} ms  {median / base:5.2f}{mark}")
    begin = time.perf_counter()
    for _ in range(100):
        shell.parse_commands(LONG)
    print(f"a command of {len(LONG)} characters: {(time.perf_counter() - begin) * 10:.2f} ms")


if __name__ == "__main__":
    main()
