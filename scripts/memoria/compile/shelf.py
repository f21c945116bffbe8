"""Read topics off the articles, and say which of them takes a line.

The articles are their own registry: key and aliases in the frontmatter say what a topic is, the
lines of the body say what it holds. So a topic is never clustered anew, and what a person renamed
or moved stays so. Two projects use the same words for different things: a name counts within one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.subjects import TopicSource, extract_names, is_telling
from memoria.text.markdown import normalise_words
from memoria.text.prose import split_sentences
from memoria.text.terms import is_specific, term_key
from memoria.text.word_overlap import containment, stems
from memoria.vault.file_names import generate_numbered_names, slugify
from memoria.vault.schema import BEFORE, GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.compile.points import Point
    from memoria.vault.article import Article

SAME = 0.5  # of the shorter line's content words: above, two lines of one page say the same
_SAME_REASON = 0.45  # ... and why something was changed, which what came of it mostly tells, too
_MIN_REPEAT_WORDS = 5  # content words: of fewer a part tells nothing
# What a later line says of an earlier one that no longer holds ...
_CHANGE_WORDS = re.compile(
    r"\b(?:no longer|instead of|rather than|now|replac(?:es|ed|ing)|switched|moved (?:to|from)"
    r"|migrated|dropped|reverted|superseded|from now on|changed (?:to|from)|not any ?more)\b",
    re.IGNORECASE,
)
# "30", "1.25.6" and "`main`" in "30 s on `main`", not the 2 of "v2"
_LITERAL_VALUE = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.])|`[^`]+`")
# "`max_age` is back to 30": what was told of it since does not hold
_BACK = re.compile(r"(.*)\b(?:is|are|was) (?:now )?(?:back to|reverted|restored)\b", re.IGNORECASE)
# "maxAge", "MaxAge", "max_age"
_CODE_NAME = re.compile(r"\b(?:[A-Z]?[a-z0-9]+[A-Z_]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+)\b")
_CHANGED_SHARE = 0.6  # of the content words of the shorter line, without its values
_SAME_SENTENCE_SHARE = 0.8  # from here on another value alone is a sign of change
_MIN_WORDS = 4  # content words: of fewer nothing can be told
_MAX_LINES, _MAX_ENTRY_LINES = 12, 8  # of a page, and of one entry there: the log has the rest
_MIN_SENTENCE = 40  # characters: a shorter sentence may stand in two passages
_SOURCE_OPENING = "([[daily/"  # what follows a line: where it is from
# " (until 2026-04-01, see [[...]])": what amend.py puts behind a line that was taken out
UNTIL = re.compile(r" \(until (\d{4}-\d\d-\d\d)(?:, (?:then: |see ).*)?\)\s*$")
_SCOPE_MARK = " @ "  # before the project in a key, where another project has taken the name
# a connection repeats lines of the concepts it connects; answers, rules and projects are not ours
_TOPIC_KIND = "concept"
_stems = lru_cache(maxsize=4096)(stems)  # each line is compared with each page


@dataclass(slots=True)
class Topic:
    """What an article is about, with what it holds and what this compile adds to it.

    `key` is "branch:NAME", "title:WORDS" or "term:WORDS"; "" for an article of another engine or a
    person, which is recognised by its title and aliases alone. `names` are what lines are
    recognised by. `projects` is empty where any project may add to it.
    """

    key: str
    slug: str
    title: str
    projects: set[str]
    names: frozenset[str]
    article: Article | None = None
    texts: dict[str, str] = field(default_factory=dict)
    added: list[Point] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path of the article under knowledge/, without ending."""
        return self.article.path if self.article else f"concepts/{self.slug}"

    @property
    def is_work(self) -> bool:
        """Whether it gathers what one branch or plan left, and not what a name stands in."""
        return self.key.startswith(("branch:", "title:"))

    def concerns(self, project: str) -> bool:
        """Whether lines of a project may be added."""
        return not self.projects or not project or project in self.projects

    def holds(self, point: Point) -> bool:
        """Whether a line stands in it."""
        return point.mark in self.texts

    def is_retired(self, point: Point) -> bool:
        """Whether a line stands under what was before."""
        old_lines = self.article.section(BEFORE) if self.article else ""
        return bool(old_lines) and f" {point.mark} " in f" {normalise_words(old_lines)} "

    def accepts(self, point: Point, source: TopicSource) -> bool:
        """Whether a line would be new here, and there is room for it."""
        if self.holds(point) or not self.concerns(point.project):
            return False
        if len(self.texts) >= _MAX_LINES or sum(map(self.holds, source.points)) >= _MAX_ENTRY_LINES:
            return False
        return not self._repeats(point)

    def _repeats(self, point: Point) -> bool:
        """Whether a line says what one here says; what another session replaced is no repeat."""
        words = _stems(point.text)
        same = _SAME_REASON if point.kind == "context" else SAME
        limit = same if len(words) >= _MIN_REPEAT_WORDS else 0.99
        marks = {other.mark for other in self.added if other.session == point.session}
        sentences = [part for part in split_sentences(point.text) if len(part) >= _MIN_SENTENCE]
        parts = [f" {normalise_words(part)} " for part in sentences]
        for mark, text in self.texts.items():
            if any(part in f" {mark} " for part in parts):
                return True
            is_near = containment(words, _stems(text)) > limit
            if is_near and (mark in marks or not replaces(point.text, text)):
                return True
        return False

    def add(self, point: Point) -> None:
        """Add a line that was accepted."""
        self.texts[point.mark] = point.text
        self.added.append(point)


