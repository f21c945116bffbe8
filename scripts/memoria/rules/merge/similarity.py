"""Two Views -> how alike they are, from 0 to 1, and how much each says that the other does not.

Twice what they share, by weight, in proportion to all that they say. What *both* leave over matters
more than how much is left: of "use type hints" and "use docstrings" each names a thing of its own,
so they are two rules however much else they share; a rule and the same rule with a detail more are
one. The trap: an average of scores forgives such a difference in a long rule.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memoria.rules.merge.sense import View

# what two rules must share of all they say; of 0.6 to 0.85 on judged pairs the least that joined
# hardly a pair of different rules
ALIKE = 0.75
# what both may leave over: the lightest words, less than one noun
_SPARE = 0.2
# the same where the words are less alike and only the meaning is near
_SPARE_BY_MEANING = 0.1
# what a rule must at least share with one that says more: two common words, or a rare one; if that
# says hardly more, or its meaning is near, one telling word
_SHARED, _SHARED_WORD = 0.8, 0.5
# from this score on a rule says hardly more
_HARDLY_MORE = 0.85
# below this share of words the nearness of meanings is not asked for: it is as near for rules that
# differ in one word
MEANT = 0.5
# sums of weights are compared with this tolerance
DUST = 1e-9


class Likeness(NamedTuple):
    """How alike two rules are.

    `score` is 0 to 1, `shared` the weight of what both say, `spare` that of the lesser of what each
    leaves over; `one` and `other` are the views that were compared.
    """

    score: float
    shared: float
    spare: float
    one: View
    other: View

    @property
    def alike(self) -> bool:
        """Whether the two are one rule, if nothing forbids it."""
        if self.score < ALIKE - DUST or self.spare > _SPARE + DUST:
            return False
        shared = _SHARED_WORD if self.score >= _HARDLY_MORE else _SHARED
        return self.shared >= shared - DUST or self.score >= 1 - DUST

    def fused(self, nearness: float) -> float:
        """Average in how near the meanings are (0 to 1); 0 where that does not count."""
        meant = self.score >= MEANT and self.shared >= _SHARED_WORD - DUST
        return (self.score + nearness) / 2 if meant and self.spare <= _SPARE_BY_MEANING else 0.0

    @property
    def told_apart(self) -> bool:
        """Whether they share enough words to be judged by them, and each names its own thing."""
        return self.score >= _TOLD_APART and self.spare > _SPARE


# from this share on a difference in words is a difference: who restates a rule freely shares less
_TOLD_APART = 0.45


def likeness(one: View, other: View) -> Likeness:
    """Compare what two rules say; symmetric."""
    mine, theirs = one.weights, other.weights
    # fsum does not depend on the order of the words, which sets do not keep
    shared = fsum(max(mine[concept], theirs[concept]) for concept in mine.keys() & theirs.keys())
    first = fsum(mine[concept] for concept in mine.keys() - theirs.keys())
    second = fsum(theirs[concept] for concept in theirs.keys() - mine.keys())
    score = 2 * shared / (2 * shared + (first + second)) if shared else 0.0
    return Likeness(score, shared, min(first, second), one, other)
