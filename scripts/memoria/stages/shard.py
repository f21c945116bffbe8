"""A machine's ledger -> the shard that another machine of the same person takes in.

What happened to rules in sessions is worth the same wherever they ran, so that is exchanged: parts
of sessions, mistakes, injections, rewards. What was decided on one machine is no decision on
another: approvals never travel, and decisions, experiments and promotions arrive wrapped, so that
they can be read and are folded into nothing. The traps: a watermark names a file of the other
machine, and here it would stop the capture of one that has the same path; and a shard may come home
again by way of a third machine, so what is known is told by content and not by where it came from.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memoria.errors import UsageError, VaultError
from memoria.stages import retraction
from memoria.stages.ledger import VERSION, line, parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.stages.ledger import Record

KIND, WRAPPED = "shard", "elsewhere"
# the machine that a record came from; what has none was made here
ORIGIN = "machine"
# of a shard's own form, apart from the ledger's
FORM = 1
# what is taken in as it is: it says what happened, and nothing of what is to be done
SHARED = frozenset({"session", "mistake", "injection", "judged", "reward", "opinion"})
# what is kept for reading alone
TOLD = frozenset({"rule", "promote", "experiment", "hand"})
# of a session's record: what names files and logs of the machine that made it
_LOCAL = frozenset(
    {"path", "identity", "end", "tail", "last_uuid", "entry", ORIGIN, retraction.STEP}
)
# what tells that two machines have written down the same thing, where it is not the whole record
_SAME: Mapping[str, tuple[str, ...]] = {
    "session": ("session", "turns", "ended"),
    "mistake": ("session", "call", "signature", "at"),
    "injection": ("session", "event", "at"),
    "judged": ("session", "at"),
}


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a shard brings: records for this ledger; how many were `known`, or `strange` lines."""

    machine: str
    records: tuple[Record, ...] = ()
    told: int = 0
    known: int = 0
    strange: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)


def shard(records: Iterable[Record], machine: str, since: str = "") -> Iterator[str]:
    """Give the lines of a shard; `records` are the whole ledger's, `since` a day."""
    yield line({"kind": KIND, "v": VERSION, "form": FORM, ORIGIN: machine})
    found = list(records)
    gone = retraction.undone(found)
    for one in found:
        kind = one.get("kind")
        if kind not in SHARED | TOLD | {WRAPPED} or not retraction.stands(one, gone):
            continue
        if str(one.get("at"))[: len(since)] >= since:
            yield line(portable(one) | {ORIGIN: str(one.get(ORIGIN) or machine)})


def portable(record: Mapping[str, Any]) -> Record:
    """Give a record without what means something on its own machine alone."""
    return {key: value for key, value in record.items() if key not in _LOCAL}


def key(record: Mapping[str, Any]) -> str:
    """Name what a record says: the same on every machine and however often it has travelled."""
    if record.get("kind") == WRAPPED and isinstance(record.get("record"), dict):
        return key(record["record"])
    kind = str(record.get("kind"))
    names = _SAME.get(kind)
    said = {name: record.get(name) for name in names} if names else portable(record)
    text = json.dumps([kind, said], sort_keys=True, separators=(",", ":"), default=str)
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def arrival(lines: Iterable[str], known: Iterable[Record], here: str) -> Arrival:
    """Read a shard's lines for a ledger that has the records `known`, on the machine `here`.

    UsageError for what is no shard, VaultError for one of a newer Memoria; then nothing is taken.
    """
    rows = iter(lines)
    head = parsed(next(rows, ""))
    if head is None or head.get("kind") != KIND or not str(head.get(ORIGIN) or ""):
        raise UsageError("this is no shard of a ledger: `memoria ledger export` makes one")
    _refuse_newer(head, head.get("form"), FORM)
    seen = {key(one) for one in known}
    records: list[Record] = []
    kinds: dict[str, int] = {}
    told = met = strange = 0
    for text in rows:
        one = parsed(text)
        if one is None:
            strange += bool(text.strip())
            continue
        _refuse_newer(one, one.get("v", VERSION), VERSION)
        taken = _taken(one, here)
        if taken is None:
            strange += 1
        elif key(taken) in seen:
            met += 1
        else:
            seen.add(key(taken))
            records.append(taken)
            told += taken["kind"] == WRAPPED
            kinds[taken["kind"]] = kinds.get(taken["kind"], 0) + 1
    return Arrival(str(head[ORIGIN]), tuple(records), told, met, strange, kinds)


def _taken(one: Record, here: str) -> Record | None:
    """Give a record as it is taken in, None for what no shard has."""
    kind, origin = str(one.get("kind")), str(one.get(ORIGIN) or "")
    inner = one.get("record")
    if not origin or not isinstance(one.get("at"), str):
        return None
    if kind == WRAPPED and isinstance(inner, dict) and inner.get("kind") in TOLD:
        return _wrapped(portable(inner), one["at"], origin)
    if kind in TOLD:
        return _wrapped(portable(one), one["at"], origin)
    if kind not in SHARED:
        return None
    # what comes home is known, unless this ledger was lost
    return portable(one) | ({ORIGIN: origin} if origin != here else {})


def _wrapped(record: Record, at: str, origin: str) -> Record:
    return {"kind": WRAPPED, "at": at, "record": record, ORIGIN: origin}


def _refuse_newer(one: Mapping[str, Any], version: object, most: int) -> None:
    newest = max(value for value in (version, one.get("v", 0), 0) if isinstance(value, int))
    if newest > most:
        raise VaultError(
            f"the shard was written by a newer Memoria (version {newest}, this one knows {most}): "
            "update memoria-compiler"
        )
