"""Text of a tool, a file or a person -> a block of Markdown that nothing in it can leave or run.

A note that shows real commands and code holds every mark that Markdown knows, so what is shown is
fenced by one backtick more than any run in it, and what is said in line goes through the same
rewriting as all text of a vault. The trap: some programs run blocks of certain languages (queries,
diagrams, buttons), so the word behind the fence is chosen here and never taken from the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.stages.hidden import strip_hidden
from memoria.stages.markup import inert, inert_prose

if TYPE_CHECKING:
    from collections.abc import Sequence

# what an editor colours and no program runs
_LANGUAGES = {
    "bash": "bash", "c": "c", "cc": "cpp", "cjs": "javascript", "cpp": "cpp", "cs": "csharp",
    "css": "css", "diff": "diff", "ex": "elixir", "exs": "elixir", "go": "go", "h": "c",
    "hpp": "cpp", "html": "html", "java": "java", "javascript": "javascript", "js": "javascript",
    "json": "json", "jsonl": "json", "jsx": "jsx", "kt": "kotlin", "lua": "lua", "md": "markdown",
    "mjs": "javascript", "php": "php", "proto": "proto", "py": "python", "pyi": "python",
    "python": "python", "rb": "ruby", "rs": "rust", "rust": "rust", "scala": "scala",
    "scss": "scss", "sh": "bash", "shell": "bash", "sql": "sql", "svelte": "svelte",
    "swift": "swift", "tf": "hcl", "toml": "toml", "ts": "typescript", "tsx": "tsx",
    "typescript": "typescript", "vue": "vue", "xml": "xml", "yaml": "yaml", "yml": "yaml",
    "zig": "zig",
}  # fmt: skip
_RUN = re.compile(r"`{3,}")
_WIDTH = 160  # characters of a line: longer ones are data, and nobody scrolls sideways


def language(name: str) -> str:
    """Give the word behind a fence for a file's name, an ending or a language; "text" for others.

    A Makefile and the like have no ending and are text.
    """
    return _LANGUAGES.get(name.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower(), "text")


def fenced(text: str, word: str = "text") -> str:
    """Fence a text; `word` is a language, which no text may choose."""
    lines = [_line(line) for line in strip_hidden(text).strip("\n").split("\n")]
    body = "\n".join(lines)
    longest = max((len(run) for run in _RUN.findall(body)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{word}\n{body}\n{mark}"


def _line(line: str) -> str:
    # templates are filled in within code, too
    line = line.rstrip().replace("<%", "< %")
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1].rstrip()}…"


def cut(lines: Sequence[str], most: int) -> list[str]:
    """Leave out the middle of more than `most` lines, and say how many; the end tells more."""
    if len(lines) <= most:
        return list(lines)
    head = most // 3
    tail = most - head - 1
    gap = f"[... {len(lines) - head - tail} lines ...]"
    return [*lines[:head], gap, *lines[len(lines) - tail :]]


def quoted(text: str) -> str:
    """Quote what a person said: paragraphs and lists stay, nothing in it is active."""
    return "\n".join(f"> {line}".rstrip() for line in inert_prose(text).split("\n"))


def code(text: str) -> str:
    """Give one line as inline code."""
    line = " ".join(strip_hidden(text).split())
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    mark = "`" * (longest + 1)
    # a backtick at the border would join the mark
    edge = " " if longest and (line.startswith("`") or line.endswith("`")) else ""
    return inert(f"{mark}{edge}{line}{edge}{mark}") if line else ""
