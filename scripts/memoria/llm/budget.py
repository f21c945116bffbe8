"""Make the engine of a name, behind the governor on calls per hour; estimate what calls cost.

The governor is the fourth guard against recursion: every attempt counts, also one that fails, and
the count lies on disk, because a recursion is many processes. List prices are data with a date.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from memoria.errors import ModelError, OverBudget
from memoria.llm.port import Model, OfflineModel, Reply, Request, Task
from memoria.text.numbers import format_count
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from memoria.vault.storage.state import State

_HOUR_SECONDS = 3600.0
_CALLS = "calls.json"


class BudgetedModel(Model):
    """A model with a budget of calls per hour, kept in the state folder."""

    def __init__(
        self,
        model: Model,
        state: State,
        calls_per_hour: int,
        keep: Callable[[Task, Reply], None] = lambda _, __: None,
    ) -> None:
        """Put a model behind the governor; `keep` is given what was paid for in vain."""
        self.name = model.name
        self.reads: Literal["prompt", "material"] = model.reads
        self._model = model
        self._state = state
        self._most = calls_per_hour
        self._keep = keep

    def ask(self, request: Request) -> Reply:
        """Ask the model, or raise OverBudget."""
        with self._state.lock("calls"):
            now = time.time()
            recent = recent_calls(self._state, now)
            if len(recent) >= self._most:
                raise OverBudget(
                    f"{self._most} model calls in the last hour, the limit of "
                    "MEMORIA_CALLS_PER_HOUR; it is free again within the hour"
                )
            disk.replace(self._state.root / _CALLS, json.dumps([*recent, now]).encode())
        try:
            return self._model.ask(request)
        except ModelError as error:
            if isinstance(error.reply, Reply):
                self.paid_in_vain(request.task, error.reply)
            raise

    def paid_in_vain(self, task: Task, reply: Reply) -> None:
        """Keep the cost of an answer that could not be used."""
        self._keep(task, reply)


def create_engine(  # noqa: PLR0913 - one thing the real model needs each
    name: str,
    *,
    state: State,
    models: Mapping[str, str],
    calls_per_hour: int,
    environment: Mapping[str, str],
    home: Path,
    keep: Callable[[Task, Reply], None] = lambda _, __: None,
) -> Model:
    """Make the engine of that name; "auto" is Claude where a login is found, else Offline."""
    name = resolve_engine_name(name, environment, home)
    if name == "offline":
        return OfflineModel()
    from memoria.llm.claude import Claude  # noqa: PLC0415 - loads what only a real call needs

    model = Claude(cwd=state.worker, env=environment, home=home, models=models)
    return BudgetedModel(model, state, calls_per_hour, keep)


def resolve_engine_name(name: str, environment: Mapping[str, str], home: Path) -> str:
    """Give the engine that a setting means: "auto" is Claude where a login is found."""
    if name != "auto":
        return name
    from memoria.llm.login import describe_login  # noqa: PLC0415 - only "auto" looks for one

    return "claude" if describe_login(environment, home) else "offline"


def recent_calls(state: State, now: float) -> list[float]:
    """Give the times of the last hour's calls, in seconds since 1970; a broken file has none."""
    try:
        times: Any = json.loads(disk.read(state.root / _CALLS) or b"[]")
    except (ValueError, RecursionError):
        return []
    entries = times if isinstance(times, list) else []
    return [at for at in entries if isinstance(at, int | float) and now - _HOUR_SECONDS < at <= now]


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
OVERHEAD_TOKENS = 950
# tokens of a usual answer: the mean of what readers wrote for real sessions and days
ANSWER_TOKENS: dict[Task, int] = {"flush": 600, "compile": 800}
_CHARS_OF_TOKEN = 4  # characters, about


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
            runs += format_count(-(-self.requests // self.an_hour), "run")
        return (
            f"{format_count(self.requests, 'request')}, about {self.tokens:,} tokens to read, "
            f"${self.usd:.2f} at list prices of {PRICES_OF}{runs}"
        )


def estimate(task: Task, model: str, lengths: Iterable[int], an_hour: int) -> Estimate:
    """Estimate requests of a task; `lengths` are the characters of their prompts."""
    tokens = [length // _CHARS_OF_TOKEN + OVERHEAD_TOKENS for length in lengths]
    price = next((candidate for name, candidate in PRICES.items() if name in model), PRICES["opus"])
    usd = price.of(sum(tokens), ANSWER_TOKENS.get(task, 600) * len(tokens))
    return Estimate(len(tokens), sum(tokens), usd, an_hour)
