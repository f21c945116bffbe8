"""Patterns -> what `memoria distill` gives out: by category, with counts, as JSON or YAML.

The shape is the one that other programs know from buildlog: the four categories are always there,
those of a person's own beside them, each insight with the file that it stands in, its day and
what it came of. Strings alone, so that every reader of either format sees the same.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import yaml

from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memoria.rules.insights.insight import Pattern

ENDINGS = (".json", ".yaml", ".yml")


def distillation(patterns: Iterable[Pattern], entry_count: int, at: datetime) -> dict[str, Any]:
    """Give the distillation; `entry_count` are the entries that were read."""
    found = list(patterns)
    own = sorted({one.category for one in found} - set(CATEGORIES))
    groups: dict[str, list[dict[str, str]]] = {name: [] for name in (*CATEGORIES, *own)}
    for one in found:
        groups[one.category].append(_shown(one))
    months = Counter(f"{one.date:%Y-%m}" for one in found)
    return {
        "extracted_at": at.isoformat(timespec="seconds"),
        "entry_count": entry_count,
        "patterns": groups,
        "statistics": {
            "total_patterns": len(found),
            "by_category": {name: len(group) for name, group in groups.items()},
            "by_month": dict(sorted(months.items())),
        },
    }


def _shown(pattern: Pattern) -> dict[str, str]:
    return {
        "insight": pattern.insight,
        "source": pattern.source,
        "date": pattern.date.isoformat(),
        "context": pattern.context,
        "origin": pattern.origin,
        "project": pattern.project,
    }


def as_text(value: dict[str, Any], ending: str) -> str:
    """Give a distillation as the text of a file with that ending: .json, .yaml or .yml."""
    if ending == ".json":
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    # half of a character can be written to no file
    plain = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(plain, Dumper=dumper, sort_keys=False, allow_unicode=True, width=100))
