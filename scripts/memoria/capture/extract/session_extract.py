"""Find what a session leaves, without a model.

A model has already written the summary: the last text of a turn, the commit's body, the plan's
reasons are prose about decisions and causes. So nothing is generated here, only weighed and
selected; of a conversation the sentences that hold what it decided are taken (conclusions.py). The
same transcript gives the same bytes: no clock, no chance, no order of a set.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.extract.candidates import (
    NEEDS_BEFORE,
    SHORTEST,
    Candidate,
    find_question_turns,
    gather_candidates,
    join_sentences,
    tidy,
)
from memoria.capture.extract.entry_draft import attach_questions, build_draft
from memoria.capture.extract.entry_title import choose_title
from memoria.capture.extract.features import CUES, Place, describe_candidates
from memoria.capture.extract.selection import (
    EDITED,
    SAME,
    EntryLine,
    build_line,
    choose_candidates,
    find_eligible,
    is_early,
    is_passing,
    is_settled,
)
from memoria.capture.extract.user.statements import find_statements
from memoria.capture.extract.user.user_choices import find_user_choices
from memoria.capture.extract.weights import estimate_worth
from memoria.capture.subjects import find_subjects
from memoria.text.terms import find_terms
from memoria.text.word_overlap import containment, stems
from memoria.vault.entry import Extract, Fact, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.capture.extract.observed import ObservedSession

# Facts are what a compile reads besides the entry: lines that were outbid, not those below this,
# of which six in ten are noise.
_FACT_FLOOR = 0.06
# what was told between calls needs more: readers kept 11 of 28 such lines, of others 82 of 129;
# without it an entry that has no other line gets so many of them
_NARRATED, _ONLY = 0.3, 2
NAMING = 12  # best lines that may name a session
MOST_FACTS = 70  # of one session: the longest of those measured had 60 above the floor
_DISCUSSED = 0.9  # what a line is worth that the user said, or heard without objecting
# lines of what a talk came to that its entry shows: one subject has room for five, and of a talk
# about ten things a reader wants the best
_MOST_DISCUSSED = 7
# the scale of a fact's score, on which the compiler counts lines from 3 on as solid: those worth
# .27 and more, of which held-out judges kept 67, 53 and 58 of 100 on three teams
_SCORE, _RANGE = 2.0, 3.7


def extract(seen: ObservedSession) -> Extract:
    """Find the entry and the facts of one part of a session."""
    came_to = find_subjects(seen)
    weighed = _weigh_candidates(seen)
    chosen = _find_certain_lines(seen, came_to)
    user_statements = find_statements(seen.transcript)
    name, titled_by = choose_title(seen, _choose_naming_lines(weighed))
    # an answer may repeat the ask, a subject need not repeat the title
    titled = stems(name) if titled_by != "ask" else frozenset()
    chosen_stems = [stems(entry_line.text) for entry_line in chosen]
    among = [
        at
        for at in weighed.among
        if weighed.gathered[at].source != "narration" or weighed.worths[at] >= _NARRATED
    ]
    numbers = choose_candidates(*weighed[:2], among, texts=chosen_stems, title=titled)
    if not (numbers or chosen):
        numbers = choose_candidates(*weighed[:3], most=_ONLY, title=titled)
    facts = _choose_fact_numbers(weighed, chosen, chosen_stems)
    checks = ((check.name, check.last) for check in seen.checks)
    return Extract(
        draft=build_draft(
            name,
            seen,
            [
                *_choose_talk_lines(chosen, weighed),
                *_build_lines(*_join_neighbours(numbers, weighed), seen),
            ],
            statements=user_statements,
        ),
        facts=_build_facts([*chosen, *_build_lines(facts, weighed, seen)]),
        statements=user_statements,
        branch=seen.branch,
        files=seen.files,
        checks=tuple((name, last == "passed") for name, last in checks if last != "unknown"),
        scopes=tuple(dict.fromkeys(commit.scope for commit in seen.kept if commit.scope)),
        titled_by=titled_by,
        subjects=came_to,
        results=_build_results(weighed, chosen, seen),
    )


class _WeighedCandidates(NamedTuple):
    """Candidates with their worths; the numbers of those that may stand in an entry.

    `early` ones are told as found before the edits.
    """

    gathered: Sequence[Candidate]
    worths: Sequence[float]
    among: tuple[int, ...]
    early: frozenset[int]
    settled: frozenset[int]


def _weigh_candidates(seen: ObservedSession) -> _WeighedCandidates:
    gathered = gather_candidates(seen)
    described = describe_candidates(gathered, seen)
    among = find_eligible(gathered, described)
    early = frozenset(number for number in among if is_early(gathered[number], described[number]))
    pairs = enumerate(zip(gathered, described, strict=True))
    settled = frozenset(
        at for at, (pick, each) in pairs if is_settled(pick, each, seen, is_eligible=at in among)
    )
    worths = [estimate_worth(each) for each in described]
    return _WeighedCandidates(gathered, worths, among, early, settled)


def _choose_naming_lines(weighed: _WeighedCandidates) -> list[str]:
    """Give the best lines; what was told between calls tells of one step, so only alone."""
    best = sorted(weighed.among, key=weighed.worths.__getitem__, reverse=True)
    lines = [weighed.gathered[number] for number in best]
    lines = [candidate for candidate in lines if candidate.source != "narration"] or lines
    return [candidate.text for candidate in lines[:NAMING]]


def _find_certain_lines(seen: ObservedSession, came_to: Iterable[Subject]) -> list[EntryLine]:
    """Give the lines that need no weighing: what a talk came to, and what the user chose."""
    asked = find_question_turns(seen)  # what answers them is weighed, and told with the question
    # what was written down is weighed, too
    written = " ".join(
        [commit.body for commit in seen.kept]
        + [text.text for text in seen.texts if text.place == "plan"]
    )
    # what the user quotes of an answer is mostly disputed
    heard = [
        stems(sentence.text)
        for text in seen.texts
        if seen.is_talk and text.speaker == "assistant"
        for sentence in text.sentences
        if len(sentence.text) >= SHORTEST
    ]
    lines = [
        EntryLine("decision", end.text, end.origin, _DISCUSSED, end.turn)
        for end in chain.from_iterable(each.conclusions for each in came_to if seen.is_talk)
        if _says_something(end.text)
        and end.text not in written
        and not (end.origin == "user" and _is_in(end.text, heard, _AGAIN))
        and (end.origin == "user" or not (end.turn in asked or EDITED.match(tidy(end.text))))
    ]
    lines = [row for at, row in enumerate(lines) if not _is_among(row, lines[:at])]
    # what was chosen for a plan that was then refused, with no work after it, was not decided
    refused = [
        call.turn for call in seen.calls if call.call.kind == "plan" and call.call.is_refused
    ]
    void = {turn for turn in refused if not any(busy >= turn for busy in seen.busy)}
    return lines + [
        choice
        for choice in find_user_choices(seen)
        if not (choice.turn in void and " -> " in choice.text) and not _is_among(choice, lines)
    ]


def _is_among(entry_line: EntryLine, others: Iterable[EntryLine]) -> bool:
    """Whether one of other lines says the same."""
    return _is_in(entry_line.text, (stems(other.text) for other in others), SAME)


def _choose_talk_lines(chosen: Sequence[EntryLine], weighed: _WeighedCandidates) -> list[EntryLine]:
    """Give the lines of a talk that its entry shows, in their order: the user's come first."""
    worth_of = {tidy(candidate.text): worth for candidate, worth in zip(*weighed[:2], strict=True)}
    ranked = sorted(
        range(len(chosen)),
        key=lambda at: (chosen[at].origin != "user", -worth_of.get(tidy(chosen[at].text), 0.0), at),
    )
    return [chosen[at] for at in sorted(ranked[:_MOST_DISCUSSED])]


