"""Fold the lines of the ledger into what is known: watermarks, captures, mistakes, costs.

Torn lines are passed over and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, cast

from memoria.text.dates import parse_moment
from memoria.text.json_text import number_of, text_at, texts_at
from memoria.vault.storage import ledger_records as ledger
from memoria.vault.storage.ledger_records import DETECTOR_VERSION, NO_TURN, How, Mistake, Resolution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memoria.vault.entry import Entry
    from memoria.vault.storage.ledger_records import Record


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session of which something was captured, from its first turn to its last."""

    session: str
    project: str
    began: datetime
    ended: datetime
    # what is kept of its surroundings (capture/extract/session_context.py)
    context: Record = field(default_factory=dict)
    # the version of the error detector that read it, 0 where its parts were read by several
    detector: int = DETECTOR_VERSION


class RecordedMistake(NamedTuple):
    """A mistake with its session and project, and the version of the detector that saw it."""

    mistake: Mistake
    session: str
    project: str
    detector: int = DETECTOR_VERSION


@dataclass(slots=True)
class History:
    """The fold of a ledger."""

    watermarks: dict[str, ledger.Watermark] = field(default_factory=dict)
    turns: set[str] = field(default_factory=set)
    captures: dict[str, ledger.Capture] = field(default_factory=dict)
    mistakes: list[RecordedMistake] = field(default_factory=list)
    sessions: dict[str, RecordedSession] = field(default_factory=dict)  # the captured, by id
    # of an entry: the hash of the block that was compiled
    compiled: dict[str, str] = field(default_factory=dict)
    # of a note, by its path: the hash of the file as Memoria wrote it last
    written: dict[str, str] = field(default_factory=dict)
    # of a log: {hash, compiled_at, cost_usd}, as the seed has it
    ingested: dict[str, Record] = field(default_factory=dict)
    # those of all other kinds, as they stand
    records: dict[str, list[Record]] = field(default_factory=dict)
    damaged: int = 0  # lines that are no records
    unquoted: int = 0  # rules that a model ascribed to the user without words of the user's
    undone: frozenset[str] = frozenset()  # steps that were taken back
    # of a salt: the hashes of sessions and turns that are not to be captured again
    forgot: dict[str, frozenset[str]] = field(default_factory=dict)

    def has_forgotten(self, name: str) -> bool:
        """Whether a session, or a turn by its key, is not to be captured again."""
        if not self.forgot:
            return False
        from memoria.vault.storage import tombstones  # noqa: PLC0415 - few people forget

        pairs = self.forgot.items()
        return any(tombstones.hash_name(salt, name) in hashes for salt, hashes in pairs)

    def restore_place(self, entry: Entry) -> Entry:
        """Give an entry the project and day under which this machine captured it, if it did.

        Its log may say anything: a pull that names another project would let hooks tell it there.
        """
        capture = self.captures.get(entry.id)
        at = parse_moment(capture.day) if capture else None
        if capture is None or at is None:
            return entry
        moment = datetime.combine(at, entry.at.time())
        return replace(entry, project=capture.project, day=at.date(), at=moment)

    def records_of(self, kind: str) -> Sequence[Record]:
        """Give the records of a kind that no other field holds, oldest first."""
        return self.records.get(kind, ())

    def list_injections(self) -> dict[str, list[Record]]:
        """Give the records of what each session was told, oldest first."""
        by_session: dict[str, list[Record]] = {}
        for record in self.records_of("injection"):
            if name := text_at(record, "session"):
                by_session.setdefault(name, []).append(record)
        return by_session

    @property
    def calls(self) -> Sequence[Record]:
        """The records of model calls."""
        return self.records_of("call")

    def filter_by_detector(self, version: int) -> History:
        """Leave out the sessions and mistakes that another version of the detector has read."""
        sessions = {name: row for name, row in self.sessions.items() if row.detector == version}
        mistakes = [row for row in self.mistakes if row.detector == version]
        return replace(self, sessions=sessions, mistakes=mistakes)

    @property
    def latest(self) -> History:
        """The sessions and mistakes of the newest detector that has read any."""
        newest = max((session.detector for session in self.sessions.values()), default=0)
        return self.filter_by_detector(newest)

    @property
    def cost(self) -> float:
        """US dollars of all model calls, at list prices."""
        return float(sum(_amount_at(call, "cost_usd") for call in self.calls))

    def state(self) -> Record:
        """Give state.json as the seed has it, from the ledger alone."""
        lints = [call for call in self.calls if call.get("task") == "lint"]
        costs: dict[str, Record] = {}
        for call in self.calls:
            nothing = {"calls": 0, "tokens": 0, "cost_usd": 0.0}
            cost = costs.setdefault(str(call.get("task")), nothing)
            cost["calls"] += 1
            cost["tokens"] += int(_amount_at(call, "input") + _amount_at(call, "output"))
            cost["cost_usd"] = round(cost["cost_usd"] + _amount_at(call, "cost_usd"), 6)
        return {
            "ingested": dict(sorted(self.ingested.items())),
            "query_count": sum(call.get("task") == "query" for call in self.calls),
            "last_lint": lints[-1].get("at") if lints else None,
            "total_cost": round(self.cost, 6),
            "operations": dict(sorted(costs.items())),
        }


