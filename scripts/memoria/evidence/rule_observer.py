"""Judge the rules of captured sessions, and make rules of what the user stated there.

An occasion is there when half of the weight of a rule's words, and two of them, stand in the
commands, files and mistakes of the session. It went badly when one of the mistakes speaks of the
rule in the same way. That is asked of rules shown and withheld alike, or they could not be
compared. Code judges by words, a model by a quote, and where both speak the worse counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoria.agents.json_line import mappings_of
from memoria.capture.extract.session_context import list_topic_texts
from memoria.capture.extract.user.statements import WEAK
from memoria.capture.parts import Delivery, Observer, Part
from memoria.errors import VaultError
from memoria.learning import rewards
from memoria.rules.learn import learn_at_flush
from memoria.rules.model import read_noted
from memoria.rules.sightings import Sighting
from memoria.rules.stated_rules import find_supported
from memoria.text.word_overlap import compute_shares, coverage, find_telling_words, rarity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from memoria.capture.provenance.quotes import RuleJudgement
    from memoria.learning.rewards import By
    from memoria.vault.storage.ledger_records import Record
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction

# of a rule's weight: below the half of it, most of what it speaks of was not there
_AT_HAND = 0.5
# words: one alone ("test") is at hand in every session
_MIN_WORDS_PRESENT = 2


class SessionActivity(NamedTuple):
    """What a session did: the words of its commands and files, and of each of its mistakes."""

    words: frozenset[str]
    mistakes: tuple[frozenset[str], ...]


def build_activity(texts: Iterable[str], mistake_lines: Iterable[str]) -> SessionActivity:
    """Read commands, file names and what the user asked; and the lines of what went wrong."""
    mistake_words = tuple(frozenset(find_telling_words(text)) for text in mistake_lines)
    words = frozenset(word for text in texts for word in find_telling_words(text))
    return SessionActivity(words.union(*mistake_words), mistake_words)


def judge_occasions(
    rules: Mapping[str, str], activity: SessionActivity, weights: Mapping[str, float]
) -> dict[str, bool]:
    """Say of each rule (id -> text) whose occasion came up whether it went well.

    `weights` say how rare a word is among the rules of the vault (`word_overlap.rarity`).
    """
    words_of = ((name, find_telling_words(text)) for name, text in rules.items())
    shares = ((name, compute_shares(words, weights)) for name, words in words_of)
    return {
        name: not any(_is_present(parts, mistake) for mistake in activity.mistakes)
        for name, parts in shares
        if _is_present(parts, activity.words)
    }


def _is_present(parts: Mapping[str, float], words: frozenset[str]) -> bool:
    present = [word for word in parts if word in words]
    is_few = len(present) < min(_MIN_WORDS_PRESENT, len(parts))
    return bool(present) and not is_few and coverage(parts, dict.fromkeys(present, 1.0)) >= _AT_HAND


class RuleObserver(Observer):
    """Judges the rules of each captured part; notes are read when the first session asks for them.

    A rule that was reworded since is judged by its words of today, which is why the ledger keeps
    the hash of what was shown.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._texts: dict[str, str] | None = None
        self._weights: Mapping[str, float] = {}

    def list_given_rules(self, session: str) -> dict[str, str]:
        """Give the rules that a session was given, or that were withheld from it: id to text."""
        path = self._vault.state.given / f"{session}.json"
        try:
            value = self._vault.state.read_json(path)
        except (VaultError, OSError):
            return {}
        rows = (*mappings_of(value.get("slate")), *mappings_of(value.get("withheld")))
        names = [str(row.get("id")) for row in rows]
        texts = self._rule_texts() if names else {}
        return {name: texts[name] for name in names if name in texts}

    def records(
        self, part: Part, judgements: Iterable[RuleJudgement], now: datetime
    ) -> Iterator[Record]:
        """Make the ledger's record of automatic judgements."""
        session = part.transcript.session
        given_rules = self.list_given_rules(session)
        has_turns = given_rules and part.transcript.turns
        if has_turns and (verdicts := self._verdicts(part, given_rules, judgements)):
            yield rewards.build_judged_record(now, session, part.project, verdicts)

    def _verdicts(
        self, part: Part, given_rules: Mapping[str, str], judgements: Iterable[RuleJudgement]
    ) -> dict[str, tuple[bool, By, str]]:
        """Say of each rule whose occasion came up in a part whether it went well, and by whom."""
        texts = list_topic_texts(part.seen, part.extract.files)
        activity = build_activity(texts, (row.line for row in part.mistakes))
        occasions = judge_occasions(given_rules, activity, self._weights).items()
        verdicts: dict[str, tuple[bool, By, str]]
        verdicts = {name: (well, "flush", "") for name, well in occasions}
        for testimony in judgements:
            rule = testimony.rule
            if rule not in verdicts or (verdicts[rule][0] and not testimony.kept):
                verdicts[rule] = (testimony.kept, "model", testimony.quote)
        return verdicts

    def handle_deliveries(
        self, deliveries: Collection[Delivery], change: Transaction, now: datetime
    ) -> None:
        """Make rules of what the user stated in sessions whose entries are new."""
        drafts = [(delivery.entry, delivery.extract) for delivery in deliveries if delivery.entry]
        quotes = {entry.id: [row.quote for row in extract.statements] for entry, extract in drafts}
        sightings = [
            Sighting(stated, entry.day, entry.project, entry.session, entry.id)
            for entry, extract in drafts
            for statement in extract.statements
            if statement.score >= WEAK and (stated := find_supported(statement))
        ]
        learn_at_flush(self._vault, sightings, change, now, quotes)

    def _rule_texts(self) -> dict[str, str]:
        if self._texts is None:
            self._texts = {rule.id: rule.text for rule in read_noted(self._vault.articles)}
            self._weights = rarity(map(find_telling_words, self._texts.values()))
        return self._texts