# what a talk was asked to do, and what only goes on with the sentence before it
_NOTHING = re.compile(
    r"(?:(?:add|update|remove|create|fix|run|rename|check|verify|test|delete|write|print|show)\b"
    r"(?!.*(?:\d|\b(?:because|since|instead|only|must|never|always)\b))"
    r"|(?:done|created|still|now let's|can|could|does|do (?:we|you|i)|is|are|what|why|how|where)\b"
    r"|\(|`[^`]+` \()",
    re.IGNORECASE,
)


def _says_something(text: str) -> bool:
    """Whether a line of a talk is more than an order, a label or a part of a sentence."""
    claim = text.removeprefix("User: ")
    is_whole = claim != text or claim[-1] in ".!" or CUES["denies"].search(claim)
    return bool(is_whole) and not _NOTHING.match(claim)


def _choose_fact_numbers(
    weighed: _WeighedCandidates, chosen: Sequence[EntryLine], texts: Sequence[frozenset[str]]
) -> tuple[int, ...]:
    committed = [at for at, pick in enumerate(weighed.gathered) if pick.source == "subject"]
    most = MOST_FACTS - len(chosen) - len(committed)
    facts = choose_candidates(*weighed[:3], floor=_FACT_FLOOR, rise=0.0, most=most, texts=texts)
    # a commit is a fact whatever it weighs: where its line is from can be told
    return tuple(dict.fromkeys((*facts, *committed)))


