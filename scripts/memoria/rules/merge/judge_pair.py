"""Judge whether two rules are one: one says all that the other says, and little more.

A difference that no score outweighs is a veto. polarity: one wants what the other forbids. order:
one wants it before, the other after. number, name: they differ in one. role: they exchange two
parts. The same pair gets the same judgement in a batch, one by one, and in either order; a veto
does not ask how alike the rules are, or a better embedding would argue it away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memoria.rules.merge import grammar
from memoria.rules.merge.words import lexicon

if TYPE_CHECKING:
    from memoria.rules.merge.reading import Reading

Veto = Literal["", "polarity", "order", "number", "name", "role"]

# what two rules must share of all they say to be one; of 0.6 to 0.85 on judged pairs the least that
# joined hardly a pair of different rules
ALIKE = 0.75
# below this share of words the nearness of meanings is not asked for
MEANT = 0.5


def likeness(own: Reading, other: Reading, nearness: float = 0.0) -> float:
    """Compare what two rules say, 0 to 1; `nearness` is that of their meanings by a model.

    Twice what they share in proportion to all that they say, by concepts; nothing where each says
    what the other does not. To weigh concepts by how rare they are changed no judgement.
    """
    lesser, larger = sorted((len(own.concepts), len(other.concepts)))
    if not lesser or len(own.concepts & other.concepts) < lesser:
        return 0.0
    similarity = 2 * lesser / (lesser + larger)
    if MEANT <= similarity < ALIKE:
        return max(similarity, (similarity + nearness) / 2)
    return similarity


def veto(own: Reading, other: Reading) -> Veto:
    """Say what keeps two rules apart; the answer is the same in either order."""
    if own.numbers != other.numbers:
        return "number"
    if own.names != other.names or (own.code - other.code and other.code - own.code):
        return "name"
    if _opposed(own, other) or _limited(own, other) or _denied(own, other):
        return "polarity"
    (early, late), (first, second) = own.times, other.times
    reordered = (early - late) & (second - first) and (late - early) & (first - second)
    # they may differ in one link that says the opposite: "before it", "after it"
    if reordered or set(own.links ^ other.links) in grammar.OPPOSED:
        return "order"
    return "role" if _exchanged(own, other) else ""


def _opposed(own: Reading, other: Reading) -> bool:
    """Whether one wants what the other does not; "avoid big" and "keep small" agree."""
    shared = own.concepts & other.concepts
    if any(own.ends.get(concept) != other.ends.get(concept) for concept in shared):
        return True
    signs = ((concept, (concept, f"{concept}?")) for concept in shared)
    turned = {concept for concept, names in signs if any(_differ(own, other, n) for n in names)}
    return bool(turned) and not turned & lexicon().complements


def _differ(own: Reading, other: Reading, concept: str) -> bool:
    mine, theirs = own.signs.get(concept, 0), other.signs.get(concept, 0)
    return bool(mine and theirs) and not mine & theirs


def _limited(own: Reading, other: Reading) -> bool:
    """Whether one means all of what the other means some only, or the first, or a single one."""
    parts = [(each.concepts | each.links) & grammar.PART for each in (own, other)]
    is_total = [bool(each.links & grammar.EVERY) for each in (own, other)]
    return is_total[0] != is_total[1] and bool(parts[is_total[0]] - parts[is_total[1]])


def _denied(own: Reading, other: Reading) -> bool:
    """Whether one is the other with a negation more, word for word."""
    counts = [sum(word.kind == "not" for word in each.words) for each in (own, other)]
    return (counts[0] - counts[1]) % 2 == 1 and _beside_negations(own) == _beside_negations(other)


def _beside_negations(own: Reading) -> list[str]:
    words = (
        word for word in own.words if word.kind != "not" and word.concept not in grammar.AROUND_NOT
    )
    return sorted(word.stem for word in words)


def _exchanged(own: Reading, other: Reading) -> bool:
    """Whether either rule puts somewhere what the other puts elsewhere."""
    for place in own.places.keys() & other.places.keys():
        mine, theirs = own.places[place], other.places[place]
        if (mine - theirs) & other.things and (theirs - mine) & own.things:
            return True
    return _is_shuffled([word.stem for word in own.words], [word.stem for word in other.words])


def _is_shuffled(words: list[str], other: list[str]) -> bool:
    """Whether rules of the very same words differ by more than the place of one run of them.

    "In tests, mock the clock" is "mock the clock in tests"; an exchange of two words around a third
    says something else.
    """
    if words == other or sorted(words) != sorted(other):
        return False
    start = next(at for at, pair in enumerate(zip(words, other, strict=True)) if len(set(pair)) > 1)
    end = len(words)
    while words[end - 1] == other[end - 1]:
        end -= 1
    mine, theirs = words[start:end], other[start:end]
    # a run that was moved to the front began where the other rule now begins
    starts = (at for at, word in enumerate(mine) if word == theirs[0])
    return all(mine[at:] + mine[:at] != theirs for at in starts)
