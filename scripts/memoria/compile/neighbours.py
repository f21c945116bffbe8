"""Choose which articles a compile is shown beside its entries, and list what else there is.

Articles of the entries' projects are shown with the ids of their lines, where they are near enough
to be amended, of long ones the lines that are near; all other pages of the project by name. Both
have a budget of bytes, so what a compile costs does not grow with the vault. A pulled line might
talk the model round, so only lines that this machine knows are shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.provenance import marks
from memoria.compile.amend import format_with_ids
from memoria.compile.nearness import Nearness, count_bytes
from memoria.compile.shelf import list_lines
from memoria.search import injectable
from memoria.text.word_overlap import stems
from memoria.vault.article import MADE, Article, render_article
from memoria.vault.citations import cite, parse_citations
from memoria.vault.trust.known_lines import strip_line_marks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memoria.vault.entry import Entry
    from memoria.vault.store import Vault

# Bytes of entries, articles and pages in a request, which is to take at most 6,000 tokens of four
# bytes: instructions, form and the client's own words take 11,200, and 300 stay for marks between
# the parts. By bytes, since a character of Chinese is a token by itself.
ROOM = 12_500
MARKS = 250  # the words and boundaries around what is to be mended
ENTRIES = 6_000  # of them, in one request; a day with more is compiled in several
# Of the articles that two readers' answers to 28 requests changed, 25 of 34 were shown with six of
# them in the search's order, 30 with ten in this one, each without its far lines.
_RELATED = 10
CANDIDATES = 24  # of which most fall to the floor or belong to other projects
# the list of what exists; the articles leave it the least, some ten names
_PAGES, _PAGES_ROOM, PAGES_LEAST = 80, 3_000, 1_000
_BETWEEN = 2  # bytes: an empty line
_CUT = "\n(its lines that are farther from these entries are not shown)"
# at least this share of a line of one stands in the other, and so many words of it
_NEAR, _FEW = 0.5, 3


class ShownArticle(NamedTuple):
    """An article as a model is shown it: what this machine knows of it, maybe without its end."""

    article: Article
    text: str
    is_cut: bool = False

    @property
    def listed(self) -> str:
        """Its text with the ids of its lines."""
        return format_with_ids(self.text) + _CUT * self.is_cut


def choose_neighbours(  # noqa: PLR0913, PLR0917 - what is near, to what, and for how many bytes
    vault: Vault,
    candidates: Iterable[str],
    text: str,
    new: tuple[Entry, ...],
    projects: set[str],
    room: int,
    written: Mapping[str, str],
    first: Collection[str] = (),
) -> list[ShownArticle]:
    """Choose the articles of these projects that are near enough to be amended, the nearest first.

    `candidates` are paths that a search found, `first` those that come before all others; `room`
    are the bytes left beside `text`. What the text calls by its name is near, too: to a search a
    word of half of the vault says nothing. Of a long article the lines that are near are shown.
    """
    shelf = vault.articles
    words = stems(text)
    called = (path for path in shelf if _is_named(shelf[path], words))
    paths = dict.fromkeys((*first, *candidates, *called))
    found = [page for page in map(shelf.get, paths) if page]
    # what is written anew from the logs is amended by nobody
    pages = [page for page in found if _concerns(page, projects) and MADE not in page.meta]
    cited = {cite(entry.day, entry.id) for entry in new}
    # what was made of these entries is shown again, or it would be made again
    made = {page.path for page in pages if cited & set(parse_citations(page.section("Sources")))}
    due = made.union(first)
    near, line_stems = Nearness(new, text, pages), [stems(line) for line in text.splitlines()]
    pages = [page for page in pages if page.path in due or _is_near(page, words, line_stems)]
    pages.sort(key=lambda page: (page.path not in due, -near.weigh_article(page), page.path))
    texts = [(page, known_text(vault, page, written)) for page in pages[:_RELATED]]
    return list(_fit_articles([row for row in texts if row[1]], near, room - PAGES_LEAST))


def _fit_articles(
    texts: Sequence[tuple[Article, str]], near: Nearness, room: int
) -> Iterator[ShownArticle]:
    """Give each its share of the room, the first the most; what one leaves is for the others."""
    for place, (article, text) in enumerate(texts):
        share = min(3 * room // (len(texts) - place + 2), room)
        shown = ShownArticle(article, text)
        if count_bytes(shown.listed) > share:
            shown = ShownArticle(
                article, near.shorten_article(text, share - count_bytes(_CUT)), is_cut=True
            )
        if shown.text and (size := count_bytes(shown.listed)) <= share:
            yield shown
            room -= size + _BETWEEN


def list_other_pages(vault: Vault, shown: set[str], projects: set[str], room: int) -> str:
    """List the project's other pages within `room`, those changed last first.

    So none of them is made twice. Of those for which there is little room the title alone.
    """
    shelf, known_lines = vault.articles, vault.lines.keys
    others = [shelf[path] for path in shelf if path not in shown and shelf[path].kind != "rule"]
    others = [other for other in others if _concerns(other, projects)]
    others.sort(key=lambda page: (str(page.meta.get("updated") or ""), page.path), reverse=True)
    room = budget = min(room, _PAGES_ROOM)
    # a pulled page's title might talk the model round
    pages = [other for other in others[:_PAGES] if injectable.is_named(other, known_lines)]
    names = [f"{page.path}: {page.title}" for page in pages]
    tails = [injectable.sayable_summary(page, known_lines) for page in pages]
    lines = [f"{name} - {tail}" if tail else name for name, tail in zip(names, tails, strict=True)]
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
    whole = f"{article.path}\n{render_article(article)}"
    if article.kind == "rule":
        return whole if written.get(article.path) == article.sha else ""
    kind = vault.schema.kind_of(article.path)
    lines = map(
        strip_line_marks, injectable.list_sayable_lines(article, kind.sections if kind else ())
    )
    known_lines = vault.lines.keys
    unknown = {line for line in lines if marks.build_line_key(line) not in known_lines}
    if {strip_line_marks(article.path), strip_line_marks(article.title)} & unknown:
        return ""
    text = render_article(replace(article, opening="", front="", closing=""))
    rest = [line for line in text.splitlines() if strip_line_marks(line) not in unknown]
    return "\n".join([article.path, *rest]) if unknown else whole


def _concerns(article: Article, projects: set[str]) -> bool:
    """Whether an article belongs to one of the projects, or to none."""
    own = article.names("projects")
    return not own or not projects or not projects.isdisjoint(own)


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
    return len(line & words) >= max(_FEW, _NEAR * len(line))


def _is_named(article: Article, words: frozenset[str]) -> bool:
    """Whether one of an article's names stands in a text of these words."""
    names = (stems(name) for name in (article.title, *article.names("aliases")))
    return any(name and name <= words for name in names)
