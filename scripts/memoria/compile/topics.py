"""Compile a day's entries without a model: topics that grow, topics that begin, what unites them.

Slug and key of a topic never change, lines are only added or moved to what was before, and all
state is read off the articles. Whatever is counted over all sessions changes from day to day, so it
may decide what begins, never what is there already. First comes what a branch or a plan tells of
its own work, since that is one story, then the topics there are, then what hand-written logs share.
Entries that wait for a later turn of the same compile (`ahead`) count for what is worth a page, and
put no line anywhere yet.
"""

from collections.abc import Iterable, Mapping, Sequence

from memoria.capture.extract.observing.commits import is_trunk
from memoria.capture.extract.user.statements import WEAK
from memoria.compile.patch import Patch, RuleProposal
from memoria.compile.points import Point, find_points
from memoria.compile.shelf import Topic, TopicStore, find_replaced
from memoria.compile.subjects import (
    GIVEN,
    TopicSource,
    find_names,
    find_work_stems,
    is_telling,
    map_clones,
)
from memoria.compile.write import build_changes, build_connections, count_shared_words, is_about
from memoria.llm.port import CompileMaterial
from memoria.text.prose import split_sentences
from memoria.text.terms import find_usual_name, is_specific, split_words, term_key
from memoria.text.word_overlap import stems
from memoria.vault.entry import Entry, Extract

_Line = tuple[TopicSource, Point]

_MIN_LINES, _MIN_SESSIONS = 3, 2  # what makes a topic: three lines worth keeping of two sessions
_PASSAGES, _SENTENCES = 2, 4  # ... or two passages of a work, of so many sentences
_MIN_SHARED_WORDS = 2  # content words of two lines of one session that speak of one thing
# How near a line is to a topic: it speaks of it, it is of the branch or plan itself, or it speaks
# of what its session is called by.
_SPOKEN, _OWN, _BOTH = 1, 2, 3


def compile_day(day: CompileMaterial) -> Patch:
    """Compile the new entries of a day; `day.articles` must be all that there are.

    The same day again, with the articles that came out of it, gives no article change.
    """
    clones = map_clones(
        (entry.project, day.extracts[entry.id].branch, day.extracts[entry.id].files)
        for entry in (*day.history, *day.entries, *day.ahead)
        if entry.id in day.extracts
    )
    store = TopicStore(day.articles, clones)
    sources = _build_sources(day, clones)
    today = [sources[entry.id] for entry in _sort_by_time(day.entries)]
    ahead = [sources[entry.id] for entry in _sort_by_time(day.ahead)]
    later = {entry.id for entry in day.ahead}
    past = [source for name, source in sources.items() if name not in later]
    TopicAssigner(store, past, today, ahead).settle()
    changes = build_changes(store.topics, past)
    connections = build_connections(store, past, today, day.articles)
    rules = (
        RuleProposal(statement.text, statement.category, statement.quote, source.entry.id)
        for source in today
        for statement in (source.extract.statements if source.extract else ())
        if statement.score >= WEAK
    )
    return Patch((*changes, *connections), tuple(rules))


def _sort_by_time(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.day, entry.at, entry.id))


def _build_sources(day: CompileMaterial, clones: Mapping[str, str]) -> dict[str, TopicSource]:
    """Give all sources by entry in order of time; a new entry stands for its older version."""
    by_id = {entry.id: entry for entry in (*day.history, *day.ahead, *day.entries)}
    entries = _sort_by_time(by_id.values())
    # of those that a person has edited, the branch is that of their session
    extracts = ((entry.session, day.extracts.get(entry.id)) for entry in entries)
    branches = {session: extract.branch for session, extract in extracts if session and extract}
    sources = {}
    for entry in entries:
        extract = day.extracts.get(entry.id)
        project = clones.get(entry.project, entry.project)
        branch = extract.branch if extract else branches.get(entry.session, "")
        work = _work_key(entry, extract, branch)
        lines = find_points(entry, extract, project)
        sources[entry.id] = TopicSource(entry, extract, project, branch, work, lines)
    return sources


