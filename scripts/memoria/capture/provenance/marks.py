"""Write and read the mark of a line whose words others had first: "... (from a web page)".

A marked line is a fact that search finds and no hook ever says.
"""

from __future__ import annotations

import re

from memoria.capture.provenance.spans import OTHERS

# behind it may stand the log that a line comes from, its day, or what is left of a fence
_MARK = re.compile(rf"\s*\(from ({'|'.join(OTHERS)})\)")
# between what was asked and what came out
ARROW = " -> "


def is_marked(text: str) -> bool:
    """Whether a line says that its words come from a page, a file, a tool or a paste."""
    return bool(_MARK.search(text))


def split(text: str) -> tuple[str, str]:
    """Part a line from its mark: who had it ("" for no mark), and its words."""
    found = _MARK.search(text)
    return (
        (found[1], text[: found.start()] + _MARK.sub("", text[found.end() :]))
        if found
        else ("", text)
    )


def parted(text: str) -> tuple[tuple[str, str], ...]:
    """Part a line into who had its words and these; an answer may be behind what others asked."""
    found = _MARK.search(text)
    if found and text.startswith(ARROW, found.end()):
        after = text[found.end() + len(ARROW) :]
        return (found[1], text[: found.start()]), split(after)
    return (split(text),)


def marked(text: str, who: str) -> str:
    """Write behind a line where its words come from; "" for `who` leaves it alone."""
    # one in the middle, before an arrow, says nothing of the end
    return text if not who or not text.strip() or parted(text)[-1][0] else f"{text} (from {who})"
