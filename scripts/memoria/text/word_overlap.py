"""Measure how much of what a rule speaks of is in a context: files, tools, errors, a prompt.

The part of the rule's weight whose words are there, between 0 and 1, a rare word weighing more: a
cosine would sink with every further word of the context. Lines are compared by their content words
with the endings cut off: as good as a stemmer for that, and thirty times faster.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import log

from memoria.text.function_words import FUNCTION_WORDS

Words = Mapping[str, float]

# what stands in any sentence and tells nothing about where it holds
_STOP = FUNCTION_WORDS | frozenset(
    """
    avoid doesn don ensure first get keep must need never once prefer run set since under unless
    without
    """.split()  # noqa: SIM905 - a list of words is read as text
)
_MAX_CHARS = 20_000  # more than a rule or a prompt's head has
_SHORT_LETTERS = 3  # plurals as short are none ("us", "gas", "css")


def find_telling_words(text: str) -> tuple[str, ...]:
    """Give the telling words of a text, each once; "userStore" gives its parts as well."""
    keys: dict[str, None] = {}
    for word in _split_words(text[:_MAX_CHARS]):
        if word in _STOP or (len(word) == 1 and word.isascii()) or word.isdigit():
            continue
        keys[_singularise(word)] = None
    return tuple(keys)


def _split_words(text: str) -> Iterable[str]:
    """Cut a text into lower-case words; those of several parts also give the parts."""
    spaced_text = "".join(char if char.isalnum() or char == "_" else " " for char in text)
    for word in spaced_text.split():
        spaced_word = word
        if not (word.islower() or word.isupper()):
            spaced_word = "".join(
                f" {char}" if char.isupper() and not previous.isupper() else char
                for previous, char in zip(" " + word, word, strict=False)
            )
        parts = spaced_word.replace("_", " ").lower().split()
        if len(parts) > 1:
            yield word.replace("_", "").lower()
        yield from parts


def _singularise(word: str) -> str:
    if len(word) > _SHORT_LETTERS and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def rarity(texts: Iterable[Iterable[str]]) -> dict[str, float]:
    """Weigh each word by how few of the texts have it (inverse document frequency, never 0)."""
    lists = [list(words) for words in texts]
    counts = Counter(word for words in lists for word in words)
    return {word: log(1.0 + len(lists) / count) for word, count in counts.items()}


def compute_shares(words: Iterable[str], weights: Words) -> dict[str, float]:
    """Give each word's share of a rule: its weight among the rule's words, all together 1."""
    word_weights = {word: weights.get(word, 0.0) for word in words}
    total = sum(word_weights.values())
    return {word: weight / total for word, weight in word_weights.items() if weight > 0.0}


def coverage(rule: Words, context: Words) -> float:
    """Say how much of the rule the context speaks of, from 0 to 1."""
    return sum(share * context.get(word, 0.0) for word, share in rule.items())


# -- Of two lines ---------------------------------------------------------------------------------

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+|\d{2,}|[^\x00-\x7f]+")
_SUFFIX = re.compile(r"(?:ing|ed|es|s|ly|er|ion|ment|ation|e)$")
_WHOLE_LETTERS = 4  # letters: "used", "bus": nothing is cut off these
_EMPTY_WORDS = frozenset(
    """
    the and for that this with was are not but has have had its can will from into when then
    than also now all any our you your they them their there which what who how why where does
    did done been being were user add added use used using new one two only just more some such
    same so if in on at to of is it as by or an be no do we
    """.split()  # noqa: SIM905 - a word list reads best as words
)


# lines of a project's entries are compared each with each: some thousand of them
@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """Give the content words of a text without their endings, to compare texts by."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _EMPTY_WORDS)
    return frozenset(
        _SUFFIX.sub("", word) if len(word) > _WHOLE_LETTERS else word for word in words
    )


def containment(first: frozenset[str], second: frozenset[str]) -> float:
    """Give the share of the smaller set of stems that the other holds too, 0.0 if one is empty."""
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0
