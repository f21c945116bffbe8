"""Lines of the ledger -> what is known: watermarks, captures, mistakes, compiled entries, costs.

The ledger is append-only and the only truth about what was done; state.json and the watermarks are
folds of it, so they can be deleted and come back the same. A record is one JSON object on one line
with `kind` and `at`; unknown kinds and torn lines are passed over and counted, never fatal, because
another version or a crash may have written them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from memoria.text.dates import moment
from memoria.vault.entry import DETECTOR, NO_TURN, Mistake, Resolution
from memoria.vault.storage import tombstones, undone_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memoria.llm.requests import Reply
    from memoria.vault.entry import How

Record = dict[str, Any]
# which rules stand in which other tool's file
PROMOTE = "promote"
# what other stages make of the ledger: what was decided of rules, ids that were shown, promotions
KEPT = frozenset(
    (
        *("adherence", "guard", "rule", "skills", PROMOTE, "injection", "judged", "reward"),
        *("experiment", "hand", "proposal", "opinion"),
    )
)
# of the format: a record without `v` has version 1, and one with a higher one is not for us
VERSION = 1
# enough of a uuid to tell the turns of one person apart: 16 of 32 hex digits
_TURN_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a transcript file was captured: `end` bytes, the last of them hashing to `tail`."""

    path: str
    identity: str
    end: int
    tail: str


@dataclass(frozen=True, slots=True)
class Capture:
    """One captured part of a session."""

    entry: str
    session: str
    project: str
    day: str
    at: str
    engine: str
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Stay:
    """A session of which something was captured, from its first turn to its last.

    `context` is what the ledger keeps of its surroundings (capture/extract/session_context.py), {}
    for none. `detector` is the version of the error detector that read it, 0 where its parts were
    read by several.
    """

    session: str
    project: str
    began: datetime
    ended: datetime
    context: Record = field(default_factory=dict)
    detector: int = DETECTOR


@dataclass(frozen=True, slots=True)
class Seen:
    """A mistake with its session and project, and the version of the detector that saw it."""

    mistake: Mistake
    session: str
    project: str
    detector: int = DETECTOR


@dataclass(frozen=True, slots=True)
class History:
    """The fold of a ledger.

    `stays` are the captured sessions by id. `compiled` maps an entry's id to the hash of the block
    that was compiled. `written` maps a note's path to the hash of the file as Memoria wrote it
    last. `ingested` is the seed's: log name to {hash, compiled_at, cost_usd}. `kept` holds the
    records of the kinds in KEPT as they stand, for the stages that fold them. `damaged` counts
    lines that are no records, `newer` is the version of a record that a newer Memoria wrote, 0 for
    none. `undone` are the steps that were taken back: nothing of them counts. `forgot` maps a salt
    to the hashes of sessions and turns that are not to be captured again.
    """

    watermarks: Mapping[str, Watermark] = field(default_factory=dict)
    turns: frozenset[str] = frozenset()
    captures: Mapping[str, Capture] = field(default_factory=dict)
    mistakes: tuple[Seen, ...] = ()
    stays: Mapping[str, Stay] = field(default_factory=dict)
    compiled: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    ingested: Mapping[str, Record] = field(default_factory=dict)
    calls: tuple[Record, ...] = ()
    kept: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    damaged: int = 0
    newer: int = 0
    undone: frozenset[str] = frozenset()
    forgot: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def has_forgotten(self, name: str) -> bool:
        """Whether a session, or a turn by its key, is not to be captured again."""
        return any(tombstones.key(salt, name) in found for salt, found in self.forgot.items())

    def of(self, kind: str) -> tuple[Record, ...]:
        """Give the records of one of the kinds in KEPT, oldest first."""
        return self.kept.get(kind, ())

    def of_detector(self, version: int) -> History:
        """Leave out the sessions and mistakes that another version of the detector has read."""
        return replace(
            self,
            stays={name: stay for name, stay in self.stays.items() if stay.detector == version},
            mistakes=tuple(seen for seen in self.mistakes if seen.detector == version),
        )

    @property
    def latest(self) -> History:
        """The sessions and mistakes of the newest detector that has read any."""
        return self.of_detector(max((stay.detector for stay in self.stays.values()), default=0))

    @property
    def cost(self) -> float:
        """US dollars of all model calls, at list prices."""
        return float(sum(_number(call.get("cost_usd")) for call in self.calls))


def turn_key(uuid: str) -> str:
    """Shorten a turn's uuid to what the ledger keeps."""
    return uuid.replace("-", "")[:_TURN_LENGTH]


