"""Two rules -> whether they are one: how alike, by what, and what forbids it.

Words are asked first. Rules whose words are alike are judged by them alone; others that both put a
well-known practice are judged by the practice, and where vectors are at hand by their meaning. The
trap: the same pair must get the same judgement in a batch, one by one, and in either order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.rules.merge.phrases import spelled
from memoria.rules.merge.sense import plain, sense
from memoria.rules.merge.similarity import ALIKE, DUST, likeness
from memoria.rules.merge.vetoes import veto

if TYPE_CHECKING:
    from memoria.rules.merge.similarity import Likeness
    from memoria.rules.merge.vetoes import Veto

# "text" is the same but for case, spacing and marks at the ends of words
By = Literal["text", "words", "practice", "meaning"]


class Nearness(NamedTuple):
    """How near the meanings of two rules are, 0 to 1: of their texts, and to one practice."""

    texts: float = 0.0
    practice: float = 0.0


class Judgement(NamedTuple):
    """What two rules are to each other.

    `similarity` is 0 to 1, measured `by` their words, a practice or their meaning. `alike` says
    that it is enough for one rule, and `veto` what forbids that, "" for nothing.
    """

    similarity: float
    by: By
    alike: bool
    veto: Veto

    @property
    def same(self) -> bool:
        """Whether the two are one rule."""
        return self.alike and not self.veto


FAR = Nearness()
_COPY = Judgement(1.0, "text", alike=True, veto="")


def judge(one: str, other: str, nearness: Nearness = FAR) -> Judgement:
    """Judge two rules; symmetric, and blind to what else is known."""
    if plain(one) == plain(other):
        return _COPY
    first, second = sense(one), sense(other)
    words = likeness(first.words, second.words)
    if words.score >= ALIKE - DUST:
        return _judged(one, other, words, "words", words.score, alike=words.alike)
    if first.practised and second.practised:
        practice = likeness(first.practised, second.practised)
        if practice.alike:
            return _judged(one, other, practice, "practice", practice.score)
    return _by_meaning(one, other, words, nearness)


def _by_meaning(one: str, other: str, words: Likeness, nearness: Nearness) -> Judgement:
    fused = words.fused(nearness.texts)
    if fused >= ALIKE - DUST:
        return _judged(one, other, words, "meaning", fused)
    if nearness.practice >= 1 and not words.told_apart and not _worded(one, other):
        found = veto(one, other)
        # of rules that share few words, a word of one is no rival of a word of the other
        return Judgement(ALIKE, "meaning", True, "" if found == "role" else found)
    return _judged(one, other, words, "words", words.score, alike=False)


def _worded(one: str, other: str) -> bool:
    """Whether rules are put in the same words but for some of each: "wildcard" for "relative"."""
    mine, theirs = spelled(one), spelled(other)
    return 2 * len(mine & theirs) >= _WORDED * (len(mine) + len(theirs)) and mine != theirs


# half of the words of two rules that restate a practice are never the same on judged pairs
_WORDED = 0.5


def _judged(  # noqa: PLR0913 - the parts of one sentence
    one: str, other: str, found: Likeness, by: By, similarity: float, *, alike: bool = True
) -> Judgement:
    return Judgement(similarity, by, alike, veto(one, other, (found.one, found.other)))
