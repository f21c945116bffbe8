"""Write what a topic gains as a change of its article: its lead, its sections, its links.

Everything here is selected, nothing is phrased: a line stands as it was said, and the lead is the
best of them that speaks of the subject. What a later line replaces stands in a section of its own,
and so does what was so before a change.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations

from memoria.compile.amend import line_id
from memoria.compile.patch import (
    MAX_TITLE,
    ArticleChange,
    PatchLine,
    RelatedArticle,
    RetiredLine,
    Section,
)
from memoria.compile.points import Point, has_reason
from memoria.compile.shelf import Topic, TopicStore, find_replaced
from memoria.compile.subjects import FILES, TopicSource, extract_names
from memoria.text.markdown import make_inert, normalise_words
from memoria.text.prose import clip_text
from memoria.text.terms import is_specific
from memoria.text.word_overlap import stems
from memoria.vault.article import Article
from memoria.vault.file_names import generate_numbered_names, slugify
from memoria.vault.project import label

_SECTIONS = {
    "context": "Details",
    "decision": "Decisions",
    "lesson": "Gotchas and Causes",
    "fix": "Errors and Fixes",
    "answer": "Questions Answered",
}
# Another work took up what a page is called by: a title's word that so few sessions share
_RARE, _RARE_SHARE = 2, 0.1
_TITLE_WORDS = 2  # content words of a title that the line which opens its page says, too
_SPEAKER = re.compile(r"(?:User|We|I)\b")  # "User: ...", "We agreed ..."
_STEM_LETTERS = 6  # letters: a stem may be cut in two ways behind them
_MAX_NEARNESS = 5  # words of the title that a line need not exceed
_FULL_LEAD = 200  # characters: a lead of fewer says less
_MIN_LINES = 2  # of each topic that name the thing: one may do so by the way
# of the sessions, so many may speak of a thing before it tells none apart
_FEW_SESSIONS, _COMMON_SHARE = 4, 0.3
_MAX_EVIDENCE = 8  # lines of a connection
_AT = " @ "  # before the thing in a connection's key


def build_changes(topics: Sequence[Topic], past: Sequence[TopicSource]) -> Iterator[ArticleChange]:
    """Write each topic that gained a line; `past` are all that the topics draw on."""
    times = {source.entry.id: source.entry.at for source in past}
    points = [point for source in past for point in source.points]
    points.sort(key=lambda row: (row.day, times[row.entry], row.entry, -row.worth, row.mark))
    for topic in topics:
        rows = [*filter(topic.holds, points)]
        change = _build_change(topic, rows, _find_followers(topic, rows, past))
        if change.lead or change.sections or change.retired:
            yield change


def _find_followers(
    topic: Topic, points: Sequence[Point], sources: Sequence[TopicSource]
) -> Sequence[tuple[TopicSource, PatchLine]]:
    """Give the later sessions of other works that took up what the topic is called by.

    A rare word of both titles and a file that both edited: of 78 sessions that held of one pair,
    and there the later one replaced what the page tells.
    """
    entries = {point.entry for point in points}
    own_sources = [item for item in sources if item.entry.id in entries]
    if not (topic.is_work and own_sources and all(item.extract for item in own_sources)):
        return ()
    last_time = max((item.entry.day, item.entry.at) for item in own_sources)
    files = {name for item in own_sources for name in _list_edited_files(item)}
    titles = {item.entry.id: stems(item.entry.draft.title) for item in sources}
    counts = Counter(word for title in titles.values() for word in title)
    rare_words = {word for word in counts if counts[word] <= max(_RARE, _RARE_SHARE * len(titles))}
    return [
        (item, _build_follower_line(item))
        for item in sources
        if item.work != topic.key
        and topic.concerns(item.project)
        and (item.entry.day, item.entry.at) > last_time
        and stems(topic.title) & titles[item.entry.id] & rare_words
        and not files.isdisjoint(_list_edited_files(item))
    ]


def _list_edited_files(source: TopicSource) -> Sequence[str]:
    return source.extract.files[:FILES] if source.extract else ()


def _build_follower_line(source: TopicSource) -> PatchLine:
    entry = source.entry
    reasons = (point for point in source.points if point.kind == "context")
    point = choose_fitting_line(entry.draft.title, source.points) or next(reasons, None)
    text = f"{entry.day}, {entry.draft.title}" + (f": {point.text}" if point else "")
    return PatchLine(clip_text(text, 400), entry.id)


def _find_overtaken(
    points: Sequence[Point], followers: Sequence[tuple[TopicSource, PatchLine]]
) -> Iterator[tuple[Point, str, str]]:
    """Give the lines that name a file which a session edited that took their page's subject up."""
    for source, line in followers:
        names = [name.rsplit("/", 1)[-1] for name in _list_edited_files(source)]
        for point in points:
            if any(name in point.text for name in names):
                yield point, source.entry.id, line.text.partition(", ")[2]


