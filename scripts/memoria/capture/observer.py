"""Let others learn from a captured part; capture knows none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import datetime

    from memoria.capture.provenance.model_verdicts import Testimony
    from memoria.capture.service import Delivery, Part
    from memoria.vault.storage.history import Record
    from memoria.vault.transaction import Transaction


class Observer:
    """Sees each part before it is written; this one learns nothing."""

    def given(self, _session: str) -> Mapping[str, str]:
        """Give the rules (id to text) that a session was given: its model is to judge them."""
        return {}

    def records(
        self, _part: Part, _judged: Iterable[Testimony], _now: datetime
    ) -> Iterable[Record]:
        """Make ledger records, which land with the part; `judged` is what its model said."""
        return ()

    def delivered(
        self, _deliveries: Collection[Delivery], _change: Transaction, _now: datetime
    ) -> None:
        """Write what follows from new entries, in the transaction that writes them."""
