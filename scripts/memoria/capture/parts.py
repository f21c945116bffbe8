"""Hold what a capture reads of a transcript and hands on: parts, entries, who learns of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.vault.storage import ledger_records as records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime

    from memoria.agents.transcript import Transcript
    from memoria.capture.day_logs import NotedLine
    from memoria.capture.extract.observing.observations import ObservedSession
    from memoria.capture.provenance.origins import Origins
    from memoria.capture.provenance.quotes import RuleJudgement
    from memoria.capture.provenance.session_spans import SessionSpans
    from memoria.llm.port import Reply
    from memoria.vault.entry import Entry, Extract
    from memoria.vault.storage.ledger_records import Mistake, Record
    from memoria.vault.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Part:
    """One captured part: cleaned, what plain code found in it, and how far the file is read.

    `outside` names what of outside the project the session had read by its end; `is_tainted` says
    that some of it was read before the part began.
    """

    transcript: Transcript
    seen: ObservedSession
    project: str
    entry_id: str
    ended: datetime
    mistakes: tuple[Mistake, ...]
    extract: Extract
    watermark: records.Watermark
    spans: SessionSpans
    origins: Origins
    outside: tuple[str, ...]
    is_tainted: bool


@dataclass(frozen=True, slots=True)
class Delivery:
    """A part with its entry (None: it gets a line of the day) and the calls that it cost.

    `sayable` and `held` are the keys of its lines that hooks may say, and of those that they may
    not; `closed` are open items of earlier sessions that this one has done, `unquoted` counts rules
    that a model ascribes to the user without words of the user's.
    """

    part: Part
    entry: Entry | None
    extract: Extract
    replies: tuple[Reply, ...] = ()
    engine: str = ""
    judgements: tuple[RuleJudgement, ...] = ()
    sayable: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    closed: tuple[NotedLine, ...] = ()
    unquoted: int = 0

    @property
    def skipped(self) -> dict[str, int]:
        """Count what was left out, by reason: of the transcript, and of the model's answer."""
        refused = {records.UNQUOTED: self.unquoted} if self.unquoted else {}
        return dict(self.part.transcript.skipped) | refused


class KnownTurns:
    """Turns that were captured before, or forgotten, asked for by their full uuid."""

    def __init__(self, keys: Iterable[str], forgotten: Callable[[str], bool]) -> None:
        self._keys = set(keys)
        self._forgotten = forgotten

    def __contains__(self, uuid: object) -> bool:
        """Whether the turn of that uuid was captured."""
        key = records.turn_key(uuid) if isinstance(uuid, str) else ""
        return bool(key) and (key in self._keys or self._forgotten(key))

    def add(self, uuids: Iterable[str]) -> None:
        """Take further turns for captured."""
        self._keys.update(map(records.turn_key, uuids))


def build_entry_id(first: str) -> str:
    """Give the id of the part, and of its entry, that begins with a turn."""
    return "e-" + hashlib.sha256(first.encode("utf-8", "replace")).hexdigest()[:12]


class Observer:
    """Sees each part before it is written; this one learns nothing, and capture knows no other."""

    def list_given_rules(self, _session: str) -> Mapping[str, str]:
        """Give the rules (id to text) that a session was given: its model is to judge them."""
        return {}

    def records(
        self, _part: Part, _judged: Iterable[RuleJudgement], _now: datetime
    ) -> Iterable[Record]:
        """Make ledger records, which land with the part; `judged` is what its model said."""
        return ()

    def handle_deliveries(
        self, _deliveries: Collection[Delivery], _change: Transaction, _now: datetime
    ) -> None:
        """Write what follows from new entries, in the transaction that writes them."""
