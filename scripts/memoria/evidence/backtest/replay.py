"""Replay the captured history: which mistakes came back, and what was known then.

Each mistake that an earlier session of the project had met is a comeback. For each is said what it
cost until it was resolved again, and what existed by then that would have spoken: the change that
resolved it earlier, or a rule. That something was known does not mean that it would have been
shown, read and followed, so every figure is an upper bound and no evidence that Memoria helps.

A rule speaks of a mistake by the measure of learning/occasions.py, so that the backtest and the
rewards mean the same by it. A note says on which day a rule was seen first, not at which hour, so
it counts from the end of that day, or the mistake that taught it would seem to have been foreseen.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from memoria.learning.occasions import doing, occasions
from memoria.text.dates import moment
from memoria.text.word_overlap import covered, index, rarity, shares, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date

    from memoria.rules.model import Rule
    from memoria.vault.entry import Mistake
    from memoria.vault.storage.history import Seen

# lines of one signature that are looked at: they differ in names and numbers alone
_LINES = 5
# characters of a line that are: a rule's words stand at its beginning or nowhere
_LONGEST = 500
CAVEAT = (
    "An upper bound and not evidence: that something was known does not say that it would have "
    "been shown, read and followed."
)


@dataclass(frozen=True, slots=True)
class Known:
    """A rule with the time since which it could have spoken, and of which mistakes.

    `signatures` are those that the rule is about; `project` is "" for a rule of all projects.
    """

    rule: str
    since: datetime
    signatures: frozenset[str]
    project: str = ""


@dataclass(frozen=True, slots=True)
class Comeback:
    """A mistake that an earlier session of its project had met.

    `times` counts how often it had been met in earlier sessions, `first` when. `fix` is the change
    that fixed it in the latest of those sessions that shows one, "" where none does; `rules` are
    those that existed already. `minutes` is the time until it was fixed again, None where it was
    not.
    """

    seen: Seen
    first: datetime
    times: int
    fix: str
    rules: tuple[str, ...]
    minutes: float | None

    @property
    def is_known(self) -> bool:
        """Say whether anything existed that would have spoken."""
        return bool(self.fix or self.rules)


@dataclass(frozen=True, slots=True)
class Backtest:
    """A replayed history: all its `mistakes`, and those that came back, in the order of time."""

    mistakes: int
    sessions: int
    comebacks: tuple[Comeback, ...]

    @property
    def known(self) -> int:
        """Comebacks of which anything was known, a fix or a rule."""
        return sum(comeback.is_known for comeback in self.comebacks)

    @property
    def ruled(self) -> int:
        """Comebacks of which a rule spoke."""
        return sum(bool(comeback.rules) for comeback in self.comebacks)

    @property
    def minutes(self) -> float:
        """Minutes from the known comebacks to their fix, where the session shows it."""
        return sum(comeback.minutes or 0.0 for comeback in self.comebacks if comeback.is_known)

    @property
    def headline(self) -> str:
        """One sentence for the summary of an import and for the report."""
        if not self.mistakes:
            return "No error was found in the captured sessions."
        if not self.comebacks:
            return f"None of {self.mistakes} errors had been met before in the same project."
        head = (
            f"{len(self.comebacks)} of {self.mistakes} errors had been met before in the same "
            "project"
        )
        if not self.known:
            return f"{head}; for none of them was a fix known."
        what = "a fix" if not self.ruled else "a fix or a rule"
        return f"{head}; for {self.known} of them {what} was known by then (upper bound)."


def backtest(seen: Iterable[Seen], rules: Sequence[Known] = ()) -> Backtest:
    """Replay a history.

    The memory is unlimited, unlike an experiment's: the question is what was known, not how often
    chance makes a repeat.
    """
    sessions: dict[tuple[str, str], list[Seen]] = {}
    for one in sorted(seen, key=lambda one: one.mistake.at):
        sessions.setdefault((one.project, one.session), []).append(one)
    past: dict[tuple[str, str], list[Mistake]] = {}
    comebacks: list[Comeback] = []
    # in the order of each session's first mistake; a session learns from earlier ones alone
    for (project, _), mistakes in sessions.items():
        for one in mistakes:
            # the session that began earlier may have met it later
            met = past.get((project, one.mistake.signature), ())
            earlier = [mistake for mistake in met if mistake.at < one.mistake.at]
            comebacks += [_comeback(one, earlier, met, rules)] if earlier else []
        for one in mistakes:
            past.setdefault((project, one.mistake.signature), []).append(one.mistake)
    comebacks.sort(key=lambda comeback: (comeback.seen.mistake.at, comeback.seen.session))
    total = sum(len(mistakes) for mistakes in sessions.values())
    return Backtest(total, len(sessions), tuple(comebacks))


def _comeback(
    seen: Seen, earlier: Sequence[Mistake], met: Sequence[Mistake], rules: Sequence[Known]
) -> Comeback:
    mistake, end = seen.mistake, seen.mistake.resolution
    ends = [one.resolution for one in met if one.resolution]
    fixes = sorted((one.at, one.change) for one in ends if one.change and one.at < mistake.at)
    spoke = (
        rule.rule
        for rule in rules
        if rule.since < mistake.at
        and mistake.signature in rule.signatures
        and rule.project in {"", seen.project}
    )
    return Comeback(
        seen=seen,
        first=min(one.at for one in earlier),
        times=len(earlier),
        fix=fixes[-1][1] if fixes else "",
        rules=tuple(sorted(spoke)),
        minutes=(end.at - mistake.at).total_seconds() / 60 if end else None,
    )


def most_repeated(replay: Backtest, top: int = 5) -> list[list[Comeback]]:
    """Give the comebacks of the signatures that came back most, then took the most minutes."""
    by_mark: dict[str, list[Comeback]] = {}
    for comeback in replay.comebacks:
        by_mark.setdefault(comeback.seen.mistake.signature, []).append(comeback)

    def rank(mark: str) -> tuple[int, float, str]:
        mine = by_mark[mark]
        return -len(mine), -sum(comeback.minutes or 0.0 for comeback in mine), mark

    return [by_mark[mark] for mark in sorted(by_mark, key=rank)[:top]]


# -- Which rule would have spoken ------------------------------------------------------------------


def knowns(
    rules: Sequence[Rule],
    seen: Iterable[Seen],
    decisions: Iterable[Mapping[str, Any]],
    local: Callable[[datetime], datetime],
) -> tuple[Known, ...]:
    """Give the rules with the time since which each existed, and the mistakes that it speaks of.

    `decisions` are the ledger's records of kind "rule"; `local` reads a moment without a zone as
    the person's clock shows it. A rule without a date that can be read has existed from no time on
    and is left out, and so is one that speaks of nothing.
    """
    decided: dict[str, datetime] = {}
    for record in decisions:
        at = moment(record.get("at"))
        if at is not None and record.get("status") == "active":
            decided.setdefault(str(record.get("id")), at)
    about = spoken({rule.id: rule.text for rule in rules}, seen)
    found = []
    for rule in rules:
        since = _since(rule.created, decided.get(rule.id), local)
        if since is not None and about.get(rule.id):
            scope = rule.scope[0] if len(rule.scope) == 1 else ""
            found.append(Known(rule.id, since, frozenset(about[rule.id]), scope))
    return tuple(found)


def _since(
    created: str, decided: datetime | None, local: Callable[[datetime], datetime]
) -> datetime | None:
    try:
        day: date = datetime.fromisoformat(created[:10]).date()
    except ValueError:
        return decided
    end = local(datetime.combine(day + timedelta(days=1), time()))
    return min(end, decided) if decided else end


def spoken(texts: Mapping[str, str], seen: Iterable[Seen]) -> dict[str, set[str]]:
    """Give for each rule (id -> text) the signatures that it speaks of."""
    names = list(texts)
    words = [terms(texts[name]) for name in names]
    weights = rarity(words)
    # of a thousand rules only those that share a word with the line are looked at closely
    rows = index(shares(word, weights) for word in words)
    found: dict[str, set[str]] = {}
    for mark, lines in _lines(seen).items():
        for line in lines:
            near = {names[at]: texts[names[at]] for at in covered(rows, terms(line))}
            for name in occasions(near, doing((), (line,)), weights):
                found.setdefault(name, set()).add(mark)
    return found


def _lines(seen: Iterable[Seen]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in seen:
        lines = found.setdefault(one.mistake.signature, [])
        line = one.mistake.line[:_LONGEST]
        if line not in lines and len(lines) < _LINES:
            lines.append(line)
    return found
