"""What a hook costs the person who waits for it -> ratios to the bare hook, in one run.

The bare hook is a program that parses one JSON object from stdin and prints one: less no hook can
do. All programs take turns, so that what else the machine does falls on all alike. The flush that a
hook starts is /bin/true here: what comes after the hook is gone nobody waits for. The vaults are
made by the product itself (notes, ledger, and the files that the last flush prepares for hooks);
what a flush pays for that preparation is told as well.

    python bench/hooks.py [--rounds 60] [--articles 10000] [--rules 1000]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from typing import TYPE_CHECKING

from memoria import refresh
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code.git import project_key
from memoria.capture.extract.signatures import build_signature, mask
from memoria.cli.decide import trust
from memoria.cli.setup.init import init
from memoria.rules import model as rule, stated_rules
from memoria.rules.rulebook import format_approvals, read_approvals
from memoria.rules.sightings import Sighting
from memoria.search import service as index
from memoria.settings import Settings, load
from memoria.vault.article import compose_article, render_article, with_body
from memoria.vault.entry import Statement
from memoria.vault.storage.ledger_records import (
    NO_TURN,
    Mistake,
    Resolution,
    build_mistake_record,
    format_line,
)
from memoria.vault.storage.state import encode_json
from memoria.workspace import Workspace, workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

BARE = """
import json, sys
event = json.load(sys.stdin)
answer = {"hookEventName": "SessionStart", "additionalContext": event["session_id"]}
print(json.dumps({"hookSpecificOutput": answer}))
"""
HOOKS = Path(__file__).resolve().parents[1] / "scripts" / "memoria" / "hooks"
PYTHON = [sys.executable, "-S", "-E"]
EVENTS = {script: event for event, script in (*client_settings.SCRIPTS, *client_settings.OPTIONAL)}
# neither the machine's settings of Memoria nor those of a session that this is run from
CLEAN = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
TRANSCRIPT_BYTES = 500_000_000
LEDGER_LINES = 10_000
# a year of resolved errors, each with a signature of its own
ERRORS = 2_000
FEW = 10
DAY = date(2026, 3, 2)
MOMENT = datetime(2026, 3, 2, 10, tzinfo=UTC)
# words of an article, as a compiled one has them
ARTICLE_WORDS = 300
# in one run of letters for each number: invented words, some in every article, most in few
SYLLABLES = "ka lo mi ne pu ra si to vu xe ba de fi go hu ja".split()  # noqa: SIM905 - as below
UNKNOWN = "Exit code 1\nsh: 1: frobnicate: not found"
WORDS = "expiry webhook retry queue index lease batch migration schema backfill token storm".split()  # noqa: SIM905 - words read best as words


@dataclass
class Program:
    """A program that is measured; `most` is the ratio to reach, 0 for none. Times in seconds.

    `event` holds what its event has beside what all have.
    """

    name: str
    command: list[str]
    most: float = 0.0
    event: Mapping[str, object] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Half of the runs were faster."""
        return statistics.median(self.times)


def vault(root: Path, cwd: Path, articles: int, rules: int) -> Path:
    """Make a vault with so many articles and approved rules of the project in that folder."""
    settings = load(str(root), makes_vault=True)
    work = workspace(settings, quiet=True)
    init(work)
    project = project_key(str(cwd))
    for number in range(articles):
        write(work, f"concepts/{WORDS[number % len(WORDS)]}-{number}", project, number)
    approvals = {}
    said = (statement(project, number) for number in range(rules))
    for learned in stated_rules.add_sightings({}, said):
        approvals[learned.rule.id] = rule.Approval.of(learned.rule)
        note = work.vault.knowledge / f"{learned.article.path}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(render_article(learned.article), encoding="utf-8")
    work.vault.state.approvals.write_bytes(format_approvals(approvals))
    with work.vault.state.ledger.open("w", encoding="utf-8") as ledger:
        for number in range(LEDGER_LINES):
            ledger.write(json.dumps({"kind": "call", "at": str(DAY), "input": number}) + "\n")
        for number in range(min(ERRORS, articles)):
            ledger.write(
                format_line(build_mistake_record(mistake(number), f"old-{number}", project))
            )
    work.vault.articles.refresh()  # they were listed before they were written
    trust.adopt(work, trust.find_waiting_items(work))
    prepared(settings, articles)
    quiet(work)
    return root


