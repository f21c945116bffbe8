"""A sentence of the user -> its gist: the words that say what it is about, in one fixed form.

The same complaint is said in any order, tense and tone, so politeness, reproach and endings are
taken off and the rest is sorted. It is a name to count by and nothing to read aloud. The trap: what
is said again in other words has another gist; only words are compared here, no meaning.
"""

import re

from memoria.capture.extract.signatures import mask

_WORD = re.compile(r"[a-z][a-z0-9_]+(?:[:./-][a-z0-9_]+)*|<[a-z.]+>")
_QUOTES = re.compile(r"[\"`\u201c\u201d]|(?<!\w)'|'(?!\w)")
_MOST = 8  # words: with more of them no two sentences are the same
_NEGATED = re.compile(r"(?:\bca)?n[o']t\b|\bnever\b|\bdont\b|\bdoesnt\b")
# What carries the reproach and not its subject, and what any sentence may hold.
_EMPTY = frozenset(
    """
    a about after again all already also always am an and any are as ask asked at back be because
    been before being but by can check claude clearly come correct could course currently did do
    does doing done dont each either else even ever every everything exactly explicitly fail failed
    failing fails fine for forget forgot forgotten from further get getting give go going good got
    had happen has have he hello her here hey hm hmm how i if in incorrect instead into is it its
    just keep know let lets like literally look made make many may me mean meant might miss missed
    mistake more most much my need next no nope not nothing now of off oh ok okay old on one only or
    other our out over please pls previous quite rather really remember right said same say see seem
    seems she should since so some sorry still stop such sure take tell than that the their them
    then there these they thing things think this those time times to told too totally try undo
    until up us use used using very wait want wanted was way we well were what when where whether
    which while who why will with work working works would wrong yes yet you your revert broken
    broke re ve ll <q> <n>
    """.split()  # noqa: SIM905 - a word list reads best as words
)
_SUFFIX = re.compile(r"(?:ations?|ings?|ed|es|s|e)$")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")  # "running", but not "calling" and "passing"
_SHORT = 4  # letters: of shorter words an ending is the word


def _stem(word: str) -> str:
    if len(word) <= _SHORT or not word.isalpha():
        return word
    stem = _SUFFIX.sub("", word)
    stem = stem if len(stem) >= _SHORT - 1 else word
    return stem[:-1] if len(stem) >= _SHORT and _DOUBLED.search(stem) else stem


def content(text: str) -> frozenset[str]:
    """Give the stems of a text's content words; "not" among them where one is denied."""
    # what stands in quotes is often what it is about: the check that fails
    lowered = mask(_QUOTES.sub(" ", text.replace("\u2019", "'"))).lower()
    words = frozenset(
        _stem(word) for word in _WORD.findall(_NEGATED.sub(" ", lowered)) if word not in _EMPTY
    )
    return words | {"not"} if words and _NEGATED.search(lowered) else words


def gist(line: str, request: str = "", fewest: int = 2) -> str:
    """Name what a sentence is about, the same for the same words in any order.

    One with fewer words of its own than `fewest` ("that is wrong") is named by `request` as well,
    which is what was spoken of; its words stand after "re". "" where neither has any.
    """
    words = content(line)
    if len(words - {"not"}) >= fewest:
        return " ".join(sorted(words)[:_MOST])
    rest = content(request) - words
    return " ".join([*sorted(words), *(["re", *sorted(rest)[:_MOST]] if rest else [])])
