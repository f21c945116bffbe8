"""Read a rule's text as words: concepts, numbers, negations, links.

A concept is a group of the tables of synonyms, or the stem of a word that is in none. The same few
thousand chunks make up all rules, so what one means is worked out once. Punctuation is meaning
inside a name (`user_id`, `--force`, 1.26) and nothing at the end of a sentence.
"""

import pkgutil
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, cast

from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.stems import stem

# thing: what a rule speaks of; act: a verb that only says "have it" or "have it not"; not: a
# negation; link: a word between them; stop: where a clause may end
Kind = Literal["thing", "number", "not", "act", "link", "stop"]


class Word(NamedTuple):
    """A word or a phrase of a rule.

    `concept` is what it means and `pole` which end of it. An "act" of pole -1 asks for what follows
    to be gone. `surface` is how it is written, in lower case.
    """

    stem: str
    kind: Kind
    concept: str
    pole: int = 1
    surface: str = ""

    @property
    def end(self) -> str:
        """Name the end of the concept that is meant: "public" and "-public" are two."""
        return self.concept if self.pole > 0 else f"-{self.concept}"


_COMMA, _END = Word(",", "stop", ","), Word(".", "stop", ".")
# marks that quote or set off a word, those that end a sentence, and those that part it
_QUOTES, _SENTENCE_ENDS = "\"'`*_", ";:.!?\u2026"
_CLAUSE_ENDS, _CLAUSE_STARTS = ",)]\u2014\u2013\u2026", "([\u2014\u2013"
_MARKS = f"{_QUOTES}{_SENTENCE_ENDS}{_CLAUSE_ENDS}{_CLAUSE_STARTS}"
_MARKS += "{}<>\u201c\u201d\u2018\u2019\u00ab\u00bb"
_OPERATOR = lazy_pattern(r"[=<>!&|+*/%^~?]+")  # "===", "&&"
# a number and its unit: "250ms", "$1,000", "v3.11", "~80%", "5+"
_NUMBER = lazy_pattern(r"[$\u20ac\u00a3#v~\u2265\u2264<>=]*(\d[\d.,:]*)([a-z%]*)\+?")
_LETTERS = lazy_pattern(r"[^\W\d_]+")  # "tests", "größe"; not "utf8" or "a_b"
_JOINED = lazy_pattern(r"[^\W\d_]+(?:[-/&+][^\W\d_]+)+")  # "client-side", "read/write"; not "utf-8"
_CONTRACTION = lazy_pattern(r"([^\W\d_]+)['\u2019]([^\W\d_]+)")  # "it's", "don't" as "don" and "t"


@lru_cache(maxsize=4_096)  # a text is looked at a few times in a row
def words(text: str) -> tuple[Word, ...]:
    """Give the words of a text, phrases read as one."""
    tokens = [word for part in text.split() for word in parse_chunk(part)]
    _mark_by_neighbours(tokens)
    return tuple(_join_phrases(tokens))


@lru_cache(maxsize=65_536)  # the words of a language and of its programs
def parse_chunk(text: str) -> tuple[Word, ...]:
    """Give the words of what stands between two blanks."""
    if text in SIGN_WORDS:
        return (_build_word(SIGN_WORDS[text]),)
    core = text.strip(_MARKS)
    if not any(map(str.isalnum, core)):
        if core and _OPERATOR.fullmatch(core):
            return (_build_word(core),)
        return (_COMMA,) if not core and text.strip(_QUOTES) else ()
    if core in HTTP_METHODS:
        return (_build_thing(core, Meaning(core, 1)),)
    opening = (_COMMA,) if text[0] in _CLAUSE_STARTS else ()
    return (*opening, *_parse_core(core.lower()), *_stop_after(text.rstrip(_QUOTES)))


def _stop_after(unquoted: str) -> tuple[Word, ...]:
    if unquoted.endswith(tuple(_SENTENCE_ENDS)):
        return (_END,)
    return (_COMMA,) if unquoted.endswith(tuple(_CLAUSE_ENDS)) and "()" not in unquoted else ()


def _parse_core(word: str) -> tuple[Word, ...]:
    """Read a word, a number with its unit, words joined by hyphens, or else a name."""
    if (word,) in lexicon().meanings:
        return (_build_word(word),)
    if (number := _NUMBER.fullmatch(word)) is not None:
        return _build_amount(number[1].replace(",", "").rstrip(".:"), number[2])
    if (contraction := _CONTRACTION.fullmatch(word)) is not None:
        return (_build_word("not" if contraction[2] == "t" else contraction[1]),)
    parts = re.split(r"[-/&+]", word) if _JOINED.fullmatch(word) else [word]
    return tuple(map(_build_word, parts))


