"""How much each policy loses to the best slate -> regret as a ratio to the seed's policy.

The base case and its variants of the simulator, on seeds that nothing was tuned on (tuned on 0 to
39). MABWiser runs beside them where it is installed, in a case as large as it can be run.

    python bench/bandit/regret.py [--seeds 10] [--first 100] [--only base ...] [--every 20]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from bench.bandit import contestants
from bench.bandit.race import Result, race
from bench.bandit.simulator import World

from memoria.learning.policy import Options

if TYPE_CHECKING:
    from bench.bandit.race import Make
    from bench.bandit.simulator import Simulator

# as the reference has them: variants run for half as long
SHORT = 1_000
CASES = {
    "base": World(),
    "1,000 arms": World(arms=1_000, sessions=SHORT),
    "drift .005": World(drift=0.005, sessions=SHORT),
    "helpful .2": World(helpful=0.2, sessions=SHORT),
    "text tells nothing": World(family_noise=4.0, sessions=SHORT),
    "no label": World(label_right=0.0, sessions=SHORT),
    "long delays": World(delay=60.0, sessions=SHORT),
    "any family spills": World(any_spills=True, sessions=SHORT),
    "harm anywhere": World(harm_anywhere=True, sessions=SHORT),
    "nothing helps": World(helpful=0.0, spills=0.0, sessions=SHORT),
    "40 arms": World(arms=40, sessions=SHORT),
    # what a start has room for: the rest is left out
    "60 rules, room for 40": World(arms=60, slate=40, sessions=SHORT),
    "200 rules, room for 40": World(slate=40, sessions=SHORT),
    # as large as MABWiser can be run
    "100 arms": World(arms=100, sessions=800),
}


def policies(every: int, room: int) -> dict[str, Make]:
    """Give all policies for slates of `room` rules; with the first the others are compared."""

    def product(kind: type[contestants.Product], options: Options) -> Make:
        def make(simulator: Simulator, seed: int) -> contestants.Product:
            return kind(simulator, seed, options, every)

        return make

    # nothing is withheld, so that policies are compared and not the price of the experiment
    return {
        "beta-thompson": product(contestants.Counted, Options("beta-thompson", room)),
        "none": contestants.Nothing,
        "random": contestants.Random,
        "text": contestants.Text,
        "text, a family once": contestants.TextOnce,
        "joint": product(contestants.Product, Options("joint", room)),
        "joint, .1 withheld": product(contestants.Product, Options("joint", room, 0.1)),
        "joint, no text": product(contestants.Wordless, Options("joint", room)),
        "mabwiser LinTS": contestants.Mabwiser,
        "oracle": contestants.Oracle,
    }


# what takes long or is of interest in the base case alone
_ONLY = {
    "joint, .1 withheld": "base",
    "joint, no text": "base",
    "oracle": "base",
    "mabwiser LinTS": "100 arms",
}


def report(name: str, world: World, seeds: range, every: int) -> None:
    """Race all policies in one case and print a row for each."""
    print(f"\n{name}: {world.arms} arms, {world.sessions} sessions, seeds {seeds[0]}-{seeds[-1]}")
    print("| policy | regret | ratio | at T/4 | success | rules |\n|---|---|---|---|---|---|")
    yardstick: Any = None
    for policy, make in policies(every, world.slate).items():
        if _ONLY.get(policy, name) != name:
            continue
        if policy.startswith("mabwiser") and not contestants.HAS_MABWISER:
            continue
        results = [race(world, seed, make) for seed in seeds]
        yardstick = yardstick or results
        print(row(policy, results, yardstick), flush=True)


def row(policy: str, results: list[Result], yardstick: list[Result]) -> str:
    """Give a policy's row: means over seeds, and the standard error of the ratio of means."""
    # the oracle's regret is a sum of rounding errors on either side of nothing
    lost, base = (np.array([abs(run.regret[-1]) for run in runs]) for runs in (results, yardstick))
    early = np.mean([abs(run.regret[len(run.regret) // 4]) for run in results])
    ratio = lost.mean() / base.mean()
    # the delta method for a ratio of paired means
    error = np.std(lost - ratio * base, ddof=1) / np.sqrt(len(lost)) / base.mean()
    spread = np.std(lost, ddof=1) / np.sqrt(len(lost))
    return (
        f"| {policy} | {lost.mean():.1f} ± {spread:.1f} | {ratio:.3f} ± {error:.3f} | {early:.1f} "
        f"| {np.mean([run.success for run in results]):.3f} "
        f"| {np.mean([run.shown for run in results]):.1f} |"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=list(CASES))
    parser.add_argument("--every", type=int, default=20)
    options = parser.parse_args()
    for name in options.only:
        seeds = range(options.first, options.first + options.seeds)
        report(name, CASES[name], seeds, options.every)


if __name__ == "__main__":
    main()
