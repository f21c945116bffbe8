"""Say in a few lines how the whole stands: captured, waiting, what goes wrong, what is next.

The first lines of `memoria status`. Each is one question that a person asks who has not looked for
a week. The trap: a figure that another verb tells otherwise, so every one is counted where that
verb counts it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code import settings_store as client
from memoria.capture.coverage import coverage
from memoria.capture.recurring_errors import telling
from memoria.cli.decide import trust
from memoria.cli.setup import install_agent
from memoria.rules.review.waiting_service import stands, waiting_without_note
from memoria.text.numbers import counted
from memoria.vault.project import label
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.capture.coverage import Coverage
    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.decisions import Rulebook
    from memoria.workspace import Workspace


_CAPTURE = ("memoria install", "captures every session from the next one on")
_OF_YOUR_OWN = ("memoria start", "makes a vault of your own sessions")


@dataclass(frozen=True, slots=True)
class Overview:
    """How the whole stands.

    `since` is the day from which sessions are captured, "" where no hooks serve the vault; `last`
    names the last captured session; `error` is what came back in the most of `sessions`.
    """

    since: str
    last: str
    coverage: Coverage
    entries: int
    written: int
    active: int
    waiting: int
    untrusted: int
    sessions: int
    error: RecurringError | None
    is_demo: bool = False

    @property
    def next_step(self) -> tuple[str, str]:
        """The command that helps most now, and what it does."""
        if self.is_demo or not self.since:
            return _OF_YOUR_OWN if self.is_demo else _CAPTURE
        if self.coverage.missing:
            return "memoria flush --sweep", "brings in the sessions that are missing"
        if not self.entries:
            return "memoria import", "brings in the sessions that are still there"
        if self.waiting:
            return "memoria review", f"asks about {counted(self.waiting, 'waiting rule')}"
        if self.untrusted:
            return "memoria trust", "shows what came from elsewhere"
        return "memoria report --open", "shows what goes wrong again and what is told"

    def as_json(self) -> dict[str, Any]:
        """Give it as `--json` prints it."""
        error = self.error
        return {
            "capturing_since": self.since or None,
            "last_session": self.last or None,
            "sessions": self.coverage.sessions,
            "captured": self.coverage.captured,
            "entries": self.entries,
            "written_entries": self.written,
            "repeated_error": {
                "error": error.line,
                "fix": error.fix,
                "sessions": error.sessions,
                "of": self.sessions,
            }
            if error
            else None,
            "next": self.next_step[0],
        }


def overview(work: Workspace, book: Rulebook) -> Overview:
    """Look at capture, rules and errors."""
    history = work.vault.history()
    stand = Counter(stands(book, rule) for rule in book.rules)
    errors = telling(history.latest.mistakes)
    captures = sorted(history.captures.values(), key=lambda capture: capture.at)
    last = captures[-1] if captures else None
    return Overview(
        since=_since(work),
        last=f"{last.at[:16].replace('T', ' ')} in {label(last.project)}" if last else "",
        coverage=coverage(work),
        entries=len(captures),
        written=len(work.vault.pages()[0]),
        active=stand["active"],
        waiting=stand["waiting"] + len(waiting_without_note(work, book)),
        # no hook tells anything of the samples
        is_demo=work.is_demo,
        untrusted=0 if work.is_demo else trust.count(work),
        sessions=len(history.latest.stays),
        error=errors[0] if errors else None,
    )


def told(found: Overview) -> Iterator[tuple[str, str]]:
    """Give the lines, each as its heading and its text."""
    yield "Captured", _captured(found)
    yield "Last session", found.last or "none yet"
    mine = f", {found.written} of your own" if found.written else ""
    yield "Log", f"{counted(found.entries, 'entry', 'entries')} of sessions{mine}"
    yield "Rules", f"{found.active} active, {found.waiting} waiting for your decision"
    if found.untrusted:
        yield "Elsewhere", f"{trust.told_of(found.untrusted)}"
    if found.error:
        yield "Goes wrong", found.error.told(found.sessions)
    command, meaning = found.next_step
    yield "Next", f"`{command}` {meaning}"


def _captured(found: Overview) -> str:
    if found.is_demo:
        return "nothing: this is the demo, of sample sessions"
    if not found.since:
        return "new sessions are not captured: no hooks serve this vault"
    seen = found.coverage
    if not seen.sessions:
        return f"since {found.since}; there was no session yet"
    said = f"since {found.since}: {seen.captured} of {counted(seen.sessions, 'session')}"
    if seen.pending:
        said += f", {seen.pending} still open or waiting"
    if seen.missing:
        said += f"; {len(seen.missing)} are missing, `memoria doctor` says why"
    return said


def _since(work: Workspace) -> str:
    """Give the day from which sessions are captured, "" where no hooks serve this vault."""
    own = work.settings.config_dir
    others = install_agent.hooked(work).values()
    vaults = {hook.vault for hooks in (client.installed_hooks(own), *others) for hook in hooks}
    if str(work.vault.root) not in vaults and not client.plugged(own):
        return ""
    state = work.vault.state
    stamp = float(state.read_json(state.root / "installed.json").get("since") or 0)
    return f"{clock.local(datetime.fromtimestamp(stamp, UTC), work.settings.zone):%Y-%m-%d}"
