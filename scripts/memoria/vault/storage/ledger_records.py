"""Make the records of the ledger, and read them from its lines.

A record is one JSON object on a line with `kind` and `at`; history.py folds them. `memoria undo`
adds a record that names a step, whose records do not count any more.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from memoria.text.json_text import read_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from memoria.llm.port import Reply

# A subagent's call belongs to no turn of the conversation.
NO_TURN = -1
# The tool of a correction: no call was made, the person spoke.
USER = "user"
# The version of what counts as an error: raised whenever the same transcript would give others, so
# that no figure compares sessions that were counted differently.
DETECTOR_VERSION = 5
How = Literal[
    "edit",  # files were edited, then the same action passed
    "retry",  # the same call passed later as it was
    "rephrase",  # the same kind of action passed with other inputs
    "command",  # another command was run, then the same one passed
    "variable",  # a variable of the environment was set that the error had named
]
Record = dict[str, Any]
# which rules stand in which other tool's file
PROMOTE = "promote"
UNDO = "undo"
# what is never to be captured again (vault/storage/tombstones.py)
FORGET = "forget"
# the field by which a record names the step that it belongs to
STEP = "step"
# why a rule that a model ascribes to the user is left out, among what a captured part is without
UNQUOTED = "claim without the user's words"
# texts of a mistake and how a record calls them, those of how it went away
OF_MISTAKE = {
    "signature": "signature", "tool": "tool", "kind": "fault", "action": "action", "line": "line",
    "call": "call",
}  # fmt: skip
OF_RESOLUTION = ("how", "change", "file")
# enough of a uuid to tell the turns of one person apart: 16 of 32 hex digits
_TURN_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a mistake went away: the next success of the same kind of action, at `at`."""

    how: How
    change: str  # what was done in between: lines of a diff, a command, a variable's name, ""
    at: datetime
    file: str = ""  # that was edited, relative to the session's folder; "" for none or several


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that went wrong.

    A correction has the tool "user", a kind of "correction", "correction:failing" (what was made
    does not work) or "correction:revert", the user's sentence as its `line`, the sentence's content
    words in its signature, and as `call` the refused call or "".
    """

    # names the cause: tool, kind and the masked first informative line, up to 200 characters
    signature: str
    tool: str  # what the call did ("shell", "read")
    # "exit", "not-found", "edit-mismatch", "test", "timeout" and so on; or with a code after a
    # colon, "lint:errcheck"
    kind: str
    line: str  # the first informative one, unmasked
    call: str  # the id of the call, which may have several mistakes
    turn: int  # the index of its turn, NO_TURN for a subagent's call
    at: datetime
    resolution: Resolution | None = None  # None where the session ends before it went away
    action: str = ""  # what the command was to do ("go test"), "" for none


class Watermark(NamedTuple):
    """How far a transcript file was captured: `end` bytes, the last of them hashing to `tail`."""

    path: str
    identity: str
    end: int
    tail: str


class Capture(NamedTuple):
    """One captured part of a session."""

    entry: str
    session: str
    project: str
    day: str
    at: str
    engine: str
    agent: str = ""


def turn_key(uuid: str) -> str:
    """Shorten a turn's uuid to what the ledger keeps."""
    return uuid.replace("-", "")[:_TURN_LENGTH]


def format_line(record: Record) -> str:
    """Give a record's line; lone surrogates cannot be written and are replaced."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode() + "\n"


def build_capture_record(  # noqa: PLR0913 - a record has as many fields as it has
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
    """Make the record of a captured part; `line` is the id of its line of the day."""
    return {
        "kind": "session",
        "detector": DETECTOR_VERSION,
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
        **watermark._asdict(),
        "turns": [turn_key(uuid) for uuid in turns],
        "skipped": dict(skipped or {}),
        "context": dict(context or {}),
    }


def build_mistake_record(mistake: Mistake, session: str, project: str) -> Record:
    """Make the record of a mistake."""
    resolution = mistake.resolution
    return {
        "kind": "mistake",
        "detector": DETECTOR_VERSION,
        "at": mistake.at.isoformat(),
        "session": session,
        "project": project,
        **{field: getattr(mistake, name) for name, field in OF_MISTAKE.items()},
        "resolved": resolution.at.isoformat() if resolution else None,
        **{name: getattr(resolution, name) if resolution else "" for name in OF_RESOLUTION},
    }


def build_call_record(at: datetime, task: str, reply: Reply) -> Record:
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


def build_compile_record(  # noqa: PLR0913 - a record has as many fields as it has
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


def build_undo_record(at: str, step: str, label: str, wrote: Mapping[str, str]) -> Record:
    """Make the record of a step that was taken back; `wrote` are hashes of notes."""
    return {"kind": UNDO, "at": at, "of": step, "label": label, "wrote": dict(wrote)}


def find_undone_steps(records: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Give the steps that are taken back; `records` are the ledger's, oldest first."""
    steps: set[str] = set()
    for record in reversed(records):
        if record.get("kind") == UNDO and record.get(STEP) not in steps:
            steps.add(str(record.get("of")))
    return frozenset(steps)


def remove_undone_records(records: Iterable[Record], undone_steps: frozenset[str]) -> list[Record]:
    """Leave out the records of the steps that are taken back, but for money, which is spent."""
    rows = ((record, record.get("kind") == "call") for record in records)
    return [row for row, is_cost in rows if is_cost or row.get(STEP) not in undone_steps]


def parse_record(text: str) -> Record | None:
    """Read a line, None where it is torn or no record."""
    value = read_object(text)
    return value if "kind" in value else None
