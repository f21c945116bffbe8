"""Read what a rule says: what it speaks of, what of it is wanted, in which order, who does what.

Its words are parted into clauses: what is asked for, what is forbidden, what comes first. "Avoid",
"never", "instead of", "without" turn the sign of what follows, and a verb like "disable" turns it
again; no similarity can see that, since opposites share all their words but one. A reading depends
on the text alone, so that a pair of rules is judged the same whatever else is known.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

from memoria.rules.merge import words as grammar
from memoria.rules.merge.words import Word, lexicon, product_names, words

_CODE_SPAN = re.compile(r"`([^`\n]+)`")  # "`git push`"
_EDGE_MARKS = "\"'`*_.,;:!?()[]{}\u2026\u2013\u2014\u201c\u201d\u2018\u2019 "
# signs or ends of a concept as bits: one may stand in a rule twice, wanted here and forbidden there
_SIGN_BITS = {1: 1, -1: 2}


@lru_cache(maxsize=65_536)  # the texts of a large notebook, 100 bytes each
def plain(text: str) -> str:
    """Take off what never changes a rule: case, spacing, and marks at the ends of words."""
    chunks = (chunk.strip(_EDGE_MARKS) or chunk for chunk in text.casefold().split())
    return " ".join(chunks).strip(_EDGE_MARKS)


@lru_cache(maxsize=16_384)  # the rules of a notebook
def parse_reading(text: str) -> "Reading":
    """Read a rule."""
    return Reading(text)


class Reading:
    """What a rule says.

    `things` are its concepts with the end that is meant, `names` products, `code` what stands in
    backticks, `links` the words between. What only a rule that is like another is asked for, the
    signs of its concepts and the places of its things, is worked out when it is asked for.
    """

    def __init__(self, text: str) -> None:
        all_words = words(text)
        things = [word for word in all_words if word.kind == "thing"]
        numbers = [word.concept for word in all_words if word.kind == "number"]
        self._all = all_words
        self.words = [word for word in all_words if word.kind != "stop"]
        self.concepts = frozenset(word.concept for word in things)
        self.things = frozenset(word.end for word in things)
        self.names = frozenset(word.concept for word in things if word.stem in product_names())
        self.numbers = tuple(sorted(numbers))
        self.links = frozenset(word.concept for word in all_words if word.kind == "link")
        self.code = frozenset(_CODE_SPAN.findall(text))

    @cached_property
    def _clauses(self) -> "list[Clause]":
        return [clause for clause in _Clauses(self._all).read() if clause.words]

    @cached_property
    def signs(self) -> dict[str, int]:
        """Give whether each concept is asked for, forbidden or both, as bits.

        What is asked for and the cases and times in which it holds are two: the latter have a "?".
        """
        return _collect_bits(
            (word.concept if part.is_firm else f"{word.concept}?", part.sign)
            for part in self._clauses
            for word in part.words
        )

    @cached_property
    def ends(self) -> dict[str, int]:
        """Give which end of each concept is wanted: to avoid large ones is to keep them small."""
        complements = lexicon().complements
        return _collect_bits(
            (word.concept, word.pole * (part.sign if word.concept in complements else 1))
            for part in self._clauses
            for word in part.words
        )

    @cached_property
    def times(self) -> tuple[frozenset[str], frozenset[str]]:
        """Give the concepts that come first and those that come later.

        Of a rule that says one time the main clause takes the other.
        """
        roles = {clause.role for clause in self._clauses}
        if not roles & {"earlier", "later"}:
            return frozenset(), frozenset()
        early = {"earlier"} if "earlier" in roles else {"main", "other"}
        late = {"main", "other", "later"} if "earlier" in roles else {"later"}
        return self._list_ends(early), self._list_ends(late)

    def _list_ends(self, roles: set[str]) -> frozenset[str]:
        parts = (part for part in self._clauses if part.role in roles)
        return frozenset(word.end for part in parts for word in part.words)

    @cached_property
    def places(self) -> dict[str, frozenset[str]]:
        """Give what stands after each preposition, up to the next word that is no thing."""
        places: dict[str, set[str]] = {}
        preposition = ""
        for word in self._all:
            is_article = word.kind == "link" and word.concept in grammar.ARTICLES
            if word.kind == "thing" and preposition:
                places.setdefault(preposition, set()).add(word.end)
            elif word.kind != "thing" and not is_article:
                preposition = grammar.PREPOSITIONS.get(word.concept, "")
        return {place: frozenset(ends) for place, ends in places.items()}


def _collect_bits(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    bits: dict[str, int] = {}
    for concept, sign in pairs:
        bits[concept] = bits.get(concept, 0) | _SIGN_BITS[sign]
    return bits


# -- Clauses ---------------------------------------------------------------------------------------

# main: what is to be done; other: what it is set against; earlier and later: its place in time;
# case: when it holds
Role = Literal["main", "other", "earlier", "later", "case"]

_LINK_ROLES: dict[str, Role] = {"before": "later", "after": "earlier", "once": "earlier"}
_LINK_ROLES |= dict.fromkeys(grammar.CASE_LINKS, "case")


@dataclass(slots=True)
class Clause:
    """A run of words with one role; `sign` is 1 for what is wanted and -1 for what is not.

    `pole` is -1 where a verb such as "delete" has turned the sign.
    """

    role: Role = "main"
    sign: int = 1
    pole: int = 1
    words: list[Word] = field(default_factory=list)

    @property
    def is_firm(self) -> bool:
        """Whether it is asked for, and is not only the time or the case of what is asked for."""
        return self.role in {"main", "other"}


class _Clauses:
    """Reads the words one by one, and keeps what the next one has to know."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._at = 0
        self._main = self._open = Clause()
        self._clauses = [self._main]
        self._is_leading = False  # in a condition that stands before its main clause
        self._acts: set[str] = set()

    def read(self) -> list[Clause]:
        """Read to the end."""
        readers: Mapping[str, Callable[[Word], None]] = {
            "not": self._negation,
            "link": self._link,
            "act": self._act,
            "stop": self._stop,
        }
        for at, word in enumerate(self._words):
            self._at = at
            readers.get(word.kind, self._open.words.append)(word)
        return self._clauses

    def _concept(self, ahead: int) -> str:
        at = self._at + ahead
        return self._words[at].concept if 0 <= at < len(self._words) else "."

    def _begin(self, role: Role, sign: int = 1) -> None:
        self._open = Clause(role, sign)
        self._clauses.append(self._open)

    def _contrast(self) -> None:
        self._begin("other", -self._main.sign)

    def _stop(self, word: Word) -> None:
        if word.concept == ".":
            self._begin("main")
            self._main, self._acts = self._open, set()
        elif self._is_leading:
            self._open = self._main
        self._is_leading = False

    def _negation(self, word: Word) -> None:
        is_second = bool(self._open.words) and self._concept(-1) in {",", "and", "but"}
        if word.concept == "not" and self._concept(1) in {"only", "just"}:
            return
        if word.concept == "without":
            # to delete without asking is not to ask, whatever is to be gone
            self._begin("other", -self._main.sign * self._main.pole)
        elif is_second or self._frees(word):
            self._contrast()
        else:
            self._open.sign *= -1

    def _frees(self, word: Word) -> bool:
        """Whether a thing is free of another; to keep X free of Y is to have no Y in X."""
        return word.concept == "free" and not self._acts & grammar.KEEP_VERBS

    def _act(self, word: Word) -> None:
        self._acts.add(word.concept)
        self._open.sign *= word.pole
        self._open.pole *= word.pole

    def _link(self, word: Word) -> None:
        pair = (word.concept, self._concept(1))
        is_ranked = word.concept == "over" and self._acts & grammar.RANK_VERBS and self._main.words
        role = "later" if pair in grammar.BEFORE_PAIRS else _LINK_ROLES.get(word.concept)
        if pair in grammar.CONTRAST_PAIRS or is_ranked:
            self._contrast()
        elif role:
            self._is_leading = self._open is self._main and not self._main.words
            self._begin(role)
        elif self._open.role == "other" and self._open.words and word.concept in grammar.LEADS_BACK:
            self._open = self._main


