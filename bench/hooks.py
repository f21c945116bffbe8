"""What a hook costs the person who waits for it -> ratios to the bare hook, in one run.

The bare hook is a program that parses one JSON object from stdin and prints one: less no hook can
do. All programs take turns, so that what else the machine does falls on all alike. The flush that a
hook starts is /bin/true here: what comes after the hook is gone nobody waits for. The vaults are
made by the product itself (notes, ledger, and the files that the last flush prepares for hooks).

    python bench/hooks.py [--rounds 60] [--articles 10000] [--rules 1000]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from memoria.commands import snapshot
from memoria.commands.init import init
from memoria.commands.workspace import Workspace, workspace
from memoria.edges.git import project_key
from memoria.edges.state import encode
from memoria.settings import load
from memoria.stages import rule
from memoria.stages.article import compose, render
from memoria.stages.entry import Statement

BARE = """
import json, sys
event = json.load(sys.stdin)
answer = {"hookEventName": "SessionStart", "additionalContext": event["session_id"]}
print(json.dumps({"hookSpecificOutput": answer}))
"""
HOOKS = Path(__file__).resolve().parents[1] / "scripts" / "memoria" / "hooks"
# -S -E: as `memoria install` has the client start them
PYTHON = [sys.executable, "-S", "-E"]
# neither the machine's settings of Memoria nor those of a session that this is run from
CLEAN = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
TRANSCRIPT_BYTES = 500_000_000
LEDGER_LINES = 10_000
FEW = 10
DAY = date(2026, 3, 2)
WORDS = "expiry webhook retry queue index lease batch migration schema backfill token storm".split()  # noqa: SIM905 - words read best as words


@dataclass
class Program:
    """A program that is measured; `most` is the ratio to reach, 0 for none. Times in seconds."""

    name: str
    command: list[str]
    most: float = 0.0
    times: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Half of the runs were faster."""
        return statistics.median(self.times)


def vault(root: Path, cwd: Path, articles: int, rules: int) -> Path:
    """Make a vault with so many articles and approved rules of the project in that folder."""
    settings = load(str(root), environ={"HOME": str(root.parent)})
    work = workspace(settings, quiet=True)
    init(work)
    project = project_key(str(cwd))
    for number in range(articles):
        write(work, f"concepts/{WORDS[number % len(WORDS)]}-{number}", project, number)
    approvals = {}
    for learned in rule.learn({}, (sighting(project, number) for number in range(rules))):
        approvals[learned.rule.id] = learned.approve
        note = work.vault.knowledge / f"{learned.article.path}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(render(learned.article), encoding="utf-8")
    work.vault.state.approvals.write_bytes(encode(approvals))
    with work.vault.state.ledger.open("w", encoding="utf-8") as ledger:
        for number in range(LEDGER_LINES):
            ledger.write(json.dumps({"kind": "call", "at": str(DAY), "input": number}) + "\n")
    snapshot.refresh(workspace(settings, quiet=True))
    quiet(work)
    return root


def write(work: Workspace, path: str, project: str, number: int) -> None:
    """Write an article as a compile would."""
    text = f"The {path} of the shop is held for {number} seconds, since a shorter one was lost."
    meta = {"title": path, "projects": [project], "updated": DAY + timedelta(days=number % 300)}
    note = work.vault.knowledge / f"{path}.md"
    note.parent.mkdir(exist_ok=True)
    article = compose(path, "concept", meta, path, text)
    note.write_text(render(article), encoding="utf-8")


def sighting(project: str, number: int) -> rule.Sighting:
    """Let the user say a rule that lasts."""
    text = f"Always run the {WORDS[number % len(WORDS)]} checks of part {number} before you push."
    said = Statement(text, text, "workflow", standing=True, score=9.0)
    return rule.Sighting(said, DAY, project, f"session-{number}", f"e-{number}")


