"""Compile regular expressions when they are first used: a short verb uses few of them."""

import re
from typing import Any, cast


class _LazyPattern:
    """The source of a pattern, which becomes the compiled one's methods once one is asked for."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        value = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)  # from now on as fast as the pattern's own
        return value


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Give a pattern that is compiled when it is first used."""
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
