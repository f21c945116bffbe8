"""Queue operations in order -> the prompts that steered a turn: what a user types meanwhile.

The client writes only what it does to its queue, so the queue is followed. The trap: a prompt that
is dequeued comes again as a user line of its own, and one that is taken out for another reason was
never given to the model; only one that is removed without a reason steered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.agents.pieces import Steered

if TYPE_CHECKING:
    from memoria.agents.pieces import Queued

_WAITING = 20  # prompts at once: nobody types more, so older ones are leftovers


class PromptQueue:
    """The prompts that wait, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Queued] = []

    def follow(self, entry: Queued) -> Steered | None:
        """Take one operation; give the prompt that was given to the running turn by it.

        Old clients do not name the prompt that leaves; new ones do, also one from before the
        watermark. popAll hands all prompts back to the user to be edited.
        """
        match entry.operation:
            case "enqueue":
                self._waiting = [*self._waiting[1 - _WAITING :], entry]
            case "dequeue":
                self._leave(entry)
            case "remove":
                left = self._leave(entry) or entry
                if left.text and not (entry.discarded or left.discarded):
                    return Steered(left.text, entry.key or left.key)
            case "popAll":
                if not (entry.text and self._leave(entry)):
                    self._waiting = []
        return None

    def _leave(self, entry: Queued) -> Queued | None:
        """Take out the one that is meant: by the client's key, else its words, else the oldest."""
        for index, queued in enumerate(self._waiting):
            if (entry.key and queued.key == entry.key) or (
                entry.text and queued.text == entry.text
            ):
                return self._waiting.pop(index)
        named = entry.key or entry.text
        return self._waiting.pop(0) if self._waiting and not named else None
