"""Show text of any origin in a block of Markdown that nothing in it can leave or run.

Some programs run blocks of certain languages, so the word behind the fence is never taken from it.
"""

import re

from memoria.text.markdown import make_inert, make_prose_inert
from memoria.text.unicode import strip_hidden

_RUN = re.compile(r"`{3,}")
_WIDTH = 160  # characters of a line: longer ones are data, and nobody scrolls sideways


def format_code_block(text: str, word: str = "text") -> str:
    """Fence a text; `word` is a language, which no text may choose."""
    # templates are filled in within code, too
    stripped = strip_hidden(text).strip("\n").replace("<%", "< %").split("\n")
    body = "\n".join(
        line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1].rstrip()}…"
        for line in map(str.rstrip, stripped)
    )
    mark = "`" * (max((len(run) for run in _RUN.findall(body)), default=2) + 1)
    return f"{mark}{word}\n{body}\n{mark}"


def format_quote(text: str) -> str:
    """Quote what a person said: paragraphs and lists stay, nothing in it is active."""
    return "\n".join(f"> {line}".rstrip() for line in make_prose_inert(text).split("\n"))


def format_inline_code(text: str) -> str:
    """Give one line as inline code."""
    line = " ".join(strip_hidden(text).split())
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    mark = "`" * (longest + 1)
    # a backtick at the border would join the mark
    edge = " " if longest and (line.startswith("`") or line.endswith("`")) else ""
    return make_inert(f"{mark}{edge}{line}{edge}{mark}") if line else ""
