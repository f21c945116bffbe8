"""Find pairs of lines in articles that may contradict each other.

Two lines are a pair if they speak of the same with nearly the same words, and one of them denies
what the other says, or they give different numbers. Each line is filed under the pairs of its
rarest words, so lines on one subject meet without each being compared with each. Whether a pair is
a contradiction is for an engine to say. A denial hides in single words (`disabled`, `optional`,
`after`); such a word is taken for its opposite and a "not".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from memoria.vault.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.text.outline import Block

# what was so once, what is only asked, and what another note is quoted for
_PASSED_OVER = frozenset(
    {*GENERATED, "Before the Change", "Questions Answered", "Follow-Up Questions", "Evidence"}
)
_DAY = re.compile(r"\s*\(?daily/(\d{4}-\d{2}-\d{2})(?:\.md)?\)?\s*$")
_TOKEN = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_][\w'’]*")  # noqa: RUF001 - both kinds of apostrophe
_ISO_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_STOP = frozenset(
    """a about all also an and any are as at be been being both but by can could did do does each
    every for from had has have he her here his how i if in into is it its just may me might more
    most must my of on one only or other our out over per she should so some such than that the
    their them then there these they this those through to too under up us very was we were what
    when where which while who why will with would you your always""".split()  # noqa: SIM905 - a list of words is read as text
)
_DENIALS = frozenset(
    """not no never none nobody nothing nowhere neither nor cannot without avoid avoids avoided
    isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't mustn't
    hasn't haven't hadn't needn't""".split()  # noqa: SIM905 - as above
)
# a word that denies, and what it denies
_OPPOSITES = {
    denial: meaning
    for meaning, denials in (
        ("enable", "disable disabled disables disabling"),
        ("allow", "deny denied denies forbid forbids forbidden prohibited"),
        ("require", "optional"),
        ("before", "after"),
        ("accept", "reject rejects rejected refuse refuses refused"),
        ("include", "exclude excludes excluded omit omits omitted"),
        ("valid", "invalid"),
        ("sync", "async"),
        ("synchronou", "asynchronous asynchronously"),
    )
    for denial in denials.split()
}
_SAME = {"mandatory": "require", "permitted": "allow"}
# a word's ending, so that "rotates" and "rotated" are one; the rest has to keep three letters
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
_LEAST_WORDS = 3  # a line of fewer says too little to be contradicted
_MOST_WORDS = 40  # a line of more says several things
_RAREST = 4  # words that a line is filed under, two by two
_CROWD = 6  # neighbours that a line is compared with in one file
_COMMON, _LEAST_COMMON = 0.7, 2  # of the shorter line's words; and in number
_LIKE = 0.45  # of all words of both
_SURE = 0.6  # so that code alone may call it a contradiction
_LIKE_NUMBERS = 0.7  # two lines with other numbers are about other things, unless they are alike


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of an article: `path` as links have it, the `day` of the log that it comes from."""

    path: str
    line: int
    text: str
    day: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two claims on one subject, the later said last.

    `opposite`: one denies; else their numbers differ. `likeness` is the share of their words that
    is the same (0 to 1).
    """

    one: Claim
    other: Claim
    opposite: bool
    likeness: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """Material of a lint: the pairs to be judged, those most likely to be contradictions first."""

    pairs: tuple[Pair, ...]


class _Read(NamedTuple):
    """A claim as it is compared: its words, whether it denies, its numbers.

    Tuples, not sets: a large vault has 200,000 claims, and a set takes five times the memory.
    """

    words: tuple[str, ...]
    denies: bool
    numbers: tuple[str, ...]

    @property
    def is_active(self) -> bool:
        """Whether it denies or counts something: of a pair at least one does."""
        return self.denies or bool(self.numbers)


def claims_of(path: str, kind: str, title: str, blocks: Iterable[Block]) -> Iterator[Claim]:
    """Give what an article claims, line by line; a rule claims what its title says."""
    if kind == "rule":
        yield Claim(path, 1, title)
        return
    for block in blocks:
        if block.level or block.section in _PASSED_OVER or block.text.endswith("?"):
            continue
        day = _DAY.search(block.text)
        text = _DAY.sub("", block.text)
        yield Claim(path, block.place, text, day[1] if day else "")


def find_pairs(claims: Sequence[Claim], most: int) -> tuple[Pair, ...]:
    """Find the pairs that may contradict each other: those most alike, denials first."""
    read = [_read(claim.text) for claim in claims]
    usual = Counter(word for claim in read for word in claim.words)
    candidates: dict[tuple[int, int], Pair] = {}
    for crowd in _files(read, usual).values():
        for at, index in enumerate(crowd):
            for other in crowd[at + 1 : at + 1 + _CROWD]:
                pair = _pair(index, other, claims, read)
                if pair:
                    candidates[index, other] = pair
    ranked = sorted(candidates.items(), key=lambda item: _rank(*item))
    # the same line may stand in several articles
    distinct = {(pair.one.text, pair.other.text): pair for _, pair in reversed(ranked)}
    return tuple(reversed(distinct.values()))[:most]


def clear_denials(pairs: Sequence[Pair]) -> list[dict[str, object]]:
    """Name the pairs that plain code calls contradictions: one denies nearly the other's words.

    Numbers and reasons as in the form of the answer. Other numbers alone are left to a model: a
    measurement that was repeated has them, too.
    """
    return [
        {"pair": number, "why": f"one of them denies it: “{pair.other.text}”"}
        for number, pair in enumerate(pairs, 1)
        if pair.opposite and pair.likeness >= _SURE
    ]


def _rank(place: tuple[int, int], pair: Pair) -> tuple[bool, float, tuple[int, int]]:
    return (not pair.opposite, -pair.likeness, place)


def _read(text: str) -> _Read:
    words: set[str] = set()
    numbers: set[str] = set()
    denials = 0
    for token in _TOKEN.findall(_ISO_DATE.sub(" ", text).lower().replace("’", "'")):  # noqa: RUF001 - as above
        if token[0].isdigit():
            numbers.add(token)
            continue
        word, denies = _meaning(token)
        denials += denies
        if word:
            words.add(word)
    kept = words if _LEAST_WORDS <= len(words) <= _MOST_WORDS else ()
    return _Read(tuple(sorted(kept)), denials % 2 == 1, tuple(sorted(numbers)))


@lru_cache(maxsize=1 << 16)  # the same words come again and again, and are kept once
def _meaning(token: str) -> tuple[str, bool]:
    """Give the word that a token is compared as ("" for none), and whether it denies."""
    if token in _DENIALS:
        return "", True
    if token in _STOP:
        return "", False
    denied = _OPPOSITES.get(token)
    return _ENDING.sub("", denied or _SAME.get(token, token)), denied is not None


def _files(read: Sequence[_Read], usual: Mapping[str, int]) -> dict[tuple[str, ...], list[int]]:
    """File the claims under their rarest words; files in which nothing is denied are left out."""
    files: dict[tuple[str, ...], list[int]] = {}
    for claim in read:
        if claim.is_active:
            files.update((names, []) for names in _names(claim, usual))
    for index, claim in enumerate(read):
        for names in _names(claim, usual):
            if names in files:
                files[names].append(index)
    return files


def _names(claim: _Read, usual: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    # a word that stands nowhere else brings no line together with another
    shared = sorted((usual[word], word) for word in claim.words if usual[word] > 1)
    return combinations([word for _, word in shared[:_RAREST]], 2)


def _pair(index: int, other: int, claims: Sequence[Claim], read: Sequence[_Read]) -> Pair | None:
    one, two = read[index], read[other]
    opposite = one.denies != two.denies
    if not opposite and not (one.numbers and two.numbers):
        return None
    mine, theirs = set(one.words), set(two.words)
    differ = set(one.numbers).isdisjoint(two.numbers)
    common = len(mine & theirs)
    likeness = common / len(mine | theirs)
    enough = common >= max(_LEAST_COMMON, _COMMON * min(len(mine), len(theirs)))
    if not (opposite or differ) or not enough:
        return None
    if likeness < (_LIKE if opposite else _LIKE_NUMBERS):
        return None
    first, last = sorted((claims[index], claims[other]), key=lambda claim: claim.day)
    return Pair(first, last, opposite, likeness)
