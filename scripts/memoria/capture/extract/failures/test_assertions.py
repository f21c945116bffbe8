"""A test run's lines -> which test failed and what its assertion said.

Each test runner has its own form, but all print the assertion under a few marks ("E  ", `file:12:`,
"Expected:"). The trap: a test's own log lines have the form of its assertion, so a line that speaks
of an expectation is preferred to the first one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.signatures import mask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FAILING = re.compile(
    r"^\s*(?:--- FAIL: (?P<go>\S+)|FAILED (?P<pytest>\S+::\S+)|FAIL: (?P<unittest>\w+)"
    r"|[\u25cf\u2715\u2717\u00d7] (?P<jest>.+)"
    r"|not ok \d+ -? ?(?P<tap>.+)|test (?P<rust>\S+) \.\.\. FAILED)"
)
_DURATION = re.compile(r"\s*\(?\b[\d.]+ ?m?s\)?$")
_SUMMARY = re.compile(r"^FAILED \S+::\S+ - (?P<text>.+)")
_PYTEST = re.compile(r"^E\s+(?P<text>\S.*)")
_PLACE = re.compile(r"^\s*[\w./\\-]+\.[A-Za-z]\w{0,4}:\d+:\s*(?P<text>.*)$")
_DETAIL = re.compile(
    r"^\s*(?:(?:Error|expected|actual|Expected|Received|Messages|got|want|left|right)\s*:"
    r"|expect\(|AssertionError|assertion )"
)
_EXPECTS = re.compile(
    r"(?i)\b(?:got|want(?:s|ed)?|expect(?:ed|s)?|unexpected|must|failed|failure|error|actual|cannot"
    r"|could not|mismatch|missing|assert\w*|toBe\w*|not equal"
    r"|should(?:n't)? (?:be|not|have|equal|contain|return|match|succeed|exist))\b|[!=]="
)
_LOGGED = re.compile(r"(?i)\boutput:|\bINFO\b|\bDEBUG\b|\d\d:\d\d:\d\d|\bgot expected\b")
_PREFIX = re.compile(r"^AssertionError(?: \[\w+\])?: ")
# A `file:12:` with nothing behind it is completed by at most so many of the next lines; testify
# prints its trace first and the values after it.
_AHEAD, _PARTS = 8, 3
# Words that every assertion may use; what is left names this one.
_COMMON = {
    "got", "want", "wanted", "expected", "actual", "error", "not", "equal", "assert", "equals",
    "should", "true", "false", "nil", "none", "null", "received", "left", "right", "expect",
    "tobe", "toequal", "assertionerror", "the", "was", "and", "but", "values",
}  # fmt: skip


def failing_test(lines: Sequence[str]) -> str:
    """Name the first test that failed, "" where no line names one."""
    for line in lines:
        if match := _FAILING.match(line):
            return _DURATION.sub("", next(group for group in match.groups() if group).strip())
    return ""


def _completed(lines: Sequence[str]) -> str:
    details = [line for line in lines[:_AHEAD] if _DETAIL.match(line)]
    return " ".join(" ".join(line.split()) for line in details[:_PARTS])


def _assertions(lines: Sequence[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        if match := _PYTEST.match(line) or _SUMMARY.match(line):
            yield match["text"]
        elif match := _PLACE.match(line):
            following = lines[index + 1 : index + 1 + _AHEAD]
            testify = not match["text"] or (bool(following) and "Error Trace" in following[0])
            yield _completed(following) if testify else match["text"]
        elif _DETAIL.match(line):
            yield line.strip()


def assertion(lines: Sequence[str]) -> str:
    """Give the line in which a failing test says what it expected, "" where none does."""
    said = [text for text in _assertions(lines) if text and not _LOGGED.search(text)]
    telling = next((text for text in said if _EXPECTS.search(text)), said[-1] if said else "")
    return _PREFIX.sub("", telling)


def is_opaque(text: str) -> bool:
    """Say whether an assertion says nothing but values: "got 3, want 4"."""
    words = re.findall(r"[a-z]{3,}", re.sub(r"<[a-z.]+>", " ", mask(text)).lower())
    return len(set(words) - _COMMON) < 2  # noqa: PLR2004 - one word of its own may be chance
