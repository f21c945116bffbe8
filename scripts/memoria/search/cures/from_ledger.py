"""Make of the ledger's mistakes what each kind of error went away after, for the failure hook.

Only what is sure is kept: an edit whose lines or file are known, a variable that was set, another
command or another way to call it after which the same error passed in most cases. An error that
mostly went away by itself has no cure, and neither has one of the agent's own tools. Of the same
error and the same change the latest stands for all.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.search.cures import lookup
from memoria.text.shell.actions import describe_action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.vault.storage.history import RecordedMistake
    from memoria.vault.storage.ledger_records import Capture, Resolution

# the latest; a person who codes every day has some thousand resolved errors a year
MAX_CURES = 5_000
# how a merge conflict was solved says nothing of the next one
_NEVER_CURED = ("conflict",)
# an edit, of nobody knows what: somebody was at work on something else, or by a script
_UNKNOWN = "unknown edit"
_SEEN_TWICE = 2  # a way that was seen once may have been chance


@dataclass(frozen=True, slots=True)
class Cure:
    """A change after which an error went away.

    `line` is the error's informative line then, `day` the ISO date, `log` the daily log that tells
    of the session ("daily/2026-04-01"), "" where none does; `action` what the command was to do.
    `key` is the same for the same error and change in the same project. Every error that this can
    be for holds the word `anchor`.
    """

    key: str
    anchor: str
    signature: str
    action: str
    project: str
    day: str
    log: str
    line: str
    how: str
    change: str
    file: str


def build_cures(
    mistakes: Iterable[RecordedMistake], captures: Mapping[str, Capture]
) -> tuple[Cure, ...]:
    """Make the cures of a history, the latest ones, in the order of their keys."""
    days: dict[str, list[str]] = defaultdict(list)
    for capture in captures.values():
        days[capture.session].append(capture.day)
    latest: dict[str, Cure] = {}
    resolved = sorted(_find_resolutions(mistakes), key=lambda pair: pair[0].mistake.at)
    for seen, resolution in resolved:
        mistake = seen.mistake
        anchor = lookup.choose_anchor(mistake.signature, mistake.line)
        # where the output told nothing, what came next tells nothing either
        says_nothing = mistake.signature.split(" ", 2)[2:] == [mistake.action]
        if anchor and not says_nothing:
            latest_cure = _build_cure(seen, resolution, anchor, sorted(days[seen.session]))
            latest.pop(latest_cure.key, None)
            latest[latest_cure.key] = latest_cure
    return tuple(sorted(list(latest.values())[-MAX_CURES:], key=lambda cure: cure.key))


def _find_resolutions(
    mistakes: Iterable[RecordedMistake],
) -> Iterator[tuple[RecordedMistake, Resolution]]:
    """Yield what resolved each mistake, where that is what resolves its kind in most cases."""
    groups: dict[str, list[RecordedMistake]] = defaultdict(list)
    for seen in mistakes:
        if seen.mistake.tool == "shell" and seen.mistake.kind not in _NEVER_CURED:
            groups[seen.mistake.signature].append(seen)
    for group in groups.values():
        resolved = [(seen, end) for seen in group if (end := seen.mistake.resolution)]
        ways = Counter(_classify_resolution(end) for _, end in resolved)
        if 2 * ways["retry"] >= len(resolved):
            continue
        # edits of which nothing is known are no other way, where the only known way is as often
        unknown = ways[_UNKNOWN]
        for seen, end in resolved:
            count, change = ways[_classify_resolution(end)], end.change.strip()
            is_only_known = count >= max(_SEEN_TWICE, unknown) and count + unknown == len(resolved)
            usual = 2 * count > len(resolved) or is_only_known
            is_sure = {"edit": change or end.file, "variable": True}
            if is_sure.get(end.how, change and usual and end.how in {"command", "rephrase"}):
                yield seen, end


def _classify_resolution(end: Resolution) -> str:
    """Name how an error went away, so that the same way counts as one."""
    if end.how == "edit" and not (end.change.strip() or end.file):
        return _UNKNOWN
    return f"{end.how} {describe_action(end.change)}" if end.how == "command" else end.how


def _build_cure(seen: RecordedMistake, end: Resolution, anchor: str, days: Sequence[str]) -> Cure:
    mistake = seen.mistake
    error_day = mistake.at.date().isoformat()
    # the part that ended first after it; a day of another zone may lie before the error's in UTC
    day = next((day for day in days if day >= error_day), days[-1] if days else "")
    line = lookup.normalise_line(mistake.line)
    identity = (mistake.signature, seen.project, line, end.change)
    return Cure(
        key=hashlib.sha256("\0".join(identity).encode("utf-8", "replace")).hexdigest()[:16],
        anchor=anchor,
        signature=mistake.signature,
        action=mistake.action,
        project=seen.project,
        day=day or error_day,
        log=f"daily/{day}" if day else "",
        line=mistake.line,
        how=end.how,
        change=end.change,
        file=end.file,
    )
