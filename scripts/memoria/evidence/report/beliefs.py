"""What the joint model holds of rules -> Beliefs, and their picture.

An effect in log-odds means nothing to most people, so it is told as a factor of the odds that a
session goes without a repeated mistake. The trap: of many rules the highest estimate is high by
luck, too; so the picture takes the rules that were tried most, whatever is believed of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.evidence.charts.axis import TIMES, factors
from memoria.evidence.charts.charts import Row, forest
from memoria.evidence.charts.figures import PHONE, WHOLE, Figure, Key
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.evidence.charts.drawings import Shape

# of a normal distribution: 95% of it lies within so many deviations
_WIDE = 1.96
# log-odds: a mean or deviation this large is no estimate
_VAGUE = 10.0
_PICTURED = 12
_NOTE = (
    "The rules injected most. An estimate of the joint model, which shares credit among rules that "
    "were active together: a belief, no proof. What withholding by chance shows is in the table."
)


@dataclass(frozen=True, slots=True)
class Belief:
    """What the joint model holds of a rule's effect, in log-odds of a session without repeats."""

    mean: float
    sd: float

    @property
    def low(self) -> float:
        """The lower limit of the middle 95%, in log-odds."""
        return self.mean - _WIDE * self.sd

    @property
    def high(self) -> float:
        """The upper limit of the middle 95%, in log-odds."""
        return self.mean + _WIDE * self.sd

    @property
    def times(self) -> str:
        """By what the odds of a session without a repeated mistake are multiplied."""
        return f"{TIMES}{exp(self.mean):.2f}"

    @property
    def limits(self) -> str:
        """The limits of that factor."""
        return f"{exp(self.low):.2f} to {exp(self.high):.2f}"


class Held(NamedTuple):
    """A rule's words with what is believed of it and in how many sessions it was tried."""

    text: str
    belief: Belief
    shown: int
    withheld: int


def belief(found: Mapping[str, Any]) -> Belief | None:
    """Read a belief: "mean" and "sd", in log-odds; None for what is none."""
    mean, sd = found.get("mean"), found.get("sd")
    if not isinstance(mean, int | float) or not isinstance(sd, int | float):
        return None
    sound = abs(mean) < _VAGUE and 0 < sd < _VAGUE  # NaN is neither
    return Belief(float(mean), float(sd)) if sound else None


def picture(held: Iterable[Held]) -> Iterator[Figure]:
    """Draw the beliefs on the rules injected most, which come first; nothing for none."""
    chosen = [one for one in held if one.shown][:_PICTURED]
    if chosen:
        chosen.sort(key=lambda one: -one.belief.mean)
        yield _figure(chosen)


def _figure(chosen: Sequence[Held]) -> Figure:
    rows = [_row(one.text, one.belief) for one in chosen]
    x = factors(
        [end for row in rows for end in (row.low, row.high)],
        "odds of a session without a repeated mistake, times",
    )
    above, below = (sum(row.role == role for row in rows) for role in ("treated", "control"))
    says = (
        f"Estimated factors with 95% intervals of the {counted(len(rows), 'rule')} injected most: "
        f"{above} wholly above 1 (helps), {below} wholly below 1 (harms)."
    )
    table = tuple(
        (
            one.text,
            one.belief.times,
            one.belief.limits,
            counted(one.shown, "session"),
            counted(one.withheld, "session"),
        )
        for one in chosen
    )
    keys = (
        Key("treated", "wholly above 1", "circle"),
        Key("all", "could be either", "triangle"),
        Key("control", "wholly below 1", "square"),
    )
    return Figure(
        "beliefs",
        "What the model believes of each rule",
        says,
        forest(rows, x, WHOLE),
        forest(rows, x, PHONE),
        ("rule", "factor", "95% interval", "injected in", "withheld from"),
        table,
        keys,
        _NOTE,
    )


def _row(text: str, found: Belief) -> Row:
    tip = f"{text}: {found.times} ({found.limits})"
    return Row(text, found.mean, found.low, found.high, *_marked(found), tip)


def _marked(found: Belief) -> tuple[str, Shape]:
    if found.low > 0:
        return "treated", "circle"
    return ("control", "square") if found.high < 0 else ("all", "triangle")
