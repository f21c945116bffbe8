"""What a transcript's line can tell: words, calls, results, each with who it came from.

One type for each, because what comes later asks first who spoke. The trap: not every user line is
the user's: tool results, notices of programs, summaries and the client's own remarks are user lines
too, and taken for the user's words they would become rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Prompted:
    """What the user asked; it opens a turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Steered:
    """Words given to a running turn; `typed` is False where a program wrote them.

    `key` is the client's name of the queued prompt, "" in old clients.
    """

    text: str
    key: str = ""
    typed: bool = True


@dataclass(frozen=True, slots=True)
class Queued:
    """A prompt entered or left the client's queue; `text` and `key` are "" where not given.

    `discarded` says that it cannot steer: taken out undelivered, or no words of a person.
    """

    operation: str
    text: str
    key: str
    discarded: bool


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The user stopped the agent."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """A summary took the place of the conversation so far."""

    summary: str


@dataclass(frozen=True, slots=True)
class Said:
    """A text of the assistant."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A tool call without its result."""

    id: str
    name: str
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """A tool's result, for the call of that id; `goes_on`: a later one of that id is added."""

    id: str
    text: str
    is_error: bool
    goes_on: bool = False


# the rank of a title that the person gave; those below are a model's words
TYPED_TITLE = 3


@dataclass(frozen=True, slots=True)
class Titled:
    """A name of the session; the greater rank wins, and among equals the later."""

    rank: int
    text: str


@dataclass(frozen=True, slots=True)
class Linked:
    """A pull request that belongs to the session."""

    url: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A turn begins with this line, though its prompt comes later."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The user took back the last turns, with all that followed from them."""

    turns: int


Piece = (
    Prompted
    | Steered
    | Queued
    | Interrupted
    | Compacted
    | Said
    | Called
    | Answered
    | Titled
    | Linked
    | Opened
    | Withdrawn
)


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of one reply: fresh input, output, read from and written to the cache.

    Every line of the reply repeats them under the same id.
    """

    id: str
    model: str
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line was written, in which git branch and by which version; "" where unsaid."""

    session: str
    cwd: str
    branch: str
    version: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line that tells something; `at` is None where the line has no usable time.

    `damaged` says that it was not UTF-8 and holds replacement characters, `spoken` that it is a
    user or assistant line: their time is the turn's, while bookkeeping is also written later.
    """

    uuid: str
    at: datetime | None
    place: Place
    sidechain: bool
    damaged: bool
    spoken: bool
    pieces: tuple[Piece, ...]
    spent: Spent | None = None
