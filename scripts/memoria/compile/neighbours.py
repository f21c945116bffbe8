"""Choose which articles a compile is shown beside its entries, and list what else there is.

Articles of the entries' projects are shown with the ids of their lines, where they are near enough
to be amended, of long ones the lines that are near; all other pages of the project by name. Both
have a budget of bytes, so what a compile costs does not grow with the vault. A pulled line might
talk the model round, so only lines that this machine knows are shown.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.provenance import marks
from memoria.compile.amend import format_with_ids
from memoria.compile.shelf import list_lines
from memoria.search import injectable
from memoria.text.word_overlap import rarity, stems
from memoria.vault.article import MADE, Article, render_article, strip_source_links
from memoria.vault.citations import Citation, cite, parse_citations
from memoria.vault.schema import BEFORE, GENERATED
from memoria.vault.trust.known_lines import strip_line_marks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memoria.vault.entry import Entry
    from memoria.vault.store import Vault

    # a line with the heading that it stands under
    _Part = tuple[str, str]

# Bytes of entries, articles and pages in a request, which is to take at most 6,000 tokens of four
# bytes: instructions, form and the client's own words take 11,200, and 300 stay for marks between
# the parts. By bytes, since a character of Chinese is a token by itself.
ROOM = 12_500
MARKS = 250  # the words and boundaries around what is to be mended
ENTRIES = 6_000  # of them, in one request; a day with more is compiled in several
# Of the articles that two readers' answers to 28 requests changed, 25 of 34 were shown with six of
# them in the search's order, 30 with ten in this one, each without its far lines.
_MAX_SHOWN = 10
CANDIDATES = 24  # of which most fall to the floor or belong to other projects
# the list of what exists; the articles leave it the least, some ten names
_PAGES, _PAGES_ROOM, PAGES_LEAST = 80, 3_000, 1_000
_GAP_BYTES = 2  # bytes: an empty line
_CUT_NOTE = "\n(its lines that are farther from these entries are not shown)"
# at least this share of a line of one stands in the other, and so many words of it
_NEAR_SHARE, _MIN_SHARED_WORDS = 0.5, 3


class ShownArticle(NamedTuple):
    """An article as a model is shown it: what this machine knows of it, maybe without its end."""

    article: Article
    text: str
    is_cut: bool = False

    @property
    def listed(self) -> str:
        """Its text with the ids of its lines."""
        return format_with_ids(self.text) + _CUT_NOTE * self.is_cut


def choose_neighbours(  # noqa: PLR0913, PLR0917 - what is near, to what, and for how many bytes
    vault: Vault,
    candidates: Iterable[str],
    text: str,
    entries: tuple[Entry, ...],
    projects: set[str],
    room: int,
    written: Mapping[str, str],
    first: Collection[str] = (),
) -> list[ShownArticle]:
    """Choose the articles of these projects that are near enough to be amended, the nearest first.

    `candidates` are paths that a search found, `first` those that come before all others; `room`
    are the bytes left beside `text`. What the text calls by its name is near, too: to a search a
    word of half of the vault says nothing. Where the projects have few articles, all are near. Of a
    long article the lines that are near are shown.
    """
    words = stems(text)
    by_name = (path for path, article in vault.articles.items() if _is_named(article, words))
    articles = filter(None, map(vault.articles.get, dict.fromkeys((*first, *candidates, *by_name))))
    pages = [page for page in articles if _is_amendable(page, projects)]
    citations = {cite(entry.day, entry.id) for entry in entries}
    # what was made of these entries is shown again, or it would be made again
    needed = {page.path for page in pages if citations & _parse_sources(page)}.union(first)
    nearness, line_stems = Nearness(entries, text, pages), [*map(stems, text.splitlines())]
    project_pages = [
        page
        for _, page in vault.articles.items()
        if page.kind not in {"rule", "qa"} and _is_amendable(page, projects)
    ]
    # of so few each may hold the line that an entry overrules
    few_pages = {page.path: page for page in project_pages if len(project_pages) <= _MAX_SHOWN}
    near = (page for page in pages if page.path in needed or _is_near(page, words, line_stems))
    pages = list(({page.path: page for page in near} | few_pages).values())

    def rank(page: Article) -> tuple[bool, bool, float, str]:
        # a rule's note is one line that no entry amends
        weight = nearness.weigh_article(page)
        return page.path not in needed, page.kind == "rule", -weight, page.path

    pages.sort(key=rank)
    texts = [(page, known_text(vault, page, written)) for page in pages[:_MAX_SHOWN]]
    return list(_fit_articles([row for row in texts if row[1]], nearness, room - PAGES_LEAST))


def _parse_sources(article: Article) -> set[Citation]:
    return set(parse_citations(article.section("Sources")))


def _fit_articles(
    texts: Sequence[tuple[Article, str]], nearness: Nearness, room: int
) -> Iterator[ShownArticle]:
    """Give each its share of the room, the first the most; what one leaves is for the others."""
    for index, (article, text) in enumerate(texts):
        share = min(3 * room // (len(texts) - index + 2), room)
        page = ShownArticle(article, text)
        if count_bytes(page.listed) > share:
            near_text = nearness.shorten_article(text, share - count_bytes(_CUT_NOTE))
            page = ShownArticle(article, near_text, is_cut=True)
        if page.text and (size := count_bytes(page.listed)) <= share:
            yield page
            room -= size + _GAP_BYTES


def count_room(texts: Iterable[str], refusals: Sequence[str]) -> int:
    """Say how many bytes of a request are left beside these texts."""
    mark_bytes = MARKS if refusals else 0
    return ROOM - mark_bytes - count_bytes("\n\n".join([*texts, *refusals]))


def list_other_pages(vault: Vault, shown: set[str], projects: set[str], room: int) -> str:
    """List the project's other pages within `room`, those changed last first.

    So none of them is made twice. Of those for which there is little room the title alone.
    """
    known_lines = vault.lines.keys
    pages = [
        page
        for path, page in vault.articles.items()
        if path not in shown and page.kind != "rule" and _concerns(page, projects)
    ]
    pages.sort(key=lambda page: (str(page.meta.get("updated") or ""), page.path), reverse=True)
    room = budget = min(room, _PAGES_ROOM)
    # a pulled page's title might talk the model round
    pages = [page for page in pages[:_PAGES] if injectable.is_named(page, known_lines)]
    names = [f"{page.path}: {page.title}" for page in pages]
    tails = (injectable.sayable_summary(page, known_lines) for page in pages)
    lines = [f"{name} - {text}" if text else name for name, text in zip(names, tails, strict=True)]
    if count_bytes("\n".join(lines)) <= room:
        return "\n".join(lines)
    listing: list[str] = []
    for line, name in zip(lines, names, strict=True):
        # a third of the room for sentences, so that the last names still have theirs
        text = line if budget > room * 2 // 3 else name
        if count_bytes(text) > budget:
            break
        listing.append(text)
        budget -= count_bytes(text) + 1
    return "\n".join(listing)


def known_text(vault: Vault, article: Article, written: Mapping[str, str]) -> str:
    """Give what of an article this machine knows: a pulled line might talk the model round."""
    full_text = f"{article.path}\n{render_article(article)}"
    if article.kind == "rule":
        return full_text if written.get(article.path) == article.sha else ""
    kind = vault.schema.kind_of(article.path)
    lines = injectable.list_sayable_lines(article, kind.sections if kind else ())
    texts, known_lines = map(strip_line_marks, lines), vault.lines.keys
    unknown = {text for text in texts if marks.build_line_key(text) not in known_lines}
    if not unknown:
        return full_text
    if {strip_line_marks(article.path), strip_line_marks(article.title)} & unknown:
        return ""
    text = render_article(replace(article, opening="", front="", closing=""))
    known_rows = (line for line in text.splitlines() if strip_line_marks(line) not in unknown)
    return "\n".join([article.path, *known_rows])


def _concerns(article: Article, projects: set[str]) -> bool:
    """Whether an article belongs to one of the projects, or to none."""
    names = article.names("projects")
    return not names or not projects or not projects.isdisjoint(names)


def _is_amendable(article: Article, projects: set[str]) -> bool:
    """Whether an article is of these projects, and none that code writes anew from the logs."""
    return _concerns(article, projects) and MADE not in article.meta


def _is_near(article: Article, words: frozenset[str], line_stems: Iterable[frozenset[str]]) -> bool:
    """Whether entries of these words and lines speak of an article.

    They do by a name of it, by what one of its lines says, or where it has the words of one of
    theirs: a line that is overruled may say much besides. The search gives the nearest there are,
    however far.
    """
    lines = [stems(line) for line in (article.lead, *list_lines(article))]
    page = frozenset[str]().union(*lines)
    return (
        _is_named(article, words)
        or any(_has_enough_of(line, words) for line in lines)
        or any(_has_enough_of(line, page) for line in line_stems)
    )


def _has_enough_of(line: frozenset[str], words: frozenset[str]) -> bool:
    return len(line & words) >= max(_MIN_SHARED_WORDS, _NEAR_SHARE * len(line))


def _is_named(article: Article, words: frozenset[str]) -> bool:
    """Whether one of an article's names stands in a text of these words."""
    names = (stems(name) for name in (article.title, *article.names("aliases")))
    return any(name and name <= words for name in names)


