r"""What a command printed -> the lines that may tell why it failed.

Programs print around their error: echoes of the command, progress, passing tests, logs, advice. All
that is dropped before anything is searched, because the first line of an error is almost always
noise ("Exit code 1", "[lint] $ run ./..."): one such echo hid 63 different errors under one name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.text.unicode import strip_ansi

if TYPE_CHECKING:
    from collections.abc import Iterator

# A line of several thousand characters is data; its beginning is enough to judge it.
_LONGEST = 1000
_WRAPPER = re.compile(r"</?(?:tool_use_error|error)>")
# Task runners put the task's name before each line; levels such as [ERROR] are taken off apart.
_TASK_PREFIX = re.compile(r"^\[(?![A-Z]+\])[\w:@./-]{1,40}\] ")
_LEVEL = re.compile(r"^\[(?:ERROR|error)\]\s+")
_PROGRESS = re.compile(r"^(?:Rebasing \(\d+/\d+\)\s*)+")
_NOISE = re.compile(
    r"""^\s*(?:
      (?:Error:\ )?Exit\ code\ \d+$ | [$\u276f]\s | \+\ [a-z] | >\ \S+(?:@\S+)?(?:\ \S+)?$
    | ===\ (?:RUN|PAUSE|CONT|NAME) | (?:ok|\?)\s+\S+\s+(?:\(cached\)|[\d.]+s|\[no\ test)
    | ---\ (?:PASS|SKIP) | PASS\b | ok\s+\d+ | ✓ | ✔ | √
    | hint: | note: | Auto-merging\  | From\ \S+$ | \*\ (?:branch|\[new) | Finished\ in
    | \#\ \S+(?:\ \[[^\]]*\])?$ | \S+:\d+(?::\d+)?:\ :\ \#
    | (?:Compiling|Downloading|Downloaded|Installing|Resolving|Fetching|Updating|Checking)\s
    | npm\ (?:notice|warn|WARN) | warning:? | make(?:\[\d+\])?:\ (?:Entering|Leaving)
    | \S*\d\d:\d\d:\d\d\S*\s+\[?(?:INFO|DEBUG|TRACE|WARN) | \[?(?:INFO|DEBUG|TRACE|WARN\w*)\b
    | \d+\ issues?:?$ | \*\ [\w-]+:\ \d+$ | ERROR\ task\ failed | goroutine\ \d+ | \[signal\s
    | [\s^~|=─━╭╮╰╯│┃┆┊·*_.\-]+$
    )""",
    re.VERBOSE,
)
_WEAK = re.compile(
    r"""^\s*(?:
      FAIL(?:ED|URES?)?\b[^:]*$ | FAIL\s+\S+\s+(?:[\d.]+s|\[\w+\ failed\]) | exit\ status\ \d+
    | make(?:\[\d+\])?:\ \*\*\*.*Error\ \d+ | (?:error\ )?Command\ failed\ with\ exit\ code
    | npm\ (?:ERR!|error)\ (?:code|errno|Lifecycle|command|path|workspace|A\ complete|\s*$)
    | =+.*=+$ | (?:Tests?|Test\ Suites|Snapshots|Time):?\s+\d | Some\ tests\ failed | ELIFECYCLE
    | error:\ (?:script|task|recipe)\ .*(?:exited|failed) | Traceback\ \(most | \s*File\ ".*",\ line
    )""",
    re.VERBOSE,
)
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):$", re.MULTILINE)


def plain(line: str) -> str:
    """Take the task's name, the level and a progress display off a line."""
    return _PROGRESS.sub("", _LEVEL.sub("", _TASK_PREFIX.sub("", line.rstrip())))


def lines(text: str) -> Iterator[str]:
    """Yield the lines that are not noise, indentation kept, each cut at 1,000 characters."""
    for raw in _WRAPPER.sub("", strip_ansi(text)).replace("\r", "\n").split("\n"):
        line = plain(raw[: _LONGEST * 2])[:_LONGEST]
        if line.strip() and not _NOISE.match(line):
            yield line


def is_weak(line: str) -> bool:
    """Say whether a line tells that something failed and nothing more ("FAIL", "exit status 1")."""
    return bool(_WEAK.match(line))


def has_traceback(text: str) -> bool:
    """Say whether a Python program ended with a traceback in this output."""
    return bool(_TRACEBACK.search(text))
