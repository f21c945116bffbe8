"""A prompt -> its words -> whether a rule or a passage fits it, and the text that says so.

Most prompts need no reminder, and one that does not fit costs attention and money in every later
request: so what fits has to share several telling words with the prompt, the more of them the
longer the prompt is, since a plan of three pages meets some words of everything. Words weigh by how
rare they are among what could be given (1 for one that a single note has, 0 for one that all have).
The trap: a hook loads this module while a person waits, so it imports next to nothing; and the
index is made with the same `words`, or nothing would be found.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby, pairwise
from math import log, log2

from memoria.privacy.private import public
from memoria.search import injection

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

# UTF-16 units of all that a prompt is given: what one reads at a glance
LIMIT = 2_000
MOST_RULES, MOST_PASSAGES = 3, 2
# a long prompt says at its beginning what it is about; the rest is logs and code
_READ = 3_000
# "yes", "go on", "commit this": nothing can fit what says so little
_FEWEST_WORDS, _SHORTEST = 3, 12
# of a small vault every word is rare: as if there were so many more notes without any of them
_UNSEEN = 20
# what a passage has to share with a prompt of up to _USUAL different words, in words that nothing
# else has, and how much more for each doubling (chosen on prompts of real sessions, for precision)
_USUAL, _ENOUGH, _MORE = 24, 2.0, 0.3
_FEWEST_SHARED = 3
# a rule is one sentence: two words of it, and this share of what it says
_RULE_ENOUGH, _RULE_MORE, _RULE_SHARED, _RULE_SHARE = 1.3, 0.4, 2, 0.4
# of a word of any topic ("test", "file"), and up to which length of a prompt it counts at all: a
# plan has all of them
COMMON_WEIGHT, _COMMON_UP_TO = 0.5, 40
# a rule whose occasion the prompt brings ("before you commit") fits a short one with nothing else
_SHORT = 10
# two words that stand side by side in both say more than apart
_SIDE_BY_SIDE = 0.5
# a prompt that names a note of several words speaks of just that
_NAMED = 1.0
_PASSAGE_UNITS = 480

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
# a program's words come in tags; what a person marks as private does not
_TAG = re.compile(r"<(?!private\b)[a-z][\w-]*[\s>]")


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


def is_typed(prompt: str) -> bool:
    """Whether a person wrote it: the client also submits notifications of its own, in tags."""
    return bool(prompt.strip()) and not _TAG.match(prompt.lstrip())


def asked(prompt: str) -> list[str]:
    """Give the words of a prompt to look for; [] for a command, and for what says too little."""
    text = public(prompt).strip()
    # of a long prompt the beginning has as many words as are asked for
    first, *rest = text.split(maxsplit=_FEWEST_WORDS) or [""]
    is_command = first.startswith("!") or (first.startswith("/") and "/" not in first[1:])
    is_short = len(text) < _SHORTEST or len(rest) < _FEWEST_WORDS - 1
    return [] if is_command or is_short else words(text[:_READ])


def weight(having: int, of: int) -> float:
    """Weigh a word that so many of the notes have: 1 for next to none of them, 0 for all."""
    total = of + _UNSEEN
    return max(0.0, log(total / (having + 1)) / log(total))


def telling(rows: Iterable[tuple[str, int, bool]], of: int, different: int) -> dict[str, float]:
    """Weigh the words of a prompt of so many different ones; a row is (word, having, is common)."""
    shares = {False: 1.0, True: COMMON_WEIGHT if different <= _COMMON_UP_TO else 0.0}
    found = {word: weight(having, of) * shares[common] for word, having, common in rows}
    return {word: one for word, one in found.items() if one}


def _doublings(different: int) -> float:
    return log2(max(1.0, different / _USUAL))


def rule_wanted(different: int) -> float:
    """Say what of a rule a prompt of so many different words has to share at least."""
    return _RULE_ENOUGH + _RULE_MORE * _doublings(different)


def rule_fits(
    shared: int, weights: float, total: float, *, is_occasion: bool, different: int
) -> float:
    """Say how well a rule fits a prompt of so many different words; 0.0 where it does not.

    `shared` of its words, which weigh `weights` of `total`, are in the prompt; `is_occasion`: among
    them all that tell when it is to be thought of.
    """
    share = weights / total if total else 0.0
    is_enough = weights >= rule_wanted(different)
    if shared >= _RULE_SHARED and is_enough and share >= _RULE_SHARE:
        return weights * share
    # below any that fits by what it says
    return weights / 100 if is_occasion and different <= _SHORT else 0.0


def can_fit(weights: float, different: int) -> bool:
    """Whether a passage of an article can fit that shares words of these weights with a prompt."""
    wanted = _ENOUGH + _MORE * _doublings(different)
    return weights * (1.0 + _SIDE_BY_SIDE) + _NAMED >= wanted


def passage_fits(
    prompt: Sequence[str],
    title: Sequence[str],
    passage: Sequence[str],
    weights: Mapping[str, float],
) -> float:
    """Say how well a passage under that title fits a prompt, all as words; 0.0 where it does not.

    `weights` are those of the prompt's telling words.
    """
    own = {word for word in passage if word in weights}
    shared = own.union(word for word in title if word in weights)
    asked = {*pairwise(prompt)}
    both = asked & {*pairwise(passage)}
    beside = sum(min(weights[one], weights[two]) for one, two in both if {one, two} <= shared)
    is_named = len(title) > 1 and asked.issuperset(pairwise(title))
    score = sum(weights[word] for word in shared) + _SIDE_BY_SIDE * beside + _NAMED * is_named
    if not own or len(shared) + is_named < _FEWEST_SHARED:
        return 0.0
    return score if score >= _ENOUGH + _MORE * _doublings(len(set(prompt))) else 0.0


def rule_item(name: str, text: str) -> str:
    """Give a rule's line."""
    return f"- {text} [{name}]"


def passage_item(path: str, title: str, day: str, text: str) -> str:
    """Give a passage under the name of its note, cut at a word where it is long."""
    if len(text) > _PASSAGE_UNITS:
        text = text[:_PASSAGE_UNITS].rpartition(" ")[0] + " ..."
    about = ", ".join(filter(None, (path, day)))
    return f"### {title} ({about})\n{text}"


def composed(
    rules: Sequence[str], passages: Sequence[str], vault: str, boundary: str
) -> tuple[str, int, int]:
    """Give the text for a prompt, and how many of the rules and passages it holds; "" for none.

    What does not fit below the limit is left out from the end, passages first.
    """
    for many in range(len(rules) + len(passages), 0, -1):
        first, rest = rules[:many], passages[: max(0, many - len(rules))]
        snapshot: dict[str, Any] = {
            "rules": [{"text": text} for text in first],
            "passages": [{"text": text} for text in rest],
        }
        text = injection.compose(snapshot, vault, boundary, [])
        if injection.units(text) <= LIMIT:
            return text, len(first), len(rest)
    return "", 0, 0
