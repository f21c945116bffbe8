"""Fit how likely a sentence of a conversation holds what was decided, and check it elsewhere.

Sentences that hold a literal of a case count as right. Each set is asked with a table of the
others; then the table of all is printed.

    python -m bench.delivery.fit_sentences [--data FOLDER ...]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from bench.delivery.vaults import Case, Data, holds, own, shared
from scipy.optimize import minimize

from memoria.agents.claude_code import transcript_store
from memoria.capture import conclusions, subjects
from memoria.capture.extract.observed import observe
from memoria.capture.extract.weights import FittedWeights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# of the squares of the weights: of 1, 3 and 10 it made no difference
_PENALTY = 3.0


class Talk(NamedTuple):
    """A case with the sentences of its chat."""

    case: Case
    said: tuple[conclusions.ConclusionCandidate, ...]


def main() -> None:
    """Print what is whole in each set with a table of the others, then the table of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="*", default=[])
    sets = {name or "web": own(name) for name in ("", "pipeline", "service", "market")}
    sets |= {str(folder): shared(folder) for folder in parser.parse_args().data}
    talks = {name: list(_talks(data)) for name, data in sets.items()}
    for name, asked in talks.items():
        table = _table([talk for other in talks if other != name for talk in talks[other]])
        whole = sum(_is_whole(talk, table) for talk in asked)
        print(f"without {name}: whole {whole} of {len(asked)}")
    table = _table([talk for some in talks.values() for talk in some])
    many = sum(len(talk.said) for some in talks.values() for talk in some)
    print(f"{many} sentences of {sum(map(len, talks.values()))} chats")
    print(f"intercept={round(table.intercept, 2)},")
    for key, weight in table.weights.items():
        print(f'"{key}": {weight:.2f},')


def _talks(data: Data) -> Iterator[Talk]:
    for case in data.cases:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{case.session}.jsonl"
            path.write_text(data.chats[case.session], "utf-8")
            parts = [observe(part) for part in transcript_store.read(path)]
        group = [exchange for part in parts for exchange in subjects.build_exchanges(part)]
        said = tuple(conclusions.build_candidates(tuple(subjects.build_messages(group))))
        yield Talk(case, said)


def _table(talks: Sequence[Talk]) -> FittedWeights:
    rows = [one for talk in talks for one in talk.said]
    right = np.array([_is_right(one.text, talk.case) for talk in talks for one in talk.said])
    names = list(rows[0].features)
    values = np.array([[1.0, *(row.features[name] for name in names)] for row in rows])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = values @ weights
        held = weights * (np.arange(len(weights)) > 0)
        miss = 1 / (1 + np.exp(-odds)) - right
        cost = np.logaddexp(0, odds).sum() - odds[right].sum() + _PENALTY / 2 * held @ held
        return float(cost), values.T @ miss + _PENALTY * held

    fitted = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x
    weights = dict(zip(names, map(float, fitted[1:]), strict=True))
    return FittedWeights("", "", "", (), float(fitted[0]), weights)


def _is_right(text: str, case: Case) -> bool:
    return any(holds(text, literal) for literal in case.literals)


def _is_whole(talk: Talk, table: FittedWeights) -> bool:
    text = " ".join(one.text for one in conclusions.choose_sentences(talk.said, table=table))
    return all(holds(text, literal) for literal in talk.case.literals)


if __name__ == "__main__":
    main()
