"""Group mistakes into families, with how often each came back and what resolved it last.

Signatures that differ by a name are one family here, as in the experiments. A fix that worked once
is a fact of the past and no promise: it is shown as what resolved the mistake, not as advice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from memoria.evidence.backtest.replay import backtest
from memoria.evidence.charts.axis import full_day, numbers
from memoria.evidence.charts.charts import Bar, bars
from memoria.evidence.charts.figures import Figure, Key
from memoria.text.numbers import counted
from memoria.vault.entry import USER
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.vault.storage.history import Seen

# rows of the table and of the picture
MOST, _PICTURED = 20, 10
# characters of an error's line
_LINE = 160
# minutes: what takes longer is told in hours, which a pause may have made
_LONG = 120


@dataclass(frozen=True, slots=True)
class ErrorFamily:
    """A family of mistakes.

    `met_before` counts those that an earlier session of the project had met, `resolved` those that
    went away within their session, after `minutes` at the median (None if none did). `fix` is the
    change that resolved the latest of them that shows one. `log` is the daily log of the session
    it came in last, "" for one without an entry.
    """

    family: str
    example: str
    kind: str
    tool: str
    count: int
    met_before: int
    sessions: int
    projects: tuple[str, ...]
    last: datetime
    log: str
    resolved: int
    minutes: float | None
    fix: str | None

    @property
    def day(self) -> str:
        """The day of the latest."""
        return full_day(self.last.date())

    @property
    def took(self) -> str:
        """How long it took to go away at the median, in words."""
        minutes = self.minutes or 0.0
        if minutes < 1:
            return "less than a minute"
        return counted(round(minutes), "minute") if minutes < _LONG else "hours"

    @property
    def by_person(self) -> bool:
        """Whether it is a correction by the user."""
        return self.tool == USER


@dataclass(frozen=True, slots=True)
class RepeatedErrors:
    """The mistakes of the report by family, those that came back most first, and the sums."""

    families: tuple[ErrorFamily, ...] = ()
    total: int = 0
    met_before: int = 0
    sessions: int = 0

    @property
    def shown(self) -> tuple[ErrorFamily, ...]:
        """The families of the table."""
        return self.families[:MOST]

    @property
    def more(self) -> int:
        """How many families the table leaves out."""
        return len(self.families) - len(self.shown)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The picture of the families that came back most; none where none did."""
        return tuple(
            _figures([family for family in self.families if family.met_before][:_PICTURED])
        )


def repeated_errors(
    seen: Sequence[Seen], families: Mapping[str, str], logs: Mapping[str, str]
) -> RepeatedErrors:
    """Join mistakes by family; `families` by signature, `logs` by session."""
    named = [_renamed(one, families) for one in seen]
    replayed = backtest(named)
    repeats = Counter(comeback.seen.mistake.signature for comeback in replayed.comebacks)
    groups: dict[str, list[Seen]] = {}
    for one in sorted(named, key=lambda one: one.mistake.at):
        groups.setdefault(one.mistake.signature, []).append(one)
    rows = [_family(mark, group, repeats[mark], logs) for mark, group in groups.items()]
    rows.sort(key=lambda family: (-family.met_before, -family.count, family.family))
    return RepeatedErrors(
        tuple(rows), replayed.mistakes, len(replayed.comebacks), replayed.sessions
    )


def _renamed(seen: Seen, families: Mapping[str, str]) -> Seen:
    mark = seen.mistake.signature
    return replace(seen, mistake=replace(seen.mistake, signature=families.get(mark, mark)))


def _family(mark: str, group: Sequence[Seen], repeats: int, logs: Mapping[str, str]) -> ErrorFamily:
    latest = group[-1]
    ends = [(seen.mistake.at, seen.mistake.resolution) for seen in group]
    spent = [(end.at - at).total_seconds() / 60 for at, end in ends if end]
    changes = [end.change for _, end in ends if end and end.change]
    return ErrorFamily(
        mark,
        " ".join(latest.mistake.line.split())[:_LINE] or mark,
        latest.mistake.kind,
        latest.mistake.tool,
        len(group),
        repeats,
        len({seen.session for seen in group}),
        tuple(sorted({label(seen.project) for seen in group if seen.project})),
        latest.mistake.at,
        logs.get(latest.session, ""),
        len(spent),
        median(spent) if spent else None,
        changes[-1] if changes else None,
    )


def _figures(chosen: Sequence[ErrorFamily]) -> Iterator[Figure]:
    if not chosen:
        return
    said = {family.family: f"{family.met_before} of {family.count}" for family in chosen}
    rows = [
        Bar(
            family.example,
            (float(family.met_before), float(family.count - family.met_before)),
            said[family.family],
            f"{family.example}: {said[family.family]} were met before",
        )
        for family in chosen
    ]
    x = numbers([float(family.count) for family in chosen], "mistakes", whole=True)
    yield Figure(
        "troubles",
        "Mistakes that came back most",
        (
            "Families of mistakes, how many of each an earlier session had met. First: "
            f"{chosen[0].example}, {said[chosen[0].family]}."
        ),
        *bars(rows, ("again", "first"), x),
        ("mistake", "met before", "all", "sessions"),
        tuple(
            (family.example, f"{family.met_before:,}", f"{family.count:,}", f"{family.sessions:,}")
            for family in chosen
        ),
        (Key("again", "met in an earlier session"), Key("first", "not met before")),
        "Near mistakes are one family; at the end of a bar: met before, of all.",
    )
