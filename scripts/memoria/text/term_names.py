"""Key of a topic and what was written about it -> the name that people use for it, and its meaning.

A key is lower-case and singular; an article's title is the spelling that its lines use most. A
definition is never made up: it is a sentence of a session that begins with the name and says what
the thing is, or there is none. The trap: a sentence of that form often tells a state ("is empty
now") or a plan, so what has a time or a fault in it defines nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# prefixes of a branch that name no topic: who works on it, what kind of change, which ticket, when
_TICKET = re.compile(r"^(?:[a-z]{2,6}-\d+|gh-?\d+|issue-?\d+|\d{4,8})[-_]", re.IGNORECASE)
_LONGEST_DEFINITION, _BEST = 240, 120  # characters
_EARLY = 110  # characters: what comes later in a line is an example or a circumstance
_VERB = re.compile(
    r"""(?:[A-Z]\w*)?\s+(?:(?:command|branch|file|function|method|field|type|package|hook|flag|service)\s+)?
    (?:is\ (?:an?|the|where|what|how)|are\ (?:the\ )?\w+s|(?:is|are)\ (?:named|keyed|called)
    |stores?|tracks?|holds?|contains?|represents?|means|lets|maps|describes|defines|handles?|removes?|creates?|returns?|provides?)\b""",
    re.VERBOSE,
)
# these verbs say what a thing is; the others what it does
_BEING = re.compile(r"is |are |stores?|tracks?|holds?|contains?|represents?|means")
_NO_DEFINITION = re.compile(
    r"""\b(?:would|should|could|might|currently|now|fail\w*|unused|misleading|wrong|incorrect|missing
    |bugs?|issues?|problems?|in\ this|lines?\ \d|that's|(?<!,\ )not|n't|cannot|never|already|still
    |again|fix\w*|empty|stale|dead|i|you|we|tests?|reason|same|only)\b|[:?]$|->|→""",
    re.IGNORECASE | re.VERBOSE,
)


@lru_cache(maxsize=512)
def _spelled(name: str) -> re.Pattern[str]:
    """Match the spellings of a key: words with space, hyphen, underscore or hump between them."""
    words = [_plural(re.escape(word)) for word in name.split()]
    return re.compile(r"(?<![A-Za-z0-9])" + r"[ _-]?".join(words) + r"(?![a-z0-9])", re.IGNORECASE)


def is_about(name: str, text: str) -> bool:
    """Whether a line that names a thing is about it: it names it early, or twice."""
    found = [match.start() for match in _spelled(name).finditer(text)]
    return not found or found[0] <= _EARLY or len(found) > 1


def _plural(word: str) -> str:
    return f"{word[:-1]}(?:y|ies)" if word.endswith("y") else f"{word}(?:e?s)?"


def name_of(key: str, texts: Iterable[str]) -> str:
    """Give the usual spelling of a key in texts, as a title; words win over identifiers."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_spelled(key).findall(text))
    # a plural is longer than the key, so the singular wins where both are written
    words = {form: number for form, number in counts.items() if " " in form or "-" in form}
    usual = words or counts or Counter([key])
    best = max(sorted(usual), key=lambda form: (len(form) <= len(key), usual[form]))
    return best[:1].upper() + best[1:] if " " in best else best


def branch_name(branch: str) -> str:
    """Give a branch as words: without its owner, kind of change, ticket and date."""
    text = _TICKET.sub("", branch.rsplit("/", 1)[-1])
    text = " ".join(re.split(r"[-_.\s]+", text)).strip()
    if " " not in text:  # camel case
        text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).lower()
    return (text[:1].upper() + text[1:]) or branch


def definition(names: Iterable[str], texts: Iterable[str]) -> str:
    """Give the best sentence that says what a thing of those keys is, "" where none does."""
    said = [text.rpartition(" -> ")[2] for text in texts]  # of a question its answer
    found = [text for name in names for text in said if _defines(name, text)]
    return min(found, key=_fitness, default="")


def _defines(name: str, text: str) -> bool:
    bare = text.replace("`", "").replace('"', "")
    start = re.match(r"(?:the|an?)\s+", bare, re.IGNORECASE)
    at = start.end() if start else 0
    spelled = _spelled(name).match(bare, at)
    if not spelled or len(text) > _LONGEST_DEFINITION or _NO_DEFINITION.search(bare):
        return False
    return bool(_VERB.match(bare, spelled.end()))


def _fitness(text: str) -> tuple[bool, int, str]:
    bare = text.replace("`", "")
    return (not _BEING.search(bare[:80]), abs(len(text) - _BEST), text)
