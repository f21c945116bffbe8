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
from memoria.cli.setup import other_agents
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
    is_demo: bool

    @property
    def next_step(self) -> tuple[str, str]:
        """The command that helps most now, and what it does."""
        steps = (
            (self.is_demo, "start", "makes a vault of your own sessions"),
            (not self.since, "install", "captures every session from the next one on"),
            (self.coverage.missing, "flush --sweep", "brings in the sessions that are missing"),
            (not self.entries, "import", "brings in the sessions that are still there"),
            (self.waiting, "review", f"asks about {counted(self.waiting, 'waiting rule')}"),
            (self.untrusted, "trust", "shows what came from elsewhere"),
            (True, "report --open", "shows what goes wrong again and what is told"),
        )
        return next((f"memoria {verb}", why) for is_due, verb, why in steps if is_due)

    def as_json(self) -> dict[str, Any]:
        """Give it as `--json` prints it."""
        error = self.error
        fixed = error and {"error": error.line, "fix": error.fix, "sessions": error.sessions}
        return {
            "capturing_since": self.since or None,
            "last_session": self.last or None,
            "sessions": self.coverage.sessions,
            "captured": self.coverage.captured,
            "entries": self.entries,
            "written_entries": self.written,
            "repeated_error": fixed and fixed | {"of": self.sessions},
            "next": self.next_step[0],
        }

    def lines(self) -> Iterator[tuple[str, str]]:
        """Give the lines, each as its heading and its text."""
        yield "Captured", self._captured()
        yield "Last session", self.last or "none yet"
        mine = f", {self.written} of your own" if self.written else ""
        yield "Log", f"{counted(self.entries, 'entry', 'entries')} of sessions{mine}"
        yield "Rules", f"{self.active} active, {self.waiting} waiting for your decision"
        if self.untrusted:
            yield "Elsewhere", trust.told_of(self.untrusted)
        if self.error:
            yield "Goes wrong", self.error.told(self.sessions)
        command, meaning = self.next_step
        yield "Next", f"`{command}` {meaning}"

    def _captured(self) -> str:
        if self.is_demo:
            return "nothing: this is the demo, of sample sessions"
        if not self.since:
            return "new sessions are not captured: no hooks serve this vault"
        seen = self.coverage
        if not seen.sessions:
            return f"since {self.since}; there was no session yet"
        said = f"since {self.since}: {seen.captured} of {counted(seen.sessions, 'session')}"
        if seen.pending:
            said += f", {seen.pending} still open or waiting"
        if seen.missing:
            said += f"; {len(seen.missing)} are missing, `memoria doctor` says why"
        return said


def overview(work: Workspace, book: Rulebook) -> Overview:
    """Look at capture, rules and errors."""
    history = work.vault.history()
    stand = Counter(stands(book, rule) for rule in book.rules)
    last = max(history.captures.values(), key=lambda capture: capture.at, default=None)
    return Overview(
        since=_since(work),
        last=f"{last.at[:16].replace('T', ' ')} in {label(last.project)}" if last else "",
        coverage=coverage(work),
        entries=len(history.captures),
        written=len(work.vault.pages()[0]),
        active=stand["active"],
        waiting=stand["waiting"] + len(waiting_without_note(work, book)),
        # no hook tells anything of the samples
        is_demo=work.is_demo,
        untrusted=0 if work.is_demo else trust.count(work),
        sessions=len(history.latest.stays),
        error=next(iter(telling(history.latest.mistakes)), None),
    )


def _since(work: Workspace) -> str:
    """Give the day from which sessions are captured, "" where no hooks serve this vault."""
    own = work.settings.config_dir
    others = other_agents.hooked(work).values()
    vaults = {hook.vault for hooks in (client.installed_hooks(own), *others) for hook in hooks}
    if str(work.vault.root) not in vaults and not client.plugged(own):
        return ""
    state = work.vault.state
    stamp = float(state.read_json(state.root / "installed.json").get("since") or 0)
    return f"{clock.local(datetime.fromtimestamp(stamp, UTC), work.settings.zone):%Y-%m-%d}"
