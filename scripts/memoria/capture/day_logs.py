"""Word a captured part for the logs of its day: an entry, or a line of a short session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import ask
from memoria.agents.port import CLAUDE_CODE, agent_named
from memoria.capture.extract.user.asks import flat
from memoria.text.prose import clipped
from memoria.vault import daily
from memoria.vault.entry import Entry
from memoria.vault.project import label
from memoria.vault.short_sessions import ShortSession, add, line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime

    from memoria.agents.transcript import Transcript
    from memoria.capture.open_items import OpenItem
    from memoria.capture.parts import Part
    from memoria.vault.entry import Draft
    from memoria.vault.store import Log, Vault
    from memoria.vault.transaction import Transaction


class DayLogs:
    """The logs that a transaction changes, each with its new text."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._texts: dict[date, tuple[Log, str]] = {}

    def place(self, entry: Entry) -> bool:
        """Put an entry into the log of its day; whether that changed it."""
        placed = daily.place(self._text(entry.day), entry)
        self._put(entry.day, placed.text)
        return placed.how in {"added", "replaced"}

    def close(self, items: Iterable[OpenItem]) -> None:
        """Tick items in the logs of their days."""
        for item in items:
            self._put(item.day, daily.closed(self._text(item.day), item.text))

    def list(self, part: Part) -> None:
        """Put the line of a part without an entry into the log of its day."""
        day = part.ended.date()
        short = short_session(part.entry_id, part.transcript, part.project, part.ended)
        self._put(day, add(self._text(day), short, day.isoformat()))

    def write(self, change: Transaction) -> None:
        """Hand the new texts to the transaction."""
        for log, text in self._texts.values():
            change.put_log(log, text)

    def _text(self, day: date) -> str:
        if day not in self._texts:
            log = self._vault.log(day)
            self._texts[day] = log, log.text
        return self._texts[day][1]

    def _put(self, day: date, text: str) -> None:
        self._texts[day] = self._texts[day][0], text


def entry_of(part: Part, words: Draft, engine: str) -> Entry:
    """Make the entry of a part with these words; it says which other agent's session it was."""
    agent = agent_named(part.transcript.agent)
    if agent is not CLAUDE_CODE:
        words = replace(words, context=f"{words.context} Session in {agent.label}.".strip())
    return Entry(
        id=part.entry_id,
        day=part.ended.date(),
        at=part.ended.replace(tzinfo=None),
        project=part.project,
        session=part.transcript.session,
        engine=engine,
        draft=words,
        agent="" if agent is CLAUDE_CODE else agent.name,
    )


_WORDS, _ANSWER = 200, 80  # characters of a short session's line: enough to know it by


def short_session(part: str, raw: Transcript, project: str, ended: datetime) -> ShortSession:
    """Make the line of a part of which no entry is kept: what was asked first, a short answer."""
    asks = [(said, turn) for turn in raw.turns if (said := ask(turn.prompt)).text]
    words, turn = "(nothing was typed)", raw.turns[-1] if raw.turns else None
    if asks:  # else the part begins with the answer to the last one's prompt
        first, turn = next((pair for pair in asks if not pair[0].trivial), asks[0])
        words = clipped(flat(first.text), _WORDS)
    answer = turn.says[-1].text.strip() if turn and turn.says else ""
    answer = f" -> {answer}" if answer and len(answer) <= _ANSWER else ""
    session = ShortSession(part, raw.session, project)
    return replace(session, line=line(session, f"{ended:%H:%M} {label(project)}: {words}{answer}"))