def _work_key(entry: Entry, extract: Extract | None, branch: str) -> str:
    """Give the key of the work item of an entry, "" for none."""
    if branch and not is_trunk(branch):
        return f"branch:{branch}"
    title = term_key(entry.draft.title)
    is_given = extract is None or extract.titled_by in GIVEN
    return f"title:{title}" if is_given and title else ""


class TopicAssigner:
    """The work on one day: `settle` does it, the shelf shows the result."""

    def __init__(
        self,
        store: TopicStore,
        past: Sequence[TopicSource],
        today: Sequence[TopicSource],
        ahead: Sequence[TopicSource],
    ) -> None:
        """Take the sources that lines may come from, those of them that are new, and later ones."""
        self._shelf, self._known, self._today = store, past, today
        self._all = [*past, *ahead]
        self._names = {source.entry.id: find_names(source) for source in self._all}

    def settle(self) -> None:
        """Repeat all steps until no topic begins: one that does may free what another one needs."""
        topic_count = -1
        while topic_count != len(self._shelf.topics):
            topic_count = len(self._shelf.topics)
            self._begin_works(captured=True)
            self._attach()
            self._begin_subjects()
            # what a person writes on one thing day by day is one topic, whatever it is called
            self._begin_works(captured=False)

    def _attach(self) -> None:
        """Put the lines of the day into the topics that they speak of or are part of."""
        for source in self._today:
            topics = [topic for topic in self._shelf.topics if topic.concerns(source.project)]
            for point in source.points:
                pairs = ((self._measure_nearness(topic, source, point), topic) for topic in topics)
                # the closest first; of two it is about the one that it names first
                ranked = sorted(
                    (-near, min(map(point.find_place, topic.names), default=0), topic.slug, topic)
                    for near, topic in pairs
                    if near
                )
                any(self._shelf.place(point, topic, source) for *_, topic in ranked)

    def _measure_nearness(self, topic: Topic, source: TopicSource, point: Point) -> int:
        """Say how close a line is to a topic, 0 for not at all."""
        if topic.is_work:
            is_own = topic.key == source.work and _touches(source, point, topic.title)
            return _OWN if is_own else 0
        if not any(map(point.names, topic.names)):
            return 0
        return _BOTH if topic.names & self._names[source.entry.id] else _SPOKEN

    # -- What a person writes about on several days ------------------------------------------------

    def _begin_subjects(self) -> None:
        """Begin the topics that hand-written logs share, those of most lines first.

        What sessions share makes no page: of those that it once made, readers called none good.
        """
        while True:
            names = {
                (name, source.project)
                for source in self._today
                if source.extract is None
                for name in self._names[source.entry.id]
                if is_specific(name) and not self._shelf.is_known(name, source.project)
            }
            options = [(self._find_lines_naming(*row), *row) for row in sorted(names)]
            # of names that stand in the same lines the longer one says more
            ranked = ((len(row[0]), row[1].count(" "), row[1:], row) for row in options)
            best = max((row for row in ranked if self._is_subject(row[-1][0])), default=None)
            if best is None:
                return
            lines, name, project = best[-1]
            title = find_usual_name(name, [point.text for _, point in lines])
            title = title[:1].upper() + title[1:] if title.islower() else title
            topic = self._shelf.open(f"term:{name}", title, project)
            for source, point in lines:
                if source in self._known:
                    self._shelf.place(point, topic, source)
            self._attach()

    def _find_lines_naming(self, name: str, project: str) -> list[_Line]:
        """Give the free lines of hand-written logs that speak of a name, as a page takes them."""
        sources = (item for item in self._all if item.project == project and item.extract is None)
        lines = ((source, point) for source in sources for point in source.points)
        return self._choose_accepted(line for line in lines if line[1].names(name))

    def _is_subject(self, lines: Sequence[_Line]) -> bool:
        works = {source.work or source.session for source, _ in lines}
        of_today = any(source in self._today for source, _ in lines)
        return of_today and len(works) >= _MIN_SESSIONS and len(lines) >= _MIN_LINES

    def _choose_accepted(self, lines: Iterable[_Line]) -> list[_Line]:
        """Give those lines that a new page would take, the best first."""
        trial = Topic("", "", "", set(), frozenset())
        accepted = []
        for source, point in sorted(lines, key=lambda line: (-line[1].worth, line[1].mark)):
            if self._shelf.is_free(point) and trial.accepts(point, source):
                trial.add(point)
                accepted.append((source, point))
        return accepted

    # -- What one session tells of its work --------------------------------------------------------

    def _begin_works(self, *, captured: bool) -> None:
        """Begin the topics of branches and plans whose lines tell of what they are called by."""
        for source in self._today:
            work = (source.work, source.project)
            if not source.work or self._shelf.find(*work) or bool(source.extract) != captured:
                continue
            parts = [item for item in self._known if (item.work, item.project) == work]
            lines = [(item, point) for item in parts for point in item.points]
            title = _choose_work_title(parts, [point for _, point in lines])
            free = [line for line in lines if self._shelf.is_free(line[1])]
            accepted = self._choose_accepted(_find_connected(free, title)) if title else []
            if _is_sound(_remove_replaced(accepted)):
                topic = self._shelf.open(source.work, title, source.project)
                for item, point in accepted:
                    self._shelf.place(point, topic, item)


