"""Sketch the words of texts, and find the pairs that are nearly the same by their sketches.

Bottom-k MinHash over runs of words: what of two sketches is shared estimates what of the texts is.
A run of words that thousands of articles share (a template) would pair each two of them, so within
such a crowd only neighbours are paired; copies are neighbours in all their runs.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
_WEIGHTS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))  # splitmix64's
_SHIFT = np.uint64(32)


class Alike(NamedTuple):
    """Two texts by their numbers, the earlier first, and how much of them is the same (0 to 1)."""

    one: int
    other: int
    share: float


def sketch(words: Sequence[str]) -> tuple[int, ...]:
    """Make the sketch of a text; () for one that is too short to be like another."""
    if len(words) < _RUN + _LEAST:
        return ()
    each = np.fromiter(map(_number, words), np.uint64, len(words))
    runs = len(words) - _RUN + 1
    mixed = np.zeros(runs, np.uint64)
    for place in range(_RUN):  # order counts
        mixed = (mixed + each[place : place + runs]) * _WEIGHTS[0]
        mixed ^= mixed >> _SHIFT
    hashes = np.unique((mixed * _WEIGHTS[1]) >> _SHIFT)
    return tuple(hashes[:_SIZE].tolist()) if len(hashes) >= _LEAST else ()


@lru_cache(maxsize=1 << 16)  # a vault's words come again and again
def _number(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "replace"))


def alike(sketches: Sequence[Sequence[int]], least: float = ALIKE) -> list[Alike]:
    """Find the pairs that are nearly the same; of many copies not each with each."""
    sizes = [len(one) for one in sketches]
    hashes = np.fromiter((h for one in sketches for h in one), np.int64, sum(sizes))
    owners = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((owners, hashes))
    hashes, owners = hashes[order], owners[order]
    found = []
    for one, other in _candidates(hashes, owners, len(sizes)):
        mine, theirs = set(sketches[one]), set(sketches[other])
        both = sorted(mine | theirs)[: max(len(mine), len(theirs))]
        share = len(mine.intersection(both) & theirs) / len(both)
        if share >= least:
            found.append(Alike(one, other, share))
    return sorted(found)


def _candidates(
    hashes: NDArray[np.int64], owners: NDArray[np.int64], count: int
) -> list[tuple[int, int]]:
    """Pair the neighbours that share enough hashes."""
    codes = []
    for step in range(1, _NEIGHBOURS + 1):
        same = hashes[:-step] == hashes[step:]
        codes.append(owners[:-step][same] * count + owners[step:][same])
    pairs, shared = np.unique(np.concatenate(codes), return_counts=True)
    # a short text has a sketch of fewer hashes
    sizes = np.bincount(owners, minlength=count) if count else np.zeros(0, np.int64)
    least = np.minimum(sizes[pairs // count], sizes[pairs % count]) // 2 if count else 0
    good = pairs[shared >= np.minimum(_PROMISING, least)]
    return [(int(code) // count, int(code) % count) for code in good]
