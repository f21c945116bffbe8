"""What was observed of a session: its texts by speaker, its calls, commits and checks.

Every place is a turn's index and, in that turn, a step's index. A check that was not seen to pass
has not failed: what nothing tells is "unknown" and is written nowhere.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memoria.text.prose import Form, parse_units, split_sentences

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.transcript import Call, Hunk, Transcript, Turn
    from memoria.capture.extract.failures.diagnosis import Fault
    from memoria.capture.extract.observing.call_outcomes import CallOutcome, State
    from memoria.text.shell.actions import Command

# "command": a slash command; "plan": written by a model; "pasted": others' words, handed on by
# the person; "harness": the client, a hook; "summary": of what the client compacted
Speaker = Literal["user", "command", "plan", "pasted", "harness", "assistant", "summary"]
# "steer": typed while the agent worked; "refusal": why a call was refused; "answer": to a question
# of the agent; "narration": between its calls; "closing": its last words of a turn; "plan": shown
Place = Literal["prompt", "steer", "refusal", "answer", "narration", "closing", "plan", "summary"]
Fate = Literal["kept", "amended", "reverted"]
_CONVENTIONAL = re.compile(  # "fix(api)!: "
    r"(?i)(?:feat|fix|refactor|perf|docs?|tests?|chore|style|build|ci|revert)"
    r"(?:\((?P<scope>[\w./ -]{1,40})\))?!?:\s+"
)
# "Merge x", "address review comments", "fix lint", "bump x", "update README.md"
_HOUSEKEEPING = re.compile(
    r"(?i)merge\b|wip\b|address(?:ing|ed)?\b.{0,40}\b(?:review|comments?|feedback|nits?)|(?:fix"
    r"|resolve)\w*:?\s+(?:the\s+)?(?:lint\w*|typos?|format\w*|tests?|ci|build|merge conflicts?"
    r"|nits?)\b|(?:chore|style)\b|bump\b|fixup!|squash!|format\b|lint\b|gofmt|apply (?:review"
    r"|suggestion)|review\b|initial commit|update \S+$"
)
CALLS_OF_TALK = 2  # a turn: with more of them it is work, and what the user says there are orders


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as plain text; `unit` numbers the paragraph, item or heading it stands in.

    `heading` is the nearest one above, `lead` the line ending in ":" that introduces a list.
    """

    text: str
    form: Form
    heading: str
    lead: str
    unit: int


def parse_sentences(markdown: str) -> tuple[Sentence, ...]:
    """Part a text into sentences; code blocks and rules are left out."""
    return tuple(
        Sentence(text, unit.form, unit.heading, unit.lead, number)
        for number, unit in enumerate(parse_units(markdown))
        for text in split_sentences(unit.text)
    )


@dataclass(frozen=True, slots=True)
class ObservedText:
    """What one speaker said at one place, whole and in sentences (wrapped lines are joined).

    `step` is the index of the step that it is, and for what the user said of the step after it (0
    for a prompt). `call` is the id of the call that was refused or that asked. `is_trivial`: an
    acknowledgement or a bare order.
    """

    speaker: Speaker
    place: Place
    turn: int
    step: int
    at: datetime
    text: str
    sentences: tuple[Sentence, ...]
    call: str = ""
    is_trivial: bool = False


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """A tool call with what its shell commands are, how it ended and what went wrong.

    `turn` is -1 for a subagent's call. `is_expected`: a test that was announced to fail, or whose
    failure was greeted as the one wanted; its faults are no mistakes. `folder` is where it worked,
    "" where it does not say.
    """

    call: Call
    turn: int
    step: int
    commands: tuple[Command, ...]
    outcome: CallOutcome
    faults: tuple[Fault, ...]
    is_expected: bool = False
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that the session made, and what became of it.

    `subject` and `body` are its message without trailers, wrapped lines joined. `branch` and `sha`
    are "" where git did not name them, `folder` where its call did not.
    """

    subject: str
    body: str
    turn: int
    step: int
    at: datetime
    branch: str = ""
    sha: str = ""
    fate: Fate = "kept"
    folder: str = ""

    @property
    def scope(self) -> str:
        """The scope of a conventional commit, "" where it has none."""
        match = _CONVENTIONAL.match(self.subject)
        return (match["scope"] or "") if match else ""

    @property
    def is_housekeeping(self) -> bool:
        """Whether it records how the work went rather than what was chosen."""
        return bool(_HOUSEKEEPING.match(self.subject))


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request that the session opened; `title` is "" where it was not seen."""

    title: str
    number: str


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One run of a check; `is_whole` is False where only a selection of tests was run."""

    turn: int
    step: int
    outcome: CallOutcome
    is_whole: bool
    folder: str = ""


@dataclass(frozen=True, slots=True)
class ObservedCheck:
    """A check by its name ("go test", "npm run lint") and all its runs, in order."""

    name: str
    runs: tuple[CheckRun, ...]

    @property
    def last(self) -> State:
        """How it ended last, by its whole runs that are known; "unknown" where none is."""
        runs = [run for run in self.runs if run.is_whole and run.outcome.state != "unknown"]
        return runs[-1].outcome.state if runs else "unknown"


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A file that was changed, relative to the session's folder where it lies in it.

    `place` is its path as the call has it.
    """

    path: str
    turn: int
    step: int
    hunks: tuple[Hunk, ...]
    place: str = ""


@dataclass(frozen=True, slots=True)
class ObservedTurn:
    """A turn with its texts (the prompt's first) and its calls, both in the order of time."""

    index: int
    turn: Turn
    texts: tuple[ObservedText, ...]
    calls: tuple[ObservedCall, ...]


@dataclass(frozen=True, slots=True)
class ObservedSession:
    """All that detectors need of one part of a session, read once.

    `commits` are all that were made, in order: those that became nothing have another fate than
    "kept". `checks` are in the order of their last runs. `branch` is the one worked on last.
    """

    transcript: Transcript
    turns: tuple[ObservedTurn, ...] = ()
    subagents: tuple[ObservedCall, ...] = ()
    commits: tuple[Commit, ...] = ()
    pull_requests: tuple[PullRequest, ...] = ()
    checks: tuple[ObservedCheck, ...] = ()
    edits: tuple[FileEdit, ...] = ()
    branch: str = ""

    @property
    def is_talk(self) -> bool:
        """Whether it was a conversation: in one an agent looks something up and answers."""
        return len(self.turns) > 1 and len(self.calls) <= CALLS_OF_TALK * len(self.turns)

    @property
    def texts(self) -> tuple[ObservedText, ...]:
        """All texts, in the order of time."""
        return tuple(text for turn in self.turns for text in turn.texts)

    @property
    def calls(self) -> tuple[ObservedCall, ...]:
        """All calls of the conversation, in order; subagents' are apart."""
        return tuple(call for turn in self.turns for call in turn.calls)

    @property
    def kept(self) -> tuple[Commit, ...]:
        """The commits that stand at the end of the part."""
        return tuple(commit for commit in self.commits if commit.fate == "kept")

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were edited, most edited first, then in the order of first edits."""
        return tuple(name for name, _ in Counter(edit.path for edit in self.edits).most_common())

    @property
    def busy(self) -> frozenset[int]:
        """The turns in which a file was edited or a commit made."""
        edited = {edit.turn for edit in self.edits}
        return frozenset(edited | {commit.turn for commit in self.kept})
