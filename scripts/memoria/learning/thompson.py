"""Count wins and losses of each rule in each context: the seed's Beta-Bernoulli policy.

Every rule that was shown gets the session's outcome as its own, which is what credit assignment has
to beat; it is kept because it is the seed's, and as a yardstick. A person's reward is one more win
or loss. At a session's start the task is not known yet, so a project's counts over all tasks are
kept beside those of each task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.learning.play import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.capture.extract.session_context import Context
    from memoria.learning.play import Play

    # a context's label -> rule -> wins and losses
    Counts = dict[str, dict[str, tuple[float, float]]]

# the seed's: a reward of 1 is a win, 0 and -1 are none
_WON = 1


def count(plays: Iterable[Play], names: Mapping[str, str] | None = None) -> Counts:
    """Count wins and losses; `names` gives the id that a merged rule goes by now."""
    counts: Counts = {}
    for play in canonical(plays):
        add(counts, play, names or {})
    return counts


def add(counts: Counts, play: Play, names: Mapping[str, str]) -> None:
    """Add one play to the counts."""
    for label in labels(play.context):
        row = counts.setdefault(label, {})
        for name, won in _outcomes(play):
            wins, losses = row.get(names.get(name, name), (0.0, 0.0))
            row[names.get(name, name)] = (wins + won, losses + 1.0 - won)


def labels(context: Context) -> tuple[str, ...]:
    """Give the labels that a play counts for: its task, and its project as a whole."""
    whole = f"{context.project}|"
    return (whole,) if context.label == whole else (context.label, whole)


def _outcomes(play: Play) -> Iterator[tuple[str, float]]:
    if play.outcome is not None:
        yield from ((name, play.outcome) for name in play.shown)
    for name, reward in play.rewards.items():
        yield name, float(reward == _WON)
