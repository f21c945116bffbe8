"""What a structural lint costs, by the size of the vault -> seconds, memory and growth exponent.

Each vault is generated (articles of 400 words, links, logs), then linted twice as a person does it,
in a process of its own: the first run parses all, the second finds the parses kept. Beside it the
seed's way (it reads every article again for each article, to count who links to it), at sizes where
one can wait for it, in the same run, since the machine's load falls on both alike.

    python bench/lint.py [--sizes 500 2000 10000] [--seed-sizes 125 250 500]
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from memoria.vault.article import compose_article, render_article, with_lines

ROOT = Path(__file__).resolve().parents[1]
# what DESIGN asks for: at 10,000 articles, and between the smallest and the largest size
FIRST_SECONDS, AGAIN_SECONDS, MEGABYTES, EXPONENT = 12.0, 4.0, 500, 1.2
WORDS = 400
LINKS = 3
# an invented language of 4,000 words: articles differ as those of a person do
SYLLABLES = "ba ce di fo gu ha ke li mo nu pa re si to vu".split()  # noqa: SIM905 - a list of words


@dataclass(frozen=True)
class Run:
    """One lint: seconds and megabytes."""

    seconds: float
    megabytes: float


def word(rng: random.Random) -> str:
    """Make up a word; small numbers of the vocabulary come more often, as in any language."""
    rank = int(4000 ** rng.random())
    return "".join(SYLLABLES[rank // 15**place % 15] for place in range(3))


def sentence(rng: random.Random, length: int) -> str:
    """Make up a sentence."""
    return " ".join(word(rng) for _ in range(length)).capitalize() + "."


def path(number: int) -> str:
    """Name an article."""
    return f"concepts/topic-{number}"


def article(number: int, count: int, rng: random.Random) -> str:
    """Write an article of 400 words as a compile would."""
    day = f"2026-{1 + number % 12:02}-{1 + number % 28:02}"
    meta = {
        "title": f"Topic {number} {word(rng)}",
        "aliases": [f"alias-{number}"],
        "tags": ["concept", word(rng)],
        "sources": [f"daily/{day}.md"],
        "created": day,
        "updated": day,
    }
    found = compose_article(path(number), "concept", meta, str(meta["title"]), sentence(rng, 20))
    lines = [f"{sentence(rng, 18)} ([[daily/{day}]])" for _ in range((WORDS - 60) // 18)]
    half = len(lines) // 2
    found = with_lines(found, "Key Points", lines[:half])
    found = with_lines(found, "Details", lines[half:])
    others = [path(rng.randrange(count)) for _ in range(LINKS)]
    found = with_lines(found, "Related Concepts", [f"[[{one}]] - {word(rng)}" for one in others])
    return render_article(with_lines(found, "Sources", [f"[[daily/{day}]] - {sentence(rng, 5)}"]))


def vault(root: Path, count: int) -> Path:
    """Make a vault of so many articles, and the logs that they name."""
    memoria(root, "init")
    rng = random.Random(count)
    folder = root / "knowledge" / "concepts"
    folder.mkdir()
    for number in range(count):
        (folder / f"topic-{number}.md").write_text(article(number, count, rng), encoding="utf-8")
    for number in range(336):
        name = f"2026-{1 + number % 12:02}-{1 + number % 28:02}"
        text = f"# Daily Log: {name}\n\n## Sessions\n\n### Session (09:00) - {word(rng)}\n\n- x\n"
        (root / "daily" / f"{name}.md").write_text(text, encoding="utf-8")
    return root


def memoria(root: Path, *arguments: str) -> Run:
    """Run a verb in a process of its own."""
    command = [sys.executable, "-m", "memoria", arguments[0], "--vault", str(root), *arguments[1:]]
    clean = {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "PYTHONPATH": str(ROOT / "scripts"),
    }
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--quiet"], env=clean, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(process.pid, 0)
    # Linux counts kilobytes, macOS bytes
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Run(time.perf_counter() - began, used.ru_maxrss / unit)


def seed(root: Path) -> float:
    """Count inbound links the seed's way: for each article, read every article."""
    began = time.perf_counter()
    notes = sorted((root / "knowledge").rglob("*.md"))
    for note in notes:
        target = note.relative_to(root / "knowledge").with_suffix("").as_posix()
        sum(f"[[{target}" in other.read_text(encoding="utf-8") for other in notes if other != note)
        re.findall(r"\[\[([^\]]+)\]\]", note.read_text(encoding="utf-8"))
    return time.perf_counter() - began


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Say how the time grows from the smallest size to the largest: 1 = linear, 2 = quadratic."""
    return math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])


def main() -> int:
    """Measure, print a table, and say whether the aims are met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000, 10000])
    parser.add_argument("--seed-sizes", type=int, nargs="*", default=[125, 250, 500])
    arguments = parser.parse_args()
    first, again, memory, naive = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for size in arguments.sizes:
            root = vault(Path(folder) / f"vault-{size}", size)
            runs = [memoria(root, "lint", "--structural-only") for _ in range(2)]
            first.append(runs[0].seconds)
            again.append(runs[1].seconds)
            memory.append(max(run.megabytes for run in runs))
            print(
                f"{size:>6} articles: {first[-1]:6.2f} s, again {again[-1]:5.2f} s, "
                f"{memory[-1]:4.0f} MB",
                flush=True,
            )
        for size in arguments.seed_sizes:
            naive.append(seed(vault(Path(folder) / f"seed-{size}", size)))
            print(f"{size:>6} articles the seed's way: {naive[-1]:6.2f} s", flush=True)
    grows = exponent(arguments.sizes, first)
    print(f"growth: exponent {grows:.2f}", end="")
    print(f"; the seed's {exponent(arguments.seed_sizes, naive):.2f}" if len(naive) > 1 else "")
    met = first[-1] < FIRST_SECONDS and again[-1] < AGAIN_SECONDS
    return 0 if met and memory[-1] < MEGABYTES and grows <= EXPONENT else 1


if __name__ == "__main__":
    sys.exit(main())
