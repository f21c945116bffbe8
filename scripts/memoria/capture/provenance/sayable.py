"""Say which part of a line a hook may say, and by which key this machine knows the line.

A line that carries a mark of origin is others' words, but for the answer that was given to them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.provenance.marks import parted
from memoria.vault.trust.known_lines import key

if TYPE_CHECKING:
    from memoria.vault.entry import Draft

# words outside of code: "added `x`" tells nothing without the question
_ENOUGH = 5
_CODE = re.compile(r"`[^`\n]*`")
_WORD = re.compile(r"[^\W\d_]{2,}")


def of_draft(draft: Draft) -> tuple[str, ...]:
    """Give the lines of an entry that a hook could say: its title and its lists."""
    return (draft.title, *draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions)


def said_part(line: str) -> str:
    """Give what of a line is not others', by its marks: all, the answer to what they asked, ""."""
    who, rest = parted(line)[-1]
    short = rest != line and len(_WORD.findall(_CODE.sub(" ", rest))) < _ENOUGH
    return "" if who or short else rest


def known_by(line: str) -> str:
    """Give the key that a line is known by: that of its part that could be said, else of all."""
    return key(said_part(line) or line)
