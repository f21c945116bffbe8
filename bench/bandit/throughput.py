"""What choosing and learning cost per session, from 10 to 10,000 rules -> milliseconds.

Memoria learns anew from all sessions in the flush, where nobody waits, and chooses in the hook from
what the flush left: both are timed apart. MABWiser, where it is installed, does both in one go: it
predicts for all arms and is told eight outcomes.

    python bench/bandit/throughput.py [--rules 10 100 1000 10000] [--sessions 2000]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from memoria.capture.extract.session_context import TASKS, SessionContext
from memoria.learning import policy as selection, session_rules
from memoria.learning.arms import Arm
from memoria.learning.play import EPOCH, Play
from memoria.text import word_overlap

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# a vocabulary as large as that of 1,000 rules, and sessions that use a few dozen words of it
VOCABULARY, RULE_WORDS, SESSION_WORDS, PROJECTS = 2_000, 8, 40, 6
BARE = "import json, sys; print(json.dumps(json.load(sys.stdin)['hook_event_name']))"
HOOK = """
import json, sys
sys.path.append(sys.argv[1])
from memoria.learning import session_rules
event = json.load(sys.stdin)
with open(sys.argv[2], "rb") as file:
    state = json.loads(file.read())
print(json.dumps(session_rules.choose(state, event["session_id"]).shown))
"""


def arms(count: int, rng: random.Random) -> list[Arm]:
    """Make rules of a few words each."""
    texts = [[word(rng) for _ in range(RULE_WORDS)] for _ in range(count)]
    weights = word_overlap.rarity(texts)
    return [
        Arm(f"wf-{at:010x}", word_overlap.compute_shares(text, weights), units=80)
        for at, text in enumerate(texts)
    ]


def word(rng: random.Random) -> str:
    """Draw a word."""
    return f"word{rng.randrange(VOCABULARY)}"


def plays(rules: list[Arm], count: int, rng: random.Random) -> list[Play]:
    """Make sessions in which any eight rules were shown."""
    return [
        Play(
            f"{at:06d}",
            EPOCH + timedelta(minutes=at),
            SessionContext(
                f"project {rng.randrange(PROJECTS)}",
                rng.choice(TASKS),
                words={word(rng): 1.0 for _ in range(SESSION_WORDS)},
            ),
            {rng.choice(rules).id: "" for _ in range(8)},
            outcome=float(rng.random() < 0.7),
        )
        for at in range(count)
    ]


def timed(work: Callable[[], object], rounds: int) -> float:
    """Give the median milliseconds of a piece of work."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1_000 * median(times)


def product(policy: selection.Policy, count: int, sessions: int) -> tuple[float, float, float]:
    """Give milliseconds of learning, of choosing in the hook, and the kilobytes it reads."""
    rng = random.Random(count)
    rules = arms(count, rng)
    known = plays(rules, sessions, rng)
    here = SessionContext("project 1")

    def flush() -> bytes:
        learned = selection.learn(policy, rules, known)
        options = selection.Options(policy)
        return json.dumps(selection.compact(learned, rules, here, options)).encode()

    data = flush()
    return (
        timed(flush, 3),
        timed(lambda: session_rules.choose(json.loads(data), "a session"), 30),
        len(data) / 1_000,
    )


def mabwiser(kind: str, count: int) -> float:
    """Give MABWiser's milliseconds for one session: predict for all arms, eight outcomes."""
    from mabwiser.mab import (  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415 - optional
        MAB,
        LearningPolicy,
    )

    rng = np.random.default_rng(count)
    linear = kind == "LinTS"
    policy = LearningPolicy.LinTS(alpha=0.2) if linear else LearningPolicy.ThompsonSampling()
    mab: Any = MAB(list(range(count)), policy)

    def told(size: int) -> list[Any]:
        contexts = rng.normal(size=(size, 16))
        given = [list(rng.integers(count, size=size)), list(rng.integers(2, size=size))]
        return [*given, contexts] if linear else given

    mab.fit(*told(100))

    def session() -> None:
        mab.predict_expectations(*([rng.normal(size=(1, 16))] if linear else []))
        mab.partial_fit(*told(8))

    return timed(session, 3 if count > 1_000 else 10)


def hook(path: Path) -> float:
    """Give the ratio of a program that reads the state and chooses to the bare hook."""
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "a-session"}).encode()
    python = [sys.executable, "-S", "-E", "-c"]
    commands = [[*python, BARE], [*python, HOOK, str(SCRIPTS), str(path)]]
    times: list[list[float]] = [[], []]
    for _ in range(40):
        for command, spent in zip(commands, times, strict=True):
            start = time.perf_counter()
            subprocess.run(command, input=event, capture_output=True, check=True)
            spent.append(time.perf_counter() - start)
    return median(times[1]) / median(times[0])


def whole_hook(count: int, policy: selection.Policy) -> float:
    """Give that ratio for so many rules."""
    rng = random.Random(count)
    rules = arms(count, rng)
    learned = selection.learn(policy, rules, plays(rules, 200, rng))
    here = SessionContext("project 1")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.json"
        state = selection.compact(learned, rules, here, selection.Options(policy))
        path.write_text(json.dumps(state))
        return hook(path)


def rewarded(count: int) -> float:
    """Give the seconds from so many rewards of a person, in as many sessions, to the state file."""
    rng = random.Random(count)
    rules = arms(1_000, rng)
    known = [
        replace(play, rewards={next(iter(play.shown)): 1}) for play in plays(rules, count, rng)
    ]
    start = time.perf_counter()
    selection.state(selection.learn("joint", rules, known), rules, known)
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, nargs="*", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--sessions", type=int, default=2_000)
    options = parser.parse_args()
    print(f"milliseconds, median; learning from {options.sessions} sessions\n")
    print("| what | " + " | ".join(f"{count:,}" for count in options.rules) + " |")
    print("|---|" + "---|" * len(options.rules))
    policies: tuple[selection.Policy, ...] = ("joint", "beta-thompson")
    for policy in policies:
        rows = [product(policy, count, options.sessions) for count in options.rules]
        for at, name in enumerate(("choose, in the hook", "learn anew, in the flush", "kB read")):
            values = (f"{row[(1, 0, 2)[at]]:.2f}" for row in rows)
            print(f"| {policy}: {name} | " + " | ".join(values) + " |", flush=True)
    if find_spec("mabwiser"):
        for kind in ("ThompsonSampling", "LinTS"):
            spent = (f"{mabwiser(kind, count):.2f}" for count in options.rules)
            print(f"| MABWiser {kind}, a session | " + " | ".join(spent) + " |", flush=True)
    print(f"\n100,000 rewards to the state file: {rewarded(100_000):.1f} s")
    for policy in policies:
        ratio = whole_hook(1_000, policy)
        print(f"\nwhole hook that chooses from 1,000 rules, {policy}: {ratio:.2f}x the bare hook")


if __name__ == "__main__":
    main()
