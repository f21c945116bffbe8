"""The Words of a rule -> its Clauses: which part asks, which forbids, and which comes first.

Every concept gets a sign: wanted or not. "Avoid", "never", "instead of", "without" turn it, a verb
like "disable" turns it again, and "never X without Y" asks for Y before X. The trap: no similarity
can see any of this, since opposites share all their words but one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from memoria.rules.merge.phrases import words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memoria.rules.merge.words import Word

# main: what is to be done; other: what it is set against; earlier and later: its place in time;
# case: when it holds; aside: an example, a reason, a means
Role = Literal["main", "other", "earlier", "later", "case", "aside"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A run of words with one role; `sign` is 1 for what is wanted and -1 for what is not.

    `firm`: it is asked for, and not only the time or the case in which something is asked for.
    """

    role: Role
    sign: Literal[1, -1]
    firm: bool
    words: tuple[Word, ...]


@lru_cache(maxsize=4_096)  # as many as `words` keeps
def clauses(text: str) -> tuple[Clause, ...]:
    """Part a rule into clauses."""
    return tuple(part.clause() for part in _Reader(words(text)).read() if part.words)


def times(found: tuple[Clause, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Give the concepts that come first and those that come later.

    Of a rule that says one time the main clause takes the other.
    """
    roles = {clause.role for clause in found}
    if not roles & {"earlier", "later"}:
        return frozenset(), frozenset()
    early = _concepts(found, {"earlier"} if "earlier" in roles else {"main", "other"})
    late = _concepts(found, {"later"} if "earlier" not in roles else {"main", "other", "later"})
    return early, late


def _concepts(found: tuple[Clause, ...], roles: set[str]) -> frozenset[str]:
    return frozenset(word.end for each in found if each.role in roles for word in each.words)


@dataclass(slots=True)
class _Part:
    """A clause in the making; `of` is the clause whose sign it takes over."""

    role: Role = "main"
    of: _Part | None = None
    turns: int = 1
    firm: bool = False
    denied: bool = False  # by a word like "never", and not by a verb like "disable"
    words: list[Word] = field(default_factory=list)

    def clause(self) -> Clause:
        """Fix it."""
        wanted = self.turns * (self.of.turns if self.of else 1) > 0
        firm = self.firm or self.role in {"main", "other"}
        return Clause(self.role, 1 if wanted else -1, firm, tuple(self.words))


_CASES = frozenset({"when", "if", "while", "whenever", "unless", "where", "until"})
_REASONS = frozenset({"because", "since", "otherwise", "eg"})
# two words that set against, put before, or lead to an example
_AGAINST = frozenset({("instead", "of"), ("rather", "than"), ("in", "place")})
_BEFORE = frozenset({("prior", "to"), ("ahead", "of")})
_ASIDE = frozenset({("such", "as"), ("so", "that"), ("for", "sample")})
# "use X to reduce Y": a purpose, which others may leave out
_PURPOSES = frozenset({"reduce", "minimize", "minimise", "simplify", "improve", "speed"})
# what leads back out of a contrast: "use A instead of B for C"
_BACK = frozenset({"for", "in", "when", "on", "to", "by", "with", "at"})
_AUXILIARY = frozenset(
    "be should must may can could would will shall have do to might that which or".split()  # noqa: SIM905 - a list of words is read as text
)
_MODAL = frozenset({"should", "must", "may", "can", "shall", "will"})
_RELATIVE = frozenset({"that", "which", "who"})
# said of a whole clause, behind it: "X: forbidden"
_VERDICTS = frozenset({"forbidden", "banned", "prohibited", "disallowed", "discouraged", "taboo"})
# verbs with "off", with "out of" and "free of", and with "over"
_TURNED = frozenset({"turn", "switch", "be", "keep", "leave"})
_KEPT = frozenset({"keep", "leave", "stay", "remain", "be"})
_RANKED = frozenset({"prefer", "favor", "favour", "choose", "pick", "use", "used"})


class _Reader:
    """Reads the words one by one, and keeps what the next one has to know.

    Each method that reads a word answers how many it has read.
    """

    def __init__(self, found: tuple[Word, ...]) -> None:
        self._words = found
        self._at = 0
        self._main = self._open = _Part()
        self._parts = [self._main]
        self._leading = False  # in a condition that stands before its main clause
        self._fresh = True  # nothing but links since the clause began
        self._relative = False  # in "that is not ...", which speaks of the thing before it
        self._acts: set[str] = set()

    def read(self) -> list[_Part]:
        """Read to the end."""
        readers: Mapping[str, Callable[[Word], int]] = {
            "not": self._negation,
            "link": self._link,
            "act": self._act,
            "stop": self._stop,
        }
        while self._at < len(self._words):
            word = self._words[self._at]
            self._at += readers.get(word.kind, self._thing)(word)
        last = [word.concept for word in self._words if word.kind != "stop"][-1:]
        if len(self._parts) > 1 and not self._main.words and set(last) <= _VERDICTS:
            self._parts[-2].turns *= self._main.turns
        return self._parts

    def _next(self, ahead: int = 1) -> Word | None:
        at = self._at + ahead
        return self._words[at] if 0 <= at < len(self._words) else None

    # -- clauses begin and end; the answer is that one word is read ------------------------------

    def _begin(self, role: Role, of: _Part | None = None, turns: int = 1) -> int:
        self._open = _Part(role, of, turns)
        self._parts.append(self._open)
        return 1

    def _begin_main(self) -> None:
        self._begin("main")
        self._main = self._open
        self._leading, self._fresh, self._relative = False, True, False
        self._acts = set()

    def _back(self) -> None:
        self._open, self._leading, self._fresh = self._main, False, True

    def _contrast(self) -> int:
        return self._begin("other", self._main, -1)

    def _condition(self, role: Role) -> int:
        self._leading = self._fresh
        return self._begin(role)

    def _gate(self) -> int:
        """Read "never X without Y", "do not X until Y": Y is wanted, and before X."""
        self._main.turns *= -1
        self._main.role, self._main.firm, self._main.denied = "later", True, False
        self._begin("earlier")
        self._open.firm = True
        return 1

    def _forbids(self) -> bool:
        return self._main.denied and self._open is self._main

    # -- one kind of word each -------------------------------------------------------------------

    def _stop(self, word: Word) -> int:
        if word.concept == "." or (not self._leading and self._is_order()):
            self._begin_main()
        elif self._leading:
            self._back()
        elif self._open.role == "aside":
            self._open = self._main
        return 1

    def _is_order(self) -> bool:
        """Whether a new order follows a comma, and not one more item of a list."""
        after = self._next()
        if after is None or after.concept in {"no", "nor"}:
            return False
        if after.kind == "not" or (after.kind == "act" and after.verb):
            return True
        if after.kind == "link":
            return after.concept in {"but", "just", "then", "instead"}
        rest = {word.concept for word in self._words[self._at :]}
        return after.verb and not rest & {"or", "and"}

    def _negation(self, word: Word) -> int:
        fresh, self._fresh = self._fresh, False
        before = self._next(-1)
        alone = not fresh and not _helps(before)
        if word.concept == "without":
            return self._gate() if self._forbids() else self._contrast()
        if word.concept == "free":
            return self._free()
        after = self._next()
        if word.concept == "not" and after and after.concept in {"only", "just"}:
            return 1
        local = word.concept in {"no", "nor"} or (
            word.concept == "not" and self._open is self._main
        )
        if (alone and local) or self._relative:
            return self._contrast()
        if before is not None and before.concept in {"and", "but"} and not fresh:
            self._begin_main()
            self._fresh = False
        self._open.turns *= -1
        self._open.denied = not self._open.denied
        return 1

    def _free(self) -> int:
        """Read "keep X free of Y", no Y in X; a function free of Y is one without."""
        if self._acts & _KEPT and self._open is self._main:
            self._main.turns *= -1
            return 1
        return self._contrast()

    def _act(self, word: Word) -> int:
        self._end_lead(word)
        self._acts.add(word.concept)
        self._open.turns *= word.pole
        if word.weight:
            self._open.words.append(word)
        self._fresh = self._fresh and word.concept == "be"
        return 1

    def _thing(self, word: Word) -> int:
        self._end_lead(word)
        if word.concept == "deprecate":
            self._main.turns *= -1
        if word.concept == "replace" and self._open is self._main:
            self._replace(word)
        else:
            self._open.words.append(word)
        self._fresh = False
        return 1

    def _replace(self, word: Word) -> None:
        """Read "replace X with Y" and "X is replaced with Y": X is not wanted."""
        if self._main.words:
            self._parts.append(_Part("other", self._main, -1, words=self._main.words))
            self._main.words = []
        else:
            self._contrast()
        self._main.words.append(word)

    def _end_lead(self, word: Word) -> None:
        """End a leading condition that no comma ends, where an order begins."""
        if not self._leading or not word.verb or not self._open.words:
            return
        if all(each.kind != "stop" for each in self._words[self._at :]):
            self._back()

    def _link(self, word: Word) -> int:
        name, after = word.concept, self._next()
        pair = (name, after.concept if after else "")
        if pair in _AGAINST:
            return 1 + self._contrast()
        if name == "over" and self._acts & _RANKED and self._main.words:
            return self._contrast()
        if name == "before" or pair in _BEFORE:
            self._before()
            return 1 if name == "before" else 2
        if name in {"until", "unless"} and self._forbids() and not self._fresh:
            return self._gate()
        if name in {"after", "once"} or name in _CASES:
            return self._condition("case" if name in _CASES else "earlier")
        return self._aside(pair, after)

    def _before(self) -> None:
        if self._forbids() and not self._fresh:
            self._gate()
        else:
            self._condition("later")

    def _aside(self, pair: tuple[str, str], after: Word | None) -> int:
        name = pair[0]
        means = name == "by" and after and after.surface.endswith("ing")
        purpose = name == "to" and after and _is_purpose(after) and not _helps(self._next(-1))
        if name in _REASONS or pair in _ASIDE or means or purpose:
            return self._begin("aside")
        if (name == "off" and self._acts & _TURNED) or (
            pair == ("out", "of") and self._acts & _KEPT
        ):
            self._main.turns *= -1
        if self._open.role == "other" and name in _BACK and self._open.words:
            self._open = self._main
        if name in _MODAL and self._relative and not self._leading:
            self._open, self._relative = self._main, False
        self._relative = self._relative or (name in _RELATIVE and bool(self._open.words))
        return 1


def _helps(word: Word | None) -> bool:
    """Whether a negation after this word is the sentence's: "must not", "to avoid"."""
    return word is None or word.kind == "act" or word.concept in _AUXILIARY


def _is_purpose(word: Word) -> bool:
    return word.kind == "not" or (word.kind == "act" and word.pole < 0) or word.surface in _PURPOSES
