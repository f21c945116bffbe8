"""Judge what of a colleague's facts a hook may say: an author's word alone is not enough.

A line that orders, hides something, carries a mark of outside origin, is long, or is dated in the
future is found by search and never said. A colleague's lines have keys of a form that no line of
the vault has, so that nobody can make the key of another line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.provenance.marks import is_marked
from memoria.privacy.imperatives import orders
from memoria.team.fact import LINES
from memoria.text.markdown import inert
from memoria.text.unicode import disguised, strip_hidden

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import date

    from memoria.team.fact import Fact

# of a key that a colleague's line may be said by; keys of the vault's lines are 16 hex digits
PREFIX = "team "
# characters: a line that a hook says has 900 with all others
_LONGEST = 400


def key(fact: Fact, today: date) -> str:
    """Give the key of a line that a hook may say, "" for one that it may not."""
    return f"{PREFIX}{fact.author} {fact.id[:16]}" if may_be_said(fact, today) else ""


def may_be_said(fact: Fact, today: date) -> bool:
    """Whether a line is a bounded report that this machine finds no fault with."""
    text = fact.text
    return (
        fact.kind in LINES
        and len(text) <= _LONGEST
        and fact.day <= str(today)
        and text == strip_hidden(text)
        and text == inert(text)
        and not disguised(text)
        and not is_marked(text)
        and not orders(text)
        and "[[" not in text
    )


class Sayable:
    """The keys of lines that hooks may say: those this machine knows, and a team's judged ones."""

    def __init__(self, known: Container[str]) -> None:
        self._known = known

    def __contains__(self, name: object) -> bool:
        """Whether a key is one of them; a hash of the vault never has a space in it."""
        return (isinstance(name, str) and name.startswith(PREFIX)) or name in self._known
