"""Part the words of a rule into clauses: what is asked for, what is forbidden, what comes first.

"Avoid", "never", "instead of", "without" turn the sign of what follows, and a verb like "disable"
turns it again. The trap: no similarity can see any of this, since opposites share all their words
but one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memoria.rules.merge import grammar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memoria.rules.merge.words import Word

# main: what is to be done; other: what it is set against; earlier and later: its place in time;
# case: when it holds
Role = Literal["main", "other", "earlier", "later", "case"]

_TIMES: Mapping[str, Role] = {"before": "later", "after": "earlier", "once": "earlier"}


@dataclass(slots=True)
class Clause:
    """A run of words with one role; `sign` is 1 for what is wanted and -1 for what is not."""

    role: Role = "main"
    sign: int = 1
    words: list[Word] = field(default_factory=list)

    @property
    def is_firm(self) -> bool:
        """Whether it is asked for, and is not only the time or the case of what is asked for."""
        return self.role in {"main", "other"}


def clauses(words: Sequence[Word]) -> list[Clause]:
    """Part the words of a rule into clauses."""
    return [clause for clause in _Reader(words).read() if clause.words]


def times(read: Iterable[Clause]) -> tuple[frozenset[str], frozenset[str]]:
    """Give the concepts that come first and those that come later.

    Of a rule that says one time the main clause takes the other.
    """
    known = list(read)
    roles = {clause.role for clause in known}
    if not roles & {"earlier", "later"}:
        return frozenset(), frozenset()
    early = {"earlier"} if "earlier" in roles else {"main", "other"}
    late = {"main", "other", "later"} if "earlier" in roles else {"later"}
    return _ends(known, early), _ends(known, late)


def _ends(read: Iterable[Clause], roles: set[str]) -> frozenset[str]:
    return frozenset(word.end for each in read if each.role in roles for word in each.words)


class _Reader:
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
        if word.concept == "without" or is_second or self._frees(word):
            self._contrast()
        else:
            self._open.sign *= -1

    def _frees(self, word: Word) -> bool:
        """Whether a thing is free of another; to keep X free of Y is to have no Y in X."""
        return word.concept == "free" and not self._acts & grammar.KEPT

    def _act(self, word: Word) -> None:
        self._acts.add(word.concept)
        self._open.sign *= word.pole

    def _link(self, word: Word) -> None:
        pair = (word.concept, self._concept(1))
        is_ranked = word.concept == "over" and self._acts & grammar.RANKED and self._main.words
        role: Role | None = "case" if word.concept in grammar.CASES else _TIMES.get(word.concept)
        role = "later" if pair in grammar.BEFORE else role
        if pair in grammar.AGAINST or is_ranked:
            self._contrast()
        elif role:
            self._is_leading = self._open is self._main and not self._main.words
            self._begin(role)
        elif self._open.role == "other" and word.concept in grammar.BACK and self._open.words:
            self._open = self._main
