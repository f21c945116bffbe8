"""Give the lines that pages are made of: what an entry's session says of its work when done.

What was planned, found on the way or taken up again later is no such line (the extract's `results`
leave it out), so nothing is judged here but what a line is worth. A point is recognised by its
`mark`, its words alone: the article that holds it shows them among links and markup, and is the
only record of what lies where. An entry that a person wrote or edited has no extract; then its own
lines are the points, since they are what the person let stand.

HOME and a project's page tell the best of them that no topic says are over.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from memoria.capture.extract.features import CUES
from memoria.capture.provenance.marks import find_sayable_part
from memoria.compile.shelf import SAME, UNTIL, replaces
from memoria.llm.port import OfflineModel
from memoria.text.markdown import make_inert, normalise_words
from memoria.text.prose import split_sentences
from memoria.text.terms import split_words
from memoria.text.word_overlap import containment, stems
from memoria.vault.article import Article, strip_source_links
from memoria.vault.entry import Entry, Extract, FactKind
from memoria.vault.home_page import (
    NEXT_STEP,
    format_article_link,
    format_change_note,
    format_entry_link,
    share_among,
)
from memoria.vault.schema import BEFORE, GENERATED

Extracts = Callable[[str], Extract | None]  # the extract of an entry by its id
# text, kind, score on the extractor's scale
_Found = tuple[str, FactKind, float]

LONGEST = 400  # characters: a longer line is a paragraph that nobody reads in a list
FLOOR = 2.75  # on the extractor's scale: below, more than half of the lines are noise
# ... from here on it is kept or harmless on teams that the weights did not know, cause or not
SURE = 4.2
_REASON_BONUS = 0.5  # a cause, or a choice with its reason, is worth more than the rest
# what a line that a person wrote or let stand counts, on the extractor's scale, and its kind
_WRITTEN: Mapping[str, tuple[float, FactKind]] = {
    "decisions": (4.0, "decision"),
    "lessons": (3.8, "lesson"),
    "exchanges": (3.2, "answer"),
}
_FILED_KINDS = frozenset({"fix", "answer"})  # a lesson says why; what does not was only done
# what a person noted of a talk is an answer where something was asked
_ASKS = re.compile(r"\basked\b|\?|->", re.IGNORECASE)
_DECIDED = re.compile(r"(?:we |i )?(?:decided|chose|agreed|went with|settled on)\b", re.IGNORECASE)
# what the extractor puts before a line that may not have come true, or ended by the change
_UNSURE = re.compile(r"(?:Planned|Found \(edits followed\)|Reason for the change): ")
_REASON_LABEL = "Reason for the change: "
# ... above what a commit lists without saying why, below what says both
_REASON_WORTH = 3.5
_EARLY = 70  # characters of its words: what a line names later is an example or a circumstance
_SINCE_SECTION = "Since Then"
_ENTRY_LINES = 2  # of one session, in a list of a page
_MIN_MODEL_WORTH = 4.0  # of a model's lines: of middle weight and says why, or of the most
_COMMITTED = re.compile(r"\b\d+ commits?\b|\bPR #\d")  # in the context of an entry
_COMMITTED_BONUS = 0.5  # of a decision, which is then more than a plan: as much as a reason
_MAX_ENTRIES = 500  # entries: of more, the latest
_MIN_WORDS = 4  # content words of a line: shorter ones are said by many
# what a line says that is to come, or the context of its entry
_PLANNED = re.compile(
    r"(?i)\b(?:is|are) to (?:be|get|have|become)\b|\b(?:planned|proposed|by the (?:design|plan)"
    r"|nothing (?:was )?(?:implemented|committed)|no commit\b|not with a commit"
    r"|not (?:yet )?(?:implemented|built|committed|merged))\b"
)
_FILE = re.compile(r"(?:[\w.@~-]*/)*[\w-]+\.[a-z]{1,5}\b")  # "src/app.py": a place, no thing


@dataclass(frozen=True, slots=True)
class Point:
    """A line that an article may hold.

    `said` are its words in order between blanks, with a bar after each sentence; `worth` orders
    lines, on the extractor's scale.
    """

    text: str
    kind: FactKind
    worth: float
    entry: str
    session: str
    day: date
    project: str
    mark: str
    said: str

    @property
    def is_marked(self) -> bool:
        """Whether it says of itself that it is from outside: a page, a file, a paste."""
        return find_sayable_part(self.text) != self.text

    @property
    def is_answer(self) -> bool:
        """Whether it is what the user answered: what came of it is told elsewhere."""
        return " -> " in self.text

    def names(self, name: str) -> bool:
        """Whether the line is about a thing, given as its words.

        It names it twice, or early in a sentence.
        """
        phrase = f" {name} "
        offsets = (part.find(phrase) for part in self.said.split("|"))
        return self.said.count(phrase) > 1 or any(0 <= at <= _EARLY for at in offsets)

    def says(self, name: str) -> bool:
        """Whether the line has a name, wherever that stands in it."""
        return bool(name) and f" {name} " in self.said

    def find_place(self, name: str) -> int:
        """Give where it first speaks of a thing, its length where it does not."""
        at = self.said.find(f" {name} ")
        return at if at >= 0 else max(len(self.said), _EARLY + 1)


def find_points(entry: Entry, extract: Extract | None, project: str) -> tuple[Point, ...]:
    """Give the lines of an entry that are worth a page, the best first."""
    points: dict[str, Point] = {}
    origin = (entry.id, entry.session or entry.id, entry.day, project)
    for text, kind, score in _list_lines(entry, extract):
        if (mark := normalise_words(text)) and mark not in points and len(text) <= LONGEST:
            worth = score + _REASON_BONUS * has_reason(text)
            parts = (_FILE.sub(" ", sentence) for sentence in split_sentences(text))
            words = f" {' | '.join(' '.join(split_words(part)) for part in parts)} "
            points[mark] = Point(text, kind, worth, *origin, mark, words)
    return tuple(sorted(points.values(), key=lambda point: (-point.worth, point.mark)))


def has_reason(text: str) -> bool:
    """Whether a line says why something is so, or what was taken and what not."""
    return any(CUES[cue].search(text) for cue in ("cause", "choice", "limits"))


def _list_lines(entry: Entry, extract: Extract | None) -> Iterator[_Found]:
    for fact in extract.results if extract else ():
        if fact.score >= FLOOR:
            tells_why = has_reason(fact.text) or fact.score >= SURE
            is_filed = (fact.kind == "lesson" and tells_why) or fact.kind in _FILED_KINDS
            yield fact.text, fact.kind if is_filed else "decision", fact.score
    # what was so before says why, and is over; the first says what the next ones lean on
    for number, text in enumerate(entry.draft.lessons if extract else ()):
        if text.startswith(_REASON_LABEL):
            worth = _REASON_WORTH - _REASON_BONUS * has_reason(text) - number / 100
            yield text, "context", worth
    for section, (score, kind) in () if extract else _WRITTEN.items():
        for text in getattr(entry.draft, section):
            if not (NEXT_STEP.match(text) or _UNSURE.match(text)):
                yield text, _classify_kind(text, kind), score


def _classify_kind(text: str, kind: FactKind) -> FactKind:
    """File a person's line by what it says: a decision is one wherever they wrote it."""
    if _DECIDED.match(text):
        return "decision"
    return "lesson" if kind == "answer" and not _ASKS.search(text) else kind


