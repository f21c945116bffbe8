"""Find the turn in which the user stated a rule, while the client still has its transcript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents import port as agents
from memoria.agents.claude_code.user_words import utterances
from memoria.errors import MemoriaError
from memoria.privacy import clean as gate
from memoria.vault.citations import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

# bytes: a larger transcript takes longer to read than a person waits for the next card
_LARGEST = 20_000_000
# characters on each side of the sentence: a few lines of a terminal
_AROUND = 200


def stated_turn(work: Workspace, found: Rule) -> str:
    """Give the words around the rule's first quote that is found, "" where it stood alone."""
    quotes = [" ".join(quote(line).words.split()) for line in found.quotes]
    for text in _said(work, found):
        for words in filter(None, quotes):
            at = text.find(words)
            if at >= 0 and len(text) > len(words):
                return _cut(text, at, at + len(words))
    return ""


def _said(work: Workspace, found: Rule) -> Iterator[str]:
    for path in _transcripts(work, found):
        try:
            for part in agents.read(path):
                for one in utterances(gate.without_private(part)):
                    # what a tool printed is not shown, so it need not be cleaned
                    text = gate.clean(one.ask.text, work.settings.secrets)
                    yield " ".join(text.split())
        except (MemoriaError, OSError):
            continue  # the client may remove its transcripts at any time


def _transcripts(work: Workspace, found: Rule) -> Iterator[Path]:
    history = work.vault.history()
    for name, mark in history.watermarks.items():
        is_known = mark.identity[:8] in found.sessions and not history.has_forgotten(mark.identity)
        path = Path(name)
        if is_known and path.is_file() and path.stat().st_size <= _LARGEST:
            yield path


def _cut(text: str, start: int, end: int) -> str:
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    return f"{'... ' * (first > 0)}{text[first:last].strip()}{' ...' * (last < len(text))}"
