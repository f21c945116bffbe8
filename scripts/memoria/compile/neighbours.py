"""Choose which articles a compile is shown beside its entries, and list what else there is.

Articles of the entries' projects are shown whole, with the ids of their lines, where they are near
enough to be amended; all other pages of the project by name. Both have a budget of characters, so
what a compile costs does not grow with the vault. A pulled line might talk the model round, so only
lines that this machine knows are shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.capture.provenance import marks
from memoria.compile.amend import numbered
from memoria.compile.shelf import lines_of
from memoria.search import injectable as tellable
from memoria.text.word_overlap import stems
from memoria.vault.article import MADE, Article, render
from memoria.vault.citations import citations, cite
from memoria.vault.trust.known_lines import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.vault.entry import Entry
    from memoria.vault.store import Vault

# Bytes of entries, articles and pages in a request, which is to take at most 6,000 tokens of four
# bytes: instructions, form and the client's own words take 11,200, and 300 stay for marks between
# the parts. By bytes, since a character of Chinese is a token by itself.
ROOM = 12_500
MARKS = 250  # the words and boundaries around what is to be mended
ENTRIES = 6_000  # of them, in one request; a day with more is compiled in several
_RELATED = 6
CANDIDATES = 4 * _RELATED  # of which most fall to the floor or belong to other projects
# the list of what exists; the articles leave it the least, some ten names
_PAGES, _PAGES_ROOM, PAGES_LEAST = 80, 3_000, 1_000
# at least this share of a line of one stands in the other, and so many words of it
_NEAR, _FEW = 0.5, 3


def neighbours(  # noqa: PLR0913, PLR0917 - what is near, to what, and for how many bytes
    vault: Vault,
    candidates: Iterable[str],
    text: str,
    new: tuple[Entry, ...],
    projects: set[str],
    room: int,
) -> list[Article]:
    """Choose the articles of these projects that are near enough to be amended.

    `candidates` are paths, the nearest to `text` first; `room` are the bytes left beside it. What
    the text calls by its name is one, too: to a search a word of half of the vault says nothing.
    """
    shelf = vault.articles
    cited = {cite(entry.day, entry.id) for entry in new}
    words = stems(text)
    line_stems = [stems(line) for line in text.splitlines()]
    chosen: list[Article] = []
    budget = room - PAGES_LEAST
    called = (path for path in shelf if _is_called(shelf[path], words))
    for path in dict.fromkeys((*candidates, *called)):
        article = shelf.get(path)
        if article is None or not _concerns(article, projects) or len(chosen) == _RELATED:
            continue
        if MADE in article.meta:  # written anew from the logs: nobody amends it
            continue
        size = bytes_of(numbered(f"{path}\n{render(article)}"))
        # what was made of these entries is shown again, or it would be made again
        made = bool(cited & set(citations(article.section("Sources"))))
        if size <= budget and (made or _is_near(article, words, line_stems)):
            chosen.append(article)
            budget -= size
    return chosen


def other_pages(vault: Vault, shown: set[str], projects: set[str], room: int) -> str:
    """List the project's other pages within `room`, those changed last first.

    So none of them is made twice. Of those for which there is little room the title alone.
    """
    shelf, known_lines = vault.articles, vault.lines.keys
    others = [shelf[path] for path in shelf if path not in shown and shelf[path].kind != "rule"]
    others = [other for other in others if _concerns(other, projects)]
    others.sort(key=lambda page: (str(page.meta.get("updated") or ""), page.path), reverse=True)
    room = budget = min(room, _PAGES_ROOM)
    # a pulled page's title might talk the model round
    pages = [other for other in others[:_PAGES] if tellable.is_named(other, known_lines)]
    names = [f"{page.path}: {page.title}" for page in pages]
    tails = [tellable.told_summary(page, known_lines) for page in pages]
    lines = [f"{name} - {tail}" if tail else name for name, tail in zip(names, tails, strict=True)]
    if bytes_of("\n".join(lines)) <= room:
        return "\n".join(lines)
    listing: list[str] = []
    for line, name in zip(lines, names, strict=True):
        # a third of the room for sentences, so that the last names still have theirs
        text = line if budget > room * 2 // 3 else name
        if bytes_of(text) > budget:
            break
        listing.append(text)
        budget -= bytes_of(text) + 1
    return "\n".join(listing)


def known_text(vault: Vault, article: Article, written: Mapping[str, str]) -> str:
    """Give what of an article this machine knows: a pulled line might talk the model round."""
    whole = f"{article.path}\n{render(article)}"
    if article.kind == "rule":
        return whole if written.get(article.path) == article.sha else ""
    kind = vault.schema.kind_of(article.path)
    lines = map(words, tellable.of_note(article, kind.sections if kind else ()))
    known_lines = vault.lines.keys
    unknown = {line for line in lines if marks.known_by(line) not in known_lines}
    if {words(article.path), words(article.title)} & unknown:
        return ""
    text = render(replace(article, opening="", front="", closing=""))
    rest = [line for line in text.splitlines() if words(line) not in unknown]
    return "\n".join([article.path, *rest]) if unknown else whole


def bytes_of(text: str) -> int:
    """Count the bytes of a text."""
    return len(text.encode("utf-8", "replace"))


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
    lines = [stems(line) for line in (article.lead, *lines_of(article))]
    page = frozenset[str]().union(*lines)
    return (
        _is_called(article, words)
        or any(_speaks(line, words) for line in lines)
        or any(_speaks(line, page) for line in line_stems)
    )


def _speaks(line: frozenset[str], words: frozenset[str]) -> bool:
    return len(line & words) >= max(_FEW, _NEAR * len(line))


def _is_called(article: Article, words: frozenset[str]) -> bool:
    """Whether one of an article's names stands in a text of these words."""
    names = (stems(name) for name in (article.title, *article.names("aliases")))
    return any(name and name <= words for name in names)
