"""Find what a session leaves, without a model.

A model has already written the summary: the last text of a turn, the commit's body, the plan's
reasons are prose about decisions and causes. So nothing is generated here, only weighed and
selected; where the transcript holds no such prose, the entry is short. The same transcript gives
the same bytes: no clock, no chance, no order of a set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.extract.candidates import candidates, questions
from memoria.capture.extract.entry_draft import answered, draft
from memoria.capture.extract.features import features
from memoria.capture.extract.lines.discussion import decided
from memoria.capture.extract.lines.eligibility import eligible, is_early, shown
from memoria.capture.extract.selection import SAME, Line, line, select
from memoria.capture.extract.sentences import containment, stems
from memoria.capture.extract.titles.entry_title import title
from memoria.capture.extract.user.statements import statements
from memoria.capture.extract.user.user_choices import user_choices
from memoria.capture.extract.weights import worth
from memoria.capture.subjects import subjects
from memoria.text.terms import terms
from memoria.vault.entry import Extract, Fact

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from memoria.capture.extract.candidates import Candidate
    from memoria.capture.extract.observed import Observed

# Facts are what a compile reads besides the entry: lines that were outbid, not those below this,
# of which six in ten are noise.
_FACT_FLOOR = 0.06
_NAMING = 4  # best lines that may name a session: what comes after them is a detail
MOST_FACTS = 70  # of one session: the longest of those measured had 60 above the floor
# the scale of a fact's score, on which the compiler counts lines from 3 on as solid: those worth
# .27 and more, of which held-out judges kept 67, 53 and 58 of 100 on three teams
_SCORE, _RANGE = 2.0, 3.7


def extract(seen: Observed) -> Extract:
    """Find the entry and the facts of one part of a session."""
    discussed = decided(seen)
    weighed = _weighed(seen, discussed.answered)
    chosen = _chosen(seen, discussed.lines)
    said = statements(seen.transcript)
    name, titled_by = title(seen, _naming(weighed))
    # an answer may repeat the ask, a subject need not repeat the title
    titled = stems(name) if titled_by != "ask" else frozenset()
    known = [stems(one.text) for one in chosen]
    among = shown(weighed.gathered, weighed.among)
    numbers = select(*weighed[:2], among=among, said=known, title=titled)
    facts = _fact_numbers(weighed, chosen, known)
    return Extract(
        draft=draft(name, seen, [*chosen, *_lines(*_joined(numbers, weighed), seen)], said=said),
        facts=_facts([*chosen, *_lines(facts, weighed, seen)]),
        statements=said,
        branch=seen.branch,
        files=seen.files,
        checks=tuple(
            (check.name, check.last == "passed") for check in seen.checks if check.last != "unknown"
        ),
        scopes=tuple(dict.fromkeys(commit.scope for commit in seen.kept if commit.scope)),
        titled_by=titled_by,
        subjects=subjects(seen),
    )


class _Weighed(NamedTuple):
    """Candidates with their worths; the numbers of those that may stand in an entry.

    `early` are those that were told before the edits to what they name.
    """

    gathered: Sequence[Candidate]
    worths: Sequence[float]
    among: tuple[int, ...]
    early: frozenset[int]


def _weighed(seen: Observed, answered: Container[int]) -> _Weighed:
    """Weigh the candidates; what the user `answered` stands with the answer, or was refused."""
    gathered = candidates(seen)
    described = features(gathered, seen)
    worths = [worth(each) for each in described]
    among = tuple(
        number
        for number in eligible(gathered, described)
        if gathered[number].source != "closing" or gathered[number].turn not in answered
    )
    early = frozenset(number for number in among if is_early(gathered[number], described[number]))
    return _Weighed(gathered, worths, among, early)


def _naming(weighed: _Weighed) -> list[str]:
    """Give the best lines; what was told between calls tells of one step, so only alone."""
    best = sorted(weighed.among, key=weighed.worths.__getitem__, reverse=True)
    lines = [weighed.gathered[number] for number in best]
    lines = [one for one in lines if one.source != "narration"] or lines
    return [one.text for one in lines[:_NAMING]]


def _chosen(seen: Observed, discussed: Iterable[Line]) -> list[Line]:
    """Give the lines that need no weighing: what was decided by words, each said once."""
    lines = list(discussed)
    words = [stems(one.text) for one in lines]
    lines += [
        one
        for one in user_choices(seen)
        if not any(containment(stems(one.text), other) > SAME for other in words)
    ]
    return lines


def _fact_numbers(
    weighed: _Weighed, chosen: Sequence[Line], known: Sequence[frozenset[str]]
) -> tuple[int, ...]:
    gathered = weighed.gathered
    committed = [number for number, one in enumerate(gathered) if one.source == "subject"]
    most = MOST_FACTS - len(chosen) - len(committed)
    facts = select(*weighed[:2], among=weighed.among, floor=_FACT_FLOOR, most=most, said=known)
    # a commit is a fact whatever it weighs: where its line is from can be told
    return tuple(dict.fromkeys((*facts, *committed)))


def _lines(numbers: Iterable[int], weighed: _Weighed, seen: Observed) -> list[Line]:
    asked = questions(seen)
    lines = (
        line(
            weighed.gathered[number],
            weighed.worths[number],
            busy=seen.busy,
            asked=asked,
            is_early=number in weighed.early,
        )
        for number in numbers
    )
    return answered(lines, seen)


def _joined(numbers: Sequence[int], weighed: _Weighed) -> tuple[Sequence[int], _Weighed]:
    """Put before each sentence the one that explains it, which then is no line of its own."""
    gathered = list(weighed.gathered)
    explaining = {(gathered[number].at, gathered[number].before) for number in numbers}
    kept = [each for each in numbers if (gathered[each].at, gathered[each].text) not in explaining]
    for number in kept:
        gathered[number] = replace(gathered[number], text=gathered[number].whole)
    return kept, weighed._replace(gathered=gathered)


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
