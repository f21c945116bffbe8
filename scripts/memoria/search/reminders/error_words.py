"""Cut the text of an error or a change into words without their usual endings.

The trap: a hook loads this module while a person waits, so it imports next to nothing; and what is
stored is cut by the same `words`, or nothing would be found.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

_RUN = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
# what Chinese, Japanese and Korean are written with, without spaces: signs count in pairs; ranges
# of letters, since a pattern of them takes two milliseconds to be made
_SIGNS = (
    ("\u3040", "\u30ff"),
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uac00", "\ud7af"),
    ("\uf900", "\ufaff"),
)
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("s", ""))
_NO_PLURAL = ("ss", "us", "is")
# "using" keeps three letters of the word, "bring" and "red" have no ending
_STEM = 4


def words(text: str) -> list[str]:
    """Cut a text into words, in order: humps apart, lower-case, without the usual endings."""
    found: list[str] = []
    for run in _RUN.findall(text):
        if not run.isascii():
            found += _foreign(run)
        elif run.islower():
            found.append(_stem(run))
        else:
            found += [_stem(hump.lower()) for hump in _HUMP.findall(run)]
    return [word for word in found if len(word) > 1 and not word.isdigit()]


def _foreign(run: str) -> list[str]:
    found = []
    for are_signs, part in groupby(run, _is_sign):
        text = "".join(part)
        if are_signs:
            found += [text[at : at + 2] for at in range(max(1, len(text) - 1))]
        else:
            found += words(text) if text.isascii() else [text.casefold()]
    return found


def _is_sign(char: str) -> bool:
    return any(first <= char <= last for first, last in _SIGNS)


@lru_cache(maxsize=1 << 16)  # a vault's words come again and again
def _stem(word: str) -> str:
    if len(word) >= _STEM and word.endswith("s") and not word.endswith(_NO_PLURAL):
        ending, instead = next(pair for pair in _ENDINGS if word.endswith(pair[0]))
        word = word[: len(word) - len(ending)] + instead
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _STEM:
            doubled = stem[-1] == stem[-2] and stem[-1] not in "ls"
            return stem[:-1] if doubled else stem
    return word[:-1] if word.endswith("e") and len(word) > _STEM else word
