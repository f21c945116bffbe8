"""Choose the rules of a session, and those that are withheld from it.

The flush has done the learning; here one number is drawn for each candidate, which orders them, and
they are taken in that order while there is room: all of them where all fit. Where a person sets a
share to withhold, each chosen rule is withheld by a coin, and is then shown with probability
exactly 1 - epsilon, whatever the policy. The same state and session give the same slate. The
session-start hook loads this on every start and has 10 ms for 1,000 rules, so there are no
dataclasses, no numpy, and lists of plain numbers.
"""

from __future__ import annotations

from memoria.learning import randomness as chance

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    # an index into the arms, and the number drawn for it: a sampled effect or share
    Drawn = tuple[float, int]

VERSION = 2
# rules that a person has in force for one project; more are rare, and then the best are chosen
K = 40
# UTF-16 units: 4,000 of words, and 33 that a line has besides (its bullet, id and date) for 40
BUDGET = 4_000 + 33 * K
# a rule in force is told: withholding some to learn their worth is a person's decision
EPSILON = 0.0
# where each line has a cost, the slate is filled up all the same in one session in twenty: a policy
# that once came to believe that nothing helps would show nothing and never learn otherwise (it
# happened in 2 of 6 simulated histories without text)
PROBE = 0.05
_ANY = float("-inf")


class Slate:
    """The rules of one session.

    `shown` are in the order in which they are injected, pinned ones first; `withheld` were chosen
    and held back; for `left_out` there was no room. `effects` are the sampled effects (log-odds for
    `joint`, a share for `beta-thompson`), `propensities` the chance that a rule was shown, given
    that it was chosen: 1 where nothing is withheld, and for a pinned one.
    """

    __slots__ = (
        "effects",
        "label",
        "left_out",
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
        self.left_out: list[str] = []
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
            "left_out": self.left_out,
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
    known: Collection[str] = (),
) -> Slate:
    """Choose the rules of a session.

    `compact` is what `selection.compact` made; a `label` that it does not know is "". `k` and
    `budget` (UTF-16 units) bound the slate; pinned rules go in whatever they say. With `fit`, only
    rules named there can be chosen, and their number is added to the sampled effect: the prompt
    hook gives how well each rule fits the prompt. Rules in `known` reach the session otherwise and
    take no room.
    """
    labels = compact.get("labels") or {}
    label = label if label in labels else ""
    slate = Slate(str(compact.get("policy") or "none"), label, chance.seed(session))
    arms = compact.get("arms") or []
    left = int(k if k is not None else compact.get("k", K))
    for index in compact.get("pinned") or []:
        name, units = arms[index]
        if name in known:
            continue
        slate.pinned.append(name)
        slate.shown.append(name)
        slate.propensities[name] = 1.0
        left, budget = left - 1, budget - units
    candidates = [row for row in labels.get(label) or [] if arms[row[0]][0] not in known]
    if fit is not None:
        candidates = [row for row in candidates if arms[row[0]][0] in fit]
    drawn = _drawn(compact, slate.seed, arms, candidates, fit)
    epsilon = float(compact.get("epsilon", EPSILON))
    for effect, index in drawn:
        name, units = arms[index]
        if left <= 0 or units > budget:
            # a long rule gives way to the next that has room
            slate.left_out.append(name)
            continue
        left, budget = left - 1, budget - units
        _put(slate, name, effect, epsilon)
    slate.left_out += [name for name in compact.get("rest") or [] if name not in known]
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
    """Draw a number for each candidate and put them in its order, the best first.

    Amid a session (`fit`) a rule comes only where more good than harm is believed of it.
    """
    law = compact.get("law")
    if law == "order":
        return [(0.0, int(row[0])) for row in rows]
    bits, cost = chance.bits, compact.get("cost")
    if law == "beta":
        drawn = [
            (chance.beta(bits(seed, arms[int(at)][0]), wins, losses), int(at))
            for at, wins, losses in rows
        ]
    else:
        normal, extra = chance.normal, fit or {}
        least = 0.0 if fit is not None else _ANY
        if cost is not None and chance.uniform(bits(seed, "probe")) >= PROBE:
            least = float(cost)
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