def line(record: Record) -> str:
    """Give a record's line; lone surrogates cannot be written and are replaced."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode() + "\n"


def captured(  # noqa: PLR0913 - a record has as many fields as it has
    *,
    at: datetime,
    capture: Capture,
    watermark: Watermark,
    turns: Iterable[str],
    skipped: Mapping[str, int] | None = None,
    began: datetime | None = None,
    context: Record | None = None,
    line: str = "",
) -> Record:
    """Make the record of a captured part; `capture.entry` is "" where only a line of the day is.

    `line` is the id of that line. `began` is the moment of its first turn, None for a part without
    one.
    """
    return {
        "kind": "session",
        "detector": DETECTOR,
        "at": at.isoformat(timespec="seconds"),
        "entry": capture.entry,
        "line": line,
        "session": capture.session,
        "project": capture.project,
        "day": capture.day,
        "began": began.isoformat(timespec="seconds") if began else None,
        "ended": capture.at,
        "engine": capture.engine,
        "agent": capture.agent,
        **asdict(watermark),
        "turns": [turn_key(uuid) for uuid in turns],
        "skipped": dict(skipped or {}),
        "context": dict(context or {}),
    }


def mistaken(mistake: Mistake, session: str, project: str) -> Record:
    """Make the record of a mistake."""
    resolution = mistake.resolution
    return {
        "kind": "mistake",
        "detector": DETECTOR,
        "at": mistake.at.isoformat(),
        "session": session,
        "project": project,
        "signature": mistake.signature,
        "tool": mistake.tool,
        "fault": mistake.kind,
        "action": mistake.action,
        "line": mistake.line,
        "call": mistake.call,
        "resolved": resolution.at.isoformat() if resolution else None,
        "how": resolution.how if resolution else "",
        "change": resolution.change if resolution else "",
        "file": resolution.file if resolution else "",
    }


def called(at: datetime, task: str, reply: Reply) -> Record:
    """Make the record of a model call."""
    return {
        "kind": "call",
        "at": at.isoformat(timespec="seconds"),
        "task": task,
        "engine": reply.engine,
        "model": reply.model,
        "input": reply.cost.input_tokens,
        "output": reply.cost.output_tokens,
        "cost_usd": round(reply.cost.usd, 6),
    }


def compiled(  # noqa: PLR0913 - a record has as many fields as it has
    *,
    at: datetime,
    log: str,
    digest: str,
    entries: Mapping[str, str],
    wrote: Mapping[str, str],
    cost_usd: float,
) -> Record:
    """Make the record of a compiled log: `digest` of its text, hashes of entries and files."""
    return {
        "kind": "compile",
        "at": at.isoformat(timespec="seconds"),
        "log": log,
        "hash": digest,
        "entries": dict(entries),
        "wrote": dict(wrote),
        "cost_usd": round(cost_usd, 6),
    }


def fold(lines: Iterable[str]) -> History:
    """Fold the ledger's lines, oldest first, into what is known."""
    memory = _Memory()
    found: list[Record] = []
    for text in lines:
        record = parsed(text)
        if record is None:
            memory.damaged += bool(text.strip())
        else:
            found.append(record)
    memory.undone = undone_records.undone(found)
    for record in found:
        if undone_records.stands(record, memory.undone):
            memory.take(record)
    return memory.history()


def state(history: History) -> Record:
    """Give state.json as the seed has it, from the ledger alone."""
    queries = [call for call in history.calls if call.get("task") == "query"]
    lints = [call for call in history.calls if call.get("task") == "lint"]
    costs: dict[str, Record] = {}
    for call in history.calls:
        cost = costs.setdefault(str(call.get("task")), {"calls": 0, "tokens": 0, "cost_usd": 0.0})
        cost["calls"] += 1
        cost["tokens"] += int(_number(call.get("input")) + _number(call.get("output")))
        cost["cost_usd"] = round(cost["cost_usd"] + _number(call.get("cost_usd")), 6)
    return {
        "ingested": dict(sorted(history.ingested.items())),
        "query_count": len(queries),
        "last_lint": lints[-1].get("at") if lints else None,
        "total_cost": round(history.cost, 6),
        "operations": dict(sorted(costs.items())),
    }


