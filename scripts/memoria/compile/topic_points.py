"""Articles and new topics -> the Shelf: which topic holds which point, found by name and by mark.

The articles are their own registry: key and aliases in the frontmatter say what a topic is, the
lines of the body say what it holds, and nothing else is kept anywhere. So a topic is never
clustered anew, its slug and key never change, and what a person renamed or moved stays so. The
trap: two projects use the same words for different things, so a name counts within its project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.extract.sentences import containment, stems
from memoria.compile.points import SOLID
from memoria.text.markdown import mark
from memoria.text.term_names import is_about
from memoria.text.terms import key as term_key
from memoria.text.terms import specific
from memoria.vault.schema import GENERATED
from memoria.vault.slugs import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.compile.points import Point
    from memoria.vault.article import Article

MOST_PLACES = 2  # a line stands in its work item and in one concept, or in two concepts
MOST_ALIASES = 8  # more names than that help nobody to find a topic
# of the shorter line's content words: above, two lines of one article say the same; less is enough
# where half of the names of code are the same
_SAME, _SAME_NAMED, _HALF = 0.62, 0.45, 0.5
_FEW = 5  # content words: of fewer a part tells nothing
_TITLED = 0.75  # of a line's content words in the title: the line adds nothing to it
# of one entry in a work item; a long session leaves some 40 lines, and its best say it all
_MOST_OF_ENTRY = 15
_FROM = "([[daily/"  # what follows a line: where it is from
_SCOPE = " @ "  # before the project in the key of a topic whose name another project has taken


@dataclass(slots=True)
class Topic:
    """What an article is about, with what it holds and what this compile adds to it.

    `key` is "branch:NAME", "title:WORDS", "term:WORDS" or "commands:"; "" for an article of another
    engine or a person, which is recognised by its title and aliases alone. `names` are the keys of
    the terms it goes by, `meaning` a sentence that defines them. `projects` is empty where any
    project may add to it.
    """

    key: str
    slug: str
    title: str
    projects: set[str]
    names: set[str]
    article: Article | None = None
    marks: set[str] = field(default_factory=set)
    added: list[Point] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    meaning: str = ""
    _said: list[_Print] | None = None

    @property
    def path(self) -> str:
        """The path of the article under knowledge/, without ending."""
        return self.article.path if self.article else f"concepts/{self.slug}"

    @property
    def is_term(self) -> bool:
        """Whether points gather here by what they speak of."""
        return bool(self.names)

    @property
    def size(self) -> int:
        """The number of lines; few means a rare topic."""
        return len(self.marks)

    def concerns(self, project: str) -> bool:
        """Whether points of a project may be added."""
        return not self.projects or not project or project in self.projects

    def accepts(self, point: Point) -> bool:
        """Whether a point would be new here: neither it nor a line that says the same is there."""
        if point.mark in self.marks or not self.concerns(point.project):
            return False
        if self.article and f" {point.mark} " in f" {mark(self.article.lead)} ":
            return False
        if not self.takes(point):
            return False
        new = _print(point.text)
        # a commit whose subject is the title says no more than the title
        if len(new.words & stems(self.title)) > _TITLED * len(new.words):
            return False
        return not any(_same(new, old, self.names) for old in self._prints())

    def takes(self, point: Point) -> bool:
        """Whether a point is of a sort that belongs here.

        A work item takes the best of each entry; a term no errors, whose words are a tool's. A
        definition serves the lead of what it defines and is no line.
        """
        if point.kind == "definition":
            return False
        return point.kind != "fix" if self.is_term else point.rank < _MOST_OF_ENTRY

    def add(self, point: Point) -> None:
        """Add a point that was accepted."""
        self._prints().append(_print(point.text))
        self.marks.add(point.mark)
        self.added.append(point)

    def _prints(self) -> list[_Print]:
        if self._said is None:
            self._said = [_print(line) for line in _lines(self.article)] if self.article else []
        return self._said


class _Print(NamedTuple):
    """What two lines that say the same have in common: content words, and names of code."""

    words: frozenset[str]
    names: frozenset[str]


def _print(text: str) -> _Print:
    spans = [span for quoted in re.findall(r"`([^`]+)`", text) for span in quoted.split()]
    spans += re.findall(r"\b[A-Za-z]+[a-z][A-Z]\w*|\b\w+_\w+", text)
    names = (re.findall(r"\w+", span)[-1:] for span in spans)
    return _Print(stems(text), frozenset(name.lower() for found in names for name in found))


def _same(new: _Print, old: _Print, topic: set[str]) -> bool:
    """Whether two lines say the same; names that the topic itself goes by tell nothing."""
    share = containment(new.words, old.words)
    if min(len(new.words), len(old.words)) < _FEW:
        return share == 1.0
    own = {name.replace(" ", "") for name in topic}
    names = [side - own for side in (new.names, old.names)]
    alike = containment(*names) >= _HALF
    return share > (_SAME_NAMED if alike else _SAME)


@dataclass(slots=True)
class Held:
    """What a topic holds of the points that are known: they, their marks, their sessions."""

    topic: Topic
    points: list[Point] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)


class Shelf:
    """All topics of a compile; `place` is the only way a point gets into one."""

    def __init__(self, articles: Iterable[Article]) -> None:
        """Read the topics and what they hold off the articles."""
        self.topics: list[Topic] = []
        self._places: dict[str, list[Topic]] = {}
        self._by_key: dict[str, Topic] = {}
        self._by_name: dict[str, list[Topic]] = {}
        self._odd: set[str] = set()  # names that are no phrases of two or three words
        self._slugs: set[str] = set()
        for article in articles:
            self._slugs.add(article.slug)
            if article.kind not in _NO_TOPICS:
                self._enter(_topic(article))

    def _enter(self, topic: Topic) -> None:
        self.topics.append(topic)
        self._slugs.add(topic.slug)
        if topic.key:
            self._by_key[topic.key] = topic
        for name in sorted(topic.names):
            self._know(name, topic)
        for one in topic.marks:
            self._places.setdefault(one, []).append(topic)

    def open(self, key: str, title: str, project: str) -> Topic:
        """Begin a topic under a key that `find` does not know; its slug is a free one."""
        if key in self._by_key:
            key = f"{key}{_SCOPE}{project}"
        name = _name(key)
        names = {name} if key.startswith("term:") else set()
        topic = Topic(key, self._free(title), title, {project} - {""}, names)
        self._enter(topic)
        return topic

    def find(self, key: str, project: str) -> Topic | None:
        """Find the topic of a key for a project, None where there is none yet."""
        scoped = self._by_key.get(f"{key}{_SCOPE}{project}")
        topic = scoped or self._by_key.get(key)
        return topic if topic and topic.concerns(project) else None

    def named(self, name: str, project: str) -> list[Topic]:
        """Find the topics that go by a name in a project."""
        return [topic for topic in self._by_name.get(name, ()) if topic.concerns(project)]

    def spoken_of(self, point: Point) -> list[Topic]:
        """Find the topics of the terms that a point names, the rarest first.

        Of two names of which one is part of the other the longer one counts.
        """
        names = {
            name for name in point.terms if name in self._by_name and is_about(name, point.text)
        }
        names |= {
            name for name in self._odd if point.speaks_of(name) and is_about(name, point.text)
        }
        whole = [
            name
            for name in names
            if not any(name != other and f" {name} " in f" {other} " for other in names)
        ]
        found = {topic.slug: topic for name in whole for topic in self.named(name, point.project)}
        return sorted(found.values(), key=lambda topic: (topic.size, topic.slug))

    def call(self, topic: Topic, name: str) -> bool:
        """Give a topic one more name; False where it has enough."""
        if name in topic.names or len(topic.names) > MOST_ALIASES:
            return False
        topic.names.add(name)
        topic.aliases.append(name)
        self._know(name, topic)
        return True

    def _know(self, name: str, topic: Topic) -> None:
        self._by_name.setdefault(name, []).append(topic)
        if name.count(" ") not in {1, 2}:
            self._odd.add(name)

    def places(self, point: Point) -> list[Topic]:
        """Give the topics that hold a point."""
        return self._places.get(point.mark, [])

    def held(self, points: Iterable[Point]) -> dict[str, Held]:
        """Sort points by the topics that hold them; by path."""
        held: dict[str, Held] = {}
        for point in points:
            for topic in self.places(point):
                one = held.setdefault(topic.path, Held(topic))
                one.points.append(point)
                one.marks.add(point.mark)
                one.sessions.add(point.session)
        return held

    def place(self, point: Point, topic: Topic) -> bool:
        """Put a point into a topic if it is new there and does not lie in enough others."""
        if len(self.places(point)) >= MOST_PLACES or not topic.accepts(point):
            return False
        topic.add(point)
        self._places.setdefault(point.mark, []).append(topic)
        return True

    def is_free(self, point: Point) -> bool:
        """Whether a new term may be founded on a point: no other term has it."""
        places = self.places(point)
        return len(places) < MOST_PLACES and not any(topic.is_term for topic in places)

    def _free(self, title: str) -> str:
        base = slug(title) or "topic"
        free, number = base, 2
        while free in self._slugs:
            free, number = f"{base}-{number}", number + 1
        return free


# a connection repeats lines of the concepts it connects; answers and rules hold none of ours
_NO_TOPICS = frozenset({"connection", "qa", "rule"})


def is_sound(points: Iterable[Point]) -> bool:
    """Whether points are enough for an article: four of them, two of which save someone an hour."""
    found = [point for point in points if point.kind != "context"]
    firm = [point for point in found if point.kind in SOLID and not point.text.endswith("?")]
    solid = [point for point in firm if point.score >= _SOLID_SCORE]
    return len(found) >= _LINES and len(solid) >= _SOLID_LINES


_LINES, _SOLID_LINES = 4, 2  # measured: what is thinner is rarely worth a page
_SOLID_SCORE = 3.0  # a stated cause, or a choice on record; below are passing remarks


def merge_aliases(known: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    """Join two lists of names in their order, each thing once however it is spelled."""
    merged: dict[str, str] = {}
    for name in (*known, *new):
        merged.setdefault(term_key(name) or name, name)
    return tuple(merged.values())


def _topic(article: Article) -> Topic:
    key = article.key
    marks = {mark(line) for line in _lines(article)}
    names = {term_key(name) for name in article.names("aliases")}
    if article.kind != "concept":  # it holds lines, but is not ours to add to
        return Topic("", article.slug, article.title, set(), set(), article, marks)
    if key.startswith("term:"):
        names.add(_name(key))
    elif not key:  # somebody else's: a common word in its title must not make it a grab bag
        names.add(term_key(article.title))
        names = {name for name in names if " " in name and specific(name)}
    else:
        names = set()  # a work item gathers by its branch; its aliases are for people
    projects = set(article.names("projects"))
    return Topic(key, article.slug, article.title, projects, names - {""}, article, marks)


def _name(key: str) -> str:
    return key.partition(":")[2].split(_SCOPE)[0]


def _lines(article: Article) -> Iterator[str]:
    own = (body for name, body in article.sections if name.strip() not in GENERATED)
    for body in own:
        for line in body.splitlines():
            text = line.strip()
            if text.startswith(("- ", "* ", "+ ")):
                cut = text.rfind(_FROM) if text.endswith("]])") else -1
                yield text[2:cut].strip() if cut > 0 else text[2:].strip()
