"""Give what was said and read in a session up to the end of a part, also before it began.

A session is captured in parts: at each compaction, resume and night. What a page said in one may be
repeated in the next, so what lies before a part is read again; nothing of it is kept meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from memoria.capture.provenance.spans import Span, list_outside_sources, list_spans
from memoria.privacy.clean import clean_value
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from memoria.agents.transcript import Transcript

# bytes before a part: all of nearly every session, and a bound for one of hundreds of parts; what a
# database holds is counted in messages, and read from its first
_LOOK_BACK = 64 << 20
_REDACTED = "[REDACTED:"


@dataclass(frozen=True, slots=True)
class SessionSpans:
    """The spans of a cleaned part and of what lies before it.

    `reread` reads the session from a byte on; `secrets` are the values that the person named.
    """

    reread: Callable[[int], Iterator[Transcript]]
    part: Transcript
    secrets: Collection[str]

    def list_spans(self, texts: Collection[str], outside: dict[str, None]) -> Iterator[Span]:
        """Give the spans for texts to be looked for; note in `outside` what was read before."""
        # to look for secrets costs ten times the rest, and counts where a text had one alone
        is_redacted = any(_REDACTED in text for text in texts)
        clean = partial(clean_value, secrets=self.secrets) if is_redacted else strip_hidden
        for earlier in self._read_earlier():
            outside |= dict.fromkeys(list_outside_sources(earlier))
            yield from (Span(who, clean(text)) for who, text in list_spans(earlier))
        yield from list_spans(self.part)

    def _read_earlier(self) -> Iterator[Transcript]:
        """Read what the file holds before the part: an earlier night, what a copy begins with."""
        if not self.part.turns:
            return
        first = self.part.turns[0]
        for raw in self.reread(max(0, self.part.start - _LOOK_BACK)):
            turns = tuple(takewhile(lambda turn: turn.uuid != first.uuid, raw.turns))
            calls = (call for call in raw.subagents if call.at < first.at)
            yield replace(raw, turns=turns, subagents=tuple(calls))
            if len(turns) < len(raw.turns):
                return
