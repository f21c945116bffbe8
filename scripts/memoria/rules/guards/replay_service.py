"""Replay checks over captured transcripts: how often each would have been kept and broken.

A check that fires where nobody minded (no call failed, no user corrected it) is a nuisance, and is
not offered. A call that the user refused was not carried out and counts as neither.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.agents import port as agents
from memoria.agents.transcript import Limits
from memoria.capture.extract.user.corrections import corrections
from memoria.errors import TranscriptError
from memoria.rules.guards.act import act
from memoria.rules.guards.judge import BROKEN, broken_by, judged, line, remembered
from memoria.rules.model import holds_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.agents.transcript import Call, Transcript
    from memoria.rules.guards.act import Act
    from memoria.rules.guards.check import Check
    from memoria.rules.guards.judge import Memory
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import Stay
    from memoria.workspace import Workspace

Minded = Literal["", "failed", "corrected"]
# A check is not offered if it would have stopped more than one in four of the occasions that nobody
# minded. Each needless refusal costs a request, and what is wrong that often is switched off within
# days.
MOST_OCCASIONS = 0.25
# ... and only from so many needless ones on: three may be the days before the rule was made
LEAST = 4
# passages of a check that are kept: what a person looks through; the numbers count them all
_PASSAGES = 200
# characters of a call that are shown
_SHOWN = 160
# what of a call is read: a command of a screenful is judged whole, and no result is needed
_LIMITS = replace(Limits(), argument=64 << 10, result=1 << 10, text=8 << 10)

# what the answer of a guard, or of any other hook, to a call begins with
_STOPPED = ("PreToolUse:", "Hook PreToolUse:")


@dataclass(frozen=True, slots=True)
class Passage:
    """A call that a check would have objected to: where, what of it, and who minded."""

    session: str
    at: datetime
    call: str
    minded: Minded


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check says of one call of a session; `what` is what breaks it, "" where it is kept."""

    call: Call
    what: str = ""

    @property
    def is_broken(self) -> bool:
        """Whether the call breaks the check."""
        return bool(self.what)

    @property
    def is_stopped(self) -> bool:
        """Whether a guard refused the call, so that the breach was tried and not made."""
        return self.call.is_error and self.call.result.lstrip().startswith(_STOPPED)


@dataclass
class Tried:
    """What a check would have said of the past.

    The sets hold sessions: `came` with an occasion, `fired` with a breach, `minded` with one that
    somebody minded. `kept` and `broken` count occasions, `harmless` the broken ones that nobody
    minded.
    """

    came: set[str] = field(default_factory=set)
    fired: set[str] = field(default_factory=set)
    minded: set[str] = field(default_factory=set)
    kept: int = 0
    broken: int = 0
    harmless: int = 0
    passages: list[Passage] = field(default_factory=list)

    @property
    def occasions(self) -> int:
        """How often it came up."""
        return self.kept + self.broken

    def add(self, session: str, verdict: Verdict, minded: Minded) -> None:
        """Count a verdict."""
        self.came.add(session)
        if not verdict.is_broken:
            self.kept += 1
            return
        self.broken += 1
        self.fired.add(session)
        self.minded.update([session] if minded else [])
        self.harmless += not minded
        if len(self.passages) < _PASSAGES:
            shown = " ".join(verdict.what.split())[:_SHOWN]
            self.passages.append(Passage(session, verdict.call.at, shown, minded))


def objection(tried: Tried) -> str:
    """Say why a check is not offered; "" where it may be."""
    calm = tried.kept + tried.harmless
    if tried.harmless < LEAST or tried.harmless <= MOST_OCCASIONS * calm:
        return ""
    return (
        f"it would have objected to {tried.harmless} of {calm} occasions that nobody minded "
        f"(at most {MOST_OCCASIONS:.0%} are allowed)"
    )