def _touches(source: TopicSource, point: Point, title: str) -> bool:
    """Whether a line speaks of what its work is called by, or of a file that was edited."""
    shared_stems = find_work_stems(source, title) & stems(" ".join(split_words(point.text)))
    return len(shared_stems) > 1 or any(map(is_telling, shared_stems))


def _find_connected(lines: Sequence[_Line], title: str) -> Sequence[_Line]:
    """Give the lines that speak of the work, and those that speak of the same things as these."""
    connected = added = [line for line in lines if _touches(*line, title)]
    while added:
        added_stems = [stems(point.text) for _, point in added]
        added = [
            line
            for line in lines
            if line not in connected
            and any(len(stems(line[1].text) & words) >= _MIN_SHARED_WORDS for words in added_stems)
        ]
        connected = connected + added
    return connected


def _remove_replaced(lines: Sequence[_Line]) -> list[_Line]:
    """Give the lines that no later one replaces, without those that do: these tell no more."""
    ordered = sorted(lines, key=lambda line: (line[0].entry.at, line[1].mark))
    points = [point for _, point in ordered]
    marks = {point.mark for pair in find_replaced(points, points) for point in pair}
    return [line for line in ordered if line[1].mark not in marks]


def _is_sound(lines: Sequence[_Line]) -> bool:
    """Whether lines are enough for a page: three, or two passages that say as much.

    What came from outside carries no page, nor does an answer of which nobody says what came of it,
    nor why something was changed.
    """
    able = (point for _, point in lines if point.kind != "context")
    texts = [point.text for point in able if not (point.is_marked or point.is_answer)]
    is_long = (
        len(texts) == _PASSAGES and sum(len(split_sentences(text)) for text in texts) >= _SENTENCES
    )
    return len(texts) >= _MIN_LINES or is_long


def _choose_work_title(sources: Sequence[TopicSource], lines: Sequence[Point]) -> str:
    """Give the title of its sessions that the lines of a work fit best, "" where one fits none.

    A hand-written log is called what its writer called it. A title that was made of what was asked
    names no page.
    """
    titles = [item.entry.draft.title for item in sources if item.extract is None]
    if titles:
        return titles[0]
    titled_sources = (item for item in sources if item.extract and item.extract.titled_by in GIVEN)
    ranked = [(0.0, "")]
    for title in (item.entry.draft.title for item in titled_sources):
        if any(is_about(title, point.text) for point in lines):
            shared = sum(count_shared_words(title, point.text) for point in lines)
            ranked.append((shared / len(stems(title)), title))
    return max(ranked)[1]
