"""Reduce a sentence of the user to its gist: the words that say what it is about, in one form.

The same complaint is said in any order, tense and tone, so politeness, reproach and endings are
taken off and the rest is sorted. It is a name to count by and nothing to read aloud. The trap: what
is said again in other words has another gist; only words are compared here, no meaning.
"""

import re

from memoria.capture.extract.signatures import mask
from memoria.text.function_words import FUNCTION_WORDS

_WORD = re.compile(r"[a-z][a-z0-9_]+(?:[:./-][a-z0-9_]+)*|<[a-z.]+>")  # "test:unit", "<path.py>"
# all marks of quotation, but for the apostrophe within a word
_QUOTES = re.compile(r"[\"`\u201c\u201d]|(?<!\w)'|'(?!\w)")
_MAX_WORDS = 8  # with more of them no two sentences are the same
_NEGATED = re.compile(r"(?:\bca)?n't\b|\b(?:can)?not\b|\bnever\b|\bdont\b|\bdoesnt\b")
# Words of reproach and filler: they do not say what a sentence is about.
_EMPTY_WORDS = FUNCTION_WORDS | frozenset(
    """
    <n> <q> already ask asked back broke broken check claude clearly come correct course currently
    done dont even exactly explicitly fail failed failing fails fine forget forgot forgotten further
    get getting give go going good got happen hello hey hm hmm incorrect keep know lets literally
    look made mean meant miss missed mistake need next nope oh okay old pls previous remember revert
    right said say see seem seems since sorry stop take tell things think time times told totally
    try undo wait wanted work working works wrong
    """.split()  # noqa: SIM905 - a word list reads best as words
)
_SUFFIX = re.compile(r"(?:ations?|ings?|ed|es|s|e)$")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")  # "running", but not "calling" and "passing"
_SHORT_LETTERS = 4  # of words as short an ending is the word


def _stem(word: str) -> str:
    if len(word) <= _SHORT_LETTERS or not word.isalpha():
        return word
    stem = _SUFFIX.sub("", word)
    stem = stem if len(stem) >= _SHORT_LETTERS - 1 else word
    return stem[:-1] if len(stem) >= _SHORT_LETTERS and _DOUBLED.search(stem) else stem


def find_gist_words(text: str) -> frozenset[str]:
    """Give the stems of a text's content words; "not" among them where one is denied."""
    # what stands in quotes is often what it is about: the check that fails
    lowered = mask(_QUOTES.sub(" ", text.replace("\u2019", "'"))).lower()
    words = frozenset(
        _stem(word)
        for word in _WORD.findall(_NEGATED.sub(" ", lowered))
        if word not in _EMPTY_WORDS
    )
    return words | {"not"} if words and _NEGATED.search(lowered) else words


def build_gist(line: str, request: str = "", fewest: int = 2) -> str:
    """Name what a sentence is about, the same for the same words in any order.

    One with fewer words of its own than `fewest` ("that is wrong") is named by `request` as well,
    which is what was spoken of; its words stand after "re". "" where neither has any.
    """
    words = find_gist_words(line)
    if len(words - {"not"}) >= fewest:
        return " ".join(sorted(words)[:_MAX_WORDS])
    more = find_gist_words(request) - words
    return " ".join([*sorted(words), *(["re", *sorted(more)[:_MAX_WORDS]] if more else [])])
