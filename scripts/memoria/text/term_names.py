"""Find the name that people use for a topic: the spelling of its key that its lines use most."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@lru_cache(maxsize=512)
def _spelled(name: str) -> re.Pattern[str]:
    """Match the spellings of a key: words with space, hyphen, underscore or hump between them."""
    words = [_plural(re.escape(word)) for word in name.split()]
    return re.compile(r"(?<![A-Za-z0-9])" + r"[ _-]?".join(words) + r"(?![a-z0-9])", re.IGNORECASE)


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
