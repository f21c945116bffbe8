"""The values of a mistake: what went wrong, and how it went away.

The ledger is folded into these by verbs that never read a transcript, so the detectors, with their
patterns, stand in modules of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

How = Literal[
    "edit",  # files were edited, then the same action passed
    "retry",  # the same call passed later as it was
    "rephrase",  # the same kind of action passed with other inputs
]

# A subagent's call belongs to no turn of the conversation.
NO_TURN = -1


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a mistake went away: the next success of the same kind of action.

    `change` is what was done in between, as lines of a diff ("- old", "+ new"; at most four, which
    share a word with the error) or in a few words; "" where nothing tells. `at` is the time of the
    success.
    """

    how: How
    change: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that went wrong.

    `signature` names the cause: tool, kind and the masked first informative line, readable, up to
    200 characters. `kind` is one of "exit", "not-found", "edit-mismatch", "test", "timeout" and so
    on, or has a code after a colon: "exception:ValueError", "lint:errcheck". `line` is the
    informative line unmasked. `call` is the id of the call (a linter's run is a mistake for each
    rule it breaks, so a call may have several, each with a signature of its own); `turn` the index
    of its turn in this transcript, -1 for a subagent's call. `resolution` is None where the session
    ends before it went away.

    A correction has the tool "user", a kind of "correction", "correction:failing" (told that what
    was made does not work), "correction:revert" or "correction:repeat", the user's sentence as its
    `line`, and as `call` the refused call or "". Its signature holds the sentence's content words:
    it joins the same words in any order, tense and politeness, and no paraphrases.
    """

    signature: str
    tool: str
    kind: str
    line: str
    call: str
    turn: int
    at: datetime
    resolution: Resolution | None = None
