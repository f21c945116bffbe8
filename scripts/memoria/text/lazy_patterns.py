"""Regular expressions that are compiled when they are first used.

Most processes redact nothing, and compiling the patterns of redaction takes longer than all else
they do.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


_END = 2**63 - 1  # of any text


@cache
def _compile(source: str, flags: int) -> re.Pattern[str]:
    return re.compile(source, flags)


class LazyPattern(NamedTuple):
    """The source of a pattern; its methods are those of a compiled one."""

    source: str
    flags: int = 0

    def finditer(self, text: str, start: int = 0, end: int = _END) -> Iterator[re.Match[str]]:
        """Find all matches."""
        return _compile(self.source, self.flags).finditer(text, start, end)

    def search(self, text: str, start: int = 0, end: int = _END) -> re.Match[str] | None:
        """Find the first match."""
        return _compile(self.source, self.flags).search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = _END) -> re.Match[str] | None:
        """Match at one place."""
        return _compile(self.source, self.flags).match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = _END) -> re.Match[str] | None:
        """Match a whole span."""
        return _compile(self.source, self.flags).fullmatch(text, start, end)

    def sub(self, new: str, text: str, count: int = 0) -> str:
        """Replace the matches, or the first `count` of them."""
        return _compile(self.source, self.flags).sub(new, text, count)

    def findall(self, text: str) -> list[str]:
        """Give what the pattern's group, or the pattern, holds at each match."""
        return _compile(self.source, self.flags).findall(text)
