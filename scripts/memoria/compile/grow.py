"""Put the lines of a day where they belong, and begin the topics that they found.

One step after the other until none changes anything, because then the same day again changes
nothing either. Existing topics come first, then what a branch or a plan tells of its own work,
since that is one story, then phrases that several sessions share. Entries that wait
for a later turn of the same compile (`ahead`) count for which phrase is worth a page and which word
is common, and put no line anywhere yet.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memoria.capture.extract.entry_title import branch_words
from memoria.capture.extract.sentences import stems
from memoria.compile.points import ERROR, MENDED, REASON
from memoria.compile.shelf import CODE, Topic
from memoria.compile.subjects import GIVEN, Vocabulary, is_telling, names, worked_on
from memoria.compile.write import can_open
from memoria.text.terms import name_of, specific, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.shelf import Shelf

_LINES, _SESSIONS = 3, 2  # what makes a topic: three lines worth keeping of two sessions
_STRONG = 3.3  # worth of a line that carries a page: half a point above the floor
_SPOKEN_LINES, _SPOKEN_SESSIONS = 4, 3  # of a phrase that named no branch, title or file
_SHARED = 2  # content words of two lines of one session that speak of one thing
_OF_SESSION = 3  # lines of one session that speak for a name; more show how long it was
_GIVEN, _SEEN = 0.5, 0.2  # how much a given name, a file's name weighs

# How near a line is to a topic: it speaks of it, it is of the branch or plan itself, or it speaks
# of what its session is called by.
_SPOKEN, _OWN, _BOTH = 1, 2, 3


_Line = tuple["Source", "Point"]


class Growth:
    """The work on one day: `settle` does it, the shelf shows the result."""

    def __init__(
        self,
        shelf: Shelf,
        known: Sequence[Source],
        today: Sequence[Source],
        ahead: Sequence[Source],
    ) -> None:
        """Take the sources that lines may come from, those of them that are new, and later ones."""
        self._shelf, self._known, self._today = shelf, known, today
        self._all = [*known, *ahead]
        self._names = {source.entry.id: names(source) for source in self._all}
        self._vocabulary = Vocabulary(self._all)

    def settle(self) -> None:
        """Repeat all steps until no topic begins: one that does may free what another one needs."""
        begun = -1
        while begun != len(self._shelf.topics):
            begun = len(self._shelf.topics)
            self._step()

    def _step(self) -> None:
        self._attach()
        self._found_works(captured=True)
        self._attach()
        self._found_subjects()
        # what a person writes on one thing day by day is one topic, whatever each day is called
        self._found_works(captured=False)

    def _attach(self) -> None:
        """Put the lines of the day into the topics that they speak of or are part of."""
        for source in self._today:
            for point in source.points:
                for topic in self._homes(source, point):
                    if self._shelf.place(point, topic, source):
                        break

    def _homes(self, source: Source, point: Point) -> list[Topic]:
        """Give the topics that a line may go to, the closest first."""
        ranked = []
        for topic in self._shelf.topics:
            if topic.concerns(source.project):
                near = self._nearness(topic, source, point)
                # of two it is about the one that it names first
                at = min((point.place_of(name) for name in topic.names), default=0)
                ranked += [(-near, at, topic.slug, topic)] if near else []
        return [topic for *_, topic in sorted(ranked, key=lambda item: item[:3])]

    def _nearness(self, topic: Topic, source: Source, point: Point) -> int:
        """Say how close a line is to a topic, 0 for not at all."""
        given = self._names[source.entry.id].given
        spoken = [name for name in topic.names if point.names(name)]
        if topic.is_work:
            shared = [name for name in spoken if name in given and self._tells(name, source)]
            own = topic.key == source.work and _touches(source, point, topic.title)
            return _OWN if own else _SPOKEN if shared else 0
        if spoken:
            return _BOTH if topic.names & given else _SPOKEN
        return 0

    def _tells(self, name: str, source: Source) -> bool:
        return self._vocabulary.tells(name, source.project)

    # -- Names that sessions share -----------------------------------------------------------------

    def _found_subjects(self) -> None:
        """Begin the topics that several sessions share, the strongest first."""
        while best := max(self._strengths(), default=None):
            _, name, project = best
            lines = self._speaking(name, project)
            texts = [point.text for _, point in lines]
            topic = self._shelf.open(f"term:{name}", _titled(name_of(name, texts)), project)
            self._fill(topic, [line for line in lines if line[0] in self._known])
            self._attach()

    def _strengths(self) -> Iterator[tuple[float, str, str]]:
        for name, project in self._candidates():
            if strength := self._strength(name, project):
                yield strength, name, project

    def _candidates(self) -> set[tuple[str, str]]:
        found = set()
        for source in self._today:
            by = self._names[source.entry.id]
            spoken = {term for point in source.points for term in point.terms}
            for name in by.given | by.files | spoken:
                if name.count(" ") > 1 or (" " not in name and name not in by.given):
                    continue  # a word that nobody named gathers what has nothing in common
                if not self._shelf.is_known(name, source.project) and self._tells(name, source):
                    found.add((name, source.project))
        return found

    def _speaking(self, name: str, project: str) -> list[_Line]:
        """Give the free lines of a project that speak of a name, as a page would take them."""
        return self._accepted(
            (source, point)
            for source in self._all
            if source.project == project
            for point in source.points
            if point.names(name)
        )

    def _accepted(self, lines: Iterable[_Line]) -> list[_Line]:
        """Give those lines that a new page would take, the best first."""
        trial = Topic("", "", "", set(), frozenset())
        taken = []
        for source, point in sorted(lines, key=lambda line: (-line[1].worth, line[1].mark)):
            if self._shelf.is_free(point) and trial.accepts(point, source):
                trial.add(point)
                taken.append((source, point))
        return taken

    def _strength(self, name: str, project: str) -> float:
        """Weigh a name by its lines, session by session, and by who named it; 0 for no topic."""
        lines = self._speaking(name, project)
        of = Counter(source.session for source, _ in lines)
        by = [source for source in self._all if source.project == project]
        given = {one.work for one in by if name in self._names[one.entry.id].given}
        files = sum(name in self._names[one.entry.id].files for one in by)
        works = {source.work or source.session for source, _ in lines}
        # common words are a name where two works are called by them
        is_name = " " in name and specific(name) and (given or files or _is_spoken(lines, of))
        if not (is_name or len(given) >= (_SESSIONS if " " in name else _SPOKEN_SESSIONS)):
            return 0.0
        if not _is_sound(lines) or len(works) < _SESSIONS or not self._of_today(lines):
            return 0.0
        weight = 1 + _GIVEN * min(len(given), _SESSIONS) + _SEEN * min(files, _SESSIONS)
        weight += " " in name  # a phrase says more than one of its words
        return sum(min(number, _OF_SESSION) for number in of.values()) * weight

    def _of_today(self, lines: Iterable[_Line]) -> bool:
        today = {source.entry.id for source in self._today}
        return any(source.entry.id in today for source, _ in lines)

    def _fill(self, topic: Topic, lines: Iterable[_Line]) -> None:
        for source, point in lines:
            self._shelf.place(point, topic, source)

    # -- What one session tells of its work --------------------------------------------------------

    def _found_works(self, *, captured: bool) -> None:
        for source in self._today:
            known = self._shelf.find(source.work, source.project)
            if source.work and not known and bool(source.extract) == captured:
                self._found_work(source)

    def _found_work(self, source: Source) -> None:
        """Begin the topic of a branch or a plan, if its lines tell of what it is called by."""
        mine = [
            one for one in self._known if (one.work, one.project) == (source.work, source.project)
        ]
        title = _work_title(mine)
        lines = [(one, point) for one in mine for point in one.points]
        free = [line for line in lines if self._shelf.is_free(line[1])]
        if 2 * len(free) < len(lines):
            return
        near = self._accepted(_connected(free, title))
        if _is_sound(near, past=True):
            topic = self._shelf.open(source.work, title, source.project)
            self._fill(topic, near)


def _touches(source: Source, point: Point, title: str) -> bool:
    """Whether a line speaks of what its work is called by, or of a file that was edited."""
    shared = worked_on(source, title) & stems(" ".join(words(point.text)))
    return len(shared) > 1 or any(map(is_telling, shared))


def _connected(lines: Sequence[_Line], title: str) -> Iterator[_Line]:
    """Give the lines that speak of the work, and those that speak of the same things as these."""
    near = [line for line in lines if _touches(*line, title)]
    told = [stems(point.text) for _, point in near]
    shown = {name for _, point in near for name in CODE.findall(point.text)}
    for line in lines:
        own = stems(line[1].text)
        named = not shown.isdisjoint(CODE.findall(line[1].text))
        if line in near or named or any(len(own & words) >= _SHARED for words in told):
            yield line


def _is_sound(lines: Sequence[_Line], *, past: bool = False) -> bool:
    """Whether lines are enough for a page: three that are worth keeping, two that say why.

    Of one work the state before it may be one of them: it shows what the work was for. What came
    from outside carries no page.
    """
    able = [point for _, point in lines if point.worth >= _STRONG and not point.is_marked]
    now = [point for point in able if point.kind != "context"]
    firm = [point for point in (able if past else now) if REASON.search(point.text)]
    opens = any(can_open(point) for point in now)
    # an error whose fix nobody tells helps nobody
    fixed = any(point.kind == "decision" or MENDED.search(point.text) for point in now)
    opens = opens and (fixed or not any(ERROR.search(point.text) for point in now))
    enough = len(able if past else firm) >= _LINES and len(firm) >= _SESSIONS
    return opens and enough and len(now) >= _SESSIONS


def _is_spoken(lines: Sequence[_Line], of: Counter[str]) -> bool:
    return len(lines) >= _SPOKEN_LINES and len(of) >= _SPOKEN_SESSIONS


def _work_title(mine: Sequence[Source]) -> str:
    """Give the title of a work item: of several sessions its branch's, of one what was given."""
    by_branch = branch_words(mine[0].branch)
    titled = [one for one in mine if one.extract is None or one.extract.titled_by in GIVEN]
    given = next((one.entry.draft.title for one in titled), "")
    several = len({one.session for one in mine}) > 1 and any(map(is_telling, words(by_branch)))
    return _titled(by_branch) if several or not given else given


def _titled(name: str) -> str:
    return name[:1].upper() + name[1:] if name.islower() else name