# -- Whether two rules are one: one says all that the other says, and little more ------------------

# A difference that no score outweighs, in either order. polarity: one wants what the other forbids;
# order: one wants it before, the other after; number, name: they differ in one; role: they exchange
# two parts. It does not ask how alike they are, or a better embedding would argue it away.
Veto = Literal["", "polarity", "order", "number", "name", "role"]

# what two rules must share of all they say to be one; of 0.6 to 0.85 on judged pairs the least that
# joined hardly a pair of different rules
ALIKE = 0.75
# below this share of words the nearness of meanings is not asked for
MEANT = 0.5


def likeness(first: Reading, second: Reading, nearness: float = 0.0) -> float:
    """Compare what two rules say, 0 to 1; `nearness` is that of their meanings by a model.

    Twice what they share in proportion to all that they say, by concepts; nothing where each says
    what the other does not. To weigh concepts by how rare they are changed no judgement.
    """
    lesser, larger = sorted((len(first.concepts), len(second.concepts)))
    if not lesser or len(first.concepts & second.concepts) < lesser:
        return 0.0
    similarity = 2 * lesser / (lesser + larger)
    if MEANT <= similarity < ALIKE:
        return max(similarity, (similarity + nearness) / 2)
    return similarity


def veto(first: Reading, second: Reading) -> Veto:
    """Say what keeps two rules apart; the answer is the same in either order."""
    if first.numbers != second.numbers:
        return "number"
    if first.names != second.names or (first.code - second.code and second.code - first.code):
        return "name"
    if _are_opposed(first, second) or _is_limited(first, second) or _is_denied(first, second):
        return "polarity"
    (early, late), (early2, late2) = first.times, second.times
    is_reordered = (early - late) & (late2 - early2) and (late - early) & (early2 - late2)
    # they may differ in one link that says the opposite: "before it", "after it"
    if is_reordered or set(first.links ^ second.links) in grammar.OPPOSED_LINKS:
        return "order"
    return "role" if _are_exchanged(first, second) else ""


