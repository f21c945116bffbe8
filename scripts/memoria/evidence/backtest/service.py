"""`memoria backtest`: replay the captured sessions, and say what came back and what was known then.

It has something to say on the first day, from imported sessions alone. The turns that a comeback
cost are read from the transcripts that are still there, for the ledger keeps no times of turns.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.agents import port as agents
from memoria.capture.recurring_errors import counted_errors
from memoria.errors import TranscriptError, UsageError
from memoria.evidence.backtest.replay import CAVEAT, Backtest, backtest, knowns, most_repeated
from memoria.rules.decisions import rulebook
from memoria.text.shorten import brief
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from memoria.evidence.backtest.replay import Comeback
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# of an error's line, a rule's words and a change: what fits a line of the terminal
_LINE, _WORDS, _CHANGE = 72, 60, 48


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Replay, and print what was found."""
    work.vault.require()
    history = work.vault.history()
    if arguments.project and not any(
        arguments.project in project for project in _projects(history)
    ):
        raise UsageError(f"--project {arguments.project!r}: no such project was captured")
    found = replayed(work, arguments.project, history, turns=True)
    texts = {rule.id: rule.text for rule in rulebook(work).rules}
    if arguments.json:
        terminal.data(described(found, arguments.limit))
        return 0
    for line in _lines(found, texts, arguments.limit):
        terminal.line(strip_hidden(line))
    return 0


def replayed(
    work: Workspace, project: str = "", history: History | None = None, *, turns: bool = False
) -> Backtest:
    """Replay the captured sessions of the projects whose name holds `project`.

    With `turns` the transcripts that are still there are read to tell how many turns each comeback
    took; `history` spares reading the ledger again.
    """
    history = history or work.vault.history()
    seen = counted_errors(one for one in history.latest.mistakes if project in one.project)
    book = rulebook(work)
    rules = [rule for rule in book.rules if book.is_in_force(rule)]
    local = partial(clock.local, zone=work.settings.zone)
    known = knowns(rules, seen, history.of("rule"), local)
    found = backtest(seen, known)
    begun = _turns(work, history, found) if turns and found.comebacks else {}
    return backtest(seen, known, begun) if begun else found


def _projects(history: History) -> set[str]:
    return {stay.project for stay in history.stays.values()}


def _turns(work: Workspace, history: History, found: Backtest) -> dict[str, list[datetime]]:
    """Read when the turns began of sessions in which something came back and was fixed."""
    wanted = {comeback.seen.session for comeback in found.comebacks if comeback.cost is not None}
    marks = [mark for mark in history.watermarks.values() if mark.identity in wanted]
    begun: dict[str, list[datetime]] = {}
    with work.terminal.progress("Counting turns", len(marks)) as step:
        for mark in marks:
            try:
                at = [turn.at for part in agents.read(Path(mark.path)) for turn in part.turns]
            except (TranscriptError, OSError):
                at = []  # the client has deleted it
            if at:
                begun.setdefault(mark.identity, []).extend(at)
            step(mark.identity)
    return begun


def described(found: Backtest, limit: int = 10) -> dict[str, Any]:
    """Give a backtest as `--json` prints it."""
    return {
        "headline": found.headline,
        "caveat": CAVEAT,
        "mistakes": found.mistakes,
        "sessions": found.sessions,
        "came_back": len(found.comebacks),
        "known": found.known,
        "mended": found.fixed,
        "ruled": found.ruled,
        "minutes": round(found.minutes, 1),
        "turns": _counted(found),
        "dearest": [_repeated_row(found, *row) for row in most_repeated(found, limit)],
        "comebacks": [_comeback(comeback) for comeback in found.comebacks],
    }


def _counted(found: Backtest) -> int | None:
    """Give the turns that the known comebacks took, None where no transcript tells."""
    told = [
        comeback.turns
        for comeback in found.comebacks
        if comeback.is_known and comeback.turns is not None
    ]
    return sum(told) if told else None


def _repeated_row(found: Backtest, mark: str, count: int, minutes: float) -> dict[str, Any]:
    mine = [comeback for comeback in found.comebacks if comeback.seen.mistake.signature == mark]
    return {
        "signature": mark,
        "example": mine[-1].seen.mistake.line,
        "comebacks": count,
        "minutes": round(minutes, 1),
        "known": sum(comeback.is_known for comeback in mine),
        "fix": next((comeback.fix for comeback in reversed(mine) if comeback.fix), ""),
        "rules": sorted({name for comeback in mine for name in comeback.rules}),
    }


def _comeback(comeback: Comeback) -> dict[str, Any]:
    mistake = comeback.seen.mistake
    return {
        "at": mistake.at.isoformat(),
        "session": comeback.seen.session,
        "project": comeback.seen.project,
        "error_class": mistake.kind,
        "line": mistake.line,
        "signature": mistake.signature,
        "first": comeback.first.isoformat(),
        "times_before": comeback.times,
        "fix": comeback.fix,
        "rules": list(comeback.rules),
        "minutes": None if comeback.cost is None else round(comeback.cost.total_seconds() / 60, 1),
        "turns": comeback.turns,
    }


def _lines(found: Backtest, texts: Mapping[str, str], limit: int) -> Iterator[str]:
    yield found.headline
    yield from _cost(found)
    rows = [_repeated_row(found, *row) for row in most_repeated(found, limit)]
    if rows:
        yield ""
        yield "What came back most:"
    for row in rows:
        yield f"  {row['comebacks']:>3}x {brief(row['example'], _LINE)}"
        yield from (f"       {line}" for line in _known(row, texts))
    yield ""
    yield CAVEAT


def _cost(found: Backtest) -> Iterator[str]:
    if not found.known:
        return
    turns = _counted(found)
    also = f" and {turns} of your turns" if turns else ""
    yield (
        f"Until those were fixed again it took {found.minutes:.0f} minutes{also}, where the "
        "sessions show it."
    )


def _known(row: Mapping[str, Any], texts: Mapping[str, str]) -> Iterable[str]:
    if row["fix"]:
        yield _change(row["fix"])
    for name in row["rules"]:
        yield f"rule {name}: {brief(texts.get(name, ''), _WORDS)}"


def _change(text: str) -> str:
    """Say what a change was, if that fits on a line; half a diff would say nothing."""
    lines = [line.strip() for line in text.splitlines()]
    if [line[:2] for line in lines] == ["- ", "+ "]:
        lines = lines[1:]
    if len(lines) == 1 and len(lines[0]) <= _CHANGE:
        return f"fixed before by: {lines[0]}"
    return "what fixed it is known (--json shows the change)"
