"""What stands between two blanks of a rule -> Words: a concept with its weight, a number, a name.

The same few thousand chunks make up all rules, so what one means is worked out once. The trap:
punctuation is meaning inside of a name (`user_id`, `--force`, 1.26) and nothing at the end of a
sentence.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.rules.merge.rarity import weight
from memoria.rules.synonyms.grammar import HAVING, LACKING, LINKS, MAKING, NEGATIONS, NUMBERS, UNITS
from memoria.rules.synonyms.lookup import Meaning, lexicon
from memoria.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

# thing: what a rule speaks of; act: a verb that only says "have it" or "have it not"; not: a
# negation; link: a word between them; stop: where a clause may end
Kind = Literal["thing", "number", "name", "not", "act", "link", "stop"]


class Word(NamedTuple):
    """A word or a phrase of a rule.

    `concept` is what it means and `pole` which end of it; `weight` how much it tells, 0 to 1. An
    "act" of pole -1 asks for what follows to be gone. `verb`: it may begin an order. `surface` is
    how it is written, in small letters.
    """

    stem: str
    kind: Kind
    concept: str
    pole: int = 1
    weight: float = 0.0
    verb: bool = False
    surface: str = ""

    @property
    def end(self) -> str:
        """Name the end of the concept that is meant: "public" and "-public" are two."""
        return self.concept if self.pole > 0 else f"-{self.concept}"


_COMMA, _END = Word(",", "stop", ","), Word(".", "stop", ".")
# what a name weighs: more than the rarest words; a number weighs nothing, it is a veto alone
_NAME = 1.0
# less than one noun: "add an index" is "index", "remove X" is "no X"
_MAKING, _LACKING = 0.15, 0.3
# marks that quote or set off a word, those that end a sentence, and those that part it
_QUOTES = "\"'`*_"
_ENDS, _PARTS, _OPENS = ";:.!?\u2026", ",)]\u2014\u2013\u2026", "([\u2014\u2013"
_EDGES = f"{_QUOTES}{_ENDS}{_PARTS}{_OPENS}{{}}<>\u201c\u201d\u2018\u2019\u00ab\u00bb"
# what an API and a database are asked with; in small letters they are ordinary words
_METHODS = frozenset("GET PUT POST PATCH DELETE HEAD OPTIONS SET WHERE HAVING".split())  # noqa: SIM905 - a list of words is read as text
_ARROWS = ("->", "=>", "-->", "\u2192", "\u21d2")
_SIGNS = dict.fromkeys(_ARROWS, "to") | {"&": "and", "+": "and"}
_SHORT = {"e.g": "eg", "i.e": "ie", "etc.": "etc"}
_OPERATOR = re.compile(r"[=<>!&|+*/%^~?]+")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}")
_NUMBER = re.compile(r"[$\u20ac\u00a3#v~\u2265\u2264<>=]*(\d[\d.,:]*)([a-z%]*)\+?")
_LETTERS = re.compile(r"[^\W\d_]+")
_JOINED = re.compile(r"[^\W\d_]+(?:[-/&+][^\W\d_]+)+")
_SHORTENED = re.compile(r"([^\W\d_]+)['\u2019]([^\W\d_]+)")
# a flag, a path from the root, a folder
_NAMED = re.compile(r"[`\"'(]*(--?[A-Za-z][\w-]*|/[\w/.:{}*-]+|[\w./-]+/)[`\"'),.;:]*")


@lru_cache(maxsize=65_536)  # the words of a language and of its programs
def chunk(written: str) -> tuple[Word, ...]:
    """Give the words of what stands between two blanks."""
    if written in _SIGNS:
        return (word(_SIGNS[written]),)
    bare = written.strip(_EDGES)
    if not any(map(str.isalnum, bare)):
        return _mark(bare, written)
    if bare.count("(") > bare.count(")"):
        bare += ")" * (bare.count("(") - bare.count(")"))
    before = (_COMMA,) if written[0] in _OPENS else ()
    return (*before, *(_named(bare, written) or _words(bare)), *_after(written))


def meant(base: str, meaning: Meaning, *, verb: bool = False, surface: str = "") -> Word:
    """Make a thing of a meaning."""
    weighed = weight(meaning.concept, verb=verb)
    return Word(base, "thing", *meaning, weighed, verb, surface or base)


def _mark(bare: str, written: str) -> tuple[Word, ...]:
    """Read what has neither letter nor digit: an operator, a dash, an ornament."""
    if bare and _OPERATOR.fullmatch(bare):
        return (_name(bare),)
    return (_COMMA,) if not bare and written.strip(_QUOTES) else ()


def _after(written: str) -> tuple[Word, ...]:
    last = written.rstrip(_QUOTES)[-1:]
    if last in _ENDS:
        return (_END,)
    return (_COMMA,) if last in _PARTS and not written.rstrip(_QUOTES).endswith("()") else ()


def _named(bare: str, written: str) -> tuple[Word, ...]:
    """Read what is a name by its form."""
    if bare in _METHODS:
        return (_name(bare.lower()),)
    found = _NAMED.fullmatch(written)
    if found is None:
        return ()
    low = found[1].lower().rstrip(".")
    return (word(low),) if low in lexicon().words else (_name(low),)


def _words(bare: str) -> tuple[Word, ...]:
    """Read a word, a number with its unit, words joined by hyphens, or else a name."""
    low = _SHORT.get(bare.lower(), bare.lower())
    if low in lexicon().words or low in _SHORT.values() or _is_word(bare):
        return (word(low),)
    if (number := _NUMBER.fullmatch(low)) is not None:
        value = number[1].replace(",", "").rstrip(".:")
        unit = (word(UNITS.get(number[2], number[2])),) if number[2] else ()
        # "1 reviewer" is "a reviewer"
        return (
            unit
            if value == "1" and unit
            else (word("one"),)
            if value == "1"
            else (_number(value), *unit)
        )
    if (short := _SHORTENED.fullmatch(low)) is not None:
        return (word("not" if short[2] == "t" else short[1]),)
    if _JOINED.fullmatch(bare) and not _HUMP.search(bare):
        parts = tuple(map(word, re.split(r"[-/&+]", low)))
        # "given-when-then" is the name of something
        return parts if any(part.kind != "link" for part in parts) else (_name(low),)
    return (_name(low),)


def _is_word(bare: str) -> bool:
    """Whether letters are a word; those with a hump are a name, but for known ones (TypeScript)."""
    if not _LETTERS.fullmatch(bare):
        return False
    return bare[0].isupper() or not _HUMP.search(bare) or stem(bare.lower()) in lexicon().words


def _number(value: str) -> Word:
    return Word(value, "number", f"#{value}")


def _name(low: str) -> Word:
    name = low.removesuffix("()").strip("`")
    return Word(name, "name", f"={name}", 1, _NAME)


@lru_cache(maxsize=65_536)  # as many as a chunk
def word(low: str) -> Word:
    """Give the word of letters in lower case."""
    base = stem(low) if _LETTERS.fullmatch(low) else low
    if low in NUMBERS:
        return _number(NUMBERS[low])._replace(stem=base)
    if (role := roles().get(base)) is not None:
        return role._replace(verb=low == base, surface=low)
    meaning = lexicon().words.get(base, Meaning(base, 1))
    verb = base in lexicon().verbs and not low.endswith(("s", "ing", "ed"))
    return meant(base, meaning, verb=verb, surface=low)


@cache
def roles() -> Mapping[str, Word]:
    """Give the words that build sentences, by stem."""
    found: dict[str, Word] = {}
    for each in LINKS.split():
        found[stem(each)] = Word(stem(each), "link", each)
    for each in HAVING.split():
        found[stem(each)] = Word(stem(each), "act", each)
    for each in MAKING.split():
        found[stem(each)] = Word(stem(each), "act", "create", 1, _MAKING)
    for each in LACKING.split():
        found[stem(each)] = Word(stem(each), "act", "remove", -1, _LACKING)
    for each in NEGATIONS.split():
        found[stem(each)] = Word(stem(each), "not", each)
    return found
