"""Choose the few candidates of a session that its entry shows, and say what kind each is.

The candidates are taken the best first and each only if no taken one says the same. Three limits
make it print little: a floor, a budget by the length of the session, and the title, which need not
be said twice. What a session only planned is not decided, so its line says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CUES, is_problem
from memoria.capture.extract.sentences import containment

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memoria.capture.extract.candidates import Candidate
    from memoria.vault.entry import FactKind, Origin

# Of held-out sentences that are eligible (bench/extract/curve.py) 6 in 10 are worth keeping from
# here on and 8 in 10 true and harmless; lower, noise grows faster than what is found.
FLOOR = 0.17
# A session of 4 eligible candidates gets three lines, one of 25 five: what there is to tell grows
# slower than what is said; held out, from .8 on fewer than 6 lines in 10 are worth keeping.
_LEAST, _GROWTH, _MOST = 2, 1.0, 10
SAME = 0.6  # of the smaller line's content words: from here on two lines say the same


@dataclass(frozen=True, slots=True)
class Line:
    """A line for an entry: its kind, words, who said them, what they are worth, and when.

    One that `leans` means nothing without the question that it answers.
    """

    kind: FactKind
    text: str
    origin: Origin
    worth: float
    turn: int
    step: int = 0
    leans: bool = False

    @property
    def at(self) -> tuple[int, int]:
        """The place in the order of time."""
        return self.turn, self.step


def budget(count: int) -> int:
    """Say how many lines an entry has at most, by the number of candidates."""
    return min(_MOST, round(_LEAST + _GROWTH * sqrt(count)))


def select(  # noqa: PLR0913 - the limits of an entry, by name
    gathered: Sequence[Candidate],
    worths: Sequence[float],
    *,
    among: Collection[int],
    floor: float = FLOOR,
    most: int | None = None,
    said: Collection[frozenset[str]] = (),
    title: frozenset[str] = frozenset(),
) -> tuple[int, ...]:
    """Choose candidates by their worth, the best first; give their numbers.

    Only candidates `among` these numbers are taken. `said` are the content words of lines that
    stand in the entry already, `title` those of its title: a line may tell more of what that names.
    """
    room = budget(len(among)) if most is None else most
    taken: list[int] = []
    words = list(said)
    for number in sorted(among, key=lambda number: (-worths[number], number)):
        if worths[number] < floor or len(taken) >= room:
            break
        own = gathered[number].stems
        repeats = any(containment(own, other) > SAME for other in words)
        if own and not repeats and len(own & title) <= SAME * len(own):
            taken.append(number)
            words.append(own)
    return tuple(taken)


# what was done as somebody wanted it; that something was looked at decides nothing
_CHANGED = re.compile(
    r"(?:now|uses?|(?!verif|check|confirm|test|fail|found|need|look)\w+ed|made|set|kept|wrote"
    r"|split)\b",
    re.IGNORECASE,
)
_SAYS = {"user": "User: ", "subject": "Committed: "}  # before the words, by who has them


def line(
    one: Candidate,
    worth: float,
    *,
    busy: frozenset[int],
    asked: frozenset[int],
    is_early: bool = False,
) -> Line:
    """Make a line of a candidate; `busy` turns changed something, `asked` ones only answered."""
    kind: FactKind = "lesson" if is_early else kind_of(one, asked)
    text = _SAYS.get(one.source, "") + one.text
    if one.source == "plan" and not busy and kind == "decision":
        text = f"Planned: {text}"
    if kind == "lesson" and is_problem(one) and any(turn >= one.turn for turn in busy):
        text = f"Reason for the change: {text}"  # what was so may have ended by it
    elif is_early:
        text = f"Found (edits followed): {text}"
    origin: Origin = "user" if one.source == "user" else "assistant"
    return Line(kind, text, origin, worth, one.turn, one.step, one.leans)


def kind_of(one: Candidate, asked: frozenset[int]) -> FactKind:
    """Say what kind of line a candidate makes."""
    if one.source in _SAYS:
        return "decision"
    # an answer comes first; what follows it tells more
    if one.source == "closing" and one.turn in asked and one.place == 0:
        return "answer"
    tells_why = any(CUES[cue].search(one.text) for cue in ("cause", "denies", "past", "state"))
    chosen = CUES["choice"].search(one.text) and not tells_why
    begins = any(cue.match(one.text) for cue in (_CHANGED, CUES["orders"]))
    return "decision" if chosen or begins else "lesson"