def _build_change(
    topic: Topic, points: Sequence[Point], followers: Sequence[tuple[TopicSource, PatchLine]]
) -> ArticleChange:
    new = [point for point in points if point in topic.added]
    current = [point for point in points if not topic.is_retired(point)]
    replaced = [(old, later.entry, later.text) for old, later in find_replaced(current, new)]
    replaced += _find_overtaken(current, followers)
    marks = {old.mark for old, _, _ in replaced}
    lines = [point for point in new if point.mark not in marks]
    since = [line for _, line in followers if normalise_words(line.text) not in topic.texts]
    # the line that the lead of the article is; None where a person or a model wrote it
    lead_mark = normalise_words(topic.article.lead) if topic.article else ""
    old_lead = next((point for point in points if point.mark == lead_mark), None)
    candidates = [*lines, *([old_lead] if old_lead and old_lead.mark not in marks else [])]
    lead = _choose_opening(candidates, topic) if old_lead or not topic.article else None
    if lead and old_lead and lead is not old_lead:
        lines = [point for point in points if point in lines or point is old_lead]
    lead_text = lead.text if lead and lead is not old_lead else ""
    is_open = lead_text and not lead_text.endswith((".", "!", "?"))
    sections = [Section("Since Then", lines=tuple(since))]
    sections += [
        Section(
            heading, lines=_list_lines(row for row in lines if row.kind == kind and row is not lead)
        )
        for kind, heading in _SECTIONS.items()
    ]
    return ArticleChange(
        kind="concept",
        slug=topic.slug,
        title=topic.title,
        lead=f"{lead_text}." if is_open else lead_text,
        sections=tuple(section for section in sections if section.lines),
        entries=tuple(dict.fromkeys([*(row.entry for row in new), *(row.entry for row in since)])),
        tags=() if topic.article else tuple(map(label, sorted(topic.projects))),
        key=topic.key,
        retired=tuple(
            RetiredLine(line_id(make_inert(old.text)), entry, text)
            for old, entry, text in replaced
            if old not in topic.added and old is not old_lead
        ),
    )


def _list_lines(points: Iterable[Point]) -> tuple[PatchLine, ...]:
    return tuple(PatchLine(point.text, point.entry) for point in points)


def _choose_opening(points: Iterable[Point], topic: Topic) -> Point | None:
    """Find the line that opens a page best: one that says who decided or asked opens none."""
    lines = (row for row in points if row.kind != "context")
    able = [row for row in lines if not (row.is_answer or _SPEAKER.match(row.text))]
    return max(able, key=lambda row: (_measure_fitness(topic, row), row.mark), default=None)


def _measure_fitness(topic: Topic, point: Point) -> float:
    """Say how well a line opens a page that has this title and goes by these names."""
    size = min(len(point.text) / _FULL_LEAD, 1)
    nearness = max(any(map(point.names, topic.names)), count_shared_words(topic.title, point.text))
    return point.worth + min(nearness, _MAX_NEARNESS) + size - point.is_marked


def choose_fitting_line(title: str, lines: Iterable[Point]) -> Point | None:
    """Find the line that tells best what a session of this title came to, and more than that."""
    points = (row for row in lines if not (row.is_marked or row.kind == "context"))
    points = (row for row in points if row.mark != normalise_words(title))
    points = (row for row in points if is_about(title, row.text, has_reason(row.text)))

    def weigh(point: Point) -> tuple[float, str]:
        return point.worth + count_shared_words(title, point.text), point.mark

    return max(points, key=weigh, default=None)


def is_about(title: str, text: str, slack: int = 0) -> bool:
    """Whether a text says enough words of a title, or so many less."""
    return count_shared_words(title, text) >= max(
        1, min(_TITLE_WORDS, len(stems(title)) - 1) - slack
    )


def count_shared_words(title: str, text: str) -> int:
    """Count the words of a title that a text says."""
    text_stems = {word[:_STEM_LETTERS] for word in stems(text)}
    return sum(word[:_STEM_LETTERS] in text_stems for word in stems(title))