def _build_lines(
    numbers: Iterable[int], weighed: _WeighedCandidates, seen: ObservedSession
) -> list[EntryLine]:
    asked, busy = find_question_turns(seen), seen.busy
    gathered, worths, early = weighed.gathered, weighed.worths, weighed.early
    lines = (
        build_line(gathered[at], worths[at], busy=busy, asked=asked, is_early=at in early)
        for at in numbers
    )
    return attach_questions(lines, seen)


def _join_neighbours(
    numbers: Sequence[int], weighed: _WeighedCandidates
) -> tuple[Sequence[int], _WeighedCandidates]:
    """Show each sentence with its neighbours, and none that a longer line holds."""
    gathered = list(weighed.gathered)
    past: list[frozenset[str]] = []
    wholes: list[frozenset[str]] = []
    alone: set[int] = set()
    for number in sorted(numbers, key=lambda each: -len(gathered[each].whole)):
        candidate = gathered[number]
        parts = list(candidate.passage)
        while len(parts) > 1 and _is_in(parts[-1], past, _AGAIN):
            parts.pop()
        while (
            len(parts) > 1 and _is_in(parts[0], past, _AGAIN) and not NEEDS_BEFORE.match(parts[1])
        ):
            parts.pop(0)
        text = join_sentences(parts)
        if any(part in candidate.text for part in parts) and not _is_in(text, wholes, SAME):
            alone.add(number)
            past += map(stems, parts)
            wholes.append(stems(text))
            gathered[number] = replace(candidate, text=text)
    return [each for each in numbers if each in alone], weighed._replace(gathered=gathered)


def _build_results(
    weighed: _WeighedCandidates, chosen: Sequence[EntryLine], seen: ObservedSession
) -> tuple[Fact, ...]:
    """Give what a session says of its work when it is done, in the order of time.

    Of two lines that speak of the same thing the later one holds. What the user answered holds
    where it was worked on.
    """
    last = max(seen.busy, default=-1)
    answered_by_user = (row for row in chosen if _ANSWERS in row.text and row.turn <= last)
    answers = [replace(row, worth=_ANSWERED) for row in answered_by_user]
    picks = {at: weighed.gathered[at] for at in weighed.settled}
    committed: dict[Place, frozenset[str]] = defaultdict(frozenset)
    for pick in picks.values():
        committed[pick.at] |= pick.stems if pick.source == "body" else frozenset()

    def says_again(other: Candidate, pick: Candidate) -> bool:
        # what was told before a commit is told by its message, in any of its sentences
        whole = committed[other.at] if pick.source == "closing" else frozenset()
        return other.at > pick.at and containment(pick.stems, whole or other.stems) >= _TAKEN_UP

    numbers = [
        at
        for at, pick in picks.items()
        if not any(says_again(other, pick) for other in picks.values())
    ]
    gathered = [
        replace(pick, passage=tuple(part for part in pick.passage if not is_passing(part, pick)))
        for pick in weighed.gathered
    ]
    worths = [
        worth + _COMMITTED * (pick.source == "body")
        for pick, worth in zip(gathered, weighed.worths, strict=True)
    ]
    lines = _build_lines(
        *_join_neighbours(numbers, weighed._replace(gathered=gathered, worths=worths)), seen
    )
    return tuple(sorted(_build_facts([*answers, *lines]), key=lambda fact: fact.turn))


_ANSWERS = " -> "  # between what the user was asked and what he chose ...
_ANSWERED = 0.25  # ... which is told where no line says what came of it
_COMMITTED = 0.15  # what a commit says of itself is worth more: it was built
# of the content words of a line: a later commit or line of the session speaks of the same
_TAKEN_UP = 0.5
_AGAIN = 0.85  # of the content words of a sentence that another line has


def _is_in(text: str, others: Iterable[frozenset[str]], share: float) -> bool:
    own = stems(text)
    return any(containment(own, other) > share for other in others)


def _build_facts(lines: Iterable[EntryLine]) -> tuple[Fact, ...]:
    """Give lines as facts, the best first."""
    facts = {}
    for row in lines:
        score = round(_SCORE + _RANGE * row.worth, 2)
        facts[row.text] = Fact(
            row.kind, row.text, row.origin, score, row.turn, find_terms(row.text)
        )
    return tuple(sorted(facts.values(), key=lambda fact: -fact.score))
