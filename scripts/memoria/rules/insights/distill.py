"""`memoria distill`: the insights of the notebook's entries, by category, as JSON or YAML.

Written entries give their Improvements, captured ones their lessons and decisions as they stand in
the log. What cannot be read is named and left; the rest is distilled all the same, and the exit
code says that part of it failed. The shape is the one that other programs know from buildlog: the
four categories are always there, a person's own behind them, and all values are strings, so that
every reader of either format sees the same.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from memoria import terminal
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.rules.insights.notebook import read_notebook, report_problems
from memoria.text.dates import parse_day
from memoria.vault.storage import clock, disk
from memoria.vault.written.categories import CATEGORIES, normalise_category

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from datetime import datetime

    from memoria.rules.insights.notebook import Pattern
    from memoria.workspace import Workspace

_ENDINGS = (".json", ".yaml", ".yml")


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Distill, and print the result or write it to a file."""
    target = check_target(arguments.output, _ENDINGS)
    notebook = read_notebook(work.vault, parse_day(arguments.since))
    patterns = notebook.patterns
    if arguments.category:
        patterns = _filter_by_category(patterns, arguments.category)
    # the file may go anywhere, and a person may have written a secret into an entry
    patterns = clean.clean_value(patterns, work.settings.secrets)
    value = distil(patterns, len(notebook.leaves), clock.now(work.settings.zone))
    if target:
        text = format_distillation(value, target.suffix.lower())
        disk.replace(target, text.encode("utf-8", "replace"))
        work.terminal.say(f"{len(patterns)} insights of {len(notebook.leaves)} entries: {target}")
    if arguments.json or not target:
        terminal.print_json(value)
    report_problems(work.terminal, notebook, arguments.since or "")
    return 1 if notebook.problems else 0


def _filter_by_category(patterns: tuple[Pattern, ...], category: str) -> tuple[Pattern, ...]:
    """Keep one category; UsageError for one that is none."""
    own_names = dict.fromkeys(pattern.heading for pattern in patterns if pattern.heading)
    name = normalise_category(category)
    if name not in {*CATEGORIES, *own_names}:
        names = ", ".join((*CATEGORIES, *own_names))
        raise UsageError(f"--category {category!r}: use one of {names}")
    return tuple(pattern for pattern in patterns if name == (pattern.heading or pattern.category))


def check_target(output: str, endings: Sequence[str] = ()) -> Path | None:
    """Check the file that the result is to go to, before anything is read."""
    if not output:
        return None
    path = Path(output).expanduser()
    if endings and path.suffix.lower() not in endings:
        raise UsageError(f"-o {output}: use a name that ends in {', '.join(endings)}")
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"-o {path}: {'a' if path.is_dir() else 'in no'} folder; name a file")
    return path


def distil(patterns: Sequence[Pattern], entry_count: int, at: datetime) -> dict[str, Any]:
    """Give the distillation; `entry_count` are the entries that were read."""
    groups: dict[str, list[dict[str, str]]] = {name: [] for name in CATEGORIES}
    months = Counter(f"{pattern.date:%Y-%m}" for pattern in patterns)
    for pattern in patterns:
        row = {"insight": pattern.insight, "source": pattern.source, "date": str(pattern.date)}
        row |= {"context": pattern.context, "origin": pattern.origin, "project": pattern.project}
        groups.setdefault(pattern.heading or pattern.category, []).append(row)
    return {
        "extracted_at": at.isoformat(timespec="seconds"),
        "entry_count": entry_count,
        "patterns": groups,
        "statistics": {
            "total_patterns": len(patterns),
            "by_category": {name: len(group) for name, group in groups.items()},
            "by_month": dict(sorted(months.items())),
        },
    }


def format_distillation(value: dict[str, Any], ending: str) -> str:
    """Give a distillation as the text of a file with that ending: .json, .yaml or .yml."""
    if ending == ".json":
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    # half of a character can be written to no file
    encodable = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(encodable, Dumper=dumper, sort_keys=False, allow_unicode=True, width=100))
