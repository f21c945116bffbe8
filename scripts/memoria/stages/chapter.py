"""What was said and done on one request -> a Chapter: its blocks, and which can be left out.

The text between two calls is mostly an announcement of the second, so of an intermediate text only
the sentences that say something are kept; and a chapter that grows too long loses its weakest
blocks, never a wrong turn or what the user said. The trap: right after a failure even a weak
sentence is the one that explains it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.stages.fence import quoted
from memoria.stages.sentence import passage, stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memoria.stages.sentence import Sentence

KEEP = 5.0  # the weight of a block that no shorter telling leaves out
_DONE = 0.5  # the weight of a line that only says what was done
_SAID = 2  # sentences of one text between two calls
_TELLING = 1.2  # the score from which a sentence says something (see stages/cue.py)
_AFTER_FAILURE = -0.5  # the first words after an error explain it, though they point at it
_EMPTY = frozenset({"open", "intent", "torn", "first-person", "testing", "status", "assurance"})
_TWICE = 0.75  # of the words of both: a message that was corrected and sent again


@dataclass(slots=True)
class Chapter:
    """A chapter as it is told: blocks of Markdown with their weights, in the order of time.

    `told` are lines that were told before; `weight` says how much happened in it. `edited` and
    `done` gather what went well until the next block, `seen` are the signatures of its errors and
    `shown` how many of them were shown whole.
    """

    title: str
    at: datetime
    told: set[str]
    blocks: list[tuple[float, str]] = field(default_factory=list)
    weight: float = 0.0
    edited: dict[str, None] = field(default_factory=dict)
    done: dict[str, None] = field(default_factory=dict)
    said: str = ""
    seen: set[str] = field(default_factory=set)
    shown: int = 0

    def add(self, text: str, weight: float) -> None:
        """Add a block, after what was done before it."""
        self.flush()
        if text:
            self.blocks.append((weight, text))

    def flush(self) -> None:
        """Tell in one line what was done since the last block."""
        did = [f"edited {_and(list(self.edited))}"] if self.edited else []
        if line := "; ".join([*did, *self.done]):
            self.blocks.append((_DONE, f"*{line[:1].upper()}{line[1:]}.*"))
        self.edited.clear()
        self.done.clear()

    def quote(self, text: str, weight: float) -> None:
        """Quote the user, unless it is nearly what was quoted last: a message sent twice."""
        if not is_twice(text, self.said):
            self.add(quoted(text), weight)
        self.said = text


def is_twice(one: str, other: str) -> bool:
    """Whether two messages say the same: one was corrected and sent again."""
    words, before = stems(one), stems(other)
    return len(words & before) > _TWICE * len(words | before)


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def fitted(blocks: Sequence[tuple[float, str]], room: int) -> Iterator[str]:
    """Leave out the weakest blocks until the rest fits; what failed and what came of it stays."""
    left = sum(len(text) for _, text in blocks)
    dropped: set[int] = set()
    for index in sorted(range(len(blocks)), key=lambda index: blocks[index][0]):
        if left <= room or blocks[index][0] >= KEEP:
            break
        dropped.add(index)
        left -= len(blocks[index][1])
    return (text for index, (_, text) in enumerate(blocks) if index not in dropped)


def telling(text: str, *, failed: bool) -> list[str]:
    """Give the sentences of a text that say something, as sentences."""
    floor = _AFTER_FAILURE if failed else _TELLING
    found = [
        one.text
        for one in passage(text).sentences
        if one.score >= floor and not one.cues & _EMPTY and not _is_step(one)
    ]
    # a sentence that needs the one before it comes with it
    alone = [one for one in found if not any(other != one and one in other for other in found)]
    return [one if one[-1] in ".!?…" else f"{one}." for one in alone[:_SAID]]


# what is about to be done, and what was looked up on the way to it
_ANNOUNCES = re.compile(r"^(?:now|next|then|let's|need to)\b|[:?]$", re.IGNORECASE)
_ORDERS = re.compile(
    r"(?:add|apply|change|check|clean|commit|create|delete|find|fix|implement|look|mark|move|push"
    r"|read|remove|rename|replace|reply|run|search|start|update|use|verify|write)\b",
    re.IGNORECASE,
)
_LOOKED_UP = re.compile(
    r"(?:\b(?:is|are|was)|^still|^already) (?:\w+ )?(?:still |already |now |heavily |only )?"
    r"(?:used|unused|imported|there|needed|defined)\b"
)
_REASONED = frozenset({"cause", "diagnosis", "decision", "fix", "gotcha"})


def _is_step(sentence: Sentence) -> bool:
    """Whether a sentence only goes along with the work: an announcement, a thing looked up."""
    text = sentence.text
    if _ANNOUNCES.search(text):
        return True
    reasoned = bool(sentence.cues & _REASONED)
    return not reasoned and bool(_ORDERS.match(text) or _LOOKED_UP.search(text))