def prepared(settings: Settings, articles: int) -> None:
    """Prepare the hooks' files as a flush does, and say what it costs."""
    seconds = []
    for step in ("first", "again", "one article changed"):
        work = workspace(settings, quiet=True)
        if step.startswith("one"):
            path = work.vault.knowledge / f"concepts/{WORDS[0]}-0.md"
            path.write_text(
                path.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8"
            )
        refresh.refresh(work)  # reads every article, which is not ours to count
        if step == "first":
            settings.state.joinpath("search.sqlite").unlink()
        shelf = work.vault.articles
        notes = [shelf[name] for name in shelf]
        approvals = read_approvals(work.vault.state)
        if step.startswith("one"):
            path.write_text(
                path.read_text(encoding="utf-8") + "\nAnd another one.\n", encoding="utf-8"
            )
            work.vault.articles.refresh()
            notes = [shelf[name] for name in shelf]
        begin = time.perf_counter()
        index.refresh_for_hooks(work, rule.read_rules(notes), approvals)
        seconds.append(f"{step} {time.perf_counter() - begin:.2f} s")
    with closing(sqlite3.connect(settings.state / "search.sqlite")) as base:
        (lines,) = base.execute("SELECT count(*) FROM line").fetchone()
    said = ", ".join(seconds)
    print(f"{articles} articles with {lines} lines made ready for the hooks: {said}")


def write(work: Workspace, path: str, project: str, number: int) -> None:
    """Write an article as a compile would."""
    text = f"The {path} of the shop is held for {number} seconds, since a shorter one was lost."
    meta = {"title": path, "projects": [project], "updated": DAY + timedelta(days=number % 300)}
    note = work.vault.knowledge / f"{path}.md"
    note.parent.mkdir(exist_ok=True)
    article = compose_article(path, "concept", meta, path, text)
    lines = [f"{words(number, at)} of ledger{number}" for at in range(0, ARTICLE_WORDS, 15)]
    article = with_body(
        article, "Key Points", "\n".join(f"- {one}." for one in lines), ("Key Points",)
    )
    note.write_text(render_article(article), encoding="utf-8")


def words(number: int, at: int) -> str:
    """Give fifteen invented words: of a vocabulary of 4,096, the first ones far more often."""
    numbers = ((number * 7919 + (at + step) * 104_729) % 1_000_003 for step in range(15))
    ranks = (int(4096 * (value / 1_000_003) ** 3) for value in numbers)
    return " ".join("".join(SYLLABLES[rank >> shift & 15] for shift in (8, 4, 0)) for rank in ranks)


def statement(project: str, number: int) -> Sighting:
    """Let the user say a rule that lasts."""
    text = f"Always run the {WORDS[number % len(WORDS)]} checks of part {number} before you push."
    said = Statement(text, text, "workflow", standing=True, score=9.0)
    return Sighting(said, DAY, project, f"session-{number}", f"e-{number}")


def error(number: int) -> str:
    """Give the line of an error."""
    return f"ValueError: the {words(number, 0)} cannot be stored"


def mistake(number: int) -> Mistake:
    """Make a mistake that an edit resolved."""
    said = error(number)
    name = build_signature("shell", "exception:ValueError", mask(said.partition(": ")[2]))
    change = f"- keep(value)\n+ keep({words(number, 0).split()[0]})"
    solved = Resolution("edit", change, MOMENT)
    return Mistake(
        name, "shell", "exception:ValueError", said, f"c-{number}", NO_TURN, MOMENT, solved
    )


def quiet(work: Workspace) -> None:
    """Let /bin/true stand for the flush that hooks start."""
    value = json.loads(work.vault.state.snapshot.read_bytes())
    work.vault.state.snapshot.write_bytes(encode_json(value | {"command": ["/bin/true"]}))


