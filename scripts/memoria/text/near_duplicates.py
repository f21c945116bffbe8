"""Sketch the words of texts, and find the pairs that are nearly the same by their sketches.

Bottom-k MinHash over runs of words: what of two sketches is shared estimates what of the texts is.
A run of words that thousands of articles share (a template) would pair each two of them, so within
such a crowd only neighbours are paired; copies are neighbours in all their runs.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# words of a run: two texts on one topic share single words and phrases, copies share sentences
_RUN = 4
# hashes of a sketch: the estimate is then within 0.05 of the truth, two times of three
_SIZE = 64
# texts of fewer runs are alike by chance
_LEAST = 24
# shared in 64: a pair that is 0.8 alike has about 57 in common, one with half of them only 43
_PROMISING = 32
_NEIGHBOURS = 3
ALIKE = 0.8


class Alike(NamedTuple):
    """Two texts by their numbers, the earlier first, and how much of them is the same (0 to 1)."""

    one: int
    other: int
    share: float


def sketch(words: Sequence[str]) -> tuple[int, ...]:
    """Make the sketch of a text; () for one that is too short to be like another."""
    runs = {" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}
    hashes = {zlib.crc32(run.encode("utf-8", "replace")) for run in runs}
    return tuple(sorted(hashes)[:_SIZE]) if len(hashes) >= _LEAST else ()


def alike(sketches: Sequence[Sequence[int]], least: float = ALIKE) -> list[Alike]:
    """Find the pairs that are nearly the same; of many copies not each with each."""
    owners = defaultdict(list)
    for number, hashes in enumerate(sketches):
        for each in hashes:
            owners[each].append(number)
    shared = Counter(
        pair
        for crowd in owners.values()
        for step in range(1, _NEIGHBOURS + 1)
        for pair in zip(crowd, crowd[step:], strict=False)
    )
    found = []
    for (one, other), count in shared.items():
        mine, theirs = set(sketches[one]), set(sketches[other])
        # a short text has a sketch of fewer hashes
        if count >= min(_PROMISING, len(mine) // 2, len(theirs) // 2):
            both = sorted(mine | theirs)[: max(len(mine), len(theirs))]
            share = len(mine.intersection(both) & theirs) / len(both)
            found += [Alike(one, other, share)] if share >= least else []
    return sorted(found)
