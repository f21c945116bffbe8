"""Fit how likely a passage is what a prompt is about, each time without one repository.

What is asked: each case of a repository with its subject in the vault and without it, in its words
and without many that its chat has, as somebody else would report it; prompts that no chat of it is
about, the prompts of the other repositories, and those of real sessions against the earlier ones
of their own project, most of which should be told nothing.

    python -m bench.delivery.fit [--data FOLDER ...] [--sessions FOLDER ...]
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from bench.delivery.judge import Session, sessions
from bench.delivery.vaults import Data, Vault, own, rounds, shared
from scipy.optimize import minimize

from memoria.search import prompt_match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# what a row of each kind weighs: cases are few, prompts of other repositories many and no test of
# what is near; of real prompts some are told something useful, so that as right ones none is known
_WEIGHT = {
    "present": 3.0,
    "reworded": 0.75,
    "absent": 1.0,
    "absent, reworded": 0.25,
    "unrelated": 1.0,
    "foreign": 0.25,
    "real": 0.5,
}
# the shares of the words of its chat that a prompt loses when it is worded otherwise
_LOST, _SEED = (0.35, 0.35, 0.5, 0.5), 5
# letters by which two forms of a word are known as one
_STEM = 6
# the odds from which on something is told, as logarithms, that are tried
_ENOUGH = tuple(number / 10 for number in range(-20, 11))
# the share of prompts that may be told what is about something else: .05 are allowed,
# since prompts about the same repository that no chat of it is about are nearer than most of these
_UNRELATED = 0.035
# of the squares of the weights of standardised features: 1 and 10 made no difference
_PENALTY = 3.0


class Asked(NamedTuple):
    """A prompt of a kind, asked of a set's vault: the passages compared, and which are right."""

    set: str
    kind: str
    features: list[tuple[float, ...]]
    right: list[bool]


