"""Find which earlier line of a topic a later one replaces.

Two lines that speak of the same thing disagree where one says what the other no longer does: with
words of change, or with another value in the same sentence. The trap: two causes of one bug share
most of their words, too, so without a sign of change nothing is replaced.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.sentences import containment, stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.compile.points import Point

# what a later line says of an earlier one that no longer holds
_CHANGE = re.compile(
    r"\b(?:no longer|instead of|rather than|now|replac(?:es|ed|ing)|switched|moved (?:to|from)"
    r"|migrated|dropped|reverted|superseded|from now on|changed (?:to|from)|not any ?more)\b",
    re.IGNORECASE,
)
# ... or of the fix that it was
UNDOES = re.compile(r"\bfix (?:was|is) (?:too|wrong)\b|\bwas wrong\b", re.IGNORECASE)
_VALUE = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.])|`[^`]+`")
_ALIKE = 0.6  # of the content words of the shorter line, without its values
_SAME_SENTENCE = 0.8  # from here on another value alone is a sign of change
NAMED_AGAIN = 0.5  # of what a line says was wrong
_FEW = 4  # content words: of fewer nothing can be told


def replaced(held: Sequence[Point], new: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Give pairs of a line and the later line of another session that replaces it.

    `held` are the lines of a topic in the order of time, `new` those of them that were added.
    """
    added = {point.mark for point in new}
    now = [point for point in held if point.kind != "context"]
    for place, old in enumerate(now):
        for later in now[place + 1 :]:
            fresh = later.mark in added and later.session != old.session
            if fresh and replaces(later.text, old.text):
                yield old, later
                break


def replaces(later: str, old: str) -> bool:
    """Whether a line says that what an earlier one told is so no longer."""
    one, other = stems(_VALUE.sub(" ", later)), stems(_VALUE.sub(" ", old))
    if min(len(one), len(other)) < _FEW:
        return False
    share = containment(one, other)
    if UNDOES.search(later) and share >= NAMED_AGAIN:
        return True
    if _CHANGE.search(later) and not _CHANGE.search(old) and share >= _ALIKE:
        return True
    return share >= _SAME_SENTENCE and _differ(later, old)


def _differ(later: str, old: str) -> bool:
    """Whether both name a value where the other names another one."""
    new, known = set(_VALUE.findall(later)), set(_VALUE.findall(old))
    return bool(new - known) and bool(known - new)
