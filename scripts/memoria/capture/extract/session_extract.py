"""Find what a session leaves, without a model.

A model has already written the summary: the last text of a turn, the commit's body, the plan's
reasons are prose about decisions and causes. So nothing is generated here, only weighed and
selected; where the transcript holds no such prose, the entry is short. The same transcript gives
the same bytes: no clock, no chance, no order of a set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.extract.candidates import candidates, questions
from memoria.capture.extract.entry_draft import answered, draft
from memoria.capture.extract.entry_title import title
from memoria.capture.extract.features import features
from memoria.capture.extract.selection import Line, line, select
from memoria.capture.extract.sentences import stems
from memoria.capture.extract.user.statements import statements
from memoria.capture.extract.user.user_choices import user_choices
from memoria.capture.extract.weights import worth
from memoria.capture.subjects import subjects
from memoria.text.terms import terms
from memoria.vault.entry import Extract, Fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.capture.extract.candidates import Candidate
    from memoria.capture.extract.observed import Observed

# Facts are what a compile reads besides the entry: lines that were outbid, not those below this,
# of which six in ten are noise.
_FACT_FLOOR = 0.12
MOST_FACTS = 70  # of one session: the longest of those measured had 60 above the floor
# the scale of a fact's score, on which the compiler counts lines from 3 on as solid
_SCORE, _RANGE = 2.0, 3.0


def extract(seen: Observed) -> Extract:
    """Find the entry and the facts of one part of a session."""
    gathered = candidates(seen)
    worths = [worth(each) for each in features(gathered, seen)]
    chosen = user_choices(seen)
    said = statements(seen.transcript)
    known = [stems(one.text) for one in chosen]
    best = max(range(len(gathered)), key=worths.__getitem__, default=None)
    name, titled_by = title(seen, gathered[best].text if best is not None else "")
    # an answer may repeat the ask, a subject need not repeat the title
    titled = stems(name) if titled_by != "ask" else frozenset()
    shown = select(gathered, worths, said=known, title=titled)
    committed = [number for number, one in enumerate(gathered) if one.source == "subject"]
    most = MOST_FACTS - len(chosen) - len(committed)
    facts = select(gathered, worths, floor=_FACT_FLOOR, most=most, said=known)
    # a commit is a fact whatever it weighs: where its line is from can be told
    facts = tuple(dict.fromkeys((*facts, *committed)))
    return Extract(
        draft=draft(name, seen, [*chosen, *_lines(shown, gathered, worths, seen)], said=said),
        facts=_facts([*chosen, *_lines(facts, gathered, worths, seen)]),
        statements=said,
        branch=seen.branch,
        files=seen.files,
        checks=tuple(
            (check.name, check.last == "passed") for check in seen.checks if check.last != "unknown"
        ),
        scopes=tuple(dict.fromkeys(commit.scope for commit in seen.kept if commit.scope)),
        titled_by=titled_by,
        subjects=subjects(seen.transcript),
    )


def _lines(
    numbers: Iterable[int], gathered: Sequence[Candidate], worths: Sequence[float], seen: Observed
) -> list[Line]:
    asked = questions(seen)
    lines = (
        line(gathered[number], worths[number], busy=seen.busy, asked=asked) for number in numbers
    )
    return answered(lines, seen)


def _facts(lines: Iterable[Line]) -> tuple[Fact, ...]:
    """Give lines as facts, the best first."""
    found = {
        one.text: Fact(
            one.kind,
            one.text,
            one.origin,
            round(_SCORE + _RANGE * one.worth, 2),
            one.turn,
            terms(one.text),
        )
        for one in lines
    }
    return tuple(sorted(found.values(), key=lambda fact: -fact.score))
