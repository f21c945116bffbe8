"""`memoria backtest`: replay the captured sessions, and say what came back and what was known then.

It has something to say on the first day, from imported sessions alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.capture.recurring_errors import counted_errors
from memoria.errors import UsageError
from memoria.evidence.backtest.replay import CAVEAT, Backtest, backtest, most_repeated
from memoria.text.shorten import brief
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memoria.evidence.backtest.replay import Comeback
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# of an error's line and a change: what fits a line of the terminal
_LINE, _CHANGE = 72, 48


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Replay, and print what came back."""
    work.vault.require()
    history = work.vault.history()
    projects = {stay.project for stay in history.stays.values()}
    if arguments.project and not any(arguments.project in project for project in projects):
        raise UsageError(f"--project {arguments.project!r}: no such project was captured")
    replay = replayed(work, arguments.project, history)
    rows = [_repeated_row(mine) for mine in most_repeated(replay, arguments.limit)]
    if arguments.json:
        terminal.data(_json(replay, rows))
        return 0
    for line in _lines(replay, rows):
        terminal.line(strip_hidden(line))
    return 0


def replayed(work: Workspace, project: str = "", history: History | None = None) -> Backtest:
    """Replay the captured sessions of the projects whose name holds `project`.

    `history` spares reading the ledger again.
    """
    history = history or work.vault.history()
    mine = (seen for seen in history.latest.mistakes if project in seen.project)
    return backtest(counted_errors(mine))


def _json(replay: Backtest, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "headline": replay.headline,
        "caveat": CAVEAT,
        "mistakes": replay.mistakes,
        "sessions": replay.sessions,
        "came_back": len(replay.comebacks),
        "known": replay.known,
        "mended": replay.known,
        "minutes": round(replay.minutes, 1),
        "dearest": rows,
        "comebacks": [_comeback(comeback) for comeback in replay.comebacks],
    }


def _repeated_row(mine: list[Comeback]) -> dict[str, Any]:
    mistake = mine[-1].seen.mistake
    return {
        "signature": mistake.signature,
        "example": mistake.line,
        "comebacks": len(mine),
        "minutes": round(sum(comeback.minutes or 0.0 for comeback in mine), 1),
        "known": sum(bool(comeback.fix) for comeback in mine),
        "fix": next((comeback.fix for comeback in reversed(mine) if comeback.fix), ""),
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
        "minutes": None if comeback.minutes is None else round(comeback.minutes, 1),
    }


def _lines(replay: Backtest, rows: list[dict[str, Any]]) -> Iterator[str]:
    yield replay.headline
    if replay.known:
        yield (
            f"Until those were fixed again it took {replay.minutes:.0f} minutes, where the "
            "sessions show it."
        )
    if rows:
        yield ""
        yield "What came back most:"
    for row in rows:
        yield f"  {row['comebacks']:>3}x {brief(row['example'], _LINE)}"
        if row["fix"]:
            yield f"       {_change(row['fix'])}"
    yield ""
    yield CAVEAT


def _change(text: str) -> str:
    """Say what a change was, if that fits on a line; half a diff would say nothing."""
    lines = [line.strip() for line in text.splitlines()]
    if [line[:2] for line in lines] == ["- ", "+ "]:
        lines = lines[1:]
    if len(lines) == 1 and len(lines[0]) <= _CHANGE:
        return f"fixed before by: {lines[0]}"
    return "what fixed it is known (--json shows the change)"
