"""Join near signatures to families, beside the signatures themselves.

A name that no mask knows gives one cause two signatures. Families join such ones by keys that are
read off each signature alone, so the outcome is the same whatever came first. Two messages that
differ in one word may be two causes ("permission denied", "access denied"); plain words are a
variable only where many stand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# The words that must stay when what varies is left out, or the rest names no cause.
_FIXED = 2
# Other words in one place, with more of the rest in common, before it is a place for any word.
_VALUES, _REST = 3, 3
_VARIABLE = re.compile(r"<[a-z.]+>|\d|[_/\\@=$]|\w[.:]\w|[a-z][A-Z]")
# E501, TS2322: the name of a rule and not of a thing.
_CODE = re.compile(r"\W*[A-Z]{1,6}\d{2,5}\W*")
_WORD = re.compile(r"\W*[A-Za-z][A-Za-z'-]+\W*")
_ANY = "*"
# A correction's signature is a set of words and no line.
_USER = "user "
_SHARED, _EXCHANGED = 2, 3


def families(signatures: Iterable[str]) -> Mapping[str, str]:
    """Join near signatures; give each one's family, named by its shortest, then first member.

    The same signatures give the same table in any order. More signatures can join families that
    were two, never part one, and can give a family another, shorter name. So a name that was
    stored is to be looked up in the table again: it is a signature itself, and is found there.
    """
    known = sorted(set(signatures), key=lambda one: (len(one), one))
    parent = {one: one for one in known}
    said = [one for one in known if not one.startswith(_USER)]
    corrected = [one for one in known if one.startswith(_USER)]
    for group in (*_same(said), *_varied(said), *_worded(corrected)):
        for one in group[1:]:
            roots = _root(parent, group[0]), _root(parent, one)
            # the shorter, then earlier of their names
            least, most = sorted(roots, key=lambda name: (len(name), name))
            parent[most] = least
    return {one: _root(parent, one) for one in known}


def family(signature: str, table: Mapping[str, str]) -> str:
    """Give a signature's family; a signature that the table does not know is its own."""
    return table.get(signature, signature)


def _root(parent: dict[str, str], one: str) -> str:
    while parent[one] != one:
        parent[one] = parent[parent[one]]
        one = parent[one]
    return one


def _parts(signature: str) -> tuple[str, str, list[str]]:
    tool, _, rest = signature.partition(" ")
    kind, _, said = rest.partition(" ")
    return tool, kind, said.split()


def _same(known: Iterable[str]) -> Iterator[list[str]]:
    """Groups that are one line but for what varies."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for one in known:
        tool, kind, said = _parts(one)
        template = _template(said)
        if _fixed(template) >= _FIXED:
            groups[(tool, kind, *template)].append(one)
    yield from groups.values()


def _template(said: list[str]) -> list[str]:
    """The line with one star for each run of what varies."""
    template: list[str] = []
    for token in said:
        varies = bool(_VARIABLE.search(token)) and not _CODE.fullmatch(token)
        if varies and template[-1:] == [_ANY]:
            continue
        template.append(_ANY if varies else token)
    return template


def _fixed(template: Iterable[str]) -> int:
    return sum(bool(_WORD.fullmatch(token)) for token in template)


def _varied(known: Iterable[str]) -> Iterator[list[str]]:
    """Groups that have all words but one in common, where that one is many."""
    places: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in known:
        tool, kind, said = _parts(one)
        template = _template(said)
        for index, token in enumerate(template):
            if not index and token.endswith(":"):
                continue  # the program that speaks; another one says it of another thing
            rest = (*template[:index], _ANY, *template[index + 1 :])
            if _fixed(rest) >= _REST:
                places[(tool, kind, *rest)][token].append(one)
    for values in places.values():
        if len(values) >= (2 if _ANY in values else _VALUES):
            yield [one for group in values.values() for one in group]


def _worded(known: Iterable[str]) -> Iterator[list[str]]:
    """Groups of corrections that differ in one word: one added, or one in another's place."""
    groups: dict[tuple[str, frozenset[str]], list[str]] = defaultdict(list)
    whole: set[tuple[str, frozenset[str]]] = set()
    for one in known:
        _, kind, said = _parts(one)
        words = frozenset(said)
        whole.add((kind, words))
        for some in (words, *(words - {word} for word in words)):
            if len(some) >= _SHARED:
                groups[kind, some].append(one)
    for key, group in groups.items():
        if key in whole or len(key[1]) >= _EXCHANGED:
            yield group