class Rehearsal:
    """Replays checks over transcripts, which are given in the order of their parts."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self.tried = {name: Tried() for name in checks}
        self.sessions: set[str] = set()
        self._checks = checks
        self._session = ""
        self._memories: dict[str, Memory] = {}

    def take(self, part: Transcript, names: Iterable[str] | None = None) -> None:
        """Replay a part of a session, by the checks of these names (all where none are given)."""
        if part.session != self._session:
            self._session, self._memories = part.session, {}
        self.sessions.add(part.session)
        wanted = self._checks if names is None else {name: self._checks[name] for name in names}
        refusals: list[tuple[datetime, str]] | None = None
        for name, verdict in verdicts(part, wanted, self._memories):
            if verdict.is_broken and refusals is None:
                refusals = [(correction.at, correction.call) for correction in corrections(part)]
            minded = _minded(part, verdict.call, refusals or ()) if verdict.is_broken else ""
            self.tried[name].add(part.session, verdict, minded)


def verdicts(
    part: Transcript, checks: Mapping[str, Check], memories: dict[str, Memory] | None = None
) -> Iterator[tuple[str, Verdict]]:
    """Judge the calls of a part, those of subagents included, in the order of time.

    `memories` is what earlier parts of the session left, and is added to. Without it the part of a
    session that is not its first says nothing of what is needed "before", for that is not known.
    """
    by_name = {} if memories is None else memories
    is_torn = part.start > 0 and not by_name
    by_tool: dict[str, list[str]] = {}  # most calls are nothing to any check
    for name, check in checks.items():
        for tool in check.tools():
            by_tool.setdefault(tool, []).append(name)
    for call in sorted((*part.calls, *part.subagents), key=lambda call: call.at):
        # a call that was refused was not carried out: the rule was neither kept nor broken by it
        if call.name not in by_tool or not call.answered or call.is_refused:
            continue
        done = act(call.name, _inputs(call), part.cwd)
        for name in by_tool[call.name]:
            check, memory = checks[name], by_name.get(name, ())
            verdict = judged(check, done, memory)
            is_unsure = is_torn and bool(check.needs) and not check.since
            if verdict and not (verdict == BROKEN and is_unsure):
                yield name, Verdict(call, _what(check, done, memory) if verdict == BROKEN else "")
            if check.needs:
                by_name[name] = remembered(check, done, memory)


def _what(check: Check, done: Act, memory: Memory) -> str:
    """Say what breaks a check; one that speaks of any call of the shell names the tool alone."""
    what = "; ".join(broken_by(check, done, memory))
    return line(done) or done.tool if what in {"", done.tool} else what


def _inputs(call: Call) -> dict[str, object]:
    inputs: dict[str, object] = dict(call.arguments)
    edits = inputs.get("edits")
    if isinstance(edits, str):
        try:
            inputs["edits"] = json.loads(edits)
        except ValueError:
            del inputs["edits"]  # it was cut: what is left is no list
    return inputs


def _minded(part: Transcript, call: Call, refusals: Sequence[tuple[datetime, str]]) -> Minded:
    """Say whether somebody minded a call, at most until the prompt after its turn."""
    if call.is_error:
        return "failed"
    until = call.at
    for number, turn in enumerate(part.turns):
        if turn.at <= call.at <= turn.until:
            is_last = number + 1 == len(part.turns)
            until = turn.until if is_last else part.turns[number + 1].at
            break
    is_minded = any(refused == call.id or call.at < at <= until for at, refused in refusals)
    return "corrected" if is_minded else ""


# -- The captured transcripts that are still there ------------------------------------------------


class CheckedRule(NamedTuple):
    """A rule with the check that is tried: its note's, or one that its words ask for."""

    rule: Rule
    check: Check


class Replayed(NamedTuple):
    """What was replayed: what each check would have said, of how many sessions, whether of all."""

    tried: Mapping[str, Tried]
    sessions: int
    is_whole: bool


def checked_rule(rule: Rule) -> CheckedRule | None:
    """Give the check that a rule has, or one that its words ask for."""
    from memoria.rules.guards.from_text import derive  # noqa: PLC0415 - a flush judges without it

    check = rule.check or derive(rule.text.replace("&lt;", "<").replace("\\`", "`"))
    return CheckedRule(rule, check) if check else None


def replay(work: Workspace, wanted: Sequence[CheckedRule]) -> Replayed:
    """Replay checks over the captured transcripts that are still there; Ctrl-C ends it early."""
    history = work.vault.history()
    names = map(Path, sorted(history.watermarks) if wanted else ())
    paths = [path for path in names if path.is_file()]
    rehearsal = Rehearsal({checked.rule.id: checked.check for checked in wanted})
    done = 0
    try:
        with work.terminal.progress("Replaying", len(paths)) as step:
            for path in paths:
                with suppress(TranscriptError):  # the client deletes old ones while this runs
                    for part in agents.read(path, _LIMITS):
                        stay = history.stays.get(part.session)
                        rules = (checked.rule for checked in wanted)
                        here = [rule.id for rule in rules if _is_about(rule, stay)]
                        if here:
                            rehearsal.take(part, here)
                done += 1
                step(path.stem)
    except KeyboardInterrupt:
        work.terminal.warn(f"stopped after {done} of {len(paths)} transcripts; so far:")
    return Replayed(rehearsal.tried, len(rehearsal.sessions), done == len(paths))


def _is_about(rule: Rule, stay: Stay | None) -> bool:
    return stay is None or holds_in(rule, stay.project)
