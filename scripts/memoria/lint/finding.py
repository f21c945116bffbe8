"""Describe what is wrong with a vault: a finding is one check's result at one place.

An error makes Memoria or Obsidian lose something, a warning misleads a reader.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Literal

from memoria.text.markdown import make_inert

Severity = Literal["error", "warning", "suggestion"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "suggestion")
KNOWLEDGE = "knowledge/"
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
    "missing-backlinks": "Articles that do not link back",
    "stale-names": "Lines that name what the project's code does not have any more",
    "sparse-articles": "Articles of prose under 200 words, which may have more to say",
}
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


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put errors first, then check by check, file by file."""
    ranks = {name: rank for rank, name in enumerate((*SEVERITIES, *CHECKS))}
    placed = sorted(findings, key=attrgetter("path", "line"))
    return tuple(sorted(placed, key=lambda row: (ranks[row.severity], ranks[row.check])))


def count_by_severity(findings: Iterable[Finding]) -> dict[str, int]:
    """Count by severity, zeros too."""
    by_severity = Counter(finding.severity for finding in findings)
    return {severity: by_severity[severity] for severity in SEVERITIES}


def format_counts(counted: Mapping[str, int]) -> str:
    """Say the counts in words: "1 error, 2 warnings, 0 suggestions"."""
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in counted.items())


def format_report(
    now: datetime, findings: Iterable[Finding], notes: int, remarks: Iterable[str] = ()
) -> str:
    """Give the Markdown of reports/lint-DATE.md; paths stand as code, not as links.

    A link would make the report a neighbour of every note that it names.
    """
    ranked = sort_findings(findings)
    counts = format_counts(count_by_severity(ranked))
    lines = [
        f"# Lint Report: {now:%Y-%m-%d}",
        "",
        f"{notes} notes looked at {now:%Y-%m-%dT%H:%M:%S}: {counts}.",
        *(f"\n{remark}" for remark in remarks),
    ]
    for severity in SEVERITIES:
        of_severity = [finding for finding in ranked if finding.severity == severity]
        lines += ["", f"## {severity.capitalize()}s ({len(of_severity)})"]
        for check, group in groupby(of_severity, key=attrgetter("check")):
            listed = list(group)
            lines += ["", f"### {CHECKS[check]} (`{check}`, {len(listed)})", ""]
            for finding in listed[:_SHOWN]:
                place = " ".join(f"{finding.path}:{finding.line}".replace("`", "'").split())
                lines.append(f"- `{place}` {make_inert(finding.message)}")
            if len(listed) > _SHOWN:
                lines.append(f"- and {len(listed) - _SHOWN} more; `memoria lint --json` lists all")
    return "\n".join(lines) + "\n"
