"""Choose the rules of a session, and those that are withheld from it.

The flush has done the learning; here one number is drawn for each candidate, the best are taken,
and of those each is withheld by a coin. The coin is what makes a causal claim possible: a chosen
rule is shown with probability exactly 1 - epsilon, whatever the policy. The same state and session
give the same slate. The session-start hook loads this on every start and has 10 ms for 1,000 rules,
so there are no dataclasses, no numpy, and lists of plain numbers.
"""

from __future__ import annotations

from memoria.learning import randomness as chance

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    # an index into the arms, and the number drawn for it: a sampled effect or share
    Drawn = tuple[float, int]

VERSION = 1
# as many lines as a person would put up with before the first word of the session
K = 8
# UTF-16 units: what the injection leaves to rules
BUDGET = 4_500
# what a claim about a single rule costs: one chosen rule in ten stays out
EPSILON = 0.1
# in one session in twenty the slate is filled up whatever a line costs: a policy that once came to
# believe that nothing helps would show nothing and never learn otherwise (it happened in 2 of 6
# simulated histories without text)
PROBE = 0.05
_ANY = float("-inf")


class Slate:
    """The rules of one session.

    `shown` are in the order in which they are injected, pinned ones first; `withheld` were chosen
    and held back. `effects` are the sampled effects (log-odds for `joint`, a share for
    `beta-thompson`), `propensities` the chance that a rule was shown, given that it was chosen: 1
    for a pinned one.
    """

    __slots__ = (
        "effects",
        "label",
        "pinned",
        "policy",
        "propensities",
        "seed",
        "shown",
        "withheld",
    )

    def __init__(self, policy: str, label: str, seed: int) -> None:
        self.policy, self.label, self.seed = policy, label, seed
        self.shown: list[str] = []
        self.withheld: list[str] = []
        self.pinned: list[str] = []
        self.effects: dict[str, float] = {}
        self.propensities: dict[str, float] = {}

    def record(self) -> dict[str, Any]:
        """Give what the ledger keeps of it."""
        return {
            "policy": self.policy,
            "version": VERSION,
            "label": self.label,
            "seed": f"{self.seed:016x}",
            "shown": self.shown,
            "withheld": self.withheld,
            "pinned": self.pinned,
            "effects": {name: round(value, 4) for name, value in self.effects.items()},
            "propensities": self.propensities,
        }


def choose(  # noqa: PLR0913 - the knobs of a person's settings, each with its default
    compact: Mapping[str, Any],
    session: str,
    label: str = "",
    *,
    k: int | None = None,
    budget: int = BUDGET,
    fit: Mapping[str, float] | None = None,
) -> Slate:
    """Choose the rules of a session.

    `compact` is what `selection.compact` made; a `label` that it does not know is "". `k` and
    `budget` (UTF-16 units) bound the slate; pinned rules go in whatever they say. With `fit`, only
    rules named there can be chosen, and their number is added to the sampled effect: the prompt
    hook gives how well each rule fits the prompt.
    """
    labels = compact.get("labels") or {}
    label = label if label in labels else ""
    slate = Slate(str(compact.get("policy") or "none"), label, chance.seed(session))
    arms = compact.get("arms") or []
    left = int(k if k is not None else compact.get("k", K))
    for index in compact.get("pinned") or []:
        name, units = arms[index]
        slate.pinned.append(name)
        slate.shown.append(name)
        slate.propensities[name] = 1.0
        left, budget = left - 1, budget - units
    candidates = labels.get(label) or []
    if fit is not None:
        candidates = [row for row in candidates if arms[row[0]][0] in fit]
    drawn = _drawn(compact, slate.seed, arms, candidates, fit)
    epsilon = float(compact.get("epsilon", EPSILON))
    for effect, index in drawn:
        if left <= 0:
            break
        name, units = arms[index]
        if units > budget:
            continue  # a long rule gives way to the next that has room
        left, budget = left - 1, budget - units
        _put(slate, name, effect, epsilon)
    return slate


def _put(slate: Slate, name: str, effect: float, epsilon: float) -> None:
    slate.effects[name] = effect
    slate.propensities[name] = 1.0 - epsilon
    coin = chance.uniform(chance.bits(slate.seed, "withhold " + name))
    (slate.withheld if coin < epsilon else slate.shown).append(name)


def _drawn(
    compact: Mapping[str, Any],
    seed: int,
    arms: list[list[Any]],
    rows: list[list[float]],
    fit: Mapping[str, float] | None,
) -> list[Drawn]:
    """Draw a number for each candidate and give those worth their line, best first."""
    law = compact.get("law")
    if law == "order":
        return [(0.0, int(row[0])) for row in rows]
    bits, least = chance.bits, float(compact.get("cost", 0.0))
    if law == "beta":
        drawn = [
            (chance.beta(bits(seed, arms[int(at)][0]), wins, losses), int(at))
            for at, wins, losses in rows
        ]
    else:
        normal, extra = chance.normal, fit or {}
        if chance.uniform(bits(seed, "probe")) < float(compact.get("probe", PROBE)):
            least = _ANY
        drawn = []
        for at, mean, spread in rows:
            name = arms[int(at)][0]
            effect = mean + spread * normal(bits(seed, name)) + extra.get(name, 0.0)
            if effect > least:
                drawn.append((effect, int(at)))
    drawn.sort(key=_rank)
    return drawn


def _rank(drawn: Drawn) -> tuple[float, int]:
    return -drawn[0], drawn[1]
