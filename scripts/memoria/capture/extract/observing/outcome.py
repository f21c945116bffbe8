"""How a call or a check ended; apart from the other values because a hook loads it alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["passed", "failed", "unknown"]
By = Literal["status", "closing line", "error text", "nothing"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How something ended, and what tells it."""

    state: State = "unknown"
    by: By = "nothing"
