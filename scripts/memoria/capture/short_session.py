"""Write the line of the day for a captured part of which no entry is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import ask
from memoria.capture.extract.user.asks import flat
from memoria.text.prose import clipped
from memoria.vault.project import label
from memoria.vault.short_sessions import ShortSession, line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memoria.agents.transcript import Transcript, Turn

_WORDS, _ANSWER = 200, 80  # characters: enough to know the session by
_NO_WORDS = "(nothing was typed)"


def short_session(part: str, transcript: Transcript, project: str, ended: datetime) -> ShortSession:
    """Make the line of a part; `ended` is its local time."""
    session = ShortSession(part, transcript.session, project)
    said = f"{ended:%H:%M} {label(project)}: {_words(transcript)}"
    return replace(session, line=line(session, said))


def _words(transcript: Transcript) -> str:
    """Give what was asked first, and its answer where that is a few words."""
    asks = [(said, turn) for turn in transcript.turns if (said := ask(turn.prompt)).text]
    if not asks:  # as in a part that begins with the answer to the last one's prompt
        return _with_answer(_NO_WORDS, transcript.turns[-1:])
    first, turn = next((one for one in asks if not one[0].trivial), asks[0])
    return _with_answer(clipped(flat(first.text), _WORDS), [turn])


def _with_answer(words: str, turns: Sequence[Turn]) -> str:
    answer = next((turn.says[-1].text.strip() for turn in turns if turn.says), "")
    return f"{words} -> {answer}" if answer and len(answer) <= _ANSWER else words
