"""See how rules were kept in captured sessions, and make rules of what the user stated there.

Asked of every rule with a check that holds in the project, given or not: without the sessions that
had neither rule nor guard there is nothing to compare with. A guard counts from when it was
switched on, since an import may bring sessions that had ended before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoria.agents.json_line import moment
from memoria.capture.extract.user.statements import WEAK
from memoria.capture.parts import Observer
from memoria.errors import MemoriaError
from memoria.learning import rewards
from memoria.learning.rewards import Judge
from memoria.rules.guards import check as guard
from memoria.rules.guards import switch_store
from memoria.rules.guards.replay_service import verdicts
from memoria.rules.learn import learn_at_flush
from memoria.rules.model import holds_in, rules
from memoria.rules.stated_rules import Sighting, says

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from memoria.capture.parts import Delivery, Part
    from memoria.capture.provenance.quotes import Testimony
    from memoria.learning.rewards import By
    from memoria.rules.guards.judge import Memory
    from memoria.rules.guards.switch_store import Switch
    from memoria.rules.model import Rule
    from memoria.vault.storage.ledger_records import Record
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Kept:
    """How often a rule's check was kept and broken in a session.

    `stopped` are breaches that a guard refused: they were tried. `guard` is the mode of the guard
    that was on, "" for none.
    """

    kept: int = 0
    broken: int = 0
    stopped: int = 0
    guard: str = ""

    @property
    def went_well(self) -> bool:
        """Whether nothing broke it, or would have but for a guard."""
        return not self.broken and not self.stopped


class RuleObserver(Observer):
    """Keeps how rules were kept in each captured part, and what became of those it was given.

    Notes and switches are read when the first session asks.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._judge = Judge(vault)
        self._rules: tuple[Rule, ...] | None = None
        self._modes: dict[str, Switch] = {}
        self._session = ""
        self._memories: dict[str, Memory] = {}

    def given(self, session: str) -> Mapping[str, str]:
        """Give the rules (id to text) that a session was given."""
        return self._judge.given(session)

    def records(self, part: Part, judged: Iterable[Testimony], now: datetime) -> Iterator[Record]:
        """Make the ledger's record of automatic judgements."""
        session = part.transcript.session
        kept = self._kept(part)
        given = self._judge.given(session)
        seen = {name: counts for name, counts in kept.items() if name in given}
        checked = frozenset(rule.id for rule in self._checked())
        verdicts = preferred(self._judge.verdicts(part, judged), seen, checked)
        if verdicts:
            yield rewards.judged(now, session, part.project, verdicts)

    def delivered(
        self, deliveries: Collection[Delivery], change: Transaction, now: datetime
    ) -> None:
        """Make rules of what the user stated in sessions whose entries are new."""
        new = [(delivery.entry, delivery.extract) for delivery in deliveries if delivery.entry]
        said = {entry.id: [one.quote for one in extract.statements] for entry, extract in new}
        sightings = [
            Sighting(one, entry.day, entry.project, entry.session, entry.id)
            for entry, extract in new
            for one in extract.statements
            if one.score >= WEAK and says(one.text, one.quote)
        ]
        learn_at_flush(self._vault, sightings, change, now, said)

    def _kept(self, part: Part) -> dict[str, Kept]:
        """Count what the checks say of a part, by the ids of their rules."""
        mine = {rule.id: rule for rule in self._checked() if holds_in(rule, part.project)}
        checks = {name: rule.check for name, rule in mine.items() if rule.check is not None}
        if not checks or not part.transcript.turns:
            return {}
        if part.transcript.session != self._session:
            self._session, self._memories = part.transcript.session, {}
        kept_rules: dict[str, Kept] = {}
        for name, verdict in verdicts(part.transcript, checks, self._memories):
            known = kept_rules.get(name) or Kept(guard=self._mode(name, part))
            end = ("stopped" if verdict.is_stopped else "broken") if verdict.is_broken else "kept"
            kept_rules[name] = replace(known, **{end: getattr(known, end) + 1})
        return kept_rules

    def _checked(self) -> tuple[Rule, ...]:
        """Give the rules that have a check."""
        if self._rules is None:
            shelf = self._vault.articles
            notes = (shelf.get(path) for path in shelf.paths() if path.startswith("rules/"))
            with_check = rules(note for note in notes if note and note.meta.get(guard.KEY))
            self._rules = tuple(rule for rule in with_check if not rule.is_closed)
            self._modes = self._on(self._rules) if self._rules else {}
        return self._rules

    def _mode(self, name: str, part: Part) -> str:
        """Give the mode of a rule's guard if it is on, and was when the part ended."""
        switch = self._modes.get(name)
        since = moment(switch.at) if switch else None
        return switch.mode if switch and since and since <= part.ended else ""

    def _on(self, checked: tuple[Rule, ...]) -> dict[str, Switch]:
        """Give the switches of the guards that are on."""
        state = self._vault.state
        try:
            known = switch_store.read_switches(state)
            approvals = {k: str(v) for k, v in state.read_json(state.approvals).items()}
        except (MemoriaError, OSError):
            return {}
        return {
            rule.id: known[rule.id]
            for rule in checked
            if rule.id in known and switch_store.state(rule, known[rule.id], approvals) == "on"
        }


def preferred(
    judged: Mapping[str, tuple[bool, By, str]], kept: Mapping[str, Kept], checked: Collection[str]
) -> dict[str, tuple[bool, By, str]]:
    """Put what checks saw in the place of what words seemed to say.

    `checked` are the rules with a check: where it saw no occasion, words that look like one do not
    count either, but a quote does. Of a rule with a guard nothing is judged: what became of it was
    the guard's doing as well.
    """
    by_words = {
        name: verdict
        for name, verdict in judged.items()
        if name not in checked or verdict[1] != "flush"
    }
    by_check: dict[str, tuple[bool, By, str]] = {
        name: (counts.went_well, "check", "") for name, counts in kept.items()
    }
    guarded = {name for name, counts in kept.items() if counts.guard}
    both = by_words | by_check
    return {name: verdict for name, verdict in both.items() if name not in guarded}
