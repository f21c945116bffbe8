"""Find what a session leaves, without a model.

A model has already written the summary: the last text of a turn, the commit's body, the plan's
reasons are prose about decisions and causes. So nothing is generated here, only weighed and
selected; of a conversation the sentences that hold what it decided are taken (conclusions.py). The
same transcript gives the same bytes: no clock, no chance, no order of a set.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from memoria.capture.conclusions import RECAP
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
from memoria.capture.extract.observing.observations import ObservedSession
from memoria.capture.extract.selection import (
    EDITED,
    FLOOR,
    PASSING,
    SAME,
    EntryLine,
    build_line,
    choose_candidates,
    classify_text,
    find_eligible,
    is_early,
    is_passing,
    is_settled,
)
from memoria.capture.extract.user.statements import find_statements
from memoria.capture.extract.user.user_choices import find_user_choices
from memoria.capture.extract.weights import estimate_worth
from memoria.capture.subjects import find_subjects
from memoria.text.word_overlap import containment, stems
from memoria.vault.entry import Conclusion, Extract, Fact, Subject

# Facts are what a compile reads besides the entry: lines that were outbid, not those below this, of
# which six in ten are noise.
_MIN_FACT_WORTH = 0.06
NAMING = 12  # best lines that may name a session
MOST_FACTS = 70  # of one session: the longest of those measured had 60 above the floor
_TALK_WORTH = 0.9  # of a line that the user said, or heard without objecting
# lines of what a talk came to that its entry shows: one subject has room for five, and of a talk
# about ten things a reader wants the best
_MAX_TALK_LINES = 7
# the scale of a fact's score, on which the compiler counts lines from 3 on as solid: those worth
# .27 and more, of which held-out judges kept 67, 53 and 58 of 100 on three teams
_SCORE_BASE, _SCORE_RANGE = 2.0, 3.7
# "Add a test", "can you see it", "(as before)": what a talk was asked to do, and what only goes on
# with the sentence before it; not "Use 3 retries", "Fix it because ..."
_ORDER_OR_PART = re.compile(
    r"(?i)(?:(?:add|update|remove|create|fix|run|rename|check|verify|test|delete|write|print|show)\b"
    r"(?!.*(?:\d|\b(?:because|since|instead|only|must|never|always)\b))"
    r"|(?:done|created|still|now let's|can|could|does|do (?:we|you|i)|is|are|what|why|how|where)\b"
    r"|\(|`[^`]+` \()"
)
_ANSWERS = " -> "  # between what the user was asked and what he chose ...
_ANSWER_WORTH = 0.25  # ... which is told where no line says what came of it
_COMMIT_BONUS = 0.15  # what a commit says of itself is worth more: it was built
# of content words: a later commit or line speaks of the same; another line has the sentence
_SAME_SUBJECT_SHARE, _REPEATED_SHARE = 0.5, 0.85


def extract(session: ObservedSession) -> Extract:
    """Find the entry and the facts of one part of a session."""
    subjects = find_subjects(session)
    pool = _weigh_candidates(session)
    certain_lines = _find_certain_lines(session, subjects)
    statements = find_statements(session.transcript)
    title, titled_by = choose_title(session, _choose_naming_lines(pool))
    # an answer may repeat the ask, a subject need not repeat the title
    title_stems = stems(title) if titled_by != "ask" else frozenset()
    line_stems = [stems(entry_line.text) for entry_line in certain_lines]
    numbers = choose_candidates(*pool[:3], shown=line_stems, title=title_stems)
    fact_numbers = _choose_fact_numbers(pool, certain_lines, line_stems)
    shown_lines = _build_lines(*_join_neighbours(numbers, pool), session)
    lines = [*_choose_talk_lines(certain_lines, pool), *shown_lines]
    checks = ((check.name, check.last) for check in session.checks)
    return Extract(
        draft=build_draft(title, session, lines, statements=statements),
        facts=_build_facts([*certain_lines, *_build_lines(fact_numbers, pool, session)]),
        statements=statements,
        branch=session.branch,
        files=session.files,
        checks=tuple((name, state == "passed") for name, state in checks if state != "unknown"),
        scopes=tuple(dict.fromkeys(commit.scope for commit in session.kept if commit.scope)),
        titled_by=titled_by,
        subjects=subjects,
        results=_build_results(pool, certain_lines, session),
    )


class _WeighedCandidates(NamedTuple):
    """Candidates with their worths; the numbers of those that may stand in an entry.

    `early` ones are told as found before the edits, `settled` ones tell of work that is done.
    """

    candidates: Sequence[Candidate]
    worths: Sequence[float]
    eligible: tuple[int, ...]
    early: frozenset[int]
    settled: frozenset[int]


def _weigh_candidates(session: ObservedSession) -> _WeighedCandidates:
    candidates = gather_candidates(session)
    features = describe_candidates(candidates, session)
    eligible = find_eligible(candidates, features)
    early = frozenset(at for at in eligible if is_early(candidates[at], features[at]))
    pairs = enumerate(zip(candidates, features, strict=True))
    settled = frozenset(
        at
        for at, (candidate, values) in pairs
        if is_settled(candidate, values, session, is_eligible=at in eligible)
    )
    worths = [estimate_worth(values) for values in features]
    pool = _WeighedCandidates(candidates, worths, eligible, early, settled)
    return pool._replace(eligible=tuple(at for at in eligible if not _is_said_later(at, pool)))


def _is_said_later(number: int, pool: _WeighedCandidates) -> bool:
    """Whether what was told before the edits is said after them by a line that can be shown."""
    candidate = pool.candidates[number]
    if number not in pool.early or candidate.source == "plan":
        return False
    later = (at for at in pool.eligible if at not in pool.early and pool.worths[at] >= FLOOR)
    others = (pool.candidates[at] for at in later)
    return any(
        other.at > candidate.at and containment(candidate.stems, other.stems) > SAME
        for other in others
    )


def _choose_naming_lines(pool: _WeighedCandidates) -> list[str]:
    """Give the best lines; what was told between calls tells of one step, so only alone."""
    numbers = sorted(pool.eligible, key=pool.worths.__getitem__, reverse=True)
    lines = [pool.candidates[number] for number in numbers]
    lines = [candidate for candidate in lines if candidate.source != "narration"] or lines
    return [candidate.text for candidate in lines[:NAMING]]


def _find_certain_lines(session: ObservedSession, subjects: Iterable[Subject]) -> list[EntryLine]:
    """Give the lines that need no weighing: what a talk came to, and what the user chose."""
    lines = list(_find_talk_lines(session, subjects)) if session.is_talk else []
    lines = [row for index, row in enumerate(lines) if not _is_among(row, lines[:index])]
    # what was chosen for a plan that was then refused, with no work after it, was not decided
    plans = (call for call in session.calls if call.call.kind == "plan" and call.call.is_refused)
    last_busy = max(session.busy, default=-1)
    undone_plans = {call.turn for call in plans if call.turn > last_busy}
    return lines + [
        choice
        for choice in find_user_choices(session)
        if not (choice.turn in undone_plans and _ANSWERS in choice.text)
        and not _is_among(choice, lines)
    ]


def _find_talk_lines(session: ObservedSession, subjects: Iterable[Subject]) -> Iterator[EntryLine]:
    """Yield what a talk came to and is told nowhere else."""
    asked = find_question_turns(session)
    plans = (text.text for text in session.texts if text.place == "plan")
    written = " ".join([*(commit.body for commit in session.kept), *plans])
    replies = (text for text in session.texts if text.speaker == "assistant")
    sentences = (sentence.text for text in replies for sentence in text.sentences)
    heard = [stems(text) for text in sentences if len(text) >= SHORTEST]

    def is_told_elsewhere(end: Conclusion) -> bool:
        if end.text in written:  # what was written down is weighed
            return True
        if end.origin == "user":  # what the user quotes of an answer is mostly disputed
            return _is_in(end.text, heard, _REPEATED_SHARE)
        # what answers a question is weighed, too, and told with it
        return end.turn in asked or bool(EDITED.match(tidy(end.text)))

    for end in chain.from_iterable(subject.conclusions for subject in subjects):
        if _says_something(end.text) and not is_told_elsewhere(end):
            is_agreed = end.origin == "user" or RECAP.match(end.text)
            kind = "decision" if is_agreed else classify_text(tidy(end.text))
            yield EntryLine(kind, end.text, end.origin, _TALK_WORTH, end.turn)


def _is_among(line: EntryLine, others: Iterable[EntryLine]) -> bool:
    """Whether one of other lines says the same."""
    return _is_in(line.text, (stems(other.text) for other in others), SAME)


def _choose_talk_lines(lines: Sequence[EntryLine], pool: _WeighedCandidates) -> list[EntryLine]:
    """Give the lines of a talk that its entry shows, in their order: the user's come first."""
    worth_of = {tidy(candidate.text): worth for candidate, worth in zip(*pool[:2], strict=True)}
    ranked = sorted(
        range(len(lines)),
        key=lambda at: (lines[at].origin != "user", -worth_of.get(tidy(lines[at].text), 0.0), at),
    )
    return [lines[at] for at in sorted(ranked[:_MAX_TALK_LINES])]


