"""Records of the ledger -> those that were taken back: the ledger only grows, its fold shrinks.

`memoria undo` adds a record that names a step, and whoever folds the ledger passes over the records
of that step, as if they had never been. The record of an undo belongs to a step of its own, so an
undo is taken back in the same way. The trap: money that a model was paid is spent whatever becomes
of its answer, so calls always count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KIND = "undo"
# the field by which a record names the step that it belongs to
STEP = "step"
_SPENT = "call"


def undone(records: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Give the steps that are taken back; `records` are the ledger's, oldest first."""
    gone: set[str] = set()
    for record in reversed(records):
        if record.get("kind") == KIND and record.get(STEP) not in gone:
            gone.add(str(record.get("of")))
    return frozenset(gone)


def stands(record: Mapping[str, Any], gone: frozenset[str]) -> bool:
    """Whether a record counts; `gone` are the steps that are taken back."""
    return record.get("kind") == _SPENT or record.get(STEP) not in gone


def record(at: str, step: str, label: str, wrote: Mapping[str, str]) -> dict[str, Any]:
    """Make the record of a step that was taken back.

    `wrote` are hashes of notes as Memoria wrote them then.
    """
    return {"kind": KIND, "at": at, "of": step, "label": label, "wrote": dict(wrote)}