def programs(root: Path, many: Path, few: Path) -> list[Program]:
    """List what is measured."""
    bare = root / "bare.py"
    bare.write_text(BARE, encoding="utf-8")

    def hook(name: str, where: Path) -> list[str]:
        # as `memoria install` has the client start them
        script = str(HOOKS / f"{name}.py")
        state = str(load(str(where)).state)
        found = client_settings.build_hook(
            EVENTS[f"{name}.py"], sys.executable, script, str(where), state
        )
        return [found.command, *found.args]

    bash = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    known = f"Exit code 1\nTraceback (most recent call last):\n{error(7)}"
    noise = "".join(f"\n{words(at, 0)} {at} passed" for at in range(250))
    # invented words stand in many articles: each has a name of its own besides
    asks = {"prompt": f"Why are {words(3, 0)} of ledger3 lost?"}
    return [
        Program("bare interpreter", [*PYTHON, "-c", "pass"]),
        Program("bare hook", [*PYTHON, str(bare)]),
        Program("session-start", hook("session_start", many), 2.0),
        Program(f"  of {FEW} articles", hook("session_start", few), 2.0),
        Program("session-end, 500 MB", hook("session_end", many), 1.5),
        Program("pre-compact, 500 MB", hook("pre_compact", many), 1.5),
        Program(
            "prompt, nothing fits",
            hook("user_prompt_submit", many),
            1.5,
            {"prompt": "Please have a look at the build, it takes longer than it did last week."},
        ),
        Program("prompt, all fits", hook("user_prompt_submit", many), 2.0, asks),
        Program(f"  of {FEW} articles", hook("user_prompt_submit", few), 2.0, asks),
        Program(
            "failure, not known",
            hook("post_tool_use_failure", many),
            1.5,
            {**bash, "tool_use_id": "toolu_1", "error": UNKNOWN},
        ),
        Program(
            "failure, not known, 25 KB",
            hook("post_tool_use_failure", many),
            1.5,
            {**bash, "tool_use_id": "toolu_2", "error": UNKNOWN + noise},
        ),
        # once for each error and session
        Program(
            "failure met before",
            hook("post_tool_use_failure", many),
            1.5,
            {**bash, "tool_use_id": "toolu_3", "error": known},
        ),
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
        for program in found:
            event.write_text(json.dumps({**value, **program.event}), encoding="utf-8")
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
    captured = list((load(str(folder / "many")).state / "spool" / "new").glob("*.json"))
    assert len(captured) == 2 * (rounds + 1), len(captured)
    shop = {"session_id": "last", "cwd": str(folder / "shop"), "source": "startup"}
    texts = {program.name.strip(): text(program, shop) for program in found[2:]}
    for name, said in texts.items():
        print(f"{name}: {len(said)} characters injected")
    assert "Always run the" in texts["session-start"]
    assert "[[concepts/" in texts["prompt, all fits"], texts
    assert "passed after an edit" in texts["failure met before"], texts
    assert not texts["prompt, nothing fits"] + texts["failure, not known, 25 KB"], texts


def text(program: Program, event: Mapping[str, object]) -> str:
    """Give what a hook injects."""
    done = subprocess.run(
        program.command,
        input=json.dumps({**event, **program.event}).encode(),
        stdout=subprocess.PIPE,
        check=True,
        env=CLEAN,
    )
    answer = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    return str(answer.get("additionalContext", ""))


def table(found: list[Program]) -> None:
    """Print medians, ratios to the bare hook, and what was to be reached."""
    bare = found[1].median
    print(f"{'':28}{'median ms':>10}{'ratio':>8}{'to reach':>10}")
    for program in found:
        wanted = f"{program.most:.1f}" if program.most else ""
        ratio = program.median / bare
        missed = "  missed" if program.most and ratio > program.most else ""
        print(f"{program.name:28}{program.median * 1000:10.1f}{ratio:8.2f}{wanted:>10}{missed}")


def main() -> None:
    """Make the vaults, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--rules", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        # a home of its own: vaults are registered there, and the machine's is none of ours
        for variable in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "MEMORIA_VAULT"):
            os.environ.pop(variable, None)
        os.environ["HOME"] = str(folder)
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
