"""A coding agent's session as turns: what was asked, said, called and refused, in order.

A turn is a prompt and all that follows until the next one, because everything later (an answer, an
error and its fix, a correction) is read relative to what was asked. Every piece keeps its origin by
its type: `Turn.prompt` and `Steer` are the user's, `AssistantText` the assistant's, `Call.result` a
tool's.
Whatever reads these values knows no agent's tools: a Call says by its kind what was done and holds
what that kind has (command and exit status, path and hunks, the user's answers). The trap: prompts
typed while the agent works steer the running turn and must not open a new one, or answers are
paired with the wrong question.

Beside the steps of a turn a line has what opens, ends or names something (a Piece), one type for
each, because what comes later asks first who spoke. The trap there: not every user line is the
user's: tool results, notices of programs, summaries and the client's own remarks are user lines,
too, and taken for the user's words they would become rules.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from memoria.agents.json_line import NAME, PATH, session_id, text_of
from memoria.text.shorten import shorten


@dataclass(frozen=True, slots=True)
class AssistantText:
    """A text of the assistant (thinking is not kept)."""

    text: str
    at: datetime


Kind = Literal[
    "shell",  # a command was run
    "output",  # what a command in the background has printed
    "edit",  # a file was changed or written
    "read",  # a file was read
    "search",  # files were searched or listed
    "web",  # a page was fetched or searched
    "plan",  # a plan was shown to the user, or planning began
    "question",  # the user was asked
    "subagent",  # work was given to another agent
    "tasks",  # the agent's own list of tasks was read or changed
    "other",
]


class Hunk(NamedTuple):
    """A piece of a file that an edit replaced; `old` is "" where the file was written whole."""

    old: str
    new: str


class UserAnswer(NamedTuple):
    """The user's reply to a question of the agent; `free` where it is none of the labels."""

    question: str
    text: str
    free: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call with its result.

    `name` is the agent's own name of the tool and `arguments` are its top-level inputs as text
    (other JSON values dumped), each bounded: they are for showing, what is decided is decided by
    `kind`. `result` is the text of the result, its middle left out where it was long; `answered` is
    False when the transcript ends before a result. `is_error` is the agent's own flag: it is also
    set for calls that the user refused or that were cancelled (about a fifth in real sessions).

    `command` is what a shell ran and `status` how that ended (None where nothing says, also while
    it is still running in the background); of `output` it is that command's. `path` is the file of
    an edit or a read. `is_refused` says that the person kept it from running or, with `is_skipped`,
    a call beside it that failed; `reason` holds the words with which the person did, "" for none.
    """

    id: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    result: str
    is_error: bool
    answered: bool
    at: datetime
    kind: Kind = "other"
    command: str = ""
    status: int | None = None
    path: str = ""
    hunks: tuple[Hunk, ...] = ()
    plan: str = ""
    answers: tuple[UserAnswer, ...] = ()
    is_refused: bool = False
    reason: str = ""
    is_skipped: bool = False

    def argument(self, name: str) -> str:
        """Give the input of that name, or "" where the call has none."""
        return next((value for key, value in self.arguments if key == name), "")


@dataclass(frozen=True, slots=True)
class Steer:
    """What the user typed while the agent was working."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Interrupt:
    """The user stopped the agent."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Compaction:
    """The client replaced the conversation so far by a summary that a model wrote."""

    summary: str
    at: datetime


Step = AssistantText | Call | Steer | Interrupt | Compaction


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt and what followed it.

    `uuid` names the prompt's line (a hash of the line where an old client wrote none); forked
    sessions repeat it, so it is what tells a turn that was captured before. `prompt` is the text as
    the client stored it, "" where the slice begins in the middle of a turn or the assistant spoke
    first. `at` is the prompt's time, `until` that of the last line of the turn, both aware, UTC.
    """

    uuid: str
    at: datetime
    until: datetime
    prompt: str
    branch: str
    steps: tuple[Step, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls of the turn, in order."""
        return tuple(step for step in self.steps if isinstance(step, Call))

    @property
    def says(self) -> tuple[AssistantText, ...]:
        """The assistant's texts, in order; the last one is the turn's answer."""
        return tuple(step for step in self.steps if isinstance(step, AssistantText))


@dataclass(frozen=True, slots=True)
class Transcript:
    """A slice of a session's transcript: whole, or what lies after a watermark.

    `start` and `end` are byte offsets of the slice in the file, both at a line's border (counts of
    messages where a database holds the session); a torn last line lies after `end` and is left for
    the next time. `skipped` says what was left out and how often, by reason. `subagents` are the
    calls of the session's subagents; they show mistakes but are no part of the conversation.
    `is_named` is whether the person wrote the title; otherwise a model did. `agent` is the name of
    the coding agent (agents/port.py).
    """

    session: str
    cwd: str
    title: str
    turns: tuple[Turn, ...]
    start: int
    end: int
    pull_requests: tuple[str, ...] = ()
    subagents: tuple[Call, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    is_named: bool = False
    agent: str = "claude-code"

    @property
    def calls(self) -> tuple[Call, ...]:
        """All tool calls of the conversation, in order."""
        return tuple(call for turn in self.turns for call in turn.calls)


# -- What a line of a transcript can tell ----------------------------------------------------------


class Limits(NamedTuple):
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


class PromptEvent(NamedTuple):
    """What the user asked; it opens a turn."""

    text: str


class SteerEvent(NamedTuple):
    """Words given to a running turn; `typed` is False where a program wrote them.

    `key` is the client's name of the queued prompt, "" in old clients.
    """

    text: str
    key: str = ""
    typed: bool = True


class QueueEvent(NamedTuple):
    """A prompt entered or left the client's queue; `text` and `key` are "" where not given.

    `discarded` says that it cannot steer: taken out undelivered, or no words of a person.
    """

    operation: str
    text: str
    key: str
    discarded: bool


class CallEnding(NamedTuple):
    """How a call ended, as the agent's own fields tell it; None where they do not."""

    status: int | None = None
    is_refused: bool | None = None