# -- Which of them a page tells, beside what topics tell -------------------------------------------


def no_extract(name: str) -> None:
    """Know nothing beside an entry."""


class TopicLine(NamedTuple):
    """A line of a topic by its stems.

    `holds` says that it is not what was before, `is_shown` that the page has it as the topic's row.
    `projects` are those that it is told of, none for all that the page is about.
    """

    stems: frozenset[str]
    holds: bool
    is_shown: bool
    topic: Article
    projects: frozenset[str] = frozenset()


def is_shown_whole(article: Article) -> bool:
    """Whether a page's row of a topic is all that the topic begins with."""
    return len(article.lead) <= LONGEST and " " in article.lead


def list_topic_lines(topics: Iterable[Article], shown: Collection[Article] = ()) -> list[TopicLine]:
    """Give what topics tell and say is over, by line; the leads of `shown` stand on the page."""
    return [
        TopicLine(
            stems(UNTIL.sub("", strip_source_links(line))),
            name.strip() != BEFORE,
            not name and topic in shown and is_shown_whole(topic),
            topic,
        )
        for topic in topics
        for name, body in (("", topic.lead), *topic.sections)
        if name.strip() not in {*GENERATED, _SINCE_SECTION}
        for line in body.splitlines()
    ]


def choose_best_rows(  # noqa: PLR0913, PLR0917 - where lines come from, and which are wanted
    entries: Iterable[Entry],
    extracts: Extracts,
    topic_lines: Collection[TopicLine],
    kind: FactKind,
    limit: int,
    groups: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Give the weightiest lines of a kind that say why, each with day and session, newest first.

    Of two that say the same, or of which the later replaces the other, the later one stands, and
    what `topic_lines` say is over, or have as a row of the page, is not told. Of a line that a
    topic tells, too, there is more to read there; one whose topic was taken up again says so, and
    stands where room is left. Each of the `groups` of projects has its share of the room, and each
    of their sessions has one line.
    """
    rows = [
        _PageRow(point, entry, near, _find_change_note(near, entry))
        for point, entry in _choose_points(entries, extracts, kind, 1 if groups else _ENTRY_LINES)
        for near in [_find_nearest(point, topic_lines)]
        if near is None or near.holds
    ]
    ranked = sorted(rows, key=_PageRow.rank)
    # what a topic's row tells leaves its place empty: weaker lines do not move up
    weighty = share_among(ranked, limit, lambda row: groups.get(row.point.project, ""))
    for row in rows:
        if row in weighty and not (row.near and row.near.is_shown):
            yield _format_page_row(row)


class _PageRow(NamedTuple):
    """A line that a page may tell: its entry, the topic's line next to it, and what that says."""

    point: Point
    entry: Entry
    near: TopicLine | None
    change_note: str

    def rank(self) -> tuple[bool, float]:
        """Give what orders rows: the best that nobody took up again stands first."""
        is_kept = self.point.kind == "decision" and _is_committed(self.entry)
        return bool(self.change_note), -self.point.worth - _COMMITTED_BONUS * is_kept


def _choose_points(
    entries: Iterable[Entry], extracts: Extracts, kind: FactKind, limit: int
) -> Iterator[tuple[Point, Entry]]:
    """Give the telling lines of a kind that no later one outdates, at most `limit` an entry."""
    chosen: list[Point] = []
    entries = list(islice(entries, _MAX_ENTRIES))
    # where commits are made by hand, none is seen
    sees_commits = kind == "decision" and any(map(_is_committed, entries))
    for entry in entries:
        points = find_points(entry, extracts(entry.id), entry.project)
        least = SURE if sees_commits and not _is_committed(entry) else 0.0
        telling = (point for point in points if point.kind == kind and _is_telling(point, entry))
        for point in islice((point for point in telling if point.worth >= least), limit):
            if not any(_outdates(later, point) for later in chosen):
                chosen.append(point)
                yield point, entry


def _format_page_row(row: _PageRow) -> str:
    """Write a line with its day and session, and where there is more to read."""
    topic = row.near.topic if row.near else None
    # an article of the session's own title says so twice
    is_more = topic is not None and topic.title != row.entry.draft.title
    link = f" (more in {format_article_link(topic)})" if topic and is_more else ""
    opening = f"{row.entry.day}, {format_entry_link(row.entry)}{row.change_note}"
    return f"{opening}: {make_inert(row.point.text)}{link}"


def _is_committed(entry: Entry) -> bool:
    """Whether a session's work is known to be kept; what a person writes down is."""
    return not entry.session or bool(_COMMITTED.search(entry.draft.context))


def _find_change_note(near: TopicLine | None, entry: Entry) -> str:
    """Say of an entry's line that a later session took up the topic that tells it, too."""
    if near is None or f"#^{entry.id}]]" in near.topic.section(_SINCE_SECTION):
        return ""
    return format_change_note(near.topic)


def _outdates(later: Point, old: Point) -> bool:
    """Whether a later line says the same as another, or replaces it."""
    is_same = containment(stems(old.text), stems(later.text)) > SAME
    return is_same or replaces(later.text, old.text)


def is_over(point: Point, lines: Iterable[TopicLine]) -> bool:
    """Whether a topic of its project says that a line holds no more."""
    near = _find_nearest(point, lines)
    return near is not None and not near.holds


def _find_nearest(point: Point, lines: Iterable[TopicLine]) -> TopicLine | None:
    """Give the line of a topic of its project that says the same, None where none does."""
    words = stems(point.text)
    candidates = (
        (share, line.holds, line.is_shown, -at, line)
        for at, line in enumerate(lines)
        if len(line.stems) >= _MIN_WORDS
        and (not line.projects or point.project in line.projects)
        and (share := containment(words, line.stems)) > SAME
    )
    return max(candidates, default=(None,))[-1]


def _is_telling(point: Point, entry: Entry) -> bool:
    """Whether a line says why, and what its session is called by: a long one is of many things.

    What a model wrote down was chosen for that.
    """
    if point.kind == "decision" and _PLANNED.search(f"{point.text} {entry.draft.context}"):
        return False
    if entry.engine not in {OfflineModel.name, "hand"}:
        # a lesson without a cause is filed as a decision, and is none
        is_chosen = point.kind != "decision" or point.text in entry.draft.decisions
        return is_chosen and point.worth >= _MIN_MODEL_WORTH and not point.is_marked
    is_near = stems(entry.draft.title) & stems(point.text) or point.kind == "decision"
    is_worthy = has_reason(point.text) or point.worth >= SURE
    return bool(is_worthy and is_near and not (point.is_marked or point.is_answer))
