"""Carry out a person's decisions about the rules that wait, one step a decision.

A note may change between what was shown and what is decided; then nothing is done, and the rule
waits on.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents import port as agents
from memoria.agents.claude_code.user_words import list_utterances
from memoria.errors import MemoriaError, UsageError
from memoria.privacy import clean
from memoria.privacy.private import strip_private
from memoria.rules.merge.groups import Index
from memoria.rules.model import Rule, Status, text_hash
from memoria.rules.review.waiting import Case, list_cases, list_unnoted
from memoria.rules.rulebook import Ruling, decide, rulebook
from memoria.text.unicode import strip_hidden
from memoria.vault.citations import parse_quote
from memoria.vault.storage import clock
from memoria.vault.storage.journal import Conflict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.workspace import Workspace

# bytes: a larger transcript takes longer to read than a person waits for the next card
_MAX_BYTES = 20_000_000
# characters on each side of the sentence: a few lines of a terminal
_MARGIN = 200


class Sitting:
    """A person's going through the rules that wait; to be closed at its end."""

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self.decisions: list[tuple[Case, Ruling]] = []
        today = clock.now(work.settings.zone).date()
        book, unnoted = rulebook(work).age_confidences(today), list_unnoted(work)
        self.cases = deque(list_cases(work, book, unnoted))
        self._all = (*book.rules, *unnoted)
        self.rules = {rule.id: rule for rule in (*unnoted, *book.rules)}
        self.in_force = frozenset(rule.id for rule in book.rules if book.is_in_force(rule))

    @cached_property
    def _index(self) -> Index:
        return Index(rule.text for rule in self._all)

    def opposites(self, rule: Rule) -> list[Rule]:
        """Give the rules that want what one forbids, or in another order."""
        opposites = (self._all[at] for at in self._index.opposites(rule.text))
        return list({other.id: other for other in opposites if other.id != rule.id}.values())

    def turn(self, rule: Rule) -> str:
        """Give the words around the rule's first quote that is found, "" where it stood alone."""
        lines = (" ".join(parse_quote(line).words.split()) for line in rule.quotes)
        quotes = list(filter(None, lines))
        for text in _read_texts(self.work, rule, quotes):
            for words in quotes:
                at = text.find(words)
                if at >= 0 and len(text) > len(words):
                    first, last = max(0, at - _MARGIN), min(len(text), at + len(words) + _MARGIN)
                    lead, trail = "... " * (first > 0), " ..." * (last < len(text))
                    return f"{lead}{text[first:last].strip()}{trail}"
        return ""

    def decide(self, case: Case, status: Status, text: str = "", *, pinned: bool = False) -> str:
        """Decide about a rule that was shown; with a text, in these words.

        Says what was in the way, "" if nothing was; then its rule waits on with the words of now.
        """
        rule, digest = case.rule, text_hash(case.rule.text)
        ruling = Ruling(rule.id, status, "review", text=text, seen=digest, pinned=pinned)
        try:
            decide(self.work, [ruling], new=() if rule.path else (rule,))
        except (UsageError, Conflict) as error:
            with suppress(UsageError):  # its note is gone
                self._reread(rule.id)
                self.cases.append(case._replace(rule=self.rules[rule.id]))
            return str(error)
        self.decisions.append((case, ruling))
        return ""

    def _reread(self, identity: str) -> None:
        """Read a rule again that has changed, where it still waits, too."""
        rule = rulebook(self.work).find(identity)
        self.rules[rule.id] = rule
        for at, case in enumerate(self.cases):
            if case.rule.id == rule.id:
                self.cases[at] = case._replace(rule=rule)

    def close(self) -> list[str]:
        """Bring promoted files up to date; give what could not be done."""
        ids = [ruling.id for _, ruling in self.decisions if ruling.text or not ruling.approves]
        if not ids:
            return []
        from memoria.rules.promotion.placement import renew_files  # noqa: PLC0415 - few lists decide

        return renew_files(self.work, ids)


# -- What was said around a rule ------------------------------------------------------------------


def _read_texts(work: Workspace, rule: Rule, quotes: Iterable[str]) -> Iterator[str]:
    """Give what the user said in the sessions of a rule, while their transcripts are there.

    What holds none of the quotes is left out before it is cleaned, which takes the longest.
    """
    history = work.vault.history()
    for name, mark in history.watermarks.items():
        path, session = Path(name), mark.identity
        if session[:8] not in rule.sessions or history.has_forgotten(session):
            continue
        # the client may remove its transcripts at any time
        with suppress(MemoriaError, OSError):
            if path.is_file() and path.stat().st_size <= _MAX_BYTES:
                for part in agents.read(path):
                    # what a tool printed is not shown, so it need not be cleaned
                    for utterance in list_utterances(part, strip_private):
                        text = " ".join(strip_hidden(utterance.ask.text).split())
                        # to clean a text alters its secrets alone
                        if any(words in text or "REDACTED" in words for words in quotes):
                            text = clean.clean_value(utterance.ask.text, work.settings.secrets)
                            yield " ".join(text.split())
