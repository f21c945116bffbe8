"""A day's entries, with the articles as they are -> a Patch: topics that grow and topics that begin.

Two kinds of topic gather lines without any clustering: a work item by its branch (else by a title
that was given, not guessed), a concept by a term that comes back. Existing topics take what is
theirs first; a new one begins only with lines that nobody has, and only above a quality floor; slug
and key never change. The trap: compiling a day again must add nothing, so every step is repeated
until none changes anything, and all state is read off the articles.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memoria.stages.patch import Patch, RuleProposal
from memoria.stages.point import Source, points
from memoria.stages.shelf import Shelf, is_sound
from memoria.stages.spelling import branch_name, name_of
from memoria.stages.statement import WEAK
from memoria.stages.term import key as term_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.stages.entry import Entry, Extract
    from memoria.stages.point import Point
    from memoria.stages.request import Day
    from memoria.stages.shelf import Topic

# branches on which everything happens: a work item of one would be a grab bag
TRUNKS = frozenset(
    """main master trunk next develop dev development stable staging stage production prod release
    head default mainline""".split()  # noqa: SIM905 - a word list reads best as words
)
# by the same reason any branch of more than a quarter of the sessions, once there are a few
_TRUNK_SHARE, _FEW_SESSIONS = 0.25, 4
# a title that somebody gave; one that was guessed from the first prompt names no topic
_GIVEN = frozenset({"client", "plan", "pull-request", "commit"})


def compile_day(day: Day) -> Patch:
    """Compile the new entries of a day; `day.articles` must be all that Memoria keeps.

    The same day again, with the articles that came out of it, gives no article change.
    """
    sources = _sources(day)
    today = [sources[entry.id] for entry in _in_order(day.entries)]
    bench = Bench(Shelf(day.articles), list(sources.values()), today)
    bench.settle()
    return Patch(tuple(bench.changes()), tuple(_rules(today)))


def _rules(today: Iterable[Source]) -> Iterator[RuleProposal]:
    for source in today:
        for found in source.extract.statements if source.extract else ():
            if found.score >= WEAK:
                yield RuleProposal(found.text, found.category, found.quote, source.entry.id)
