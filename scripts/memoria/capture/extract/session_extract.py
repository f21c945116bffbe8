"""Transcript -> Extract: what a session leaves, found without a model.

A model has already written the summary: the last text of a turn, the commit's body, the plan's
context are prose about decisions and causes. So nothing is generated here, only selected; where
the transcript holds no such prose, no extractive method helps, and the entry is short. The same
transcript gives the same bytes: no clock, no chance, no order of a set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.extract.assistant_findings import FLOOR, insights
from memoria.capture.extract.entry_draft import draft
from memoria.capture.extract.entry_title import title
from memoria.capture.extract.exchanges.exchanges import exchanges
from memoria.capture.extract.findings import findings
from memoria.capture.extract.sentences import containment, stems, told
from memoria.capture.extract.user.statements import statements
from memoria.capture.extract.work import work
from memoria.text.terms import terms
from memoria.vault.entry import Extract, Fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.agents.transcript import Transcript
    from memoria.capture.extract.exchanges.exchanges import Exchange
    from memoria.capture.extract.findings import Finding
    from memoria.vault.entry import Mistake

MOST_FACTS = 70  # of one session: the longest of those measured had 60 above the floor


def extract(transcript: Transcript, mistakes: tuple[Mistake, ...]) -> Extract:
    """Find the entry and the facts of one part of a session; `mistakes` are those found in it."""
    done = work(transcript)
    texts = told(transcript)
    found = [*findings(transcript, done, mistakes), *insights(texts, done.busy)]
    asked = exchanges(transcript, texts, done.busy)
    said = statements(transcript)
    name, titled_by = title(transcript, done)
    return Extract(
        draft=draft(name, transcript, done, found, asked, said=said),
        facts=_facts(found, asked),
        statements=said,
        branch=done.branch,
        files=done.files,
        checks=done.checks,
        scopes=tuple(dict.fromkeys(commit.scope for commit in done.commits if commit.scope)),
        titled_by=titled_by,
    )


def _facts(found: Sequence[Finding], asked: Iterable[Exchange]) -> tuple[Fact, ...]:
    """Give the findings above the floor and the exchanges, the best first, none twice."""
    lines = [
        Fact(one.kind, one.text, one.origin, round(one.score, 2), one.turn)
        for one in found
        if one.score >= FLOOR
    ]
    lines += [
        Fact("answer", one.text, "assistant", round(one.score, 2), one.turn)
        for one in asked
        if one.answer and one.score >= FLOOR
    ]
    lines.sort(key=lambda fact: -fact.score)
    kept: list[tuple[Fact, frozenset[str]]] = []
    for fact in lines:
        words = stems(fact.text)
        if len(kept) < MOST_FACTS and not any(_same(fact, words, other) for other in kept):
            kept.append((fact, words))
    return tuple(
        Fact(fact.kind, fact.text, fact.origin, fact.score, fact.turn, terms(fact.text))
        for fact, _ in kept
    )


_SAME = 0.8  # of the smaller one's content words; facts may overlap more than an entry's lines


def _same(fact: Fact, words: frozenset[str], other: tuple[Fact, frozenset[str]]) -> bool:
    return fact.text == other[0].text or containment(words, other[1]) > _SAME