def _build_amount(value: str, unit: str) -> tuple[Word, ...]:
    """Read a number with its unit; "1 reviewer" is "a reviewer"."""
    units = (_build_word(UNITS.get(unit, unit)),) if unit else ()
    if value == "1":
        return units or (_build_word("one"),)
    return (Word(value, "number", f"#{value}"), *units)


@lru_cache(maxsize=65_536)  # as many as a chunk
def _build_word(text: str) -> Word:
    base = stem(text) if _LETTERS.fullmatch(text) else text.removesuffix("(")
    if text in NUMBERS:
        return Word(base, "number", f"#{NUMBERS[text]}")
    if (word := grammar_words().get(base)) is not None:
        return word._replace(surface=text)
    meaning = lexicon().meanings.get((base,), Meaning(base, 1))
    return _build_thing(base, meaning)._replace(surface=text)


def _build_thing(base: str, meaning: "Meaning") -> Word:
    return Word(base, "thing", *meaning, surface=base)


@cache
def grammar_words() -> Mapping[str, Word]:
    """Give the words that build sentences, by stem."""
    table: dict[str, Word] = {}
    for line in _read_table("grammar.txt"):
        kind, _, entries = line.partition(": ")
        for entry in entries.split():
            base = stem(entry)
            table[base] = Word(base, cast("Kind", kind), entry)
            if kind == "remove":
                table[base] = Word(base, "act", "remove", -1)
    return table


def _mark_by_neighbours(tokens: list[Word]) -> None:
    """Reread words that mean another thing beside certain ones.

    "Required parameters" are a kind of them, "reviews are required" asks for reviews; "stop using"
    and "free of" deny; "under 50" is a limit, elsewhere such words tell a place.
    """
    for at, (word, following) in enumerate(pairwise(tokens)):
        previous = tokens[at - 1].concept if at else ""
        if word.surface == "required" and following.kind == "thing" and previous != "be":
            tokens[at] = _build_thing(word.stem, Meaning("optional", -1))
        elif word.stem == "stop" and following.surface.endswith("ing"):
            tokens[at] = Word("stop", "not", "stop")
        elif word.surface in {"free", "out"} and following.concept in {"of", "from"}:
            tokens[at] = Word("free", "not", "free")
        elif word.stem in {"turn", "switch"} and following.concept == "off":
            tokens[at] = Word("remove", "act", "remove", -1)
        elif word.surface in LIMIT_POLES and following.kind == "number":
            tokens[at] = _build_thing(word.stem, Meaning("limit", LIMIT_POLES[word.surface]))


def _join_phrases(tokens: list[Word]) -> list[Word]:
    """Replace phrases by their meaning, the longest first."""
    joined, meanings = list[Word](), lexicon().meanings
    at = 0
    while at < len(tokens):
        size = _phrase_size(tokens, at)
        phrase = tuple(token.stem for token in tokens[at : at + size])
        joined.append(_build_thing(" ".join(phrase), meanings[phrase]) if size > 1 else tokens[at])
        at += size
    return joined


def _phrase_size(tokens: list[Word], at: int) -> int:
    """Give how many words from a place on are a phrase, 1 where there is none."""
    longest = lexicon().longest.get(tokens[at].stem, 1)
    if longest == 1:
        return 1
    run = tuple(token.stem for token in tokens[at : at + longest])
    sizes = (size for size in range(len(run), 1, -1) if run[:size] in lexicon().meanings)
    return next(sizes, 1)


# -- Tables of synonyms ----------------------------------------------------------------------------

# "rate-limit" is two words; "--dry-run" and "docker-compose.yml" are one each
_INNER_HYPHEN = lazy_pattern(r"(?<=\w)-(?=\w)")
_FLAG_OR_FILE = lazy_pattern(r"--\S+|\S+\.\w+")


class Meaning(NamedTuple):
    """A concept, and which end of it: 1, or -1 for a word of the opposite."""

    concept: str
    pole: int


class Lexicon(NamedTuple):
    """What words and phrases mean, by their stems.

    `longest` is the size of the longest phrase that begins with a stem; `complements` are the
    concepts whose ends a negation exchanges.
    """

    meanings: Mapping[tuple[str, ...], Meaning]
    longest: Mapping[str, int]
    complements: frozenset[str]


def _stems(phrase: str) -> tuple[str, ...]:
    """Give the stems of a phrase."""
    text = phrase.lower()
    if text.isalpha():  # as nearly all are
        return (stem(text),)
    if _FLAG_OR_FILE.fullmatch(text):
        return (text,)
    parts = _INNER_HYPHEN.sub(" ", text).split()
    return tuple(stem(part) if part.isalpha() else part for part in parts)


