"""Entries that are to be forgotten and those that stay -> what of a note came from the former.

A line of an article names a day, not an entry. Whose it is, is found again by its words, as `why`
does; and a word that stands in what goes and nowhere in what stays is a telltale: a line with one
goes even where another session said the rest, as the promise is that nothing of it is left. The
trap: in a small vault plain words are only there, too, so what everybody writes is no telltale, and
only what names such a day, or such an article, is looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

from memoria.rules.merge import rarity as commonness
from memoria.rules.synonyms import actions as lexicon_actions
from memoria.rules.synonyms import grammar as lexicon_grammar
from memoria.rules.synonyms import qualities as lexicon_qualities
from memoria.search.sources import trace
from memoria.vault import citations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.search.sources.trace import Told, Trace

Doom = Literal["", "sourced", "traced", "marked"]
# shorter ones stand in any text; a name or a key is longer
_WORD = re.compile(r"[^\W_]{3,}")
_ORDER = ("unsure", "likely", "exact")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What goes: `gone` and `kept` are entries by their day's link, only days of which some goes.

    `match` is a text that goes wherever it stands, in lower case, "" for none.
    """

    gone: Mapping[str, tuple[Told, ...]] = field(default_factory=dict)
    kept: Mapping[str, tuple[Told, ...]] = field(default_factory=dict)
    telltales: frozenset[str] = frozenset()
    match: str = ""

    def holds(self, text: str) -> bool:
        """Whether a text holds the one that was asked for."""
        return bool(self.match) and self.match in text.casefold()

    def marks(self, text: str) -> bool:
        """Whether a text holds what only the forgotten entries said."""
        return self.holds(text) or not self.telltales.isdisjoint(words(text))

    def is_over(self, link: str) -> bool:
        """Whether nothing of a day is left."""
        return link in self.gone and not self.kept.get(link)

    def touches(self, links: Iterable[str]) -> bool:
        """Whether one of the days lost an entry."""
        return any(link in self.gone for link in links)

    def doom(self, item: str, days: Iterable[str]) -> Doom:
        """Say why a line goes, "" if it stays; `days` are its note's, for a line without a link.

        "sourced": it names no other source. "traced": a forgotten entry said it, and none that
        stays as well. "marked": it holds a word of theirs.
        """
        linked = citations.links(item)
        named = linked or tuple(days)
        if not self.touches(named):
            return "marked" if self.holds(item) else ""
        if linked and all(map(self.is_over, linked)):
            return "sourced"
        dated = not linked and any(day in item for day in self._over(named))
        if dated or self._is_theirs(item, named, linked=bool(linked)):
            return "traced"
        return "marked" if self.marks(item) else ""

    def _over(self, links: Iterable[str]) -> list[str]:
        """Give the days of which nothing is left, as a text would name them."""
        return [link.removeprefix("daily/") for link in links if self.is_over(link)]

    def _is_theirs(self, item: str, named: Iterable[str], *, linked: bool) -> bool:
        if linked and any(day not in self.gone for day in named):
            return False
        one = trace.trace(item, [told for day in named for told in self.gone.get(day, ())])
        other = trace.trace(item, [told for day in named for told in self.kept.get(day, ())])
        if one is None or (one.sure == "unsure" and not linked):
            return False
        return other is None or _rank(one) > _rank(other)


def words(text: str) -> frozenset[str]:
    """Give the words of a text that can be telltales."""
    return frozenset(_WORD.findall(text.casefold()))


def telltales(gone: Iterable[str], kept: Iterable[str]) -> frozenset[str]:
    """Give the words that only the texts which go have, and that not everybody writes."""
    theirs = {word for text in gone for word in words(text)}
    return frozenset(theirs - {word for text in kept for word in words(text)} - _plain())


@cache
def _plain() -> frozenset[str]:
    """Give the words of everyday rules: verbs, qualities, what stands in every tenth of them."""
    lists = (commonness, lexicon_actions, lexicon_grammar, lexicon_qualities)
    values = (item for one in lists for item in vars(one).items())
    # their tables, not what Python keeps beside them
    texts = [str(value) for name, value in values if name.strip("_").isupper()]
    return frozenset(word for text in texts for word in words(text))


def _rank(found: Trace) -> tuple[int, float]:
    return _ORDER.index(found.sure), found.share