class TopicStore:
    """All topics of a compile; `place` is the only way a line gets into one."""

    def __init__(self, articles: Iterable[Article], clones: Mapping[str, str]) -> None:
        """Read the topics and what they hold off the articles; `clones` name each project."""
        pages = sorted(articles, key=lambda article: article.path)
        self._slugs = {page.slug for page in pages}
        self.topics = [_build_topic(page, clones) for page in pages if page.kind == _TOPIC_KIND]
        self._by_key = {topic.key: topic for topic in self.topics if topic.key}
        self._taken = {text for topic in self.topics for text in topic.texts}

    def open(self, key: str, title: str, project: str) -> Topic:
        """Begin a topic under a key that `find` does not know; its slug is a free one."""
        if key in self._by_key:
            key = f"{key}{_SCOPE_MARK}{project}"
        names = generate_numbered_names(slugify(title) or "topic")
        slug = next(name for name in names if name not in self._slugs)
        topic = Topic(key, slug, title, {project} - {""}, _build_names(key, title))
        self.topics.append(topic)
        self._slugs.add(slug)
        self._by_key[key] = topic
        return topic

    def find(self, key: str, project: str) -> Topic | None:
        """Find the topic of a key for a project, None where there is none yet."""
        topic = self._by_key.get(f"{key}{_SCOPE_MARK}{project}") or self._by_key.get(key)
        return topic if topic and topic.concerns(project) else None

    def place(self, point: Point, topic: Topic, source: TopicSource) -> bool:
        """Put a line into a topic if it is new there and lies in no other."""
        if not self.is_free(point) or not topic.accepts(point, source):
            return False
        topic.add(point)
        self._taken.add(point.mark)
        return True

    def is_free(self, point: Point) -> bool:
        """Whether a line lies in no topic yet."""
        return point.mark not in self._taken

    def is_known(self, name: str, project: str) -> bool:
        """Whether a topic of a project goes by a name, or by one that shares a word with it."""
        topics = (topic for topic in self.topics if topic.concerns(project))
        names = (f" {other} " for topic in topics for other in topic.names)
        return any(other in f" {name} " or f" {name} " in other for other in names)


def _build_topic(article: Article, clones: Mapping[str, str]) -> Topic:
    key, title = article.key, article.title
    names = {term_key(name) for name in article.names("aliases")} - {""}
    if not key:  # somebody else's: a common word in its title must not make it a grab bag
        names.add(term_key(title))
        names = {name for name in names if " " in name and is_specific(name)}
    names |= _build_names(key, title)
    projects = {clones.get(name, name) for name in article.names("projects")}
    texts = {normalise_words(line): line for line in (article.lead, *list_lines(article))}
    return Topic(key, article.slug, title, projects, frozenset(names), article, texts)


def _build_names(key: str, title: str) -> frozenset[str]:
    """Give the names that lines of a topic are recognised by."""
    sort, _, name = key.partition(":")
    if sort == "term":
        return frozenset({name.split(_SCOPE_MARK)[0]})
    return frozenset(filter(is_telling, extract_names(title))) if key else frozenset()


def list_lines(article: Article) -> Iterator[str]:
    """Give the lines of an article that are not made by code, without where they are from."""
    bodies = [body for name, body in article.sections if name.strip() not in GENERATED]
    for text in (line.strip() for body in bodies for line in body.splitlines()):
        if text.startswith(("- ", "* ", "+ ")):
            cut = text.rfind(_SOURCE_OPENING) if text.endswith("]])") else -1
            yield UNTIL.sub("", text[2:cut] if cut > 0 else text[2:]).strip()


# -- Which earlier line a later one replaces -------------------------------------------------------


def find_replaced(lines: Sequence[Point], new: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Give pairs of a line and the later line of another session that replaces it.

    `lines` are the lines of a topic in the order of time, `new` those of them that were added.
    """
    marks = {point.mark for point in new}
    for at, old in enumerate(lines):
        for later in lines[at + 1 :]:
            is_new = later.mark in marks and later.session != old.session
            if is_new and replaces(later.text, old.text):
                yield old, later
                break


class _LineSigns(NamedTuple):
    """What of a line tells whether it replaces another one, or is replaced.

    `words` are its content words without its `values`, `restored` the names that it says are as
    they were.
    """

    words: frozenset[str]
    values: frozenset[str]
    symbols: frozenset[str]
    restored: frozenset[str]
    says_change: bool
    takes_back: bool


# lines are compared each with each, some hundred of a project
@lru_cache(maxsize=8192)
def _read_signs(line: str) -> _LineSigns:
    back = _BACK.match(line)
    return _LineSigns(
        stems(_LITERAL_VALUE.sub(" ", line)),
        frozenset(_LITERAL_VALUE.findall(line)),
        frozenset(_CODE_NAME.findall(line)),
        frozenset(_CODE_NAME.findall(back[1]) if back else ()),
        bool(_CHANGE_WORDS.search(line)),
        bool(back),
    )


def replaces(later: str, old: str) -> bool:
    """Whether a line says that what an earlier one told is so no longer.

    It does with words of change, or with another value in the same sentence: two causes of one bug
    share most of their words, too. One that says that a thing is as it was takes back the change.
    """
    new, past = _read_signs(later), _read_signs(old)
    if new.restored & past.symbols and not past.takes_back:
        return True
    share = containment(new.words, past.words)
    if min(len(new.words), len(past.words)) < _MIN_WORDS or share < _CHANGED_SHARE:
        return False
    if new.says_change and not past.says_change:
        return True
    is_other = not (new.values <= past.values or past.values <= new.values)
    return share >= _SAME_SENTENCE_SHARE and is_other
