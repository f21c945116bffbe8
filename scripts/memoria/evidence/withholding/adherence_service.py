"""Count how the rules with a check were kept in a captured part of a session.

Asked of every rule with a check that holds in the project, whether the session was given it or not,
and whether its guard is on or not: without the sessions that had neither there is nothing to
compare with. A guard counts from when it was switched on, since an import may bring sessions that
had ended before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.agents.json_line import moment
from memoria.capture.extract.user.statements import WEAK
from memoria.capture.observer import Observer
from memoria.errors import MemoriaError
from memoria.evidence.withholding import adherence
from memoria.evidence.withholding.adherence import Kept
from memoria.learning import rewards
from memoria.learning.occasions import Judge
from memoria.rules.guards import check as guard
from memoria.rules.guards import switch_store, switches
from memoria.rules.guards.replay import verdicts
from memoria.rules.learn import learn_at_flush
from memoria.rules.model import holds_in, rules
from memoria.rules.sightings import Sighting, says

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from memoria.capture.provenance.model_verdicts import Testimony
    from memoria.capture.service import Delivery, Part
    from memoria.learning.rewards import By
    from memoria.rules.guards.judge import Memory
    from memoria.rules.guards.switches import Switch
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import Record
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction


class AdherenceObserver:
    """Says how rules were kept; notes and switches are read when the first session asks."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._rules: tuple[Rule, ...] | None = None
        self._modes: dict[str, Switch] = {}
        self._session = ""
        self._memories: dict[str, Memory] = {}

    def kept(self, part: Part) -> dict[str, Kept]:
        """Count what the checks say of a part, by the ids of their rules."""
        mine = {
            rule.id: rule
            for rule in self._checked()
            if rule.check is not None and holds_in(rule, part.project)
        }
        if not mine or not part.transcript.turns:
            return {}
        if part.transcript.session != self._session:
            self._session, self._memories = part.transcript.session, {}
        checks = {name: rule.check for name, rule in mine.items() if rule.check is not None}
        kept_rules: dict[str, Kept] = {}
        for name, verdict in verdicts(part.transcript, checks, self._memories):
            known = kept_rules.get(name) or Kept(
                guard=self._mode(name, part), check=switches.digest(mine[name])
            )
            kept_rules[name] = adherence.counted(
                known, is_broken=verdict.is_broken, is_stopped=verdict.is_stopped
            )
        return kept_rules

    def checked(self) -> frozenset[str]:
        """Give the ids of the rules that have a check."""
        return frozenset(rule.id for rule in self._checked())

    def _checked(self) -> tuple[Rule, ...]:
        if self._rules is None:
            shelf = self._vault.articles
            notes = (shelf.get(path) for path in shelf.paths() if path.startswith("rules/"))
            found = rules(note for note in notes if note and note.meta.get(guard.KEY))
            self._rules = tuple(rule for rule in found if not rule.is_closed)
            self._modes = self._on(self._rules) if self._rules else {}
        return self._rules

    def _mode(self, name: str, part: Part) -> str:
        """Give the mode of a rule's guard if it is on, and was when the part ended."""
        found = self._modes.get(name)
        since = moment(found.at) if found else None
        return found.mode if found and since and since <= part.ended else ""

    def _on(self, found: tuple[Rule, ...]) -> dict[str, Switch]:
        """Give the switches of the guards that are on."""
        state = self._vault.state
        try:
            known = switches.switches(state.read_json(state.root / switch_store.SWITCHES))
            approvals = {k: str(v) for k, v in state.read_json(state.approvals).items()}
        except (MemoriaError, OSError):
            return {}
        return {
            rule.id: known[rule.id]
            for rule in found
            if rule.id in known and switches.state(rule, known[rule.id], approvals) == "on"
        }


class RuleObserver(Observer):
    """Keeps how rules were kept in each captured part, and what became of those it was given."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._judge = Judge(vault)
        self._keeper = AdherenceObserver(vault)

    def given(self, session: str) -> Mapping[str, str]:
        """Give the rules (id to text) that a session was given."""
        return self._judge.given(session)

    def records(self, part: Part, judged: Iterable[Testimony], now: datetime) -> Iterator[Record]:
        """Make the ledger's records of adherence and of automatic judgements."""
        session = part.transcript.session
        kept = self._keeper.kept(part)
        if kept:
            yield adherence.record(now, session, part.project, kept)
        given = self._judge.given(session)
        seen = {name: one for name, one in kept.items() if name in given}
        verdicts = preferred(self._judge.verdicts(part, judged), seen, self._keeper.checked())
        if verdicts:
            yield rewards.judged(now, session, part.project, verdicts)

    def delivered(
        self, deliveries: Collection[Delivery], change: Transaction, now: datetime
    ) -> None:
        """Make rules of what the user stated in sessions whose entries are new."""
        said = {
            one.entry.id: [statement.quote for statement in one.extract.statements]
            for one in deliveries
            if one.entry
        }
        learn_at_flush(self._vault, list(_sightings(deliveries)), change, now, said)


def _sightings(deliveries: Iterable[Delivery]) -> Iterator[Sighting]:
    for delivery in deliveries:
        entry = delivery.entry
        for said in delivery.extract.statements if entry else ():
            if entry and said.score >= WEAK and says(said.text, said.quote):
                yield Sighting(said, entry.day, entry.project, entry.session, entry.id)


def preferred(
    judged: Mapping[str, tuple[bool, By, str]], kept: Mapping[str, Kept], checked: Collection[str]
) -> dict[str, tuple[bool, By, str]]:
    """Put what checks saw in the place of what words seemed to say.

    `checked` are the rules with a check: where it saw no occasion, words that look like one do not
    count either, but a quote does. Of a rule with a guard nothing is judged: what became of it was
    the guard's doing as well.
    """
    guarded = {name for name, one in kept.items() if one.guard}
    found: dict[str, tuple[bool, By, str]] = {
        name: one
        for name, one in judged.items()
        if name not in guarded and (name not in checked or one[1] != "flush")
    }
    for name, one in kept.items():
        if name not in guarded:
            found[name] = (one.went_well, "check", "")
    return found
