"""Word a captured part for the logs of its day, and list what earlier logs have left open.

An item that a person or a later session has ticked is done. Only the latest logs are read: what
nobody has come back to for two months is no longer open. A pulled log holds what anybody wrote, so
only lines that this machine wrote are shown to a model, without what acts in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import parse_ask
from memoria.agents.port import CLAUDE_CODE, agent_named
from memoria.capture.extract.observing.finished_work import find_finished_work
from memoria.capture.extract.user.asks import flatten_text
from memoria.capture.provenance.allowed_orders import partition_note_lines
from memoria.capture.provenance.marks import build_line_key
from memoria.errors import VaultError
from memoria.privacy.imperatives import blank_active_words
from memoria.text.prose import clip_text
from memoria.vault import daily_log
from memoria.vault.daily_log import ShortSession, add_short_session, format_line
from memoria.vault.entry import Draft, Entry
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from datetime import date, datetime

    from memoria.agents.transcript import Transcript
    from memoria.capture.parts import Part
    from memoria.vault.store import Log, Vault
    from memoria.vault.transaction import Transaction
    from memoria.vault.trust.known_lines import KnownLines


_MAX_DAYS = 60  # that are looked at
_MAX_ITEMS = 12  # what a prompt has room for
_MAX_NOTES = 300  # lines of some fifty sessions: each is looked for in all that a session printed


@dataclass(frozen=True, slots=True)
class NotedLine:
    """A line of a daily log, such as an action item, and the day of that log.

    `logged` is how the log has it where `text` leaves out what acts, such as an address; `context`
    is that of its entry.
    """

    text: str
    day: date
    logged: str = ""
    context: str = ""


def list_open_items(vault: Vault, project: str, before: datetime) -> tuple[NotedLine, ...]:
    """List the open items of a project from before a moment, the latest first, each text once."""
    return tuple(islice(_list_lines(vault, project, before, ("actions",)), _MAX_ITEMS))


def list_notes(vault: Vault, project: str, before: datetime) -> tuple[NotedLine, ...]:
    """List what was decided and learned in a project before a moment, the latest first."""
    lines = _list_lines(vault, project, before, ("decisions", "lessons"))
    return tuple(islice(lines, _MAX_NOTES))


def _list_lines(
    vault: Vault, project: str, before: datetime, sections: Iterable[str]
) -> Iterator[NotedLine]:
    """Yield the lines of a project from before a moment, the latest first, each text once.

    An entry's own moment has no seconds in its log, so those of the same minute are left out.
    """
    until = before.replace(tzinfo=None, second=0, microsecond=0)
    texts: set[str] = set()
    for day in reversed([day for day in vault.logs() if day <= before.date()][-_MAX_DAYS:]):
        try:
            entries = [block.entry for block in vault.log(day).blocks]
        except VaultError:
            continue  # compile and doctor name a log that cannot be read
        for entry in entries:
            if entry.project == project and entry.at < until:
                for line in chain.from_iterable(getattr(entry.draft, name) for name in sections):
                    text = _find_told_text(line, vault.lines)
                    if text and text not in texts:
                        texts.add(text)
                        yield NotedLine(text, day, line, entry.draft.context)


def _find_told_text(line: str, lines: KnownLines) -> str:
    """Give what of a line a model may be told: of a held one what is left without what acts."""
    # as it stands: made inert it loses what a pull may have put into a link
    key = build_line_key(line)
    if key in lines.sayable:
        return line
    text = blank_active_words(line)
    is_told = text != line and bool(partition_note_lines([text], outside=True)[0])
    return text if is_told and key in lines.keys else ""


def find_done_items(
    vault: Vault, part: Part, shown: Mapping[str, str], ids: Container[str]
) -> tuple[NotedLine, ...]:
    """Find the open items that the calls of a session show as done, or that an answer calls so.

    The answer names those by the ids under which they were `shown`.
    """
    texts = {text for name, text in shown.items() if name in ids}
    work = find_finished_work(part.seen)
    if not (texts or any(work)):
        return ()
    items = _list_lines(vault, part.project, part.ended, ("actions",))
    return tuple(
        item for item in items if item.text in texts or work.closes(item.logged, item.context)
    )


class DayLogs:
    """The logs that a transaction changes, each with its new text."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._texts: dict[date, tuple[Log, str]] = {}

    def place(self, entry: Entry) -> bool:
        """Put an entry into the log of its day; whether that changed it."""
        placement = daily_log.place(self._load_text(entry.day), entry)
        self._set_text(entry.day, placement.text)
        return placement.outcome in {"added", "replaced"}

    def close(self, items: Iterable[NotedLine]) -> None:
        """Tick items in the logs of their days."""
        for item in items:
            self._set_text(item.day, daily_log.tick_action(self._load_text(item.day), item.logged))

    def list(self, part: Part) -> None:
        """Put the line of a part without an entry into the log of its day."""
        day = part.ended.date()
        short = build_short_session(part.entry_id, part.transcript, part.project, part.ended)
        self._set_text(day, add_short_session(self._load_text(day), short, day.isoformat()))

    def write(self, change: Transaction) -> None:
        """Hand the new texts to the transaction."""
        for log, text in self._texts.values():
            change.put_log(log, text)

    def _load_text(self, day: date) -> str:
        if day not in self._texts:
            log = self._vault.log(day)
            self._texts[day] = log, log.text
        return self._texts[day][1]

    def _set_text(self, day: date, text: str) -> None:
        self._texts[day] = self._texts[day][0], text


def build_entry(part: Part, draft: Draft, engine: str) -> Entry:
    """Make the entry of a part with these words; it says which other agent's session it was."""
    agent = agent_named(part.transcript.agent)
    if agent is not CLAUDE_CODE:
        draft = replace(draft, context=f"{draft.context} Session in {agent.label}.".strip())
    return Entry(
        id=part.entry_id,
        day=part.ended.date(),
        at=part.ended.replace(tzinfo=None),
        project=part.project,
        session=part.transcript.session,
        engine=engine,
        draft=draft,
        agent="" if agent is CLAUDE_CODE else agent.name,
    )


_ASK_CHARS, _ANSWER_CHARS = 200, 80  # of a short session's line: enough to know it by


def build_short_session(
    part: str, transcript: Transcript, project: str, ended: datetime
) -> ShortSession:
    """Make the line of a part of which no entry is kept: what was asked first, a short answer."""
    turns = transcript.turns
    asks = [(ask, turn) for turn in turns if (ask := parse_ask(turn.prompt)).text]
    words, turn = "(nothing was typed)", turns[-1] if turns else None
    if asks:  # else the part begins with the answer to the last one's prompt
        first, turn = next((pair for pair in asks if not pair[0].trivial), asks[0])
        words = clip_text(flatten_text(first.text), _ASK_CHARS)
    answer = turn.says[-1].text.strip() if turn and turn.says else ""
    answer = f" -> {answer}" if answer and len(answer) <= _ANSWER_CHARS else ""
    session = ShortSession(part, transcript.session, project)
    text = f"{ended:%H:%M} {label(project)}: {words}{answer}"
    return replace(session, line=format_line(session, text))
