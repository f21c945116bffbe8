"""Say what is to be forgotten as the vault names it: entries, days that are over, and words.

A line of a note names the entry that it was taken from, so whether it goes is looked up. What
names no entry (a title, a file's name, a person's line, a question in log.md) is compared by its
words alone: one that only the forgotten entries have gives them away.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.cli.forgetting.selection import extract
from memoria.errors import VaultError
from memoria.vault.citations import Citation, citations
from memoria.vault.package_files import text as package_text
from memoria.vault.short_sessions import short_sessions
from memoria.vault.storage import disk
from memoria.vault.written.written_entry import written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.cli.forgetting.selection import Selection
    from memoria.vault.daily import Block
    from memoria.vault.short_sessions import ShortSession
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

# shorter ones stand in any text; a name or a key is longer
_WORD = re.compile(r"[^\W_]{3,}")
# English as everybody writes it: its words give nobody away
_EVERYDAY = ("prompts/compile.md", "prompts/flush.md", "prompts/learn.md", "prompts/query.md")
# fields of an extract whose values are names of ours
_FORM = frozenset({"kind", "origin", "sha", "titled_by"})


@dataclass(frozen=True, slots=True)
class Lost:
    """What goes: the ids of entries, the logs that lose one, and of these those left without any.

    Logs are named as links have them. `said` are the words of these entries, `words` those that
    only they have. `match` is a text that goes wherever it stands, in lower case, "" for none.
    `projects` are those that no entry is about any more.
    """

    entries: frozenset[str] = frozenset()
    days: frozenset[str] = frozenset()
    over: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    match: str = ""
    projects: frozenset[str] = frozenset()

    def holds(self, text: str) -> bool:
        """Whether a text holds the one that was asked for."""
        return bool(self.match) and self.match in text.casefold()

    def marks(self, text: str) -> bool:
        """Whether a text has what only the forgotten entries said."""
        return self.holds(text) or not self.words.isdisjoint(words(text))

    def says(self, text: str) -> bool:
        """Whether a text has nothing but words of theirs."""
        return self.marks(text) and words(text) <= self.said

    def has(self, citation: Citation) -> bool:
        """Whether what a link names is gone."""
        return citation.entry in self.entries if citation.entry else citation.note in self.over

    def touches(self, text: str) -> bool:
        """Whether a text names an entry that goes, or a log that loses one."""
        return any(
            self.has(citation) or (not citation.entry and citation.note in self.days)
            for citation in citations(text)
        )

    def takes(self, item: str) -> bool:
        """Whether a line of a note goes: all that it names is gone, or it has words of it."""
        named = citations(item)
        if named and all(map(self.has, named)):
            return True
        return self.marks(item) if self.touches(item) else self.holds(item)


def words(text: str) -> frozenset[str]:
    """Give the words of a text that can give away whose it is."""
    return frozenset(_WORD.findall(text.casefold()))


def goes(block: Block, selection: Selection) -> bool:
    """Whether an entry of a log goes."""
    entry = block.entry
    return entry.id in selection.entries or entry.session in selection.sessions - {""}


def short_goes(short: ShortSession, selection: Selection) -> bool:
    """Whether the line of a session without an entry goes."""
    return short.part in selection.entries or short.session in selection.sessions


def lost(work: Workspace, selection: Selection, logs: Iterable[Log]) -> Lost:
    """Find out what goes of which day and project, and which words nothing that stays has."""
    entries = set(selection.entries)
    gone, kept = _Side(), _Side()
    gone.texts += [_extract_text(work, entry) for entry in selection.entries]
    kept.texts += [disk.text(work.vault.root / "AGENTS.md")[0], *map(package_text, _EVERYDAY)]
    for log in logs:
        for block in log.blocks:
            is_meant = goes(block, selection)
            entries |= {block.entry.id} if is_meant else set()
            side = gone if is_meant else kept
            side.days.add(f"daily/{log.day}")
            side.projects.add(block.entry.project)
            side.texts.append(log.text[block.start : block.end])
            side.texts.append(_extract_text(work, block.entry.id))
        for short in short_sessions(log.text):
            side = gone if short_goes(short, selection) else kept
            side.projects.add(short.project)
            side.texts.append(short.line)
    for name in work.vault.pages()[0]:
        with suppress(VaultError):
            text = work.vault.page(name).text
            # a draft of a session repeats its words
            kept.texts += [text] if written(text).session not in selection.sessions else []
    said = words("\n".join(gone.texts))
    return Lost(
        frozenset(entries),
        frozenset(gone.days),
        frozenset(gone.days - kept.days),
        said,
        said - words("\n".join(kept.texts)),
        selection.match,
        frozenset(gone.projects - kept.projects - {""}) | selection.projects,
    )


class _Side:
    """What goes, or what stays."""

    def __init__(self) -> None:
        self.days: set[str] = set()
        self.projects: set[str] = set()
        self.texts: list[str] = []


def _extract_text(work: Workspace, entry: str) -> str:
    """Give the texts of an extract, without the words that are its form."""
    return "\n".join(_strings(extract(work, entry)[1]))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        value = [one for name, one in value.items() if name not in _FORM]
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (text for one in value for text in _strings(one))