# -- How near an article is to entries ------------------------------------------------------------

# of an article's lines the nearest tell what it has to do with the entries; the others are beside
_BEST_LINES = 3
# lines of entries that name an article, of which more say nothing more
_MAX_NAMING_LINES = 4
_NAME = re.compile(r"`([^`\n]{3,60})`")


class Nearness:
    """Measures how near something is to entries, by words that are rare among these articles.

    `text` is all that is shown of the entries.
    """

    def __init__(self, entries: Iterable[Entry], text: str, articles: Iterable[Article]) -> None:
        entries = tuple(entries)
        self._marks = [entry.id for entry in entries]
        self._titles = [stems(entry.draft.title) for entry in entries]
        self._lines = [line for line in map(stems, text.splitlines()) if line]
        self._weights = rarity(map(_words, articles))
        self._names = {*_NAME.findall(text)}
        self._name_weight = max(self._weights.values(), default=0.0)

    def weigh_article(self, article: Article) -> float:
        """Weigh an article: by its names, and by those of its lines that are nearest."""
        lines = sorted(map(self.weigh_line, (article.lead, *list_lines(article))))[-_BEST_LINES:]
        return self._weigh_names(article) + sum(lines) / _BEST_LINES

    def weigh_line(self, line: str) -> float:
        """Weigh what a line has in common with that line of the entries that is nearest to it.

        A name in code that both have counts as much as the rarest word.
        """
        words = stems(line)
        shared = len(self._names & {*_NAME.findall(line)}) * self._name_weight
        weights = (self._weight(words & line_words) for line_words in self._lines)
        return shared + max(weights, default=0.0)

    def _weigh_names(self, article: Article) -> float:
        texts = (article.title, *article.names("aliases"))
        names = [name for name in map(stems, texts) if self._weight(name)]
        title_share = max(map(self._share_in_title, names), default=0.0)
        line_count = sum(any(name <= line for name in names) for line in self._lines)
        weight = max(map(self._weight, names), default=0.0)
        return weight * (title_share + min(line_count, _MAX_NAMING_LINES) / _MAX_NAMING_LINES)

    def _share_in_title(self, name: frozenset[str]) -> float:
        """Give the share of a name that the title of an entry has."""
        weights = (self._weight(name & title) for title in self._titles)
        return max(weights, default=0.0) / self._weight(name)

    def _weight(self, words: Iterable[str]) -> float:
        # summed in one order: the last digit decides between two that are as near
        return sum(sorted(self._weights.get(word, 0.0) for word in words))

    def shorten_article(self, text: str, room: int) -> str:
        """Leave out of an article's text the listed lines that are farthest, till it fits.

        "" where none would be left. What cites the entries goes last, what was before first.
        """
        parts = _parts(text)
        items = [at for at, part in enumerate(parts) if _is_listed(part)]
        fixed_lines = (line for part in parts if not _is_listed(part) for line in part[1:])
        budget, kept_items = room - count_bytes(format_with_ids("\n".join(fixed_lines))), set[int]()
        for at in sorted(items, key=lambda at: (-self._weigh_part(parts[at]), at)):
            # with the line end, and without a path before it
            size = count_bytes(format_with_ids(f"\n{parts[at][1]}"))
            if size <= budget:
                kept_items.add(at)
                budget -= size
        cut_items = {*items} - kept_items
        return "\n".join(line for at, (_, line) in enumerate(parts) if at not in cut_items) * bool(
            kept_items
        )

    def _weigh_part(self, part: _Part) -> float:
        heading, line = part
        if any(mark in line for mark in self._marks):
            return inf
        return self.weigh_line(strip_source_links(line)) if heading != BEFORE else 0.0


def count_bytes(text: str) -> int:
    """Count the bytes of a text."""
    return len(text.encode("utf-8", "replace"))


def _parts(text: str) -> list[_Part]:
    """Part a text into its lines; what goes on below an item of a list is of that."""
    parts: list[_Part] = []
    heading = ""
    for line in text.splitlines():
        heading = line[3:].strip() if line.startswith("## ") else heading
        if parts and parts[-1][1].startswith("- ") and line.startswith((" ", "\t")):
            parts[-1] = (heading, f"{parts[-1][1]}\n{line}")
        else:
            parts.append((heading, line))
    return parts


def _is_listed(part: _Part) -> bool:
    heading, line = part
    return bool(heading) and heading not in GENERATED and line.startswith("- ")


def _words(article: Article) -> frozenset[str]:
    texts = (article.title, *article.names("aliases"), article.lead, *list_lines(article))
    return frozenset[str]().union(*map(stems, texts))
