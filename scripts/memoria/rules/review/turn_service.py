"""Find the turn in which the user stated a rule, while the client still has its transcript."""

from __future__ import annotations

from contextlib import suppress
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


def stated_turn(work: Workspace, rule: Rule) -> str:
    """Give the words around the rule's first quote that is found, "" where it stood alone."""
    quotes = list(filter(None, (" ".join(quote(line).words.split()) for line in rule.quotes)))
    for text in _texts(work, rule):
        for words in quotes:
            at = text.find(words)
            if at >= 0 and len(text) > len(words):
                first, last = max(0, at - _AROUND), min(len(text), at + len(words) + _AROUND)
                before, after = "... " * (first > 0), " ..." * (last < len(text))
                return f"{before}{text[first:last].strip()}{after}"
    return ""


def _texts(work: Workspace, rule: Rule) -> Iterator[str]:
    """Give what the user said in the sessions of a rule, while their transcripts are there."""
    history = work.vault.history()
    for name, mark in history.watermarks.items():
        path, session = Path(name), mark.identity
        if session[:8] not in rule.sessions or history.has_forgotten(session):
            continue
        # the client may remove its transcripts at any time
        with suppress(MemoriaError, OSError):
            if path.is_file() and path.stat().st_size <= _LARGEST:
                for part in agents.read(path):
                    for one in utterances(gate.without_private(part)):
                        # what a tool printed is not shown, so it need not be cleaned
                        yield " ".join(gate.clean(one.ask.text, work.settings.secrets).split())
