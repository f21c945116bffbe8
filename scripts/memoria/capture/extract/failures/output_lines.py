"""Find the lines of what a command printed that may tell why it failed, and a test's assertion.

Programs print around their error: echoes of the command, progress, passing tests, logs, advice. All
that is dropped before anything is searched, because the first line of an error is almost always
noise ("Exit code 1"): one such echo hid 63 different errors under one name. A test's own log lines
have the form of its assertion, so a line that speaks of an expectation is preferred to the first.
"""

import re
from collections.abc import Iterator, Sequence

from memoria.capture.extract.signatures import mask
from memoria.text.unicode import strip_ansi

_MAX_CHARS = 1000  # of a line: a longer one is data, and its beginning is enough to judge it
_WRAPPER = re.compile(r"</?(?:tool_use_error|error)>")
# Task runners put the task's name before each line; levels such as [ERROR] are taken off apart.
_TASK_PREFIX = re.compile(r"^\[(?![A-Z]+\])[\w:@./-]{1,40}\] ")
_NOISE = re.compile(r"""(?x)  # echoes, progress, passing tests, logs, advice, lines of signs
    ^\s*(?:
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
    )""")
# "FAIL", "exit status 1", "Tests: 3 failed": that something failed and nothing more
_WEAK = re.compile(r"""(?x)
    ^\s*(?:
      FAIL(?:ED|URES?)?\b[^:]*$ | FAIL\s+\S+\s+(?:[\d.]+s|\[\w+\ failed\]) | exit\ status\ \d+
    | make(?:\[\d+\])?:\ \*\*\*.*Error\ \d+ | (?:error\ )?Command\ failed\ with\ exit\ code
    | npm\ (?:ERR!|error)\ (?:code|errno|Lifecycle|command|path|workspace|A\ complete|\s*$)
    | =+.*=+$ | (?:Tests?|Test\ Suites|Snapshots|Time):?\s+\d | Some\ tests\ failed | ELIFECYCLE
    | error:\ (?:script|task|recipe)\ .*(?:exited|failed) | Traceback\ \(most | \s*File\ ".*",\ line
    )""")
_TRACEBACK = re.compile(r"(?m)^Traceback \(most recent call last\):$")


def strip_noise_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not noise, indentation kept, each cut at 1,000 characters."""
    for raw in _WRAPPER.sub("", strip_ansi(text)).replace("\r", "\n").split("\n"):
        line = _TASK_PREFIX.sub("", raw[: _MAX_CHARS * 2].rstrip())[:_MAX_CHARS]
        if line.strip() and not _NOISE.match(line):
            yield line


def is_weak(line: str) -> bool:
    """Say whether a line tells that something failed and nothing more ("FAIL", "exit status 1")."""
    return bool(_WEAK.match(line))


def has_traceback(text: str) -> bool:
    """Say whether a Python program ended with a traceback in this output."""
    return bool(_TRACEBACK.search(text))


# -- Tests ----------------------------------------------------------------------------------------

_FAILING_TEST = re.compile(  # "--- FAIL: TestX", "FAILED a.py::test_x", "✕ logs in", "not ok 2 - x"
    r"^\s*(?:--- FAIL: (?P<go>\S+)|FAILED (?P<pytest>\S+::\S+)|FAIL: (?P<unittest>\w+)"
    r"|[\u25cf\u2715\u2717\u00d7] (?P<jest>.+)"
    r"|not ok \d+ -? ?(?P<tap>.+)|test (?P<rust>\S+) \.\.\. FAILED)"
)
_DURATION = re.compile(r"\s*\(?\b[\d.]+ ?m?s\)?$")  # " (12 ms)", " 0.3s"
_PYTEST_LINE = re.compile(r"^E\s+(?P<text>\S.*)")
_POSITION = re.compile(r"^\s*[\w./\\-]+\.[A-Za-z]\w{0,4}:\d+:\s*(?P<text>.*)$")  # "a_test.go:12: x"
_DETAIL = re.compile(  # "got: 3", "expect(x).toBe(y)"
    r"^\s*(?:(?:Error|expected|actual|Expected|Received|Messages|got|want|left|right)\s*:"
    r"|expect\(|AssertionError|assertion )"
)
_EXPECTS = re.compile(
    r"(?i)\b(?:got|want(?:s|ed)?|expect(?:ed|s)?|unexpected|must|failed|failure|error|actual|cannot"
    r"|could not|mismatch|missing|assert\w*|toBe\w*|not equal"
    r"|should(?:n't)? (?:be|not|have|equal|contain|return|match|succeed|exist))\b|[!=]="
)
_LOG_LINE = re.compile(r"(?i)\boutput:|\bINFO\b|\bDEBUG\b|\d\d:\d\d:\d\d|\bgot expected\b")
_PREFIX = re.compile(r"^AssertionError(?: \[\w+\])?: ")
# A `file:12:` with nothing behind it is completed by at most so many of the next lines; testify
# prints its trace first and the values after it.
_LINES_AHEAD, _MAX_DETAILS = 8, 3
# Words that every assertion may use; what is left names this one.
_ASSERTION_WORDS = {
    "got", "want", "wanted", "expected", "actual", "error", "not", "equal", "assert", "equals",
    "should", "true", "false", "nil", "none", "null", "received", "left", "right", "expect",
    "tobe", "toequal", "assertionerror", "the", "was", "and", "but", "values",
}  # fmt: skip


def find_failing_test(lines: Sequence[str]) -> str:
    """Name the first test that failed, "" where no line names one."""
    for line in lines:
        if match := _FAILING_TEST.match(line):
            return _DURATION.sub("", next(group for group in match.groups() if group).strip())
    return ""


def _find_assertions(lines: Sequence[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        if match := _PYTEST_LINE.match(line):
            yield match["text"]
        elif match := _POSITION.match(line):
            next_lines = lines[index + 1 : index + 1 + _LINES_AHEAD]
            is_testify = not match["text"] or (bool(next_lines) and "Error Trace" in next_lines[0])
            details = [" ".join(line.split()) for line in next_lines if _DETAIL.match(line)]
            yield " ".join(details[:_MAX_DETAILS]) if is_testify else match["text"]
        elif _DETAIL.match(line):
            yield line.strip()


def find_assertion(lines: Sequence[str]) -> str:
    """Give the line in which a failing test says what it expected, "" where none does."""
    texts = [text for text in _find_assertions(lines) if text and not _LOG_LINE.search(text)]
    assertion = next((text for text in texts if _EXPECTS.search(text)), texts[-1] if texts else "")
    return _PREFIX.sub("", assertion)


def is_opaque(text: str) -> bool:
    """Say whether an assertion says nothing but values: "got 3, want 4"."""
    words = re.findall(r"[a-z]{3,}", re.sub(r"<[a-z.]+>", " ", mask(text)).lower())
    return len(set(words) - _ASSERTION_WORDS) < 2  # noqa: PLR2004 - one word of its own may be chance
