"""What a transcript's line can tell: words, calls, results, each with who it came from.

Beside the steps of a turn (agents/transcript.py) a line has what opens, ends or names something,
one type for each, because what comes later asks first who spoke. The trap: not every user line is
the user's: tool results, notices of programs, summaries and the client's own remarks are user lines
too, and taken for the user's words they would become rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from memoria.agents.transcript import Call, Compaction, Interrupt, Say

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(slots=True)
class Limits:
    """How much is kept, each with its reason; in characters where nothing else is said.

    `line` in bytes: a longer line is an image or an attack. `result` and all texts keep both ends,
    because an error stands in the first lines and its summary in the last; `argument` shows what
    was tried, not whole files; `text` (prompts, answers, summaries) is longer only where something
    was pasted. `part` in bytes of memory: two of them (the caller still holds one while the next
    grows) and a longest line with its parsed copy stay within 60 MB of process memory; `subagents`
    likewise for what they called during one part. `pause`: a night, not a lunch.
    """

    line: int = 8 << 20
    result: int = 8 << 10
    argument: int = 4 << 10
    text: int = 64 << 10
    part: int = 8 << 20
    subagents: int = 2 << 20
    pause: timedelta = timedelta(hours=6)


@dataclass(slots=True)
class Prompted:
    """What the user asked; it opens a turn."""

    text: str


@dataclass(slots=True)
class Steered:
    """Words given to a running turn; `typed` is False where a program wrote them.

    `key` is the client's name of the queued prompt, "" in old clients.
    """

    text: str
    key: str = ""
    typed: bool = True


@dataclass(slots=True)
class Queued:
    """A prompt entered or left the client's queue; `text` and `key` are "" where not given.

    `discarded` says that it cannot steer: taken out undelivered, or no words of a person.
    """

    operation: str
    text: str
    key: str
    discarded: bool


@dataclass(slots=True)
class Ending:
    """How a call ended, as the agent's own fields tell it; None where they do not."""

    status: int | None = None
    is_refused: bool | None = None


@dataclass(slots=True)
class Answered:
    """A tool's result, for the call of that id; `goes_on`: a later one of that id is added.

    Without an `ending` the text alone tells how the call ended, as Claude Code's does.
    """

    id: str
    text: str
    is_error: bool
    goes_on: bool = False
    ending: Ending | None = None


# the rank of a title that the person gave; those below are a model's words
TYPED_TITLE = 3


@dataclass(slots=True)
class Titled:
    """A name of the session; the greater rank wins, and among equals the later."""

    rank: int
    text: str


@dataclass(slots=True)
class Linked:
    """A pull request that belongs to the session."""

    url: str


@dataclass(slots=True)
class Opened:
    """A turn begins with this line, though its prompt comes later."""


@dataclass(slots=True)
class Withdrawn:
    """The user took back the last turns, with all that followed from them."""

    turns: int


Event = Prompted | Steered | Queued | Answered | Titled | Linked | Opened | Withdrawn
Piece = Say | Call | Interrupt | Compaction | Event


@dataclass(slots=True)
class Place:
    """Where a line was written, and in which git branch; "" where unsaid."""

    session: str = ""
    cwd: str = ""
    branch: str = ""


@dataclass(slots=True)
class Line:
    """One line that tells something; `at` is the time of the line before where it has none.

    `uuid` is "" where the line has no name. `spoken` says that it is a user or assistant line: its
    time is the turn's, while bookkeeping is also written later. `damaged` says that it was not
    UTF-8 and holds replacement characters.
    """

    uuid: str
    at: datetime
    place: Place
    pieces: tuple[Piece, ...]
    spoken: bool
    damaged: bool = False
    sidechain: bool = False
