"""Say how well each rule with a check was kept, where it was shown and where it was withheld.

Only sessions in which a coin decided whether the rule was shown are compared. Sessions with a guard
are told apart: there the guard kept the rule, and not its words.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.evidence.withholding.by_rule import by_rule, drawn, offers
from memoria.rules.model import ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memoria.evidence.withholding.by_rule import Offer, Standing
    from memoria.vault.storage.history import History

KIND = "adherence"


@dataclass(frozen=True, slots=True)
class Kept:
    """How often a rule's check was kept and broken in a session.

    `stopped` are breaches that a guard refused: they were tried. `guard` is the mode of the guard
    that was on, "" for none; `check` the hash of the check that said so.
    """

    kept: int = 0
    broken: int = 0
    stopped: int = 0
    guard: str = ""
    check: str = ""

    @property
    def occasions(self) -> int:
        """How often it came up."""
        return self.kept + self.broken + self.stopped

    @property
    def went_well(self) -> bool:
        """Whether nothing broke it, or would have but for a guard."""
        return not self.broken and not self.stopped


@dataclass(frozen=True, slots=True)
class Share:
    """In how many sessions a rule was kept, of those in which its occasion came up."""

    kept: int = 0
    sessions: int = 0

    def plus(self, kept: Kept) -> Share:
        """Count one more session."""
        return Share(self.kept + kept.went_well, self.sessions + 1)

    def __str__(self) -> str:
        return f"{self.kept} of {self.sessions}"


@dataclass(frozen=True, slots=True)
class Adherence:
    """How a rule was kept.

    `shown` and `withheld` are sessions without a guard in which it was given or kept back (by a
    coin or not), `neither` those it never reached; `guarded` are those with a guard, whatever was
    given. `standing` is what the coins alone say of the first two; its "back" counts sessions in
    which the rule was broken.
    """

    rule: str
    shown: Share = Share()
    withheld: Share = Share()
    neither: Share = Share()
    guarded: Share = Share()
    standing: Standing | None = None

    @property
    def sentence(self) -> str:
        """Say it in a line: what was counted, and what chance allows to compare."""
        parts = [f"kept in {self.shown} sessions with an occasion when shown"]
        others = (
            (self.withheld, "when withheld"),
            (self.neither, "that it did not reach"),
            (self.guarded, "with a guard on (kept apart)"),
        )
        parts += [f"in {share} {where}" for share, where in others if share.sessions]
        said = ", ".join(parts)
        interval = self.standing.difference if self.standing else None
        if interval is None:
            return said
        # the standing counts breaches, so what is kept is their reverse
        points = [round(-100 * value) for value in (interval.estimate, interval.high, interval.low)]
        limits = f"({points[1]:+d} to {points[2]:+d}, 95%)"
        return f"{said}; shown by chance {points[0]:+d} points {limits}"


def counted(known: Kept, *, is_broken: bool, is_stopped: bool) -> Kept:
    """Count one more occasion; `is_stopped` says that a guard refused the breach."""
    if not is_broken:
        return replace(known, kept=known.kept + 1)
    if is_stopped:
        return replace(known, stopped=known.stopped + 1)
    return replace(known, broken=known.broken + 1)


def record(
    at: datetime, session: str, project: str, kept_rules: Mapping[str, Kept]
) -> dict[str, Any]:
    """Make the ledger's record of what the checks of rules saw in a part of a session."""
    return {
        "kind": KIND,
        "at": at.isoformat(timespec="seconds"),
        "session": session,
        "project": project,
        "rules": {name: asdict(kept) for name, kept in sorted(kept_rules.items())},
    }


def observed(
    records: Iterable[Mapping[str, Any]], heirs: Mapping[str, str]
) -> dict[tuple[str, str], Kept]:
    """Add up the parts of sessions: (session, rule) -> what was seen; what is no count is none."""
    by_key: dict[tuple[str, str], Kept] = {}
    for record in records:
        rules = record.get("rules")
        session = str(record.get("session") or "")
        for name, row in rules.items() if isinstance(rules, dict) and session else ():
            if ID.fullmatch(str(name)) and isinstance(row, dict):
                key = (session, heirs.get(str(name), str(name)))
                by_key[key] = _joined(by_key.get(key, Kept()), row)
    return {key: record for key, record in by_key.items() if record.occasions}


def _joined(known: Kept, row: Mapping[str, Any]) -> Kept:
    values = (row.get(name) for name in ("kept", "broken", "stopped"))
    kept, broken, stopped = (n if type(n) is int and n > 0 else 0 for n in values)
    return Kept(
        known.kept + kept,
        known.broken + broken,
        known.stopped + stopped,
        known.guard or str(row.get("guard") or ""),
        str(row.get("check") or known.check),
    )


def adherences(history: History, heirs: Mapping[str, str]) -> tuple[Adherence, ...]:
    """Give the adherence of each rule that a check has seen an occasion of, by id."""
    sessions = observed(history.of(KIND), heirs)
    offered = offers(history, heirs)
    rows: dict[str, Adherence] = {}
    for (session, name), kept in sorted(sessions.items()):
        arm = _arm(kept, offered.get((session, name)))
        row = rows.get(name, Adherence(name))
        rows[name] = replace(row, **{arm: getattr(row, arm).plus(kept)})
    # sessions without a guard, in which "came back" means that the rule was broken
    went = {key: kept.went_well for key, kept in sessions.items() if not kept.guard}
    standings = {one.name: one for one in by_rule(drawn(history, offered, went))}
    return tuple(replace(row, standing=standings.get(name)) for name, row in rows.items())


def _arm(kept: Kept, offer: Offer | None) -> str:
    """Say where a session counts; a guard counts whatever was given."""
    if kept.guard:
        return "guarded"
    if offer is None:
        return "neither"
    return "shown" if offer.injected else "withheld"
