"""Patterns -> what `memoria distill` gives out: by category, with counts, as JSON or YAML.

The shape is the one that other programs know from buildlog: the four categories are always there,
those of a person's own beside them, each insight with the file that it stands in, its day and
what it came of. Strings alone, so that every reader of either format sees the same.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
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
    return "".join(_yaml(value, ""))


def _yaml(value: dict[str, Any], indent: str) -> Iterator[str]:
    """Write maps, lists of maps, text and numbers as YAML; PyYAML needs twelve times as long."""
    for key, item in value.items():
        name = key if key in _PLAIN else _quoted(key)
        if isinstance(item, dict):
            yield f"{indent}{name}:{'' if item else ' {}'}\n"
            yield from _yaml(item, f"{indent}  ")
        elif isinstance(item, list):
            yield f"{indent}{name}:{'' if item else ' []'}\n"
            for one in item:
                first, *rest = _yaml(one, f"{indent}    ")
                yield f"{indent}  - {first.lstrip(' ')}"
                yield from rest
        else:
            yield f"{indent}{name}: {item if isinstance(item, int) else _quoted(item)}\n"


# a month, or a category that a person named "null", could be taken for another type
_PLAIN = frozenset(
    """extracted_at entry_count patterns statistics total_patterns by_category by_month insight
    source date context origin project""".split()  # noqa: SIM905 - a word list reads best as words
) | frozenset(CATEGORIES)
# JSON leaves these as they are, YAML does not take them or reads a line break
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def _quoted(text: str) -> str:
    """Give text in double quotes, which YAML shares with JSON."""
    return _UNPRINTABLE.sub(_escaped, json.dumps(text, ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    # half of a character cannot be written to a file
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"  # noqa: PLR2004 - surrogates