def fold_ledger(lines: Iterable[str]) -> History:
    """Fold the ledger's lines, oldest first, into what is known."""
    records: list[Record] = []
    history = History()
    for text in lines:
        record = ledger.parse_record(text)
        if record is not None:
            records.append(record)
        elif text.strip():
            history.damaged += 1
    history.undone = ledger.find_undone_steps(records)
    for record in ledger.remove_undone_records(records, history.undone):
        kind = str(record.get("kind"))
        if kind in _FOLDS and not record.get("tombstone"):
            _FOLDS[kind](history, record)
        elif not record.get("tombstone"):
            history.records.setdefault(kind, []).append(record)
    return history


def _add_forgotten(history: History, record: Record) -> None:
    salt, forgot = text_at(record, "salt"), history.forgot
    forgot[salt] = forgot.get(salt, frozenset()) | set(texts_at(record, "forgot"))


def _add_session(history: History, record: Record) -> None:
    history.turns.update(texts_at(record, "turns"))
    history.unquoted += int(_amount_at(_object_at(record, "skipped"), ledger.UNQUOTED))
    path, end = text_at(record, "path"), record.get("end")
    if path and isinstance(end, int) and not isinstance(end, bool) and end >= 0:
        identity, tail = (text_at(record, name) for name in ("identity", "tail"))
        history.watermarks[path] = ledger.Watermark(path, identity, end, tail)
    _merge_recorded_session(history, record)
    if entry := text_at(record, "entry"):
        fields = ("session", "project", "day", "ended", "engine", "agent")
        texts = (text_at(record, name) for name in fields)
        history.captures[entry] = ledger.Capture(entry, *texts)


def _merge_recorded_session(history: History, record: Record) -> None:
    """Join the parts of a session; a record that only moved the watermark is none."""
    ended = parse_moment(record.get("ended"))
    began = parse_moment(record.get("began"))
    if began is None and isinstance(record.get("turns"), list) and record["turns"]:
        began = ended
    name, project = text_at(record, "session"), text_at(record, "project")
    if began is None or ended is None or not name:
        return
    context, version = _object_at(record, "context"), int(_amount_at(record, "detector"))
    part = RecordedSession(name, project, began, ended, context, version)
    recorded = history.sessions.get(name, part)
    history.sessions[name] = replace(
        recorded,
        began=min(recorded.began, began),
        ended=max(recorded.ended, ended),
        context=recorded.context | context,
        detector=recorded.detector if recorded.detector == version else 0,
    )


def _add_mistake(history: History, record: Record) -> None:
    at, resolution = parse_moment(record.get("at")), None
    if at is None:
        history.damaged += 1
        return
    texts = {name: text_at(record, field) for name, field in ledger.OF_MISTAKE.items()}
    if resolved := parse_moment(record.get("resolved")):
        how, change, file = (text_at(record, name) for name in ledger.OF_RESOLUTION)
        resolution = Resolution(cast("How", how), change, resolved, file)
    mistake = Mistake(**texts, turn=NO_TURN, at=at, resolution=resolution)
    session, project = text_at(record, "session"), text_at(record, "project")
    version = int(_amount_at(record, "detector"))
    history.mistakes.append(RecordedMistake(mistake, session, project, version))


def _add_compile(history: History, record: Record) -> None:
    history.compiled.update(_hashes_at(record, "entries"))
    if log := text_at(record, "log"):
        earlier = _amount_at(history.ingested.get(log, {}), "cost_usd")
        history.ingested[log] = {
            "hash": text_at(record, "hash"),
            "compiled_at": text_at(record, "at"),
            "cost_usd": round(earlier + _amount_at(record, "cost_usd"), 6),
        }
    _add_written(history, record)


def _add_written(history: History, record: Record) -> None:
    history.written.update(_hashes_at(record, "wrote"))


# how a record of a kind is put in; one of any other kind stays as it is
_FOLDS: Mapping[str, Callable[[History, Record], None]] = {
    "session": _add_session,
    "mistake": _add_mistake,
    "compile": _add_compile,
    "wrote": _add_written,
    ledger.UNDO: _add_written,  # with the hashes that taking the step back wrote
    ledger.FORGET: _add_forgotten,
}


def _object_at(record: Record, name: str) -> Record:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _hashes_at(record: Record, name: str) -> dict[str, str]:
    return {str(key): str(sha) for key, sha in _object_at(record, name).items()}


def _amount_at(record: Record, name: str) -> float:
    return number_of(record.get(name)) or 0.0
