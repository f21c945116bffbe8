"""Estimate what requests will cost at list prices, which are data with a date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.llm.port import Task


class Price(NamedTuple):
    """US dollars a million tokens, read and written."""

    read: float
    written: float

    def of(self, read: float, written: float) -> float:
        """Give the price of so many tokens in US dollars."""
        return (read * self.read + written * self.written) / 1e6


# what the client (2.1.330) counted for the models that its aliases mean, by what their names hold,
# as it stood in
PRICES_OF = "2026-11"
PRICES = {"haiku": Price(0.1, 0.5), "sonnet": Price(2.0, 10.0), "opus": Price(4.0, 20.0)}
# tokens that the client adds to a request: the form, and some 450 of its own words and signs
OVERHEAD = 950
# tokens of a usual answer: the mean of what readers wrote for real sessions and days
WRITTEN: dict[Task, int] = {"flush": 600, "compile": 800}
_TOKEN = 4  # characters, about


@dataclass(frozen=True, slots=True)
class Estimate:
    """Requests, the tokens they hold, their price, and how many an hour may be made."""

    requests: int
    tokens: int
    usd: float
    an_hour: int

    def __add__(self, other: Estimate) -> Estimate:
        """Add two estimates up."""
        sums = self.requests + other.requests, self.tokens + other.tokens, self.usd + other.usd
        return Estimate(*sums, self.an_hour)

    def __str__(self) -> str:
        """Say it in a sentence."""
        runs = ""
        if self.requests > self.an_hour:
            runs = f"; at most {self.an_hour} an hour (MEMORIA_CALLS_PER_HOUR), so it takes "
            runs += counted(-(-self.requests // self.an_hour), "run")
        return (
            f"{counted(self.requests, 'request')}, about {self.tokens:,} tokens to read, "
            f"${self.usd:.2f} at list prices of {PRICES_OF}{runs}"
        )


def estimate(task: Task, model: str, lengths: Iterable[int], an_hour: int) -> Estimate:
    """Estimate requests of a task; `lengths` are the characters of their prompts."""
    tokens = [length // _TOKEN + OVERHEAD for length in lengths]
    price = next((one for name, one in PRICES.items() if name in model), PRICES["opus"])
    usd = price.of(sum(tokens), WRITTEN.get(task, 600) * len(tokens))
    return Estimate(len(tokens), sum(tokens), usd, an_hour)