def _are_opposed(first: Reading, second: Reading) -> bool:
    """Whether one wants what the other does not; "avoid big" and "keep small" agree."""
    shared = first.concepts & second.concepts
    if any(first.ends.get(concept) != second.ends.get(concept) for concept in shared):
        return True
    # what stands in one of them alone is no difference
    common = first.signs.keys() & second.signs.keys()
    opposed = (name for name in common if not first.signs[name] & second.signs[name])
    turned = shared & {name.removesuffix("?") for name in opposed}
    return bool(turned) and not turned & lexicon().complements


def _is_limited(first: Reading, second: Reading) -> bool:
    """Whether one means all of what the other means some only, or the first, or a single one."""
    is_total = bool(first.links & grammar.TOTAL_LINKS)
    if is_total == bool(second.links & grammar.TOTAL_LINKS):
        return False
    total, partial = (first, second) if is_total else (second, first)
    limits = grammar.PARTIAL & (partial.concepts | partial.links)
    return bool(limits - total.concepts - total.links)


def _is_denied(first: Reading, second: Reading) -> bool:
    """Whether one is the other with a negation more, word for word."""
    count = sum(word.kind == "not" for rule in (first, second) for word in rule.words)
    return count % 2 == 1 and _beside_negations(first) == _beside_negations(second)


def _beside_negations(rule: Reading) -> list[str]:
    around = grammar.AROUND_NOT
    return sorted(w.stem for w in rule.words if w.kind != "not" and w.concept not in around)


def _are_exchanged(first: Reading, second: Reading) -> bool:
    """Whether either rule puts somewhere what the other puts elsewhere."""
    for place in first.places.keys() & second.places.keys():
        first_ends, second_ends = first.places[place], second.places[place]
        if (first_ends - second_ends) & second.things and (second_ends - first_ends) & first.things:
            return True
    return _is_shuffled([word.stem for word in first.words], [word.stem for word in second.words])


def _is_shuffled(words: list[str], other: list[str]) -> bool:
    """Whether rules of the very same words differ by more than the place of one run of them.

    "In tests, mock the clock" is "mock the clock in tests"; an exchange of two words around a third
    says something else.
    """
    if words == other or sorted(words) != sorted(other):
        return False
    start = next(at for at, pair in enumerate(zip(words, other, strict=True)) if len(set(pair)) > 1)
    end = len(words)
    while words[end - 1] == other[end - 1]:
        end -= 1
    run, other_run = words[start:end], other[start:end]
    # a run that was moved to the front began where the other rule now begins
    starts = (at for at, word in enumerate(run) if word == other_run[0])
    return all(run[at:] + run[:at] != other_run for at in starts)