@cache
def lexicon() -> Lexicon:
    """Read the tables; where two lines claim a word, the first one has it."""
    meanings: dict[tuple[str, ...], Meaning] = {}
    longest: dict[str, int] = {}
    complements: set[str] = set()
    for line in _read_table("synonyms.txt"):
        # "big: large, huge / small, tiny": a concept, its words / those of its other end; a ~ for
        # the / where a negation turns one end into the other
        head, _, entries = line.partition(":")
        same, _, opposite = entries.replace(" ~", " /").partition(" /")
        complements |= {head} if " ~" in entries else set()
        for pole, entries in ((1, f"{head},{same}"), (-1, opposite)):
            meaning = Meaning(head, pole)
            for parts in map(_stems, _split_entries(entries)):
                meanings.setdefault(parts, meaning)
                if len(parts) > 1:
                    longest[parts[0]] = max(len(parts), longest.get(parts[0], 0))
    return Lexicon(meanings, longest, frozenset(complements))


@cache
def product_names() -> frozenset[str]:
    """Give the stems of names of languages, tools, services and days."""
    entries = (entry for line in _read_table("names.txt") for entry in _split_entries(line))
    return frozenset(" ".join(_stems(entry)) for entry in entries)


def _split_entries(entries: str) -> list[str]:
    return list(filter(None, map(str.strip, entries.split(","))))


def _read_table(name: str) -> list[str]:
    text = (pkgutil.get_data(__package__, name) or b"").decode("utf-8")
    return [line for line in text.splitlines() if line and line[0] not in "#["]


# -- Words that build a rule's sentence and name nothing of its subject ----------------------------

NUMBERS = {
    "zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20",
    "thirty": "30", "fifty": "50", "hundred": "100", "thousand": "1000",
}  # fmt: skip
# units written at a number
UNITS = {
    "%": "percent", "ms": "millisecond", "s": "second", "px": "pixel", "k": "thousand", "h": "hour",
    "mb": "megabyte", "gb": "gigabyte", "kb": "kilobyte", "mib": "mebibyte", "gib": "gibibyte",
    "d": "day", "m": "minute", "min": "minute", "sec": "second", "x": "times",
}  # fmt: skip
# "all" of a thing is not "only" some of it
TOTAL_LINKS = frozenset({"all", "every", "each", "any"})
PARTIAL = frozenset({"only", "first", "last", "single"})
# what stands beside a negation and goes with it: "you must not", "do not ever", "avoid using"
AROUND_NOT = frozenset(
    "do must should shall will can may you we please always ever use using used to the a be".split()  # noqa: SIM905 - a list of words is read as text
)
# links that say the opposite of each other
OPPOSED_LINKS = (
    {"before", "after"}, {"until", "after"}, {"to", "from"}, {"on", "off"}, {"in", "out"},
    {"up", "down"}, {"over", "under"}, {"more", "less"}, {"most", "least"}, {"for", "against"},
    {"inside", "outside"}, {"with", "against"},
)  # fmt: skip
CASE_LINKS = frozenset({"when", "if", "while", "whenever", "unless", "where", "until"})
# two words that set against, or put before
CONTRAST_PAIRS = frozenset({("instead", "of"), ("rather", "than"), ("in", "place")})
BEFORE_PAIRS = frozenset({("prior", "to"), ("ahead", "of")})
# what leads back out of a contrast: "use A instead of B for C"
LEADS_BACK = frozenset({"for", "in", "when", "on", "to", "by", "with", "at"})
# verbs with "free of", and with "over"
KEEP_VERBS = frozenset({"keep", "leave", "stay", "remain", "be"})
RANK_VERBS = frozenset({"prefer", "favor", "favour", "choose", "pick", "use", "used"})
# by which two rules are compared; into and onto are to
PREPOSITIONS = {"into": "to", "onto": "to"} | {
    name: name
    for name in "to from for on with against per in at by of as via through".split()  # noqa: SIM905 - a list of words is read as text
}
ARTICLES = frozenset({"the", "a", "an", "those", "all", "every", "each", "any", "and", "or"})
# what an API is asked with; in lower case they are ordinary words
HTTP_METHODS = frozenset({"GET", "PUT", "POST", "PATCH", "DELETE"})
SIGN_WORDS = dict.fromkeys(("->", "=>", "-->", "\u2192", "\u21d2"), "to") | {"&": "and", "+": "and"}
LIMIT_POLES = {"under": 1, "below": 1, "within": 1, "over": -1, "above": -1, "beyond": -1}
