"""Say how near an article and each of its lines are to the entries of a compile.

Lines are compared one with one, a word weighing more the fewer articles have it: whole pages share
words with whole entries, whatever they are about. Names count besides, most in an entry's title.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from memoria.compile.amend import format_with_ids
from memoria.compile.shelf import BEFORE, list_lines
from memoria.text.word_overlap import rarity, stems
from memoria.vault.article import strip_source_links
from memoria.vault.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.vault.article import Article
    from memoria.vault.entry import Entry

    # a line with the heading that it stands under
    _Part = tuple[str, str]

# of an article's lines the nearest tell what it has to do with the entries; the others are beside
_BEST = 3
# lines of entries that name an article, of which more say nothing more
_NAMED = 4


class Nearness:
    """Measures how near something is to entries, by words that are rare among these articles.

    `text` is all that is shown of the entries.
    """

    def __init__(self, entries: Iterable[Entry], text: str, articles: Iterable[Article]) -> None:
        known = tuple(entries)
        self._marks = [entry.id for entry in known]
        self._titles = [stems(entry.draft.title) for entry in known]
        self._lines = [line for line in map(stems, text.splitlines()) if line]
        self._weights = rarity(map(_words, articles))

    def weigh_article(self, article: Article) -> float:
        """Weigh an article: by its names, and by those of its lines that are nearest."""
        lines = sorted(map(self.weigh_line, (article.lead, *list_lines(article))))[-_BEST:]
        return self._weigh_names(article) + sum(lines) / _BEST

    def weigh_line(self, line: str) -> float:
        """Weigh what a line has in common with that line of the entries that is nearest to it."""
        own = stems(line)
        return max((self._weight(own & other) for other in self._lines), default=0.0)

    def _weigh_names(self, article: Article) -> float:
        texts = (article.title, *article.names("aliases"))
        names = [name for name in map(stems, texts) if self._weight(name)]
        titled = max(map(self._share_in_title, names), default=0.0)
        named = sum(any(name <= line for name in names) for line in self._lines)
        best = max(map(self._weight, names), default=0.0)
        return best * (titled + min(named, _NAMED) / _NAMED)

    def _share_in_title(self, name: frozenset[str]) -> float:
        """Give the share of a name that the title of an entry has."""
        held = (self._weight(name & title) for title in self._titles)
        return max(held, default=0.0) / self._weight(name)

    def _weight(self, words: Iterable[str]) -> float:
        # summed in one order: the last digit decides between two that are as near
        return sum(sorted(self._weights.get(word, 0.0) for word in words))

    def shorten_article(self, text: str, room: int) -> str:
        """Leave out of an article's text the listed lines that are farthest, till it fits.

        "" where none would be left. What cites the entries goes last, what was before first.
        """
        parts = _parts(text)
        listed = [at for at, part in enumerate(parts) if _is_listed(part)]
        rest = (line for part in parts if not _is_listed(part) for line in part[1:])
        left, kept = room - count_bytes(format_with_ids("\n".join(rest))), set[int]()
        for at in sorted(listed, key=lambda at: (-self._weigh_part(parts[at]), at)):
            # with the line end, and without a path before it
            size = count_bytes(format_with_ids(f"\n{parts[at][1]}"))
            if size <= left:
                kept.add(at)
                left -= size
        gone = {*listed} - kept
        return "\n".join(line for at, (_, line) in enumerate(parts) if at not in gone) * bool(kept)

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
