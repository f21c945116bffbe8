"""A call of a tool -> what a reader is shown of it: the command as typed, the lines that tell.

Real commands and real outputs make a tutorial believable, and whole they bury it: so a command is
its first lines without the `cd` in front, an output its summary or the lines around the error. The
trap: the line that names the error is masked and completed elsewhere for comparing, so it is looked
for in the output as it stands and shown as it stands there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.stages.fence import cut, fenced
from memoria.stages.hidden import strip_ansi
from memoria.stages.output import lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHELLS = frozenset({"Bash", "PowerShell"})
_FOLDER = re.compile(r"\A\s*cd\s+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s&;]+)\s*(?:&&|;)\s*")
_HEREDOC = re.compile(r"<<-?\s{0,3}(['\"]?)(\w{1,20})\1[^\n]{0,200}\n")
_TAIL = re.compile(r"(?:\s+2>&1)?(?:\s*\|\s*(?:head|tail)\b[^|&;]{0,40})?\s*\Z")
_LINES, _WIDTH = 4, 240  # of a command: what is longer is a script
_ERROR_LINES = 10  # of an error: the message, what it expected, where
_BEFORE, _AFTER = 1, 3  # lines around the one that names the error
_RESULT_LINES = 10  # of a passing run: its summary fits
_KEY = 40  # characters that are enough to find a line again
_PART = 14  # characters: a shorter line may be part of any other by chance
_STATUS = re.compile(r"\A\s*(?:Error: )?Exit code \d+\s*\n?")
# logs of the program under test: they are about themselves
_LOGGED = re.compile(
    r"^\s*(?:[\d/-]{8,10}\s)?\S*\d\d:\d\d:\d\d\S*\s|^\s*(?:time=|level=)"
    r"|^\s*\[?(?:INFO|DEBUG|TRACE)\b|^=== (?:RUN|PAUSE|CONT)"
)
_ARGUMENTS = ("file_path", "notebook_path", "path", "pattern", "url", "query", "skill")


def command(text: str) -> str:
    """Give a command line as a reader would type it: no `cd`, no body of a heredoc, no `| tail`."""
    text = _FOLDER.sub("", text.strip(), count=1)
    if opening := _HEREDOC.search(text):
        text = text[: opening.end()].rstrip("\n") + " …"
    text = _TAIL.sub("", text, count=1) or text
    shown = [line[:_WIDTH] for line in text.split("\n") if line.strip()]
    return "\n".join([*shown[:_LINES], *(["…"] if len(shown) > _LINES else [])])


def subject(name: str, arguments: Sequence[tuple[str, str]]) -> str:
    """Say in a few words what a call of another tool was about: "Edit app/main.py"."""
    given = dict(arguments)
    about = next((given[key] for key in _ARGUMENTS if given.get(key)), "")
    return f"{name} {' '.join(about.split())[:_WIDTH]}".strip()


def is_shell(name: str) -> bool:
    """Whether a tool of that name runs command lines."""
    return name in _SHELLS


def error_lines(result: str, named: Iterable[str]) -> list[str]:
    """Give the lines of an output that tell the error; `named` are those known to name it."""
    told = [line.rstrip() for line in lines(result)]
    found = [line for line in told if not _LOGGED.match(line)] or told
    names = [" ".join(line.split()) for line in named]
    at = [index for index, line in enumerate(found) if _is_named(line, names)]
    if not at:
        return cut(found, _ERROR_LINES)
    wanted = sorted({i for index in at for i in range(index - _BEFORE, index + _AFTER + 1)})
    near = [i for i in wanted if 0 <= i < len(found)]
    if len(near) > _ERROR_LINES:
        # the messages themselves before what stands around them
        near = sorted([*at, *(i for i in near if i not in at)][:_ERROR_LINES])
    return [found[i] for i in near]


def _is_named(line: str, names: Iterable[str]) -> bool:
    """Whether a line holds the beginning of an error's line, or is a part of one."""
    text = " ".join(line.split())
    return any(
        (key := name[:_KEY].rstrip(" …")) and (key in text or (len(text) > _PART and text in name))
        for name in names
    )


def result_lines(result: str) -> list[str]:
    """Give the lines that a run that went well is told by: all of a few, else both ends."""
    text = strip_ansi(_STATUS.sub("", result)).replace("\r", "\n")
    told = [line.rstrip() for line in text.split("\n") if line.strip()]
    plain = [line for line in told if not _LOGGED.match(line)] or told
    return cut(plain, _RESULT_LINES)


def session(typed: str, printed: Sequence[str]) -> str:
    """Show a command with what it printed, as a terminal does."""
    first, *rest = typed.split("\n")
    shown = [f"$ {first}", *(f"> {line}" for line in rest), *printed]
    return fenced("\n".join(shown), "console")
