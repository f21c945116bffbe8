"""Fit how well a prompt must fit before it is told something, each time without one repository.

Of all values those win by which the most prompts are told of their subject, less those that are
told another one, with theirs in the vault or not; at most one unrelated prompt in twenty of each
repository may be told anything. Then the repository that was left out is asked.

    python -m bench.delivery.fit [--data FOLDER ...]
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.delivery.vaults import Case, Data, Vault, own, rounds, shared

from memoria.search.index import reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# what is tried, as prompt_match has them: NAMED, LEADING, LEAD, ENOUGH
NAMED = (0.0, 0.3, 0.5, 0.7)
TRIED = (
    (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1),
    (1.2, 1.4, 1.6, 1.8, 2.0, 2.5),
    (1.2, 1.3, 1.4, 1.5, 1.7),
)
UNRELATED = 1 / 20


class Fit(NamedTuple):
    """How well a prompt fits its best subject, and the second; `kind` is what it is asked for."""

    set: str
    kind: str
    named: float
    score: float
    second: float
    is_right: bool

    def told(self, leading: float, lead: float, enough: float) -> str:
        """Say what came of it at these values; "" where it is told nothing."""
        if self.score < enough and (self.score < leading or self.score < lead * self.second):
            return ""
        return "right" if self.is_right else f"{self.kind} wrong"


def main() -> None:
    """Print the values that win without each repository, and what they do there; then of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="more of this form")
    sets = {name or "web": own(name) for name in ("", "pipeline", "service", "market")}
    sets |= {folder.name: shared(folder) for folder in parser.parse_args().data}
    fits = [fit for name, data in sets.items() for fit in _fits(name, data)]
    for left_out in [*sets, ""]:
        values = _best([fit for fit in fits if fit.set != left_out])
        asked = [fit for fit in fits if fit.set == left_out or not left_out]
        counts = _counts(asked, *values)
        of = Counter(fit.kind for fit in asked if fit.named == values[0])
        print(f"without {left_out or 'none'}: {values} -> {dict(counts)} of {dict(of)}")


def _best(fits: Sequence[Fit]) -> tuple[float, ...]:
    unrelated = Counter(fit.set for fit in fits if fit.kind == "unrelated")

    def worth(values: tuple[float, ...]) -> tuple[float, ...]:
        counts = _counts(fits, *values)
        heard = Counter(
            fit.set
            for fit in fits
            if fit.kind == "unrelated" and fit.named == values[0] and fit.told(*values[1:])
        )
        is_quiet = all(n <= UNRELATED * unrelated[key] / len(NAMED) for key, n in heard.items())
        wrong = counts["present wrong"] + counts["absent wrong"]
        # of equal ones those that tell least
        return is_quiet, counts["right"] - wrong, values[1], values[2], -values[0]

    return max(itertools.product(NAMED, *TRIED), key=worth)


def _counts(fits: Sequence[Fit], named: float, *values: float) -> Counter[str]:
    told = (fit.told(*values) for fit in fits if fit.named == named)
    return Counter(filter(None, told))


def _fits(name: str, data: Data) -> Iterator[Fit]:
    for number, (cases, without) in enumerate(rounds(data.cases)):
        with Vault(data, without) as vault:
            if not number:
                for prompt in data.unrelated:
                    yield from _asked(name, "unrelated", vault, prompt)
            for case in cases:
                yield from _asked(name, "present", vault, case.prompt, case)
                vault.hide({case.session, case.stale})
                yield from _asked(name, "absent", vault, case.prompt)
                vault.hide(set())


def _asked(
    name: str, kind: str, vault: Vault, prompt: str, case: Case | None = None
) -> Iterator[Fit]:
    """Ask with each worth of a name."""
    for named in NAMED:
        vars(reader)["NAMED"] = named
        answer = vault.answer(prompt)
        fitting = answer.fitting
        if not fitting:
            yield Fit(name, kind, named, 0.0, 0.0, False)
            continue
        session = vault.session(fitting[0].document)
        is_right = case is not None and session in {case.session, case.stale}
        yield Fit(name, kind, named, fitting[0].score, answer.second(*fitting), is_right)


if __name__ == "__main__":
    main()
