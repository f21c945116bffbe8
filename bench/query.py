"""What a question costs as the vault grows -> sizes of its prompt, beside the seed's.

The seed gives the model its index and all articles; here the prompt holds what search found, up to
a budget. Both are measured in characters on the same vaults, with several questions each, whose
words every vault knows. The articles are made up: sizes and words of a topic as in compiled ones.

With a folder of real sessions it counts what their flushes and compiles ask a model for instead, as
docs/reference/costs.md has it: they are imported with the Offline engine, and compiled with a model
that finds nothing worth a page.

    python bench/query.py [--articles 50 500 5000] [--questions 8] | --sessions FOLDER_OF_PROJECTS
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from scripted import ScriptedModel

from memoria.agents.port import agent_of
from memoria.capture.flush_request import build_prompts
from memoria.capture.service import CaptureService
from memoria.cli.importing import ImportChoice, import_transcripts
from memoria.cli.setup.init import init
from memoria.compile.service import Compiler
from memoria.llm.budget import OVERHEAD_TOKENS, estimate
from memoria.llm.claude import MODELS
from memoria.llm.port import OfflineModel
from memoria.search.ask import Asker
from memoria.settings import load
from memoria.vault import index
from memoria.vault.article import Article, compose_article, parse_article, render_article, with_body
from memoria.workspace import Workspace, workspace

if TYPE_CHECKING:
    from memoria.llm.port import Task

SEED = 20261121
# articles that the Offline engine compiled from real sessions had 1.5 to 5.1 KB, the half 2.5 KB
LEAST_LINES, MOST_LINES = 5, 32
# of material; the prompt around it has the instructions besides
TOKENS, CHARACTERS_A_TOKEN = 12_000, 3
DAY = date(2026, 1, 1)
TOPICS = """checkout refund webhook session token migration backfill invoice cart search index queue
retry lease lock schema export import report login upload cache release pipeline parser editor
scheduler mailer ledger""".split()  # noqa: SIM905 - words read best as words
PARTS = "timeout order worker table key column request answer batch limit cause test flag".split()  # noqa: SIM905 - as above
SAID = (
    "The {0} of the {1} waits for the {2}, because the {3} is written last.",
    "Since the {2} has its own {3}, a {0} that fails leaves the {1} as it was.",
    "`{0}_{2}` is read once by the {1}; a change needs a restart of the {3}.",
    "A {3} without a {2} made the {1} slow, so that each {0} has one now.",
)


@dataclass
class Measured:
    """A vault: its articles, characters of the seed's prompt and of ours, seconds a question."""

    articles: int
    seed: int
    prompts: list[int]
    pages: list[int]
    first: float
    seconds: float


def article(number: int) -> Article:
    """Make up an article on a topic; the same number gives the same one."""
    rng = random.Random(f"{SEED}-{number}")
    topic = TOPICS[number % len(TOPICS)]
    lines = [line(rng, topic) for _ in range(rng.randint(LEAST_LINES, MOST_LINES))]
    days = sorted({DAY + timedelta(days=rng.randrange(300)) for _ in range(3)})
    meta = {
        "title": f"{topic} {number}",
        "aliases": [],
        "tags": [topic],
        "sources": [f"daily/{day}.md" for day in days],
        "created": days[0],
        "updated": days[-1],
    }
    made = compose_article(
        f"concepts/{topic}-{number}", "concept", meta, f"{topic} {number}", lines[0]
    )
    points = "\n".join(f"- {text} ([[daily/{rng.choice(days)}]])" for text in lines[1:])
    return with_body(made, "Key Points", points)


def line(rng: random.Random, topic: str) -> str:
    """Say something about a topic."""
    words = [rng.choice(PARTS), topic, rng.choice(PARTS), rng.choice(PARTS)]
    return rng.choice(SAID).format(*words)


def fill(work: Workspace, first: int, last: int) -> None:
    """Write articles as a compile would."""
    folder = work.vault.knowledge / "concepts"
    folder.mkdir(exist_ok=True)
    for number in range(first, last):
        made = article(number)
        (folder / f"{made.slug}.md").write_text(render_article(made), encoding="utf-8")


def seed_size(work: Workspace) -> int:
    """Count what the seed gives the model: its index and all articles."""
    shelf = work.vault.articles
    whole = [shelf[path] for path in shelf]
    return len(index.render_index(whole, work.vault.schema)) + sum(
        len(render_article(one)) for one in whole
    )


