"""Mistakes -> Troubles: families of mistakes that come back, and what made them go away.

Signatures that differ by a name are one family here, as in the experiments. A trouble is shown with
its latest words and the change that mended it last, which is what a person can act on. The trap: a
fix that worked once is a fact of the past, no promise; it is shown as what resolved it, not as
advice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from memoria.evidence.backtest.replay import backtest
from memoria.evidence.charts.axis import full_day, numbers
from memoria.evidence.charts.charts import Beam, beams
from memoria.evidence.charts.figures import PHONE, WHOLE, Figure, Key
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
_MINUTE = 60.0
# minutes: what takes longer is told in hours, which a pause may have made
_LONG = 120


@dataclass(frozen=True, slots=True)
class Trouble:
    """A family of mistakes.

    `count` is all of it, `again` those that an earlier session of the project had met; `mended` how
    many went away within their session, after `minutes` at the median (None if none did). `fix` is
    the change that mended the latest of them that shows one. `log` is the daily log of the session
    it came in last, "" for one without an entry.
    """

    family: str
    example: str
    kind: str
    tool: str
    count: int
    again: int
    sessions: int
    projects: tuple[str, ...]
    last: datetime
    log: str
    mended: int
    minutes: float | None
    fix: str

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
class Troubles:
    """The mistakes of the report: those that came back most, and the sums."""

    shown: tuple[Trouble, ...] = ()
    more: int = 0
    mistakes: int = 0
    again: int = 0
    sessions: int = 0
    figures: tuple[Figure, ...] = ()


def troubles(
    seen: Sequence[Seen], families: Mapping[str, str], logs: Mapping[str, str]
) -> Troubles:
    """Join mistakes by family, those that came back most first; `logs` by session."""
    named = [_named(one, families) for one in seen]
    found = backtest(named)
    back: dict[str, int] = {}
    for one in found.comebacks:
        mark = one.seen.mistake.signature
        back[mark] = back.get(mark, 0) + 1
    groups: dict[str, list[Seen]] = {}
    for mistake in sorted(named, key=lambda one: one.mistake.at):
        groups.setdefault(mistake.mistake.signature, []).append(mistake)
    all_ = [_trouble(mark, group, back.get(mark, 0), logs) for mark, group in groups.items()]
    all_.sort(key=lambda one: (-one.again, -one.count, one.family))
    return Troubles(
        tuple(all_[:MOST]),
        max(len(all_) - MOST, 0),
        found.mistakes,
        len(found.comebacks),
        found.sessions,
        tuple(_picture(all_)),
    )


def _named(one: Seen, families: Mapping[str, str]) -> Seen:
    mark = one.mistake.signature
    return replace(one, mistake=replace(one.mistake, signature=families.get(mark, mark)))


def _trouble(mark: str, group: Sequence[Seen], again: int, logs: Mapping[str, str]) -> Trouble:
    latest = group[-1]
    ends = [(one.mistake.at, one.mistake.resolution) for one in group]
    spent = [(end.at - at).total_seconds() / _MINUTE for at, end in ends if end]
    changes = [end.change for _, end in ends if end and end.change]
    return Trouble(
        mark,
        " ".join(latest.mistake.line.split())[:_LINE] or mark,
        latest.mistake.kind,
        latest.mistake.tool,
        len(group),
        again,
        len({one.session for one in group}),
        tuple(sorted({label(one.project) for one in group if one.project})),
        latest.mistake.at,
        logs.get(latest.session, ""),
        len(spent),
        median(spent) if spent else None,
        changes[-1] if changes else "",
    )


def _picture(all_: Sequence[Trouble]) -> Iterator[Figure]:
    chosen = [one for one in all_ if one.again][:_PICTURED]
    if not chosen:
        return
    rows = [
        Beam(
            one.example,
            (float(one.again), float(one.count - one.again)),
            f"{one.again} of {one.count}",
            f"{one.example}: {one.again} of {one.count} were met before",
        )
        for one in chosen
    ]
    x = numbers([float(one.count) for one in chosen], "mistakes", whole=True)
    roles = ("again", "first")
    yield Figure(
        "troubles",
        "Mistakes that came back most",
        (
            f"Families of mistakes, how many of each an earlier session had met. First: "
            f"{chosen[0].example}, {chosen[0].again} of {chosen[0].count}."
        ),
        beams(rows, roles, x, WHOLE),
        beams(rows, roles, x, PHONE),
        ("mistake", "met before", "all", "sessions"),
        tuple(
            (one.example, f"{one.again:,}", f"{one.count:,}", f"{one.sessions:,}") for one in chosen
        ),
        (Key("again", "met in an earlier session"), Key("first", "not met before")),
        "Near mistakes are one family; at the end of a bar: met before, of all.",
    )
