"""Merging beside buildlog in one run -> time, growth, memory, a day's share, precision by backend.

The rules come from a file (--rules FILE.jsonl, one {"text": ...} a line) or are made up: orders
about made-up things, every tenth of them a restatement or the opposite of an earlier one. Pairs
(--pairs FILE.jsonl, {"a", "b", "label", "difficulty"} a line; else those of the tests) are judged
by each backend that is installed. buildlog is asked through the interpreter of an environment of
its own, as a process:

    python -m venv DIR && DIR/bin/pip install buildlog==0.5.0
    python bench/merge.py --buildlog DIR/bin/python [--rules FILE] [--pairs FILE] [--most 50000]

Its time for 10,000 rules is two minutes; --buildlog-rules N asks for fewer, and says so.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from memoria.errors import MemoriaError
from memoria.llm.embedding import BACKENDS
from memoria.rules.merge.groups import Index, merge_duplicates
from memoria.rules.skills import embed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memoria.rules.merge.groups import Vectors

SEED = 20261122
STEPS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
COMPARED = 10_000  # rules that both merge
DAY = 30  # insights that a busy day adds
SAME = ("easy", "medium", "hard")
# what buildlog does with a list of insights, and how long it takes; run by its own interpreter
BUILDLOG = """
import json, sys, time
from buildlog.skills import _deduplicate_insights as merge
from buildlog.embeddings import get_backend
asked = json.load(sys.stdin)
backend = get_backend(asked["backend"])
pattern = lambda text: {"insight": text, "source": "a", "date": "2026-01-01", "context": ""}
start = time.perf_counter()
found = [len(merge([pattern(text) for text in texts], backend=backend)) for texts in asked["lists"]]
print(json.dumps({"seconds": time.perf_counter() - start, "groups": found}))
"""


class Pair(NamedTuple):
    """Two rules, whether they are one, and of which kind the pair is."""

    one: str
    other: str
    same: bool
    kind: str


def made_up(count: int, rng: random.Random) -> Iterator[str]:
    """Make rules up; every tenth says again, or denies, what an earlier one says."""
    verbs = ("Validate", "Cache", "Log", "Encrypt", "Document", "Test", "Retry", "Rename")
    syllables = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split()  # noqa: SIM905 - a list of words is read as text
    places = ("in tests", "before a release", "in production", "on startup", "for new users")
    earlier: list[str] = []
    for number in range(count):
        again = rng.choice(earlier) if earlier and number % 10 == 0 else ""
        if again:
            first = again[0].lower() + again[1:]
            text = rng.choice((f"Always {first}", f"Never {first}", f"{again}."))
        else:
            thing = "".join(rng.choices(syllables, k=3)), "".join(rng.choices(syllables, k=3))
            text = f"{rng.choice(verbs)} {thing[0]} {thing[1]} {rng.choice(places)}"
        earlier.append(text)
        yield text


def read_rules(path: Path | None, most: int) -> list[str]:
    """Read or make up rules, in an order of chance."""
    rng = random.Random(SEED)
    if path is None:
        return list(made_up(most, rng))
    lines = path.read_text(encoding="utf-8").splitlines()
    texts = [str(json.loads(line)["text"]) for line in lines if line.strip()]
    rng.shuffle(texts)
    return texts[:most]


def read_pairs(path: Path | None) -> list[Pair]:
    """Read pairs with their labels, those of the tests without a file."""
    if path is None:
        sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "fixtures"))
        return [Pair(*pair) for pair in importlib.import_module("families").pairs()]
    lines = path.read_text(encoding="utf-8").splitlines()
    found = (json.loads(line) for line in lines if line.strip())
    return [Pair(each["a"], each["b"], bool(each["label"]), each["difficulty"]) for each in found]


def buildlog(python: str, lists: Sequence[Sequence[str]], backend: str = "token") -> dict[str, Any]:
    """Let buildlog merge lists of insights."""
    asked = json.dumps({"lists": lists, "backend": backend})
    done = subprocess.run(
        [python, "-c", BUILDLOG], input=asked, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def growth(rules: list[str], most: int) -> list[tuple[int, float, int]]:
    """Merge more and more rules, each time in a process of its own: count, seconds, peak in MB."""
    rows = []
    for count in (step for step in STEPS if step <= min(most, len(rules))):
        code = (
            "import json, resource, sys, time; sys.path.insert(0, sys.argv[1]);"
            "from memoria.rules.merge.groups import merge_duplicates; texts = json.load(sys.stdin);"
            "start = time.perf_counter(); merge_duplicates(texts);"
            "spent = time.perf_counter() - start;"
            "print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, sys.path[0]],
            input=json.dumps(rules[:count]),
            capture_output=True,
            text=True,
            check=True,
        )
        spent, peak = done.stdout.split()
        rows.append((count, float(spent), int(peak)))
    return rows


def exponent(rows: Sequence[tuple[int, float, int]]) -> float:
    """Give the slope of log seconds over log rules, by least squares."""
    xs, ys = [math.log(row[0]) for row in rows], [math.log(row[1]) for row in rows]
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - middle) ** 2 for x in xs)


def speed(rules: list[str], most: int, python: str, asked: int) -> None:
    """Print the times."""
    rows = growth(rules, most)
    print("\n| rules | seconds | peak memory |\n|---|---|---|")
    for count, spent, peak in rows:
        print(f"| {count:,} | {spent:.2f} | {peak} MB |")
    if len(rows) > 1:
        print(f"\ngrowth exponent {exponent(rows):.2f}")
    ours = next((spent for count, spent, _ in rows if count == asked), 0.0)
    if python and ours:
        theirs = float(buildlog(python, [rules[:asked]])["seconds"])
        print(f"{asked:,} rules: buildlog {theirs:.1f} s, {theirs / ours:.0f} times as long")
    known, new = rules[:COMPARED], rules[COMPARED : COMPARED + DAY] or rules[:DAY]
    index = Index()
    built = seconds(lambda: (index.__init__(known), index.match("")))  # type: ignore[misc]  # timed as a whole
    matched = seconds(lambda: [index.match(text) for text in new])
    print(
        f"a day: index of {len(known):,} rules {built:.2f} s, {len(new)} insights {matched:.3f} s"
    )


def precision(pairs: list[Pair], python: str) -> None:
    """Print what each backend makes of the pairs."""
    kinds = list(dict.fromkeys(pair.kind for pair in pairs))
    print(f"\n| backend | precision | recall | {' | '.join(kinds)} |")
    print("|---" * (len(kinds) + 3) + "|")
    texts = list(dict.fromkeys(text for pair in pairs for text in pair[:2]))
    for backend in BACKENDS:
        try:
            found = embed(texts, backend)
        except MemoriaError as error:
            print(f"| {backend} | {str(error)[:80]} |")
            continue
        rows = {text: number for number, text in enumerate(texts)}
        print(_row(backend, pairs, [_merged(pair, found, rows) for pair in pairs]))
    if python:
        lists = [[pair.one, pair.other] for pair in pairs]
        print(
            _row("buildlog token", pairs, [one == 1 for one in buildlog(python, lists)["groups"]])
        )


def _merged(pair: Pair, found: Vectors | None, rows: dict[str, int]) -> bool:
    own = None
    if found:
        part = found.texts[[rows[pair.one], rows[pair.other]]]
        own = found._replace(texts=part)
    return len(merge_duplicates([pair.one, pair.other], vectors=own).groups) == 1


def _row(name: str, pairs: list[Pair], merged: list[bool]) -> str:
    judged = list(zip(pairs, merged, strict=True))
    right = sum(pair.same and joined for pair, joined in judged)
    parts = []
    for kind in dict.fromkeys(pair.kind for pair in pairs):
        of_kind = [joined for pair, joined in judged if pair.kind == kind]
        parts.append(f"{sum(of_kind)}/{len(of_kind)}")
    share = right / max(1, sum(merged))
    recall = right / max(1, sum(pair.same for pair in pairs))
    return f"| {name} | {share:.3f} | {recall:.3f} | {' | '.join(parts)} |"


def main() -> None:
    """Run what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rules", type=Path, help="a file of rules, one JSON object a line")
    parser.add_argument("--pairs", type=Path, help="a file of pairs with labels")
    parser.add_argument("--most", type=int, default=STEPS[-1], help="rules to merge at most")
    parser.add_argument("--buildlog", default="", help="the Python that has buildlog 0.5.0")
    parser.add_argument("--buildlog-rules", type=int, default=COMPARED, help="rules that it merges")
    parser.add_argument("--no-speed", action="store_true", help="the pairs alone")
    options = parser.parse_args()
    if not options.no_speed:
        rules = read_rules(options.rules, options.most)
        print(f"{len(rules):,} rules, {'from a file' if options.rules else 'made up'}")
        speed(rules, options.most, options.buildlog, options.buildlog_rules)
    precision(read_pairs(options.pairs), options.buildlog)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"\npeak of this process {peak} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