def measure(root: Path, questions: list[str]) -> Measured:
    """Ask all questions of a vault; the first one indexes it."""
    prompts, pages, times = [], [], []
    for question in questions:
        # a process of its own for each, as far as what is remembered goes
        work = workspace(load(str(root), environ={"HOME": str(root.parent)}), quiet=True)
        model = ScriptedModel([{"known": False, "answer": "", "citations": [], "follow_ups": []}])
        begin = time.perf_counter()
        found = Asker(work, model).ask(question)
        times.append(time.perf_counter() - begin)
        prompts.append(len(model.requests[0].prompt))
        pages.append(len(found.question.pages))
    size = len(work.vault.articles)
    return Measured(size, seed_size(work), prompts, pages, times[0], sorted(times)[len(times) // 2])


def table(found: list[Measured]) -> bool:
    """Print the sizes and whether they are as wanted."""
    print(f"{'articles':>8} {'seed':>12} {'prompt, least':>14} {'most':>8} {'pages':>7}", end="")
    print(f" {'of the seed':>12} {'s, first':>9} {'s':>6}")
    for one in found:
        share = max(one.prompts) / one.seed
        print(
            f"{one.articles:8,} {one.seed:12,} {min(one.prompts):14,} {max(one.prompts):8,}"
            f" {min(one.pages):3}-{max(one.pages):<3} {share:12.4f}"
            f" {one.first:9.2f} {one.seconds:6.2f}"
        )
    most = max(size for one in found for size in one.prompts) / CHARACTERS_A_TOKEN
    print(
        f"largest: {most:,.0f} tokens at {CHARACTERS_A_TOKEN} characters each, the least there is "
        f"(at most {TOKENS:,})"
    )
    print(f"the seed's grew {found[-1].seed / found[0].seed:.0f} times")
    return most <= TOKENS


def row(task: Task, lengths: list[int], of: str) -> str:
    """Give a line of the table: calls, characters of a prompt, price of a call."""
    usd = estimate(task, MODELS[task], lengths, 60).usd / len(lengths)
    size = f"{mean(lengths):,.0f} and {max(lengths):,}"
    return f"| {task} | {len(lengths)} for {of} | {size} | ${usd:.4f} |"


def costs(work: Workspace, source: Path) -> None:
    """Import sessions, compile them; print the table's rows and the tokens of a session."""
    capture = CaptureService(work.vault, work.settings, OfflineModel(), work.spool)
    files = sorted(source.rglob("*.jsonl"))
    asked = [
        [len(text) for part in capture.parts(path) for text in build_prompts(part)]
        for path in files
    ]
    sessions = [lengths for lengths in asked if lengths]
    import_transcripts(work, OfflineModel(), ImportChoice(((agent_of(files[0]), source),)))
    model = ScriptedModel([{"articles": [], "rules": []}] * 1_000)
    done = Compiler(work, model).compile()
    days = [len(request.prompt) for request in model.requests]
    every = [length for lengths in sessions for length in lengths]
    print(row("flush", every, f"{len(sessions)} sessions"))
    print(row("compile", days, f"{len(done.days)} days"))
    read = median(sum(lengths) // 4 + OVERHEAD_TOKENS * len(lengths) for lengths in sessions)
    print(f"tokens read for the median session: {read:,.0f}, for a day's compile: ", end="")
    usual, most = (tokens / 4 + OVERHEAD_TOKENS for tokens in (mean(days), max(days)))
    print(f"{usual:,.0f}, at most {most:,.0f}")


def main() -> int:
    """Make the vaults, each from the one before; measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--articles", type=int, nargs="+", default=[50, 500, 5_000])
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--sessions", type=Path)
    options = parser.parse_args()
    rng = random.Random(SEED)
    topics = rng.sample(TOPICS, options.questions)
    questions = [f"Why does the {topic} wait for the {rng.choice(PARTS)}?" for topic in topics]
    with tempfile.TemporaryDirectory() as name:
        # a home of its own: what is made here is registered there
        os.environ |= {"HOME": name, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""}
        root = Path(name).resolve() / "vault"
        work = workspace(load(str(root), environ={"HOME": name}), quiet=True)
        init(work)
        if options.sessions:
            costs(work, options.sessions)
            return 0
        assert render_article(
            parse_article("concepts/x", "concept", render_article(article(0)))
        ) == render_article(article(0))
        found, have = [], 0
        for count in sorted(options.articles):
            fill(work, have, count)
            have = count
            found.append(measure(root, questions))
        return 0 if table(found) else 1


if __name__ == "__main__":
    sys.exit(main())
