"""Judge the rules that a session was given, from what it did.

Asked of rules that were shown and of those withheld alike; the flush writes the verdicts into the
ledger with the session. Plain code judges by words, a model by a quote that really stands in the
session, and where both speak the worse counts. A rule that was reworded since is judged by its
words of today, which is why the ledger keeps the hash of what was shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria.capture.extract.session_context import texts
from memoria.errors import VaultError
from memoria.learning.occasions import doing, occasions
from memoria.rules.model import rules
from memoria.text.word_overlap import rarity, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.capture.provenance.model_verdicts import Testimony
    from memoria.capture.service import Part
    from memoria.learning.rewards import By
    from memoria.vault.store import Vault


class Judge:
    """Judges the rules of sessions; notes are read when the first session asks for them."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._texts: dict[str, str] | None = None
        self._weights: Mapping[str, float] = {}

    def given(self, session: str) -> dict[str, str]:
        """Give the rules that a session was given, or that were withheld from it: id to text."""
        path = self._vault.state.given / f"{session}.json"
        try:
            value = self._vault.state.read_json(path)
        except (VaultError, OSError):
            return {}
        names = [*_ids(value, "slate"), *_ids(value, "withheld")]
        known = self._known() if names else {}
        return {name: known[name] for name in names if name in known}

    def verdicts(
        self, part: Part, judged: Iterable[Testimony] = ()
    ) -> dict[str, tuple[bool, By, str]]:
        """Say of each rule whose occasion came up in a part whether it went well, and by whom."""
        given = self.given(part.transcript.session)
        if not given or not part.transcript.turns:
            return {}
        done = doing(
            texts(part.seen, part.extract.files), (mistake.line for mistake in part.mistakes)
        )
        verdicts: dict[str, tuple[bool, By, str]] = {
            name: (well, "flush", "")
            for name, well in occasions(given, done, self._weights).items()
        }
        for testimony in judged:
            rule = testimony.rule
            if rule not in verdicts or (verdicts[rule][0] and not testimony.kept):
                verdicts[rule] = (testimony.kept, "model", testimony.quote)
        return verdicts

    def _known(self) -> dict[str, str]:
        if self._texts is None:
            shelf = self._vault.articles
            notes = (shelf.get(path) for path in shelf.paths() if path.startswith("rules/"))
            known = rules(note for note in notes if note)
            self._texts = {rule.id: rule.text for rule in known}
            self._weights = rarity(terms(rule.text) for rule in known)
        return self._texts


def _ids(value: Mapping[str, Any], name: str) -> list[str]:
    rows = value.get(name)
    listed = rows if isinstance(rows, list) else []
    return [str(row.get("id")) for row in listed if isinstance(row, dict)]
