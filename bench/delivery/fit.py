"""Fit how well a prompt must fit before it is told something, each time without one topic.

For each topic the threshold is the least one that tells at most one unrelated prompt in thirty and
none of the other topics' prompts in a vault that lacks their topic; then its own prompt is asked.

    python -m bench.delivery.fit [--data FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from bench.delivery.vaults import Vault, own, rounds, shared

from memoria.search import prompt_match

# what is tried: scores of prompts lie between 0 and 3
STEPS = [step / 20 for step in range(12, 41)]
UNRELATED = 1 / 30


class Fit(NamedTuple):
    """How well a prompt fits its best passage, and the best one of another subject."""

    score: float
    second: float

    def is_told(self, leading: float) -> bool:
        """Whether it is told something at this threshold."""
        return self.score >= prompt_match.ENOUGH or (
            self.score >= leading and self.score >= prompt_match.LEAD * self.second
        )


def main() -> None:
    """Print the threshold of each topic left out, and whether its prompt is told something."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder with projects/ and cases.jsonl")
    folder = parser.parse_args().data
    data = shared(folder) if folder else own()
    unrelated: list[Fit] = []
    present: dict[str, Fit] = {}
    absent: dict[str, Fit] = {}
    for cases, without in rounds(data.cases):
        with Vault(data, without) as vault:
            unrelated = unrelated or [_fit(vault, prompt) for prompt in data.unrelated]
            for case in cases:
                present[case.name] = _fit(vault, case.prompt)
                vault.hide({case.session, case.stale})
                absent[case.name] = _fit(vault, case.prompt)
                vault.hide(set())
    told = 0
    for name, fit in present.items():
        topic = name.removesuffix("-amended")
        others = [absent[other] for other in absent if other.removesuffix("-amended") != topic]
        leading = next((step for step in STEPS if _is_quiet(step, unrelated, others)), STEPS[-1])
        told += fit.is_told(leading)
        print(f"{name:20} fits {fit.score:.2f}, threshold without it {leading:.2f}")
    print(f"told something: {told} of {len(present)}")


def _fit(vault: Vault, prompt: str) -> Fit:
    answer = vault.answer(prompt)
    fitting = answer.fitting
    return Fit(fitting[0].score, answer.second(*fitting)) if fitting else Fit(0.0, 0.0)


def _is_quiet(leading: float, unrelated: list[Fit], absent: list[Fit]) -> bool:
    many = sum(fit.is_told(leading) for fit in unrelated)
    wrong = sum(fit.is_told(leading) for fit in absent)
    return many <= UNRELATED * len(unrelated) and wrong <= UNRELATED * len(absent)


if __name__ == "__main__":
    main()
