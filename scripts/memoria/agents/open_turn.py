"""Collect what makes a turn while its lines come in: its steps, and the prompts that wait.

A Draft is changed in place, unlike a Turn: a result completes a call, a resent prompt joins the
turn that it repeats. The traps: of a turn that was captured before nothing may be kept but what
tells where it ends, or the copies that forks make would cost memory and count twice; and a prompt
that leaves the client's queue steered the turn only where it was removed without a reason.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime

from memoria.agents.transcript import (
    Call,
    Interrupt,
    Limits,
    QueueEvent,
    Steer,
    SteerEvent,
    Step,
    TranscriptLine,
    Turn,
)
from memoria.text.shorten import shorten

_STEP = 400  # bytes that a step costs beside its texts: object, time, list slots
_TURN = 2000  # bytes that a turn costs beside its prompt and steps: its lists and counters
_STEERS = 20  # steers of one turn that are looked at for a second form: nobody types more
_REASONS = 40  # distinct reasons: a hostile file has as many unknown types as lines
_WAITING = 20  # prompts at once: nobody types more, so older ones are leftovers


@dataclass(slots=True)
class OpenTurn:
    """A turn that still grows; of a known one only the last step is held, to tell a resend."""

    start: int
    uuid: str = ""
    at: datetime | None = None
    until: datetime | None = None
    prompt: str = ""
    branch: str = ""
    known: bool = False
    size: int = _TURN
    steps: list[Step] = field(default_factory=list)
    steers: list[tuple[SteerEvent, Steer, bool]] = field(default_factory=list)
    revoked: list[Steer] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def begun(self) -> bool:
        """Whether there is anything of a turn yet."""
        return bool(self.prompt or self.steps)

    @property
    def is_new(self) -> bool:
        """Whether it is a turn of the result."""
        return self.begun and not self.known

    def is_resent(self, prompt: str) -> bool:
        """Say whether that prompt is this turn's own again, after an interrupt or an API error."""
        unanswered = not self.steps or isinstance(self.steps[-1], Interrupt)
        return bool(self.prompt) and self.prompt == prompt and unanswered

    def touch(self, line: TranscriptLine, uuid: str, branch: str) -> None:
        """Note a line that belongs here; the first one names a turn that has no prompt."""
        if line.damaged:
            self.skip("invalid UTF-8")
        if self.begun and self.at is None:
            self.uuid, self.at, self.branch = uuid, line.at, branch
        if self.until is not None and line.spoken:
            self.until = max(line.at, self.until)

    def add(self, step: Step, *texts: str) -> None:
        """Append a step and count the memory of its texts."""
        if self.known:
            self.steps.clear()
        else:
            self.size += _STEP + sum(map(memory_size, texts))
        self.steps.append(step)
        self.until = step.at if self.until is None else max(step.at, self.until)

    def call(self, index: int) -> Call | None:
        """Give the call of that place, None where the turn keeps none."""
        call = self.steps[index] if index < len(self.steps) else None
        return call if not self.known and isinstance(call, Call) else None

    def answer(self, index: int, before: Call, after: Call, limits: Limits) -> int:
        """Complete a call with its result, or with a further one, and say how much that added."""
        added = -memory_size(before.result) if before.answered else 0
        if before.answered:
            joined = shorten(f"{before.result}\n{after.result}", limits.result)
            after = replace(after, result=joined)
        self.steps[index] = after
        added += memory_size(after.result)
        self.size += added
        return added

    def pair(self, words: SteerEvent, steer: Steer, *, queued: bool) -> Steer | None:
        """Give the steer that the other form of these words made before, where it came before."""
        for index, (other, made, form) in enumerate(self.steers):
            same = other.text == words.text or (words.key and other.key == words.key)
            if form != queued and same:
                del self.steers[index]
                return made
        self.steers = [*self.steers[-_STEERS:], (words, steer, queued)]
        return None

    def skip(self, reason: str) -> None:
        """Count what was left out."""
        tally(self.skipped, reason)

    def turn(self) -> Turn:
        """Give the turn as it is now; only of one that has `begun`."""
        assert self.at is not None  # noqa: S101 - set with the first step or the prompt
        assert self.until is not None  # noqa: S101 - the same
        steps = tuple(step for step in self.steps if step not in self.revoked)
        return Turn(self.uuid, self.at, self.until, self.prompt, self.branch, steps)


class PromptQueue:
    """The person's prompts that wait in the client's queue, oldest first.

    What programs queue there is left out: the client gives a person's words before them, whatever
    came first, and old clients do not name what leaves.
    """

    def __init__(self) -> None:
        self._waiting: list[QueueEvent] = []

    def apply_operation(self, entry: QueueEvent) -> SteerEvent | None:
        """Take one operation; give the prompt that was given to the running turn by it.

        New clients name the prompt that leaves, also one from before the watermark. A dequeued
        prompt comes again as a user line of its own; popAll hands all prompts back to the user to
        be edited.
        """
        match entry.operation:
            case "enqueue" if not entry.discarded:
                self._waiting = [*self._waiting[1 - _WAITING :], entry]
            case "dequeue":
                self._remove_prompt(entry)
            case "remove":
                prompt = self._remove_prompt(entry) or entry
                if prompt.text and not entry.discarded:
                    return SteerEvent(prompt.text, entry.key or prompt.key)
            case "popAll":
                if not (entry.text and self._remove_prompt(entry)):
                    self._waiting = []
        return None

    def _remove_prompt(self, entry: QueueEvent) -> QueueEvent | None:
        """Take out the one that is meant: by the client's key, else its words, else the oldest."""
        for index, queued in enumerate(self._waiting):
            if (entry.key and queued.key == entry.key) or (
                entry.text and queued.text == entry.text
            ):
                return self._waiting.pop(index)
        named = entry.key or entry.text
        return self._waiting.pop(0) if self._waiting and not named else None


def tally(counts: Counter[str], reason: str, times: int = 1) -> None:
    """Count a reason; when there are very many distinct ones, new ones together."""
    counts[reason if reason in counts or len(counts) < _REASONS else "other"] += times


def memory_size(text: str) -> int:
    """Bytes that a text takes in memory: one, two or four for each character."""
    return text.__sizeof__()
