"""Take standard input and output as lines and a file, as a server in asyncio needs them.

The wire is moved off descriptor 1, as what anything prints would end the connection. The end of the
lines is told once what is under way is answered.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, Self

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

# of one message: a code review with its JSON escapes is a few hundred KB
_LINE = 8 << 20


def taken() -> tuple[BinaryIO, BinaryIO]:
    """Take the wire off the standard descriptors: what a call or its children print is talk."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing


class Lines:
    """Lines of a file; `idle` is waited for before they end."""

    def __init__(self, file: BinaryIO, idle: Callable[[], Awaitable[None]]) -> None:
        self._file = file
        self._idle = idle
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop has ended before its input
            while line := self._file.readline(_LINE):
                self._put(line.decode("utf-8", "replace"))
            self._put("")

    def _put(self, line: str) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, line)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._queue.get()
        if not line:
            await self._idle()
            raise StopAsyncIteration
        return line


class Out:
    """A file that is written to at once: a client that does not read is waited for."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    async def write(self, text: str) -> None:
        """Write a text."""
        self._file.write(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        """Hand on what was written."""
        self._file.flush()
