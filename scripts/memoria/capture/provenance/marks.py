"""Write and read the mark of a line whose words others had first: "... (from a web page)".

A marked line is a fact that search finds and no hook ever says, but for the answer that was given
to others' words. A line is known to this machine by the key of the part that could be said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.provenance.spans import OTHERS
from memoria.vault.trust.known_lines import line_key

if TYPE_CHECKING:
    from memoria.vault.entry import Draft

# " (from a web page)"; behind it may stand the log that a line comes from, or its day
_MARK = re.compile(rf"\s*\(from ({'|'.join(OTHERS)})\)")
ARROW = " -> "  # between what was asked and what came out
_MIN_WORDS = 5  # outside of code: "added `x`" tells nothing without the question
_CODE = re.compile(r"`[^`\n]*`")
_WORD = re.compile(r"[^\W\d_]{2,}")


def is_marked(text: str) -> bool:
    """Whether a line says that its words come from a page, a file, a tool or a paste."""
    return bool(_MARK.search(text))


def split_mark(text: str) -> tuple[str, str]:
    """Part a line from its mark: who had it ("" for no mark), and its words."""
    match = _MARK.search(text)
    if match is None:
        return "", text
    return match[1], text[: match.start()] + _MARK.sub("", text[match.end() :])


def split_marked_parts(text: str) -> tuple[tuple[str, str], ...]:
    """Part a line into who had its words and these; an answer may be behind what others asked."""
    # few lines of an index have a mark, and a search that fails looks at every blank
    match = _MARK.search(text) if "(from " in text else None
    if match and text.startswith(ARROW, match.end()):
        after = text[match.end() + len(ARROW) :]
        return (match[1], text[: match.start()]), split_mark(after)
    return (split_mark(text) if match else ("", text),)


def mark_origin(text: str, speaker: str) -> str:
    """Write behind a line where its words come from; "" for `speaker` leaves it alone."""
    # one in the middle, before an arrow, says nothing of the end
    if not speaker or not text.strip() or split_marked_parts(text)[-1][0]:
        return text
    return f"{text} (from {speaker})"


def list_sayable_lines(draft: Draft) -> tuple[str, ...]:
    """Give the lines of an entry that a hook could say: its title and its lists."""
    return (draft.title, *draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions)


def find_sayable_part(line: str) -> str:
    """Give what of a line is not others', by its marks: all, the answer to what they asked, ""."""
    speaker, words = split_marked_parts(line)[-1]
    short = words != line and len(_WORD.findall(_CODE.sub(" ", words))) < _MIN_WORDS
    return "" if speaker or short else words


def build_line_key(line: str, part: str = "") -> str:
    """Give the key that a line is known by: that of the `part` that could be said, else of all."""
    return line_key(part or find_sayable_part(line) or line)