def main() -> None:
    """Print what is told of each repository by the others' weights, then the weights of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="more of this form")
    parser.add_argument("--sessions", type=Path, nargs="*", default=[], help="with projects/")
    options = parser.parse_args()
    sets = {name or "web": own(name) for name in ("", "pipeline", "service", "market")}
    sets |= {folder.name: shared(folder) for folder in options.data}
    asked = [row for name in sets for row in _of_set(name, sets)]
    asked += [row for folder in options.sessions for row in _of_sessions(folder)]
    total: Counter[str] = Counter()
    for left_out in dict.fromkeys(row.set for row in asked):
        others = [row for row in asked if row.set != left_out]
        weights = _fitted(others)
        enough = _enough(others, weights)
        counts = _counts([row for row in asked if row.set == left_out], weights, enough)
        total += counts
        print(f"without {left_out}: {_said(counts)}")
    print(f"all, each by the others' weights: {_said(total)}")
    weights = _fitted(asked)
    print(
        "INTERCEPT, MASS, LEAD, NAMED, LENGTH, DECIDED, OPENING, CAME_TO =",
        ", ".join(f"{weight:.2f}" for weight in weights),
    )
    print("ENOUGH =", _enough(asked, weights))


def _of_set(name: str, sets: Mapping[str, Data]) -> Iterator[Asked]:
    data = sets[name]
    foreign = [
        prompt
        for other in sets
        if other != name
        for prompt in (*(case.prompt for case in sets[other].cases), *sets[other].unrelated)
    ]
    for number, (cases, without) in enumerate(rounds(data.cases)):
        with Vault(data, without) as vault:
            if not number:
                yield from (_asked(name, "unrelated", vault, text) for text in data.unrelated)
                yield from (_asked(name, "foreign", vault, text) for text in foreign)
            for case in cases:
                own_sessions = {case.session, case.stale}
                reworded = list(_reworded(case.prompt, data.chats[case.session]))
                for hidden, kind in ((set(), "present"), (own_sessions, "absent")):
                    vault.hide(hidden)
                    other = "reworded" if kind == "present" else "absent, reworded"
                    yield _asked(name, kind, vault, case.prompt, own_sessions)
                    yield from (_asked(name, other, vault, text, own_sessions) for text in reworded)
                vault.hide(set())


def _reworded(prompt: str, chat: str) -> Iterator[str]:
    """Give a prompt without a share of the words that it has in common with a chat."""
    draw = random.Random(f"{_SEED} {prompt}")
    known = {word[:_STEM] for word in _words(chat)}
    for share in _LOST:
        kept = (
            run
            for run in prompt.split()
            if not any(word[:_STEM] in known for word in _words(run)) or draw.random() >= share
        )
        yield " ".join(kept)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{4,}|\d+", text.lower())


def _of_sessions(folder: Path) -> Iterator[Asked]:
    """Ask the prompts of real sessions, each of a vault in which later sessions are hidden."""
    every = sessions(folder)
    with Vault(_data(every), set()) as vault:
        for at, session in enumerate(every):
            vault.hide({later.path.stem for later in every[at:]})
            for turn in (turn for part in session.parts for turn in part.turns):
                if prompt_match.is_typed(turn.prompt):
                    yield _asked(folder.name, "real", vault, turn.prompt)


def _data(every: Sequence[Session]) -> Data:
    """Make them sessions of one folder."""
    cwd = "/home/dev/project"
    chats = {}
    for session in every:
        text = session.path.read_text("utf-8")
        rows = (json.loads(line) for line in text.splitlines())
        held = next((row["cwd"] for row in rows if row.get("cwd")), cwd)
        chats[session.path.stem] = text.replace(held, cwd)
    return Data(chats, [], [], cwd)


def _asked(
    name: str, kind: str, vault: Vault, prompt: str, sought: set[str] | frozenset[str] = frozenset()
) -> Asked:
    fitting = vault.answer(prompt).fitting
    right = [vault.session(match.document) in sought for match in fitting]
    return Asked(name, kind, [match.features() for match in fitting], right)


def _fitted(asked: Sequence[Asked]) -> np.ndarray:
    """Fit by logistic regression; all features are standardised for the penalty."""
    values = np.array([features for row in asked for features in row.features])
    right = np.array([is_right for row in asked for is_right in row.right], float)
    weights = np.array([_WEIGHT[row.kind] for row in asked for _ in row.features])
    middle, width = values.mean(0), values.std(0)
    scaled = np.c_[np.ones(len(values)), (values - middle) / width]

    def loss(fit: np.ndarray) -> tuple[float, np.ndarray]:
        odds = scaled @ fit
        held = fit * (np.arange(len(fit)) > 0)
        cost = weights @ (np.logaddexp(0, odds) - right * odds) + _PENALTY / 2 * held @ held
        miss = weights * (1 / (1 + np.exp(-odds)) - right)
        return float(cost), scaled.T @ miss + _PENALTY * held

    fit = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    slopes = fit[1:] / width
    return np.array([fit[0] - slopes @ middle, *slopes])


def _enough(asked: Sequence[Asked], weights: np.ndarray) -> float:
    """Give the least odds at which few prompts are told something that no chat is about."""

    def share(enough: float) -> float:
        counts = _counts(asked, weights, enough)
        kinds = ("unrelated", "foreign")
        return sum(counts[kind] for kind in kinds) / sum(counts[f"of {kind}"] for kind in kinds)

    return min(enough for enough in _ENOUGH if share(enough) <= _UNRELATED)


def _counts(asked: Sequence[Asked], weights: np.ndarray, enough: float) -> Counter[str]:
    """Count the prompts of each kind, and what was told of them."""
    counts: Counter[str] = Counter()
    for row in asked:
        counts[f"of {row.kind}"] += 1
        odds = [float(np.r_[1.0, features] @ weights) for features in row.features]
        best = max(range(len(odds)), key=odds.__getitem__, default=-1)
        if best >= 0 and odds[best] >= enough:
            is_case = row.kind in {"present", "reworded"}
            wrong = " wrong" if is_case and not row.right[best] else ""
            counts[f"{row.kind}{wrong}"] += 1
    return counts


def _said(counts: Mapping[str, int]) -> str:
    kinds = [kind for kind in _WEIGHT if counts.get(f"of {kind}")]
    said = [f"{kind} {counts.get(kind, 0)} of {counts[f'of {kind}']}" for kind in kinds]
    return ", ".join([*said, f"wrong {counts.get('present wrong', 0)}"])


if __name__ == "__main__":
    main()
