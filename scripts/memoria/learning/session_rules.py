"""Choose the rules of a session, and those that are withheld from it.

One number is drawn for each candidate, and they are taken in that order while there is room. Where
a person sets a share to withhold, each chosen rule is shown with probability exactly 1 - epsilon.
The session-start hook loads this and has 10 ms for 1,000 rules: no dataclasses, no numpy.
"""

from __future__ import annotations

from memoria.learning import randomness

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
PROBE_SHARE = 0.05


class Slate:
    """The rules of one session.

    `shown` are in the order in which they are injected, pinned ones first; `withheld` were chosen
    and held back; for `left_out` there was no room. `effects` are the sampled effects (log-odds for
    `joint`, a share for `beta-thompson`), `propensities` the chance that a rule was shown, given
    that it was chosen: 1 where nothing is withheld, and for a pinned one.
    """

    def __init__(self, policy: str, seed: int) -> None:
        self.policy, self.seed = policy, seed
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
            "label": "",  # of a task, which no start knows
            "seed": f"{self.seed:016x}",
            "shown": self.shown,
            "withheld": self.withheld,
            "left_out": self.left_out,
            "pinned": self.pinned,
            "effects": {name: round(value, 4) for name, value in self.effects.items()},
            "propensities": self.propensities,
        }


def choose(
    compact: Mapping[str, Any],
    session: str,
    *,
    k: int | None = None,
    budget: int = BUDGET,
    elsewhere: Collection[str] = (),
) -> Slate:
    """Choose the rules of a session.

    `compact` is what `policy.compact` made. `k` and `budget` (UTF-16 units) bound the slate; pinned
    rules go in whatever they say. Rules in `elsewhere` reach the session anyway and take no room.
    """
    slate = Slate(str(compact.get("policy") or "none"), randomness.seed(session))
    arms = compact.get("arms") or []
    room = int(k if k is not None else compact.get("k", K))
    for index in compact.get("pinned") or []:
        name, units = arms[index]
        if name not in elsewhere:
            slate.pinned.append(name)
            slate.shown.append(name)
            slate.propensities[name] = 1.0
            room, budget = room - 1, budget - units
    rows = (compact.get("labels") or {}).get("") or []
    candidates = [row for row in rows if arms[row[0]][0] not in elsewhere]
    epsilon = float(compact.get("epsilon", EPSILON))
    for effect, index in _draw_candidates(compact, slate.seed, arms, candidates):
        name, units = arms[index]
        if room <= 0 or units > budget:
            # a long rule gives way to the next that has room
            slate.left_out.append(name)
            continue
        room, budget = room - 1, budget - units
        slate.effects[name] = effect
        slate.propensities[name] = 1.0 - epsilon
        coin = randomness.uniform(randomness.bits(slate.seed, "withhold " + name))
        (slate.withheld if coin < epsilon else slate.shown).append(name)
    slate.left_out += [name for name in compact.get("rest") or [] if name not in elsewhere]
    return slate


def _draw_candidates(
    compact: Mapping[str, Any], seed: int, arms: list[list[Any]], rows: list[list[float]]
) -> list[Drawn]:
    """Draw a number for each candidate and put them in its order, the best first."""
    law, cost, bits = compact.get("law"), compact.get("cost"), randomness.bits
    if law == "order":
        return [(0.0, int(row[0])) for row in rows]
    if law == "beta":
        pairs = [
            (randomness.beta(bits(seed, arms[int(at)][0]), wins, losses), int(at))
            for at, wins, losses in rows
        ]
    else:
        normal = randomness.normal
        pairs = [
            (mean + spread * normal(bits(seed, arms[int(at)][0])), int(at))
            for at, mean, spread in rows
        ]
        if cost is not None and randomness.uniform(bits(seed, "probe")) >= PROBE_SHARE:
            pairs = [pair for pair in pairs if pair[0] > cost]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    return pairs
