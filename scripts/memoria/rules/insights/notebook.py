"""Written entries and the blocks of the logs -> the notebook's leaves, each with its patterns.

What `list`, `distill`, `stats` and all that learns from insights read is made here once: who says
what, of which category, and what counts as one sighting. The trap: an insight can stand in a
notebook several times without having been learned several times: in copies of a file, in the block
of a session and in the draft that was made from it, in the parts of one session.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memoria.capture.extract.user.rule_text import category, core
from memoria.rules.insights.insight import Pattern
from memoria.text.prose import clipped
from memoria.vault.written.categories import categorised, is_known
from memoria.vault.written.written_entry import written

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from datetime import date

    from memoria.vault.daily import Block

# "User, refusing an edit of `x`: ..." and "User, on the plan: ..." hold an order and no fact
_SAID = re.compile(r"User, (?:refusing|on) [^\n]{1,120}?: (?=\S)")
_CONTEXT = 200  # characters of what says where an insight comes from
_UNTITLED = "Untitled"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One entry of the notebook: a file that was written, or a block of a log.

    `time` is "HH:MM", "" for a file. `entry` is what counts as one sighting (see
    rules/insights/insight.py)
    and `digest` what copies have in common. `own` are names of categories that are none of the
    four, `lacks` and `fault` what vault/written/written_entry.py says of a file; `edited`: a person
    changed the
    block after it was captured, or wrote it.
    """

    day: date
    time: str
    kind: Literal["written", "captured"]
    title: str
    project: str
    source: str
    entry: str
    patterns: tuple[Pattern, ...]
    digest: str = ""
    own: tuple[str, ...] = ()
    lacks: str = ""
    fault: str = ""
    edited: bool = False


def page(name: str, day: date, slug: str, text: str, placeholders: Container[str] = ()) -> Leaf:
    """Read a written entry, the file `name`, of that day."""
    found = written(text, placeholders)
    title = found.title or slug.replace("-", " ").capitalize()
    context = clipped(f"{title}: {found.goal}" if found.goal else title, _CONTEXT)
    patterns = tuple(
        Pattern(
            insight=one.text,
            category=one.category or categorised(one.text),
            source=name,
            date=day,
            context=context,
            # what a draft proposed are not the person's words, and no second sighting
            origin="captured" if one.drafted else "written",
            entry=found.session or name if one.drafted else name,
            project=found.project,
        )
        for one in found.improvements
    )
    return Leaf(
        day, "", "written", title, found.project, name, name, patterns,
        found.digest, found.own, found.lacks, found.fault,
    )  # fmt: skip


def blocks(name: str, found: Iterable[Block]) -> Iterator[Leaf]:
    """Read the blocks of a log, the file `name`; a person's edits count as they stand."""
    for block in found:
        entry = block.entry
        sighting = entry.session or f"h-{block.sha}"
        draft = entry.draft
        title = draft.title or _UNTITLED
        context = clipped(f"{title}: {draft.context}" if draft.context else title, _CONTEXT)
        lines = [
            *((line, "domain_knowledge") for line in draft.lessons),
            *((line, "architectural") for line in draft.decisions),
        ]
        patterns = tuple(
            Pattern(
                # whom it was said to stop is no part of it
                insight=_SAID.sub("", line, count=1),
                category=_captured(line, default),
                source=name,
                date=entry.day,
                context=context,
                origin="captured",
                entry=sighting,
                project=entry.project,
            )
            for line, default in lines
            # what was asked is no insight
            if line and not line.endswith("?")
        )
        yield Leaf(
            entry.day, f"{entry.at:%H:%M}", "captured", title, entry.project, name, sighting,
            patterns, edited=block.edited,
        )  # fmt: skip


def _captured(line: str, default: str) -> str:
    """Say what a captured line is about: of the user's words an order is, else a fact."""
    said = _SAID.match(line)
    if said:
        return category(core(line[said.end() :]))
    return categorised(line, "architectural" if default == "architectural" else "domain_knowledge")


def notebook(leaves: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """Put the leaves in order, oldest first, and give all copies of a file one sighting."""
    ordered = sorted(leaves, key=lambda leaf: (leaf.day, leaf.source))
    first: dict[str, str] = {}
    captured = {
        (pattern.entry, _key(pattern.insight))
        for leaf in ordered
        if leaf.kind == "captured"
        for pattern in leaf.patterns
    }
    return tuple(
        _once(leaf, first.setdefault(leaf.digest, leaf.source), captured)
        if leaf.kind == "written"
        else leaf
        for leaf in ordered
    )


def _once(leaf: Leaf, original: str, captured: Container[tuple[str, str]]) -> Leaf:
    """Count a copy as its original; leave out a draft's lines that the session's block has."""
    if original == leaf.entry and all(one.origin == "written" for one in leaf.patterns):
        return leaf
    patterns = tuple(
        replace(pattern, entry=original) if pattern.origin == "written" else pattern
        for pattern in leaf.patterns
        if pattern.origin == "written" or (pattern.entry, _key(pattern.insight)) not in captured
    )
    return replace(leaf, entry=original, patterns=patterns)


def _key(line: str) -> str:
    return " ".join(line.casefold().split())


def patterns(leaves: Sequence[Leaf], since: date | None = None) -> tuple[Pattern, ...]:
    """Give the patterns of the leaves from a day on, in order of date, source and line."""
    return tuple(
        pattern
        for leaf in leaves
        if since is None or leaf.day >= since
        for pattern in leaf.patterns
    )


def unknown(leaves: Iterable[Leaf]) -> dict[str, list[str]]:
    """Give the categories that are none of the four, with the files that name them."""
    found: dict[str, list[str]] = {}
    for leaf in leaves:
        for name in leaf.own:
            if not is_known(name):
                found.setdefault(name, []).append(leaf.source)
    return dict(sorted(found.items()))
