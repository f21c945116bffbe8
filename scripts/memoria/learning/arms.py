"""Describe a rule as an arm: what the learner knows of it before it was ever shown.

Paraphrases are one family, which the merging of rules gives. A few thousand sessions cannot teach
an effect for each pair of rule and label. So contexts gather around leaders by tags and words
together: a wrong label is outvoted by the words, missing words by the label. A family promises two
numbers where it was never tried: the fit, how much of what it speaks of is there, and the share,
how much more it fits there than elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memoria.capture.extract.session_context import SessionContext
from memoria.learning.sparse import Sparse, build_vectors, join

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Arm:
    """A rule that can be chosen.

    `words` are its weights by word (`word_overlap.compute_shares`, or any vector whose product
    with a context's words says how well it fits, in [-1, 1]). `family` names the paraphrases it
    belongs to, "" where nobody said. `digest` is the hash of its text now, `units` its line's
    length in UTF-16 units.
    """

    id: str
    words: Mapping[str, float] = field(default_factory=dict)
    family: str = ""
    digest: str = ""
    units: int = 0
    pinned: bool = False


def _measure_lengths(rows: Floats) -> Floats:
    """Give the length of each row."""
    return np.asarray(np.sqrt((rows * rows).sum(axis=1)))


# what words tell about where a session is, beside a project's 1 and a task's .3: two sessions of a
# project are near whatever they speak of, and a guessed task is outvoted by the words
_WORDS_WEIGHT = 0.7
# nearer than this to a leader is the same neighbourhood (the simulator's contexts lie at .84 within
# a label, .54 within a context under a wrong label, .30 across contexts under one label)
MIN_COSINE = 0.45
# more neighbourhoods than this learn nothing each
MAX_NEIGHBOURHOODS = 32
# what a lead of a cosine is worth beside the logarithm of a neighbourhood's size
_COSINE_WEIGHT = 16.0
# no length is shorter, unless it is 0
_MIN_LENGTH = 1e-12
# how sharply the best place wins a family, and the fit that a place must beat to win at all: below
# it, a family belongs nowhere (measured: 5 and 12 are no better than 8)
_SHARPNESS, _MIN_FIT = 8.0, 0.4
# products of words are rounded, so that two machines go on with the same numbers
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Neighbourhoods:
    """What gathered around each leader.

    `columns` are the words that any arm has; `sums` adds up the contexts as points of words and
    tags, `counts` their number, and `words` is the centre of each in the arms' columns.
    """

    columns: Mapping[str, int]
    tags: Mapping[str, int]
    sums: Floats
    counts: Floats
    words: Floats

    @property
    def size(self) -> int:
        """Count them."""
        return len(self.counts)


def gather(contexts: Sequence[SessionContext], columns: Mapping[str, int]) -> Neighbourhoods:
    """Gather contexts, in the order given, around the first that is like none before it."""
    tags = {tag: at for at, tag in enumerate(sorted({t for c in contexts for t in c.tags}))}
    points, lengths = _build_points(contexts, columns, tags)
    sums = np.zeros((min(MAX_NEIGHBOURHOODS, len(contexts)), len(columns) + len(tags)))
    norms, counts, reach = (np.zeros(len(sums)) for _ in range(3))
    size = 0
    for (places, values), length in zip(points.split(), lengths, strict=True):
        cosines = (sums[:size, places] * values).sum(axis=1) / np.maximum(norms[:size], _MIN_LENGTH)
        best = int(cosines.argmax()) if size else 0
        if not size or (cosines[best] < MIN_COSINE and size < len(sums)):
            best, size = size, size + 1
        sums[best, places] += values
        norms[best] = np.sqrt((sums[best] * sums[best]).sum())
        counts[best] += 1.0
        reach[best] += length
    centres = _scale_dense_rows(sums[:size, : len(columns)], reach[:size] / counts[:size])
    return Neighbourhoods(columns, tags, sums[:size], counts[:size], centres)


def find_homes(gathered: Neighbourhoods, contexts: Sequence[SessionContext]) -> tuple[Ints, Floats]:
    """Say to which neighbourhood contexts belong, and how near (a cosine) each is to a centre."""
    if not gathered.size:
        return np.zeros(len(contexts), np.intp), np.zeros(len(contexts))
    points, _ = _build_points(contexts, gathered.columns, gathered.tags)
    cosines = points.compare(_scale_dense_rows(gathered.sums, np.ones(gathered.size)))
    # a crowded neighbourhood is the likelier home of a context that lies between two; of two that
    # are the same to rounding it is the older
    pulls = np.round(_COSINE_WEIGHT * cosines + 0.5 * np.log(gathered.counts), _DIGITS)
    return np.argmax(pulls, axis=1), cosines.max(axis=1)


def _build_points(
    contexts: Sequence[SessionContext], columns: Mapping[str, int], tags: Mapping[str, int]
) -> tuple[Sparse, Floats]:
    """Lay contexts out as points of length 1, words first; also the length of their words."""
    words = build_vectors((context.words for context in contexts), columns)
    tags_of_points = build_vectors((context.tags for context in contexts), tags)
    weighed = words.scale_rows(np.full(words.count, np.sqrt(_WORDS_WEIGHT)))
    points = join(weighed, tags_of_points, len(columns))
    return points.scale_rows(np.ones(points.count)), words.measure_lengths()


def _scale_dense_rows(rows: Floats, lengths: Floats) -> Floats:
    """Give dense rows the lengths given; a row of zeros stays one."""
    return np.asarray(rows * (lengths / np.maximum(_measure_lengths(rows), _MIN_LENGTH))[:, None])


def measure_overlap(families: Sparse, places: Floats) -> Floats:
    """Give for each family (row) and place (column) how much of the family is there."""
    return np.asarray(np.round(families.compare(places), _DIGITS))


def promise_fit(overlaps: Floats) -> Floats:
    """Give what an overlap promises: half an overlap is worth a quarter, none and less nothing."""
    return np.asarray(np.maximum(overlaps, 0.0) ** 2)


def promise_share(overlaps: Floats, all_places: Floats, *, new: bool = False) -> Floats:
    """Give how far each place wins a family over all known places, and over belonging nowhere.

    `overlaps` are of the places asked for, `all_places` of all known ones; `new` places are none of
    them and are rivals to them.
    """
    scores = np.exp(_SHARPNESS * overlaps)
    total = np.exp(_SHARPNESS * all_places).sum(axis=1, keepdims=True)
    rivals = total + np.exp(_SHARPNESS * _MIN_FIT)
    return np.asarray(scores / (rivals + scores if new else rivals))
