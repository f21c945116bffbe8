"""Estimate what requests will cost, before they are made.

List prices change, so they are data with a date; what a call did cost is what the client reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.llm.requests import Task


class Price(NamedTuple):
    """US dollars a million tokens, read and written."""

    read: float
    written: float


# list prices of the models by what their names hold, as they stood in
PRICES_OF = "2025-11"
PRICES = {"haiku": Price(1.0, 5.0), "sonnet": Price(3.0, 15.0), "opus": Price(5.0, 25.0)}
# tokens that the client adds to a request: its own words and the form's schema (measured: 530-570)
OVERHEAD = 550
# tokens of a usual answer: the mean of what readers wrote for real sessions
WRITTEN: dict[Task, int] = {"flush": 700, "compile": 1_500}
_TOKEN = 4  # characters, about


@dataclass(frozen=True, slots=True)
class Estimate:
    """Requests, the tokens they hold, their price, and how many an hour may be made."""

    requests: int
    tokens: int
    usd: float
    an_hour: int

    def __str__(self) -> str:
        """Say it in a sentence."""
        told = (
            f"{counted(self.requests, 'request')}, about {self.tokens:,} tokens to read, "
            f"${self.usd:.2f} at list prices of {PRICES_OF}"
        )
        if self.requests > self.an_hour:
            return (
                f"{told}; at most {self.an_hour} an hour (MEMORIA_CALLS_PER_HOUR), so it takes "
                f"{counted(-(-self.requests // self.an_hour), 'run')}"
            )
        return told


def estimate(task: Task, model: str, lengths: Iterable[int], an_hour: int) -> Estimate:
    """Estimate requests of a task; `lengths` are the characters of their prompts."""
    tokens = [length // _TOKEN + OVERHEAD for length in lengths]
    price = next((one for name, one in PRICES.items() if name in model), PRICES["opus"])
    written = len(tokens) * WRITTEN.get(task, WRITTEN["flush"])
    usd = (sum(tokens) * price.read + written * price.written) / 1e6
    return Estimate(len(tokens), sum(tokens), usd, an_hour)


def both(one: Estimate, other: Estimate) -> Estimate:
    """Add two estimates up."""
    requests, tokens = one.requests + other.requests, one.tokens + other.tokens
    return Estimate(requests, tokens, one.usd + other.usd, one.an_hour)
