"""The ledger's mistakes -> Cures: what each kind of error went away after, for the failure hook.

Only what tells something is kept: a mistake that was resolved, with the change that did it. Of the
same error and the same change the latest one stands for all, so the number of cures grows with what
was learned and not with the number of failures. The trap: the day of the log is the local day of
the captured part, not that of the error's time stamp, which is in UTC.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.search.reminders import failure_match as remedy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.vault.storage.history import Capture, Seen

# the latest; a person who codes every day has some thousand resolved errors a year
MOST = 5_000


@dataclass(frozen=True, slots=True)
class Cure:
    """A change after which an error went away.

    `line` is the error's informative line then, `day` the ISO date, `log` the daily log that tells
    of the session ("daily/2026-04-01"), "" where none does. `key` is the same for the same error
    and change in the same project. Every error with the signature holds the words `must` (joined by
    blanks), and every one that this can be for holds `anchor`.
    """

    key: str
    anchor: str
    must: str
    tool: str
    signature: str
    project: str
    day: str
    log: str
    line: str
    change: str
    how: str


def cures(mistakes: Iterable[Seen], captures: Mapping[str, Capture]) -> tuple[Cure, ...]:
    """Make the cures of a history, the latest ones, in the order of their keys."""
    days: dict[str, list[str]] = {}
    for capture in captures.values():
        days.setdefault(capture.session, []).append(capture.day)
    found: dict[str, Cure] = {}
    for seen in sorted(mistakes, key=lambda seen: seen.mistake.at):
        made = _cure(seen, sorted(days.get(seen.session, ())))
        if made is not None:
            found.pop(made.key, None)
            found[made.key] = made
    return tuple(sorted(list(found.values())[-MOST:], key=lambda cure: cure.key))


def _cure(seen: Seen, days: list[str]) -> Cure | None:
    mistake, resolution = seen.mistake, seen.mistake.resolution
    anchor = remedy.anchor(mistake.signature, mistake.line)
    if resolution is None or not resolution.change.strip() or not anchor:
        return None
    if mistake.line == f"{mistake.signature.split(' ', 2)[-1]} failed":
        return None  # the output told nothing, so neither does what came next
    at = mistake.at.date().isoformat()
    # the part that ended first after it; a day of another zone may lie before the error's in UTC
    day = next((day for day in days if day >= at), days[-1] if days else "")
    about = (mistake.signature, seen.project, remedy.squashed(mistake.line), resolution.change)
    return Cure(
        hashlib.sha256("\0".join(about).encode("utf-8", "replace")).hexdigest()[:16],
        anchor,
        " ".join(sorted(remedy.literals(mistake.signature))),
        mistake.tool,
        mistake.signature,
        seen.project,
        day or at,
        f"daily/{day}" if day else "",
        mistake.line,
        resolution.change,
        resolution.how,
    )
