"""Describe each candidate sentence of a session by numbers that mean the same in any team.

They tell what kind of sentence it is, where it stood, and what became of it. None of them knows a
team's words. DIRECTIONS says of each whether more of it can only help or only hurt; the fit
(bench/extract/fit.py) keeps to that, which carries over to another team better than what a small
sample happens to say.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from math import log, log1p
from operator import itemgetter
from typing import TYPE_CHECKING

from memoria.text.word_overlap import stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memoria.capture.extract.candidates import Candidate
    from memoria.capture.extract.observing.observations import ObservedSession

Place = tuple[int, int]
"""A turn's index and a step's."""

DIRECTIONS: Mapping[str, int] = {
    # its words
    "narrates": -1,  # opens with what the agent is about to do, or with praise
    "length": +1,
    "passage": +1,  # length with its neighbours: they say what it speaks of
    "denies": +1,  # says what is not: gaps and limits cost work to find out
    "sentence": +1,  # ends with a full stop
    "hedges": -1,
    "limits": +1,  # only, must, requires
    "cause": +1,
    "choice": +1,
    "digits": -1,  # counts and line numbers are soon untrue
    "labelled": -1,  # "name: what was done there"
    "names": +1,  # identifiers and files
    "central": +1,  # words of its answers, plans and commits
    # where it stood
    "of_reason": +1,  # stands in a plan under "Context", "Problem" or the like
    "item": -1,
    "depth": -1,  # how far down in its text
    "result": +1,  # told at the end of a turn that changed something, with no later one that does
    # what became of it
    "said_in_commit": +1,
    "edits_after": -1,  # the share of the session's edits that came later
    "texts_after": -1,  # how much was said later: the last word on a matter is the one that holds
}

# by what a sentence says with them: anywhere in it ...
_CUE_WORDS = {
    "hedges": r"should|might|may|probably|likely|seems?|maybe|perhaps|think|could",
    "limits": r"only|always|must|cannot|can't|requires?|needs?|unless",
    "cause": r"because|since|due to|caused?|root cause|reason|why|otherwise|therefore|so that",
    "choice": r"instead|rather|decided|chose|keep|prefer|intentional\w*|by design|deliberate\w*",
    "status": r"pass(?:es|ed|ing)?|clean|verified|succeed\w*|compiles?|green",
    "state": r"currently|existing|already|still|now|today|yet",
    "past": r"was|were|did|had|previously|originally",
    "denies": r"no|not|never|without|missing|lacks?|\w+n't",
}
_CUE_FEATURES = tuple(name for name in _CUE_WORDS if name in DIRECTIONS)  # as they stand
# ... or at its beginning
_OPENINGS = {
    "narrates": r"let|now|i'll|i will|i'm|looking|checking|next|first|good|great|perfect|done|ok"
    r"|yes|sure|wait|hmm|i see|i need|i can see|found",
    "orders": r"add|update|remove|create|fix|change|replace|use|move|run|make|rename|check|ensure"
    r"|verify|test|extract|delete|write|keep|set|consider",
}
CUES = {name: re.compile(rf"(?i)\b(?:{words})\b") for name, words in _CUE_WORDS.items()} | {
    name: re.compile(rf"(?i)(?:{words})\b") for name, words in _OPENINGS.items()
}
CODE = re.compile(  # "`x y`", "readConfig", "user_id", "src/app.py"
    r"`([^`]{2,80})`|\b([a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|\w+_\w+|[\w/-]+\.[a-z]{1,4})\b"
)
_NAME = re.compile(r"[A-Za-z_]\w{3,}")
# headings of a plan, under which it says why it is made; and those under which what is wrong
_REASONS = re.compile(
    r"(?i)\b(?:context|problem|background|root cause|purpose|why|motivation|goal|rationale|reasons?"
    r"|insight|approach|overview|summary|analysis|issue|bug)\b"
)
_PROBLEMS = re.compile(
    r"(?i)\b(?:context|problem|background|root cause|why|motivation|issue|bug)\b"
)
_LABEL = re.compile(r"[^.!?]{2,60}(?::| [\u2013\u2014-]+) \S")  # "The parser: now reads x"

# Two sentences say the same when they share this much of the smaller one's words: set by reading
# which sentences of judged sessions it joins.
_SAME_SHARE = 0.65
_MIN_WORDS = 4  # content words: with fewer two sentences are alike by chance
_DISPUTED_SHARE = 0.3  # of its words: with fewer something else was disputed
_MAX_NAMES = 4  # a sentence with more identifiers is a list of them
# "Yes, you're right", "Hmm, my mistake": how a reply begins that takes back what was said before
_CONCEDES = re.compile(
    r"(?i)\W*(?:(?:yes|ah|oh|hmm|ok)\W+)*(?:you(?:'re| are) (?:\w+ )?(?:right|correct)"
    r"|my (?:mistake|bad)|i was wrong|i misread|apologies|sorry)\b"
)


def describe_candidates(
    candidates: Sequence[Candidate], session: ObservedSession
) -> tuple[Mapping[str, float], ...]:
    """Describe each candidate; what is 0 is left out."""
    facts = _gather_session_facts(candidates, session)
    features = (
        _word_features(each, facts) | _place_features(each, facts) | _outcome_features(each, facts)
        for each in candidates
    )
    return tuple({name: value for name, value in values.items() if value} for values in features)


@dataclass(frozen=True, slots=True)
class _SessionFacts:
    """A session as its candidates are compared with it.

    `edits`, `calls` and `replies` are places, `touched` the names that each edit or a later one
    touched, `central` says of a stem how often answers, plans and commits have it, `refuted` are
    the words of what was disputed in a turn. `messages` are the places and words of whole commit
    messages, `told` also those of the sentences that closed turns, both in the order of time.
    """

    busy: frozenset[int]
    edits: Sequence[Place]
    calls: Sequence[Place]
    touched: Sequence[frozenset[str]]
    replies: Sequence[Place]
    committed: Sequence[Candidate]
    central: Mapping[str, float]
    refuted: Mapping[int, frozenset[str]]
    messages: Sequence[tuple[Place, frozenset[str]]]
    told: Sequence[tuple[Place, frozenset[str]]]


def _gather_session_facts(
    candidates: Sequence[Candidate], session: ObservedSession
) -> _SessionFacts:
    texts = (each.stems for each in candidates if each.source in ("subject", "closing", "plan"))
    counts = Counter(chain.from_iterable(texts))
    greatest = log(1 + max(counts.values(), default=1))
    messages = [
        ((made.turn, made.step), stems(f"{made.subject} {made.body}")) for made in session.kept
    ]
    closings = (
        ((text.turn, text.step), stems(sentence.text))
        for text in session.texts
        if text.place == "closing"
        for sentence in text.sentences
    )
    return _SessionFacts(
        busy=session.busy,
        edits=[(edit.turn, edit.step) for edit in session.edits],
        calls=[(call.turn, call.step) for call in session.calls],
        touched=_find_touched_names(session),
        replies=[(text.turn, text.step) for text in session.texts if text.speaker == "assistant"],
        committed=[each for each in candidates if each.source in ("subject", "body")],
        refuted=_find_refuted_words(session),
        central={stem: log(1 + count) / greatest for stem, count in counts.items()},
        messages=sorted(messages, key=itemgetter(0)),
        told=sorted([*messages, *closings], key=itemgetter(0)),
    )


def _find_refuted_words(session: ObservedSession) -> Mapping[int, frozenset[str]]:
    """Give for each turn that a concession follows the words of the user and the concession."""
    by_turn: dict[int, frozenset[str]] = {}
    for turn in session.turns[1:]:
        replies = [text for text in turn.texts if text.speaker == "assistant"]
        if replies and _CONCEDES.match(replies[0].text):
            by_turn[turn.index - 1] = stems(f"{turn.turn.prompt} {replies[0].text}")
    return by_turn


def _find_touched_names(session: ObservedSession) -> Sequence[frozenset[str]]:
    """Give for each edit the names that it or a later one touched."""
    names: list[frozenset[str]] = [frozenset()]
    for edit in reversed(session.edits):
        text = " ".join(f"{hunk.old} {hunk.new}" for hunk in edit.hunks)
        names.append(names[-1].union(_NAME.findall(f"{text} {edit.path}")))
    return names[::-1]


def _word_features(candidate: Candidate, facts: _SessionFacts) -> dict[str, float]:
    text, count = candidate.text, max(1, len(candidate.stems))
    return {name: float(bool(CUES[name].search(text))) for name in _CUE_FEATURES} | {
        "narrates": float(bool(CUES["narrates"].match(text))),
        "length": log(len(text)),
        "passage": log(len(candidate.whole)),
        "sentence": float(text[-1] in ".!"),
        "digits": float(bool(re.search(r"\d", text))),
        "labelled": float(bool(_LABEL.match(text))),
        "names": min(len(CODE.findall(text)), _MAX_NAMES) / _MAX_NAMES,
        "central": sum(facts.central.get(stem, 0.0) for stem in sorted(candidate.stems)) / count,
    }


def is_reason(candidate: Candidate) -> bool:
    """Whether a candidate stands where a plan says why it is made, and what its idea is."""
    return candidate.source == "plan" and bool(_REASONS.search(candidate.heading))


def is_problem(candidate: Candidate) -> bool:
    """Whether a candidate stands where a plan says what is wrong, and not how it will be."""
    return candidate.source == "plan" and bool(_PROBLEMS.search(candidate.heading))


def _place_features(candidate: Candidate, facts: _SessionFacts) -> dict[str, float]:
    is_said_at_end = candidate.source in ("closing", "subject", "body")
    is_late = candidate.turn == max(facts.busy, default=None)
    disputed = candidate.stems & facts.refuted.get(candidate.turn, frozenset())
    is_disputed = len(disputed) >= _DISPUTED_SHARE * len(candidate.stems)
    return {
        "of_reason": float(is_reason(candidate)),
        "item": float(candidate.form == "item"),
        # for selection.py alone, without a weight: the user disputed it, and the agent agreed
        "refuted": float(candidate.source in ("closing", "narration") and is_disputed),
        "depth": candidate.place / candidate.of,
        "result": float(is_said_at_end and is_late),
    }


def _outcome_features(candidate: Candidate, facts: _SessionFacts) -> dict[str, float]:
    # what was typed comes before the step that it is told with
    bisect = bisect_left if candidate.source in ("user", "plan") else bisect_right
    edits_before = bisect(facts.edits, candidate.at)
    names, touched = _find_names(candidate.text), facts.touched[edits_before]
    return {
        "said_in_commit": float(any(_is_same(candidate, other) for other in facts.committed)),
        "edits_after": 1 - edits_before / len(facts.edits) if facts.edits else 0.0,
        "texts_after": log1p(len(facts.replies) - bisect_right(facts.replies, candidate.at)),
        # for selection.py alone: how much of what it names was edited later, whether anything of
        # its passage was, what share of the session's calls came later, and how much of it a later
        # commit or closing text says again
        "edited": len(names & touched) / max(1, len(names)),
        "touched": float(bool(_find_names(candidate.whole) & touched)),
        "calls_after": 1 - bisect(facts.calls, candidate.at) / max(1, len(facts.calls)),
        "amended": _find_repeated_share(candidate, facts.messages),
        "retold": _find_repeated_share(candidate, facts.told),
    }


def _find_names(text: str) -> set[str]:
    """Find the identifiers in a text."""
    return {name for code in CODE.findall(text) for name in _NAME.findall("".join(code))}


def _find_repeated_share(
    candidate: Candidate, texts: Sequence[tuple[Place, frozenset[str]]]
) -> float:
    """Give the greatest share of a candidate's words that one later text has."""
    own = candidate.stems
    later = texts[bisect_right(texts, candidate.at, key=itemgetter(0)) :]
    return max((len(own & words) for _, words in later), default=0) / max(1, len(own))


def _is_same(candidate: Candidate, other: Candidate) -> bool:
    """Whether another candidate says the same."""
    fewest = min(len(candidate.stems), len(other.stems))
    same = len(candidate.stems & other.stems) >= _SAME_SHARE * fewest
    return candidate is not other and fewest >= _MIN_WORDS and same