class ResultEvent(NamedTuple):
    """A tool's result, for the call of that id; `goes_on`: a later one of that id is added.

    Without an `ending` the text alone tells how the call ended, as Claude Code's does.
    """

    id: str
    text: str
    is_error: bool
    goes_on: bool = False
    ending: CallEnding | None = None


# ranks of titles: the person's own words, a model's
TYPED_TITLE, MODEL_TITLE = 3, 1


class TitleEvent(NamedTuple):
    """A name of the session; the greater rank wins, and among equals the later."""

    rank: int
    text: str


class PullRequestEvent(NamedTuple):
    """A pull request that belongs to the session."""

    url: str


class TurnStartEvent:
    """A turn begins with this line, though its prompt comes later."""


class WithdrawalEvent(NamedTuple):
    """The user took back the last turns, with all that followed from them."""

    turns: int


_Words = PromptEvent | SteerEvent | QueueEvent
_Event = ResultEvent | TitleEvent | PullRequestEvent | TurnStartEvent | WithdrawalEvent
Piece = AssistantText | Call | Interrupt | Compaction | _Words | _Event


class LinePlace(NamedTuple):
    """Where a line was written, and in which git branch; "" where unsaid."""

    session: str = ""
    cwd: str = ""
    branch: str = ""


def build_place(session: object, cwd: object, branch: object) -> LinePlace:
    """Give the place that values of any type name, each bounded."""
    folder, branch = shorten(text_of(cwd), PATH), shorten(text_of(branch), NAME)
    return LinePlace(session_id(session), folder, branch)


class TranscriptLine(NamedTuple):
    """One line that tells something; `at` is the time of the line before where it has none.

    `uuid` is "" where the line has no name. `spoken` says that it is a user or assistant line: its
    time is the turn's, while bookkeeping is also written later. `damaged` says that it was not
    UTF-8 and holds replacement characters.
    """

    uuid: str
    at: datetime
    place: LinePlace
    pieces: tuple[Piece, ...]
    spoken: bool
    damaged: bool = False
    sidechain: bool = False
