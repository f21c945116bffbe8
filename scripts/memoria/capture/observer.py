"""Let others learn from a captured part; capture knows none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memoria.capture.provenance.model_verdicts import Testimony
    from memoria.capture.service import Part
    from memoria.vault.storage.history import Record


class Observer(Protocol):
    """Sees each part before it is written; its records land with the part or not at all."""

    def given(self, session: str) -> Mapping[str, str]:
        """Give the rules (id to text) that a session was given: its model is to judge them."""
        ...

    def records(self, part: Part, judged: Iterable[Testimony], now: datetime) -> Iterable[Record]:
        """Make the ledger's records of what a part shows; `judged` is what the model said."""
        ...


class NoObserver:
    """Learns nothing: for who only reads parts."""

    def given(self, _session: str) -> Mapping[str, str]:
        """Give no rules."""
        return {}

    def records(
        self, _part: Part, _judged: Iterable[Testimony], _now: datetime
    ) -> Iterable[Record]:
        """Make no records."""
        return ()