class _Memory:
    """The fold's accumulator: one method a kind of record."""

    def __init__(self) -> None:
        self.watermarks: dict[str, Watermark] = {}
        self.turns: set[str] = set()
        self.captures: dict[str, Capture] = {}
        self.mistakes: list[Seen] = []
        self.stays: dict[str, Stay] = {}
        self.newer = 0
        self.compiled: dict[str, str] = {}
        self.written: dict[str, str] = {}
        self.ingested: dict[str, Record] = {}
        self.calls: list[Record] = []
        self.kept: dict[str, list[Record]] = {}
        self.damaged = 0
        self.undone: frozenset[str] = frozenset()
        self.forgot: dict[str, frozenset[str]] = {}

    def take(self, record: Record) -> None:
        kinds = {
            "session": self._session,
            "mistake": self._mistake,
            "compile": self._compile,
            "wrote": self._wrote,
            undone_records.KIND: self._wrote,
            tombstones.KIND: self._forgot,
            "call": self.calls.append,
        }
        version = record.get("v", VERSION)
        if isinstance(version, int) and version > VERSION:
            self.newer = max(self.newer, version)
        if record.get("tombstone"):
            return
        kind = str(record.get("kind"))
        known = kinds.get(kind)
        if known:
            known(record)
        elif kind in KEPT:
            self.kept.setdefault(kind, []).append(record)

    def history(self) -> History:
        """Give what was gathered: each attribute is a field of the fold."""
        kept = {kind: tuple(records) for kind, records in self.kept.items()}
        lists = {"mistakes": tuple(self.mistakes), "calls": tuple(self.calls), "kept": kept}
        return History(**{**vars(self), **lists, "turns": frozenset(self.turns)})

    def _forgot(self, record: Record) -> None:
        salt, names = _text(record, "salt"), _items(record.get("forgot"))
        found = frozenset(name for name in names if isinstance(name, str))
        self.forgot[salt] = self.forgot.get(salt, frozenset()) | found

    def _session(self, record: Record) -> None:
        turns = record.get("turns")
        self.turns.update(turn for turn in _items(turns) if isinstance(turn, str))
        path, end = _text(record, "path"), record.get("end")
        if path and isinstance(end, int) and not isinstance(end, bool) and end >= 0:
            identity, tail = (_text(record, name) for name in ("identity", "tail"))
            self.watermarks[path] = Watermark(path, identity, end, tail)
        self._stay(record)
        entry = _text(record, "entry")
        if entry:
            fields = ("session", "project", "day", "ended", "engine", "agent")
            self.captures[entry] = Capture(entry, *(_text(record, name) for name in fields))

    def _stay(self, record: Record) -> None:
        """Join the parts of a session; what only moved the watermark was no stay."""
        ended = moment(record.get("ended"))
        began = moment(record.get("began")) or (ended if _items(record.get("turns")) else None)
        name, context = _text(record, "session"), record.get("context")
        if began is None or ended is None or not name:
            return
        known = self.stays.get(name)
        words = context if isinstance(context, dict) else {}
        version = _version(record)
        if known is None:
            self.stays[name] = Stay(name, _text(record, "project"), began, ended, words, version)
        else:
            began, ended = min(known.began, began), max(known.ended, ended)
            words, project = known.context | words, known.project
            version = version if version == known.detector else 0
            self.stays[name] = Stay(name, project, began, ended, words, version)

    def _mistake(self, record: Record) -> None:
        at = moment(record.get("at"))
        if at is None:
            self.damaged += 1
            return
        resolved = moment(record.get("resolved"))
        mistake = Mistake(
            signature=_text(record, "signature"),
            tool=_text(record, "tool"),
            kind=_text(record, "fault"),
            action=_text(record, "action"),
            line=_text(record, "line"),
            call=_text(record, "call"),
            turn=NO_TURN,
            at=at,
            resolution=_resolution(record, resolved) if resolved else None,
        )
        session, project = _text(record, "session"), _text(record, "project")
        self.mistakes.append(Seen(mistake, session, project, _version(record)))

    def _compile(self, record: Record) -> None:
        entries = record.get("entries")
        if isinstance(entries, dict):
            self.compiled.update({str(key): str(sha) for key, sha in entries.items()})
        log = _text(record, "log")
        if log:
            spent = _number(self.ingested.get(log, {}).get("cost_usd"))
            self.ingested[log] = {
                "hash": _text(record, "hash"),
                "compiled_at": _text(record, "at"),
                "cost_usd": round(spent + _number(record.get("cost_usd")), 6),
            }
        self._wrote(record)

    def _wrote(self, record: Record) -> None:
        wrote = record.get("wrote")
        if isinstance(wrote, dict):
            self.written.update({str(key): str(sha) for key, sha in wrote.items()})


def records(text: str) -> list[Record]:
    """Read the records of a ledger's text, by line ends alone: a record may hold U+2028."""
    return [one for one in map(parsed, text.split("\n")) if one is not None]


def parsed(text: str) -> Record | None:
    """Read a line, None where it is torn or no record."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and "kind" in value else None


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _resolution(record: Record, at: datetime) -> Resolution:
    how = cast("How", _text(record, "how"))
    return Resolution(how, _text(record, "change"), at, _text(record, "file"))


def _version(record: Record) -> int:
    """Give the version of the detector of a record; the first one wrote none."""
    value = record.get("detector")
    return value if isinstance(value, int) and not isinstance(value, bool) else 1


def _number(value: object) -> float:
    # JSON may hold NaN, Infinity, and whole numbers that no float can be
    try:
        number = float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return 0.0
    return number if isfinite(number) else 0.0


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []
