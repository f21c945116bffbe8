"""A Shelf and a day's points -> the Shelf with what it gains: topics take points, topics begin.

One step after the other until none changes anything, because then the same day again changes
nothing either. Existing topics come first; a term is founded only on lines that no other term has,
the strongest term first; a term that lies mostly inside a topic becomes a name of it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from memoria.compile.points import GIVEN
from memoria.compile.topic_points import Topic, is_sound
from memoria.compile.write import value
from memoria.text.term_names import branch_name, is_about, name_of
from memoria.text.terms import GENERIC, STOP, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.topic_points import Shelf

_SESSIONS = 2  # a term of one session belongs to that session's work
_WORD_SESSIONS = 3  # a single word is less sure to mean one thing
_OF_ONE = 0.75  # of a term's lines: what one session tells more of than that is its work
_ALIAS_LINES, _INSIDE = 3, 0.65  # from this share of its lines in a topic a term is a name of it
# a term of more sessions than this is about everything; of few sessions the share says nothing
_EVERYWHERE, _WORD_EVERYWHERE, _FEW_SESSIONS = 0.4, 0.22, 8
_MOST_FOUNDING = 60  # lines; a patch takes 80 of one article
_HALF = 0.5  # of a work item's lines: below, other articles tell it already
_SHORTEST_WORD = 4  # letters: shorter branch words are abbreviations
_IDENTIFIERS = 3  # uses as part of a longer name: then a single word is one of the project's own

_Name = tuple[str, str]  # the key of a term, and the project


class Growth:
    """The work on one day: `settle` does it, the shelf shows the result."""

    def __init__(self, shelf: Shelf, sources: Sequence[Source], today: Sequence[Source]) -> None:
        """Take all sources there are, and those of them that are new."""
        self._shelf, self._sources, self._today = shelf, sources, today
        self._points = [point for source in sources for point in source.points]
        told = {(source.entry.project, source.session) for source in sources}
        self._sizes = Counter(project for project, _ in told)
        self._works: dict[_Name, list[Point]] = defaultdict(list)
        for source in sources:
            if source.work:
                self._works[source.work, source.entry.project] += source.points
        self._index = self._indexed()

    def settle(self) -> None:
        """Repeat all steps until none changes anything."""
        self._attach()
        self._found_works()
        while self._attach() or self._call() or self._found_term():
            pass

    # -- What the day could be about ---------------------------------------------------------------

    def _indexed(self) -> dict[_Name, list[Point]]:
        """Find all points that speak of what the day's points speak of, by term and project."""
        new = [point for source in self._today for point in source.points]
        names = {(name, point.project) for point in new for name in point.terms}
        index: dict[_Name, list[Point]] = {name: [] for name in sorted(names)}
        for point in self._points:
            for name in point.terms:
                if (name, point.project) in index and is_about(name, point.text):
                    index[name, point.project].append(point)
        for word, project in sorted(self._words()):
            index[word, project] = [
                point
                for point in self._points
                if point.project == project and point.speaks_of(word) and is_about(word, point.text)
            ]
        return index

    def _words(self) -> set[_Name]:
        """Give the single words of the day that are names here: of branches and scopes."""
        counts: Counter[_Name] = Counter()
        told: dict[tuple[str, str], set[str]] = defaultdict(set)
        for source in self._sources:
            told[source.entry.project, source.session] |= _naming(source)
        for (project, _), known in told.items():
            counts.update((word, project) for word in known)
        day = {(word, source.entry.project) for source in self._today for word in _naming(source)}
        return {name for name in day if counts[name] >= _SESSIONS and self._is_part(name)}

    def _is_part(self, name: _Name) -> bool:
        word, project = name
        uses = 0
        for point in self._points:
            if point.project == project and any(word in term.split() for term in point.terms):
                uses += 1
                if uses >= _IDENTIFIERS:
                    return True
        return False

    # -- Steps -------------------------------------------------------------------------------------

    def _attach(self) -> bool:
        """Put the day's points where they belong: their work item, then the rarest topics."""
        changed = False
        for source in self._today:
            work = self._shelf.find(source.work, source.entry.project) if source.work else None
            for point in source.points:
                homes = [work] if work else []
                for topic in [*homes, *self._shelf.spoken_of(point)]:
                    changed |= self._shelf.place(point, topic)
        return changed

    def _found_works(self) -> None:
        for source in self._today:
            name = (source.work, source.entry.project)
            if source.work and not self._shelf.find(*name):
                self._found_work(name)

    def _found_work(self, name: _Name) -> None:
        key, project = name
        trial = Topic(key, "", self._work_title(name), {project} - {""}, set())
        found = [point for point in self._works[name] if trial.takes(point)]
        fresh = sum(not self._shelf.places(point) for point in found)
        fit = _fitting(found, trial)
        if fresh >= _HALF * len(found) and is_sound(fit):
            topic = self._shelf.open(key, trial.title, project)
            for point in fit:
                self._shelf.place(point, topic)

    def _work_title(self, name: _Name) -> str:
        key, project = name
        mine = [one for one in self._sources if (one.work, one.entry.project) == (key, project)]
        titled = (one for one in mine if one.extract and one.extract.titled_by in GIVEN)
        given = (one.entry.draft.title for one in titled)
        return next(given, "") or branch_name(mine[0].branch)

    def _found_term(self) -> bool:
        """Found the strongest term that can be, phrases before words; False where none can."""
        able = [name for name in self._index if self._is_able(name)]
        able.sort(key=lambda name: (" " not in name[0], -self._strength(name), name))
        for name in able:
            trial = Topic("", "", "", {name[1]} - {""}, {name[0]})
            fit = _fitting(self._free(name), trial)[:_MOST_FOUNDING]
            if is_sound(fit) and self._is_spread(name, fit):
                title = name_of(name[0], [point.text for point in self._index[name]])
                topic = self._shelf.open(f"term:{name[0]}", title, name[1])
                for point in fit:
                    self._shelf.place(point, topic)
                return True
        return False

    def _call(self) -> bool:
        """Give a topic one more name: a term that lies mostly in it, or has its name in it."""
        changed = False
        for (name, project), found in self._index.items():
            if len(found) < _ALIAS_LINES or self._shelf.named(name, project):
                continue
            topic = self._inside(name, project) if _sessions(found) >= _SESSIONS else None
            if topic and any(_share(name, known) for known in topic.names):
                changed |= self._shelf.call(topic, name)
        return changed

    # -- What decides ------------------------------------------------------------------------------

    def _is_able(self, name: _Name) -> bool:
        if self._shelf.named(*name):
            return False
        free = self._free(name)
        if not is_sound(free) or _sessions(free) < _SESSIONS or self._inside(*name):
            return False
        most = _EVERYWHERE if " " in name[0] else _WORD_EVERYWHERE
        number = self._sizes[name[1]]
        return number <= _FEW_SESSIONS or _sessions(self._index[name]) <= most * number

    @staticmethod
    def _is_spread(name: _Name, fit: Sequence[Point]) -> bool:
        """Whether a term belongs to several sessions, and is not the work of one under its name."""
        sessions = Counter(point.session for point in fit)
        enough = len(sessions) >= (_SESSIONS if " " in name[0] else _WORD_SESSIONS)
        return enough and max(sessions.values()) <= _OF_ONE * len(fit)

    def _free(self, name: _Name) -> list[Point]:
        return [point for point in self._index[name] if self._shelf.is_free(point)]

    def _inside(self, name: str, project: str) -> Topic | None:
        """Find the term that a name belongs to, by its words or by where its lines lie."""
        found = self._index[name, project]
        shares: Counter[str] = Counter()
        topics: dict[str, Topic] = {}
        for point in found:
            for topic in self._shelf.places(point):
                if topic.is_term:
                    shares[topic.slug] += 1
                    topics[topic.slug] = topic
        best = max(shares, key=lambda slug: (shares[slug], slug), default="")
        for slug in sorted(shares, key=lambda slug: (-shares[slug], slug)):
            if any(f" {known} " in f" {name} " for known in topics[slug].names):
                return topics[slug]
        return topics[best] if best and shares[best] > _INSIDE * len(found) else None

    def _strength(self, name: _Name) -> float:
        """Weigh a term: lines, sessions, its length, and how rare it is among the sessions.

        The exponents were found on real sessions: a term of many sessions beats one of many lines.
        """
        free = self._free(name)
        rare = math.log((1 + self._sizes[name[1]]) / (1 + _sessions(self._index[name])) + 1)
        long = 1 + 0.25 * len(name[0].split())
        return float(len(free) ** 0.7 * _sessions(free) ** 0.8 * long * rare)


def _fitting(found: Iterable[Point], trial: Topic) -> list[Point]:
    """Keep of points, the most valuable first, those that a topic would take."""
    for point in sorted(found, key=lambda point: (-value(point), point.day, point.mark)):
        if trial.accepts(point):
            trial.add(point)
    return trial.added


def _share(name: str, known: str) -> bool:
    """Whether two names have a word in common; else one thing only stands beside the other."""
    return not set(name.split()).isdisjoint(known.split())


def _sessions(found: Iterable[Point]) -> int:
    return len({point.session for point in found})


def _naming(source: Source) -> set[str]:
    """Give the words that a source uses as names: those of its branch and its commits' scopes."""
    names = [branch_name(source.branch)] if source.work else []
    names += source.extract.scopes if source.extract else ()
    found = {word for name in names for word in words(name)}
    return {
        word
        for word in found
        if len(word) >= _SHORTEST_WORD and word not in GENERIC and word not in STOP
    }
