"""Describe what is wrong with a vault: a finding is one check's result at one place.

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
    "sparse-articles": "Articles under 200 words",
}
_RANK = {name: rank for rank, name in enumerate(SEVERITIES)}
_PLACE = {name: place for place, name in enumerate(CHECKS)}
# a report is read by a person: what is more of one kind stands in --json
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: `path` is relative to the vault, `line` counts from 1 (1 = the whole file)."""

    check: str
    severity: Severity
    path: str
    line: int
    message: str


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put errors first, then check by check, file by file."""
    return tuple(sorted(findings, key=_place))


def _place(finding: Finding) -> tuple[int, int, str, int]:
    return _RANK[finding.severity], _PLACE[finding.check], finding.path, finding.line


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """Count by severity, zeros too."""
    by_severity = Counter(finding.severity for finding in findings)
    return {severity: by_severity[severity] for severity in SEVERITIES}


def counts_in_words(counted: Mapping[str, int]) -> str:
    """Say the counts in words: "1 error, 2 warnings, 0 suggestions"."""
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in counted.items())


def report(
    now: datetime, findings: Iterable[Finding], notes: int, remarks: Iterable[str] = ()
) -> str:
    """Give the Markdown of reports/lint-DATE.md; paths stand as code, not as links.

    A link would make the report a neighbour of every note that it names.
    """
    ranked = ordered(findings)
    lines = [
        f"# Lint Report: {now:%Y-%m-%d}",
        "",
        f"{notes} notes looked at {now:%Y-%m-%dT%H:%M:%S}: {counts_in_words(counts(ranked))}.",
        *(f"\n{remark}" for remark in remarks),
    ]
    for severity in SEVERITIES:
        mine = [finding for finding in ranked if finding.severity == severity]
        lines += ["", f"## {severity.capitalize()}s ({len(mine)})"]
        for check in dict.fromkeys(finding.check for finding in mine):
            lines += _section(check, [finding for finding in mine if finding.check == check])
    return "\n".join(lines) + "\n"


def _section(check: str, findings: list[Finding]) -> list[str]:
    shown = [
        f"- {_code(f'{finding.path}:{finding.line}')} {inert(finding.message)}"
        for finding in findings[:_SHOWN]
    ]
    if len(findings) > _SHOWN:
        shown.append(f"- and {len(findings) - _SHOWN} more; `memoria lint --json` lists all")
    return ["", f"### {CHECKS[check]} (`{check}`, {len(findings)})", "", *shown]


def _code(path: str) -> str:
    return f"`{' '.join(path.replace('`', chr(39)).split())}`"