def _says_something(text: str) -> bool:
    """Whether a line of a talk is more than an order, a label or a part of a sentence."""
    claim = text.removeprefix("User: ")
    is_whole = claim != text or claim[-1] in ".!" or CUES["denies"].search(claim)
    return bool(is_whole) and not _ORDER_OR_PART.match(claim)


def _choose_fact_numbers(
    pool: _WeighedCandidates, lines: Sequence[EntryLine], texts: Sequence[frozenset[str]]
) -> tuple[int, ...]:
    commits = [at for at, each in enumerate(pool.candidates) if each.source == "subject"]
    limit = MOST_FACTS - len(lines) - len(commits)
    facts = choose_candidates(*pool[:3], floor=_MIN_FACT_WORTH, rise=0.0, most=limit, shown=texts)
    # a commit is a fact whatever it weighs: where its line is from can be told
    return tuple(dict.fromkeys((*facts, *commits)))


def _build_lines(
    numbers: Iterable[int], pool: _WeighedCandidates, session: ObservedSession
) -> list[EntryLine]:
    asked, busy = find_question_turns(session), session.busy
    candidates, worths, early = pool.candidates, pool.worths, pool.early
    lines = (
        build_line(candidates[at], worths[at], busy=busy, asked=asked, is_early=at in early)
        for at in numbers
    )
    return attach_questions(lines, session)


