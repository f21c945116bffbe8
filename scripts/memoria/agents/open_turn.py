"""Collect what makes a turn while its lines come in: its steps, and the prompts that wait.

An OpenTurn is changed in place, unlike a Turn: a result completes a call, a resent prompt joins the
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

_STEP_BYTES = 400  # that a step costs beside its texts: object, time, list slots
_TURN_BYTES = 2000  # that a turn costs beside its prompt and steps: its lists and counters
_MAX_STEERS = 20  # of one turn that are looked at for a second form: nobody types more
_MAX_REASONS = 40  # distinct ones: a hostile file has as many unknown types as lines
_MAX_WAITING = 20  # prompts at once: nobody types more, so older ones are leftovers


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
    size: int = _TURN_BYTES
    steps: list[Step] = field(default_factory=list)
    steers: list[tuple[SteerEvent, Steer, bool]] = field(default_factory=list)
    revoked: list[Steer] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def has_begun(self) -> bool:
        """Whether there is anything of a turn yet."""
        return bool(self.prompt or self.steps)

    @property
    def is_new(self) -> bool:
        """Whether it is a turn of the result."""
        return self.has_begun and not self.known

    def is_resent(self, prompt: str) -> bool:
        """Say whether that prompt is this turn's own again, after an interrupt or an API error."""
        is_unanswered = not self.steps or isinstance(self.steps[-1], Interrupt)
        return bool(self.prompt) and self.prompt == prompt and is_unanswered

    def touch(self, line: TranscriptLine, uuid: str, branch: str) -> None:
        """Note a line that belongs here; the first one names a turn that has no prompt."""
        if line.damaged:
            self.skip("invalid UTF-8")
        if self.has_begun and self.at is None:
            self.uuid, self.at, self.branch = uuid, line.at, branch
        if self.until is not None and line.spoken:
            self.until = max(line.at, self.until)

    def add(self, step: Step, *texts: str) -> None:
        """Append a step and count the memory of its texts."""
        if self.known:
            self.steps.clear()
        else:
            self.size += _STEP_BYTES + sum(map(memory_size, texts))
        self.steps.append(step)
        self.until = step.at if self.until is None else max(step.at, self.until)

    def find_call(self, index: int) -> Call | None:
        """Give the call of that place, None where the turn keeps none."""
        call = self.steps[index] if index < len(self.steps) else None
        return call if not self.known and isinstance(call, Call) else None

    def answer(self, index: int, call: Call, completed: Call, limits: Limits) -> int:
        """Complete a call with its result, or with a further one, and say how much that added."""
        growth = -memory_size(call.result) if call.answered else 0
        if call.answered:
            result = shorten(f"{call.result}\n{completed.result}", limits.result)
            completed = replace(completed, result=result)
        self.steps[index] = completed
        growth += memory_size(completed.result)
        self.size += growth
        return growth

    def pair_forms(self, event: SteerEvent, steer: Steer, *, is_queued: bool) -> Steer | None:
        """Give the steer that the other form of these words made, else remember this form."""
        for index, (twin, twin_steer, twin_is_queued) in enumerate(self.steers):
            is_same = twin.text == event.text or (event.key and twin.key == event.key)
            if twin_is_queued != is_queued and is_same:
                del self.steers[index]
                return twin_steer
        self.steers = [*self.steers[-_MAX_STEERS:], (event, steer, is_queued)]
        return None

    def skip(self, reason: str) -> None:
        """Count what was left out."""
        tally(self.skipped, reason)

    def build_turn(self) -> Turn:
        """Give the turn as it is now; only of one that has `has_begun`."""
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

    def apply_operation(self, event: QueueEvent) -> SteerEvent | None:
        """Take one operation; give the prompt that was given to the running turn by it.

        New clients name the prompt that leaves, also one from before the watermark. A dequeued
        prompt comes again as a user line of its own; popAll hands all prompts back to the user to
        be edited.
        """
        match event.operation:
            case "enqueue" if not event.discarded:
                self._waiting = [*self._waiting[1 - _MAX_WAITING :], event]
            case "dequeue":
                self._remove_prompt(event)
            case "remove":
                prompt = self._remove_prompt(event) or event
                if prompt.text and not event.discarded:
                    return SteerEvent(prompt.text, event.key or prompt.key)
            case "popAll":
                if not (event.text and self._remove_prompt(event)):
                    self._waiting = []
        return None

    def _remove_prompt(self, event: QueueEvent) -> QueueEvent | None:
        """Take out the one that is meant: by the client's key, else its words, else the oldest."""
        for index, prompt in enumerate(self._waiting):
            is_same_key = event.key and prompt.key == event.key
            if is_same_key or (event.text and prompt.text == event.text):
                return self._waiting.pop(index)
        is_named = event.key or event.text
        return self._waiting.pop(0) if self._waiting and not is_named else None


def tally(counts: Counter[str], reason: str, times: int = 1) -> None:
    """Count a reason; when there are very many distinct ones, new ones together."""
    counts[reason if reason in counts or len(counts) < _MAX_REASONS else "other"] += times


def memory_size(text: str) -> int:
    """Bytes that a text takes in memory: one, two or four for each character."""
    return text.__sizeof__()