def quiet(work: Workspace) -> None:
    """Let /bin/true stand for the flush that hooks start."""
    value = json.loads(work.vault.state.snapshot.read_bytes())
    work.vault.state.snapshot.write_bytes(encode(value | {"command": ["/bin/true"]}))


def programs(root: Path, many: Path, few: Path) -> list[Program]:
    """List what is measured."""
    bare = root / "bare.py"
    bare.write_text(BARE, encoding="utf-8")

    def hook(name: str, where: Path) -> list[str]:
        return [*PYTHON, str(HOOKS / f"{name}.py"), "--vault", str(where)]

    return [
        Program("bare interpreter", [*PYTHON, "-c", "pass"]),
        Program("bare hook", [*PYTHON, str(bare)]),
        Program("session-start", hook("session_start", many), 2.0),
        Program(f"  of {FEW} articles", hook("session_start", few), 2.0),
        Program("session-end, 500 MB", hook("session_end", many), 1.5),
        Program("pre-compact, 500 MB", hook("pre_compact", many), 1.5),
    ]


def measure(found: list[Program], folder: Path, rounds: int) -> None:
    """Run all in turn; each round has a session of its own, as a second start says nothing."""
    projects = folder / ".claude" / "projects" / "-shop"
    projects.mkdir(parents=True)
    event = folder / "event.json"
    for number in itertools.count():
        if number > rounds:
            return
        transcript = projects / f"session-{number}.jsonl"
        with transcript.open("wb") as file:
            file.truncate(TRANSCRIPT_BYTES)
        value = {"session_id": transcript.stem, "transcript_path": str(transcript)}
        value |= {"cwd": str(folder / "shop"), "hook_event_name": "-", "source": "startup"}
        event.write_text(json.dumps(value), encoding="utf-8")
        for program in found:
            seconds = run(program.command, event)
            if number:  # the first round compiles and warms
                program.times.append(seconds)


def run(command: list[str], event: Path) -> float:
    """Run a program on an event; give its seconds."""
    with event.open("rb") as stdin:
        begin = time.perf_counter()
        subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, check=True, env=CLEAN)
        return time.perf_counter() - begin


def check(found: list[Program], folder: Path, rounds: int) -> None:
    """See that the hooks have done their work: what does nothing is fast."""
    captured = list((folder / "many" / ".memoria" / "spool" / "new").glob("*.json"))
    assert len(captured) == 2 * (rounds + 1), len(captured)
    shop = {"session_id": "last", "cwd": str(folder / "shop"), "source": "startup"}
    for program in found[2:4]:
        done = subprocess.run(
            program.command,
            input=json.dumps(shop).encode(),
            stdout=subprocess.PIPE,
            check=True,
            env=CLEAN,
        )
        text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        assert "Always run the" in text, text
        print(f"{program.name.strip()}: {len(text)} characters injected")


def table(found: list[Program]) -> None:
    """Print medians, ratios to the bare hook, and what was to be reached."""
    bare = found[1].median
    print(f"{'':24}{'median ms':>10}{'ratio':>8}{'to reach':>10}")
    for program in found:
        wanted = f"{program.most:.1f}" if program.most else ""
        ratio = program.median / bare
        missed = "  missed" if program.most and ratio > program.most else ""
        print(f"{program.name:24}{program.median * 1000:10.1f}{ratio:8.2f}{wanted:>10}{missed}")


def main() -> None:
    """Make the vaults, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--rules", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "shop" / ".git").mkdir(parents=True)
        (folder / "shop" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / "shop" / ".git" / "config").write_text('[remote "origin"]\nurl = h:ana/shop\n')
        many = vault(folder / "many", folder / "shop", options.articles, options.rules)
        few = vault(folder / "few", folder / "shop", FEW, FEW)
        found = programs(folder, many, few)
        measure(found, folder, options.rounds)
        check(found, folder, options.rounds)
        table(found)


if __name__ == "__main__":
    main()
