"""Read a person's words as what is sought in the index: single words, and phrases of one name.

A query is words and never a language: quotes, stars, colons and brackets are only borders of words.
A name such as `create_payment`, `TokenStore` or `a-b` is sought as a whole and by its parts, and
`spread` gives the index the same parts. In scripts without spaces characters are words of their own
and are sought in pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# a page that was pasted as a query has more; those that it has most often say what it is about
_MOST = 400
# words of a phrase: longer ones occur nowhere but in the note that they were copied from
_LONGEST = 12
# what questions are made of; a query of nothing else is sought all the same
_STOP = frozenset(
    """
    a about all am an and any are as at be been but by can could did do does for from get had has
    have how i if in into is it its me my no not of on or our shall should so some than that the
    their them then there these they this those to too us was we were what when where which who why
    will with would you your
    """.split()  # noqa: SIM905 - a list of words reads best as text
)
# what Chinese, Japanese and Korean are written with
_SIGN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SIGNS = re.compile(f"[{_SIGN}]")
_QUOTED = re.compile(r'"([^"]{3,})"')
# a name: words joined by what joins the parts of names, paths and addresses
_NAME = re.compile(r"[^\W_]+(?:[-_./:@'\u2019\\]{1,3}[^\W_]+)*")
_WORD = re.compile(rf"[{_SIGN}]|[^\W_{_SIGN}]+")
# a name in humps, and its humps: TokenStore, parseJSON, HTTPServer, sha256Sum; looked for where a
# word begins, since all of a vault goes through it
_HUMPED = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]))[A-Za-z][A-Za-z0-9]+"
)
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")


def sought(query: str, *, everything: bool = False) -> dict[str, int]:
    """Give words and phrases (joined by a space) of a query, and how often it has them."""
    phrases = (_phrase(_WORD.findall(quoted)) for quoted in _QUOTED.findall(query))
    units = Counter(unit.lower() for phrase in phrases for unit in phrase)
    units.update(unit.lower() for name in _NAME.findall(query) for unit in _name(name))
    telling = (
        (unit, times)
        for unit, times in units.most_common()
        if everything or (unit not in _STOP and (len(unit) > 1 or not unit.isascii()))
    )
    return dict(islice(telling, _MOST))


def _name(name: str) -> Iterator[str]:
    words = _WORD.findall(name)
    if _SIGNS.search(name):
        yield from (f"{first} {second}" for first, second in pairwise(words))
        yield from (word for word in words if len(words) == 1 or not _SIGNS.match(word))
        return
    yield from _phrase(words)
    for word in words:
        yield word
        humps = _HUMP.findall(word) if _HUMPED.fullmatch(word) else []
        yield from _phrase(humps)
        yield from humps


def _phrase(words: list[str]) -> list[str]:
    return [" ".join(words)] if 1 < len(words) <= _LONGEST else []


def spread(text: str) -> str:
    """Give a text with the parts of its names behind it, and the signs of such scripts apart."""
    names = dict.fromkeys(_HUMPED.findall(text))
    parts = "".join(f"\n{' '.join(_HUMP.findall(name))}" for name in names)
    return _SIGNS.sub(r" \g<0> ", text) + parts


def pieces(text: str) -> set[str]:
    """Give the words of a text, and the humps of those that have any."""
    words = set(_WORD.findall(text))
    return words.union(*(_HUMP.findall(word) for word in words if _HUMPED.fullmatch(word)))
