"""What is wrong with a vault -> Flaw: one check's finding at one place, with its severity.

The seed's seven checks keep its severities. The others follow one rule: an error is what makes
Memoria or Obsidian lose something (a note that cannot be read, a link into nothing), a warning is
what misleads a reader, a suggestion is what could be better.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memoria.text.markdown import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

Severity = Literal["error", "warning", "suggestion"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "suggestion")
# each check, what it means to the person, in the order of the report
CHECKS: Mapping[str, str] = {
    "unreadable": "Files that Memoria passes over",
    "broken-links": "Links that lead nowhere",
    "index": "index.md and the articles do not agree",
    "frontmatter": "Frontmatter that lacks something",
    "sync-conflicts": "Copies and marks that a sync or a merge has left",
    "orphan-sources": "Daily logs that are not compiled",
    "stale-articles": "Articles whose log has changed since it was compiled",
    "missing-sources": "Articles whose log is gone",
    "contradictions": "Articles that contradict each other",
    "orphan-pages": "Articles that no other links to",
    "duplicate-names": "Titles and aliases that several notes have",
    "near-duplicates": "Articles that say nearly the same",
    "ambiguous-links": "Links that may mean several notes",
    "hidden-characters": "Characters that nobody sees",
    "remote-content": "What is fetched from elsewhere when a note is opened",
    "stray-notes": "Notes in places that Memoria does not look at",
    "missing-headings": "Links to headings that are not there",
    "missing-backlinks": "Articles that do not link back",
    "sparse-articles": "Articles of prose under 200 words, which may have more to say",
}
_RANK = {name: rank for rank, name in enumerate(SEVERITIES)}
_PLACE = {name: place for place, name in enumerate(CHECKS)}
# a report is read by a person: what is more of one kind stands in --json
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Flaw:
    """One finding: `path` is relative to the vault, `line` counts from 1 (1 = the whole file)."""

    check: str
    severity: Severity
    path: str
    line: int
    message: str


def ordered(flaws: Iterable[Flaw]) -> tuple[Flaw, ...]:
    """Put errors first, then check by check, file by file."""
    return tuple(
        sorted(flaws, key=lambda one: (_RANK[one.severity], _PLACE[one.check], one.path, one.line))
    )


def counts(flaws: Iterable[Flaw]) -> dict[str, int]:
    """Count by severity, zeros too."""
    found = Counter(flaw.severity for flaw in flaws)
    return {severity: found[severity] for severity in SEVERITIES}


def told(counted: Mapping[str, int]) -> str:
    """Say the counts in words: "1 error, 2 warnings, 0 suggestions"."""
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in counted.items())


def report(now: datetime, flaws: Iterable[Flaw], notes: int, remarks: Iterable[str] = ()) -> str:
    """Give the Markdown of reports/lint-DATE.md; paths stand as code, not as links.

    A link would make the report a neighbour of every note that it names.
    """
    ranked = ordered(flaws)
    lines = [
        f"# Lint Report: {now:%Y-%m-%d}",
        "",
        f"{notes} notes looked at {now:%Y-%m-%dT%H:%M:%S}: {told(counts(ranked))}.",
        *(f"\n{remark}" for remark in remarks),
    ]
    for severity in SEVERITIES:
        mine = [flaw for flaw in ranked if flaw.severity == severity]
        lines += ["", f"## {severity.capitalize()}s ({len(mine)})"]
        for check in dict.fromkeys(flaw.check for flaw in mine):
            lines += _section(check, [flaw for flaw in mine if flaw.check == check])
    return "\n".join(lines) + "\n"


def _section(check: str, flaws: list[Flaw]) -> list[str]:
    shown = [
        f"- {_code(f'{flaw.path}:{flaw.line}')} {inert(flaw.message)}" for flaw in flaws[:_SHOWN]
    ]
    if len(flaws) > _SHOWN:
        shown.append(f"- and {len(flaws) - _SHOWN} more; `memoria lint --json` lists all")
    return ["", f"### {CHECKS[check]} (`{check}`, {len(flaws)})", "", *shown]


def _code(path: str) -> str:
    return f"`{' '.join(path.replace('`', chr(39)).split())}`"
