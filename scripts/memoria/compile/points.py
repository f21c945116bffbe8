"""Entry and its Extract -> Points: the lines that articles are made of, each with where it is from.

A point is recognised by its `mark`, its words alone: the article that holds it shows them among
links and markup, and is the only record of what lies where. An entry that a person has edited has
no extract; then its own lines are the points, since they are what the person let stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.text.markdown import mark
from memoria.text.terms import singular, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from memoria.vault.entry import Entry, Extract, FactKind

_WORD = re.compile(r"\w+")
_CODE = re.compile(r"`[^`\n]*`|\S*[/_]\S*")
_DANGLING = re.compile(
    r"(?:this|that|these|those|it|its|both|they|but|also|then|so|which|he|she|there|here)\b"
    r"(?!'s (?:no|a) )",
    re.IGNORECASE,
)
# "changed this" alone is what a reader skips; with its reason, or on record in a commit, it counts
REASON = re.compile(
    r"\b(?:because|since|so that|to avoid|otherwise|instead of|rather than|would|root cause|due to"
    r"|which means|in order to|as (?:it|they|the)|only|must|never|without|matching|consistent with"
    r"|for \w+ing|prevents?|preventing|avoids?|ensures?|needed|intentional\w*)\b",
    re.IGNORECASE,
)
_ON_RECORD = 4.0  # the extractor's score of what a commit, a plan or the user says
# what a line of an edited entry counts, on the extractor's scale: a person let it stand
_EDITED = {"decisions": 4.0, "lessons": 3.5, "exchanges": 2.5}
# a line that tells of what was before, whatever else it says
_PAST = re.compile(
    r"(?:before|previously|originally|formerly|until now|currently|old (?:behaviou?r|code))\b",
    re.IGNORECASE,
)
_KINDS: Mapping[str, FactKind] = {
    "decisions": "decision",
    "lessons": "lesson",
    "exchanges": "answer",
}
# a reader finds the cause, the gotcha, the choice and the fix nowhere else
SOLID = frozenset({"decision", "lesson", "fix"})
# titles that somebody gave; one that was guessed from the first prompt names no topic
GIVEN = frozenset({"client", "plan", "pull-request", "commit"})
LONGEST = 600  # characters: what a line of an article may have


@dataclass(frozen=True, slots=True)
class Point:
    """A line that an article may hold.

    `rank` is its place among the points of its entry by score, from 0. `branch` is "" where it is
    not known. `terms` are the keys of what it speaks of.
    """

    text: str
    kind: FactKind
    score: float
    rank: int
    entry: str
    session: str
    day: date
    project: str
    branch: str
    terms: frozenset[str]
    mark: str

    def speaks_of(self, name: str) -> bool:
        """Whether the point names the thing of that key."""
        if name.count(" ") in {1, 2}:  # the phrases that `terms` lists
            return name in self.terms
        if name.split(" ", 1)[0][:-1] not in self.mark:  # the usual case, at a tenth of the cost
            return False
        # a single word in code or in a path is spoken of no more than any other
        text = self.mark if " " in name else _CODE.sub(" ", self.text).casefold()
        return f" {name} " in f" {' '.join(map(singular, _WORD.findall(text)))} "


@dataclass(frozen=True, slots=True)
class Source:
    """An entry as articles refer to it: the entry, what was found in it, its branch and points.

    `work` is the key of the work item that it belongs to, "" where it belongs to none.
    """

    entry: Entry
    extract: Extract | None
    branch: str
    work: str
    points: tuple[Point, ...]

    @property
    def session(self) -> str:
        """The session, or the entry itself where a person wrote it."""
        return self.entry.session or self.entry.id


def points(entry: Entry, extract: Extract | None, branch: str = "") -> tuple[Point, ...]:
    """Give the points of an entry, the best first; `branch` is for an entry without extract."""
    found = _facts(extract) if extract else _lines(entry)
    ranked = sorted(found, key=lambda item: -item[2])
    made: dict[str, Point] = {}
    for text, kind, score, known in ranked:
        name = mark(text)
        if name and name not in made and _is_worth(text, kind, score):
            made[name] = Point(
                text,
                "context" if kind == "lesson" and _PAST.match(text) else kind,
                score,
                len(made),
                entry.id,
                entry.session or entry.id,
                entry.day,
                entry.project,
                extract.branch if extract else branch,
                known if known is not None else frozenset(terms(text)),
                name,
            )
    return tuple(made.values())


def _is_worth(text: str, kind: FactKind, score: float) -> bool:
    """Whether a line says something by itself."""
    if _DANGLING.match(text):
        return False
    return kind != "decision" or score >= _ON_RECORD or bool(REASON.search(text))


_Found = tuple[str, "FactKind", float, frozenset[str] | None]


def _facts(extract: Extract) -> Iterator[_Found]:
    has_terms = any(fact.terms for fact in extract.facts)  # an older version found none
    for fact in extract.facts:
        if fact.kind != "change" and len(fact.text) <= LONGEST:
            known = frozenset(fact.terms) if has_terms else None
            yield fact.text, fact.kind, fact.score, known


def _lines(entry: Entry) -> Iterator[_Found]:
    for name, score in _EDITED.items():
        for text in getattr(entry.draft, name):
            if len(text) <= LONGEST:
                yield text, _KINDS[name], score, None