def _join_neighbours(
    numbers: Sequence[int], pool: _WeighedCandidates
) -> tuple[Sequence[int], _WeighedCandidates]:
    """Show each sentence with its neighbours, and none that a longer line holds."""
    candidates = list(pool.candidates)
    sentences: list[frozenset[str]] = []
    texts: list[frozenset[str]] = []
    shown: set[int] = set()
    for number in sorted(numbers, key=lambda at: -len(candidates[at].whole)):
        candidate = candidates[number]
        parts = list(candidate.passage)
        while len(parts) > 1 and _adds_nothing(parts[-1], sentences):
            parts.pop()
        while len(parts) > 1 and _adds_nothing(parts[0], sentences):
            if NEEDS_BEFORE.match(parts[1]):
                break
            parts.pop(0)
        text = join_sentences(parts)
        if any(part in candidate.text for part in parts) and not _is_in(text, texts, SAME):
            shown.add(number)
            sentences += map(stems, parts)
            texts.append(stems(text))
            candidates[number] = replace(candidate, text=text)
    return [at for at in numbers if at in shown], pool._replace(candidates=candidates)


def _adds_nothing(text: str, shown: Iterable[frozenset[str]]) -> bool:
    """Whether a sentence beside one that is shown tells how the work stood, or what is shown."""
    return bool(PASSING.search(text)) or _is_in(text, shown, _REPEATED_SHARE)


def _build_results(
    pool: _WeighedCandidates, certain_lines: Sequence[EntryLine], session: ObservedSession
) -> tuple[Fact, ...]:
    """Give what a session says of its work when it is done, in the order of time.

    Of two lines that speak of the same thing the later one holds. What the user answered holds
    where it was worked on.
    """
    last_busy = max(session.busy, default=-1)
    answers = [
        replace(line, worth=_ANSWER_WORTH)
        for line in certain_lines
        if _ANSWERS in line.text and line.turn <= last_busy
    ]
    numbers = _find_last_words(pool)
    result_lines = _build_lines(*_join_neighbours(numbers, _strip_passing(pool)), session)
    return tuple(sorted(_build_facts([*answers, *result_lines]), key=lambda fact: fact.turn))


def _find_last_words(pool: _WeighedCandidates) -> list[int]:
    """Give the numbers of the settled candidates that no later one says again."""
    settled = {at: pool.candidates[at] for at in pool.settled}
    messages: dict[Place, frozenset[str]] = defaultdict(frozenset)
    for candidate in settled.values():
        messages[candidate.at] |= candidate.stems if candidate.source == "body" else frozenset()

    def says_again(later: Candidate, candidate: Candidate) -> bool:
        # what was told before a commit is told by its message, in any of its sentences
        message = messages[later.at] if candidate.source == "closing" else frozenset()
        share = containment(candidate.stems, message or later.stems)
        return later.at > candidate.at and share >= _SAME_SUBJECT_SHARE

    return [
        at
        for at, candidate in settled.items()
        if not any(says_again(other, candidate) for other in settled.values())
    ]


def _strip_passing(pool: _WeighedCandidates) -> _WeighedCandidates:
    """Give the candidates without the neighbours that tell how things stood at the moment."""
    candidates = [
        replace(each, passage=tuple(part for part in each.passage if not is_passing(part, each)))
        for each in pool.candidates
    ]
    worths = [
        worth + _COMMIT_BONUS * (each.source == "body")
        for each, worth in zip(candidates, pool.worths, strict=True)
    ]
    return pool._replace(candidates=candidates, worths=worths)


def _is_in(text: str, others: Iterable[frozenset[str]], share: float) -> bool:
    words = stems(text)
    return any(containment(words, other_words) > share for other_words in others)


def _build_facts(lines: Iterable[EntryLine]) -> tuple[Fact, ...]:
    """Give lines as facts, the best first."""
    facts = {}
    for row in lines:
        score = round(_SCORE_BASE + _SCORE_RANGE * row.worth, 2)
        facts[row.text] = Fact(row.kind, row.text, row.origin, score, row.turn)
    return tuple(sorted(facts.values(), key=lambda fact: -fact.score))