# -- What two topics turn on -----------------------------------------------------------------------


def build_connections(
    store: TopicStore,
    past: Sequence[TopicSource],
    today: Sequence[TopicSource],
    articles: Iterable[Article],
) -> Iterator[ArticleChange]:
    """Begin the connections that the day shows, and add to those that are there.

    Each topic's page has its own story; what both turn on is told by neither. Names that many lines
    share tie topics already; a connection is for two that turn on one thing, and holds its lines.
    """
    pages = [page for page in articles if page.kind == "connection"]
    connections = {page.key.split(_AT)[0]: page for page in pages}
    entries = {source.entry.id for source in today}
    points = [point for source in past for point in source.points if point.kind != "answer"]
    slugs = {page.slug for page in pages}  # also those that a person or a model wrote
    topics = sorted((topic for topic in store.topics if topic.key), key=lambda topic: topic.path)
    by_topic = {topic.path: [point for point in points if topic.holds(point)] for topic in topics}
    limit = max(_FEW_SESSIONS, _COMMON_SHARE * len({source.session for source in past}))
    for topic, other in combinations(topics, 2):
        pair = by_topic[topic.path], by_topic[other.path]
        if entries.isdisjoint(point.entry for point in chain(*pair)):
            continue
        article = connections.get(f"bond:{topic.slug} + {other.slug}")
        able = (
            name
            for name in _find_shared_names(*pair)
            if name not in topic.names | other.names
            and len({point.session for point in points if point.says(name)}) <= limit
        )
        phrase = article.key.split(_AT)[-1] if article else next(able, "")
        by_mark = {point.mark: point for point in chain(*pair) if point.says(phrase)}
        lines = sorted(by_mark.values(), key=lambda point: (-point.worth, point.mark))
        new_points = [point for point in lines if point.entry in entries]
        if new_points and article:
            bodies = (body for _, body in article.sections)
            text = f" {normalise_words(' '.join((article.lead, *bodies)))} "
            lines = [point for point in new_points if f" {point.mark} " not in text]
        room = _MAX_EVIDENCE - (article.section("Evidence").count("\n- ") if article else 0)
        if new_points and lines and room > 0:
            names = generate_numbered_names(slugify(f"{topic.slug} and {other.slug}"))
            slug = article.slug if article else next(name for name in names if name not in slugs)
            slugs.add(slug)
            yield _build_connection(topic, other, phrase, lines[:room], slug, is_new=not article)


def _find_shared_names(points: Sequence[Point], others: Sequence[Point]) -> Iterator[str]:
    """Find the things that lines of both topics name, the one that most do first."""
    # two pages of one session were parted because they are about different things, and two projects
    # use the same words for different ones
    if {point.project for point in points} != {point.project for point in others}:
        return
    if {point.session for point in points} & {point.session for point in others}:
        return
    counts, other_counts = _count_names(points), _count_names(others)
    shared = ((min(counts[name], other_counts[name]), name) for name in counts)
    yield from (name for count, name in sorted(shared, reverse=True) if count >= _MIN_LINES)


def _count_names(points: Sequence[Point]) -> Counter[str]:
    """Count the lines about each thing that has a name of two words."""
    return Counter(name for row in points for name in _find_names(row))


# each topic is compared with each other one: the lines of some thousand topics
@lru_cache(maxsize=32_768)
def _find_names(point: Point) -> tuple[str, ...]:
    names = (name for name in extract_names(point.said) if " " in name and is_specific(name))
    return tuple(filter(point.names, names))


def _build_connection(  # noqa: PLR0913 - a connection, and what is told of it
    topic: Topic, other: Topic, phrase: str, lines: Sequence[Point], slug: str, *, is_new: bool
) -> ArticleChange:
    """Begin an article, or add to it."""
    lead = f"“{topic.title}” and “{other.title}” both turn on the {phrase}."
    return ArticleChange(
        kind="connection",
        slug=slug,
        title=clip_text(f"Connection: {topic.title} and {other.title}", MAX_TITLE),
        lead=lead if is_new else "",
        sections=(Section("Evidence", lines=_list_lines(lines)),),
        entries=tuple(dict.fromkeys(point.entry for point in lines)),
        connects=(topic.path, other.path),
        related=(RelatedArticle(topic.path), RelatedArticle(other.path)),
        key=f"bond:{topic.slug} + {other.slug}{_AT}{phrase}",
    )
