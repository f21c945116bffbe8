"""Work on the calls of a service in threads, a few at once, and wait for them at the end.

A call works with locks and files, so each has a thread. What nobody foresaw becomes a line that a
model can act on. The trap: asyncio's own threads keep the process
until they are done, and a call may think for minutes after its client has gone.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from memoria.errors import MemoriaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # asks the person; None where the client has no way to
    Consent = Callable[[str], bool | None]


Result = TypeVar("Result")
# calls that work at once: a client that sends more has them wait
_AT_ONCE = 4
# a client that has closed its end: what it asked before that is answered, unless a model thinks
_LAST_SECONDS, _TICK_SECONDS = 5.0, 0.05


@dataclass
class Asked(Exception):
    """A call cannot go on before the person has answered, and the client will call again."""

    question: str


class Service(Protocol):
    """What is served; `call` and `read` run in threads and raise MemoriaError for the caller."""

    name: str
    version: str
    instructions: str

    def tools(self) -> list[dict[str, Any]]:
        """Give the tools as the protocol lists them."""

    def call(self, name: str, arguments: Mapping[str, Any], consent: Consent) -> str:
        """Carry out a call; give its text."""

    def resources(self, cursor: str) -> tuple[list[dict[str, Any]], str]:
        """Give some resources as the protocol lists them, and the cursor to go on with, or ""."""

    def templates(self) -> list[dict[str, Any]]:
        """Give the templates of resources."""

    def read(self, uri: str) -> str:
        """Give a resource's text, which is Markdown."""


class Calls:
    """The calls that are being worked on."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._busy = 0

    async def idle(self) -> None:
        """Wait until what was asked for is answered, or for as long as that may take."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await asyncio.sleep(_TICK_SECONDS)  # until what was read has become calls
                while self._busy:  # noqa: ASYNC110 - many tasks change it, and it is looked at once
                    await asyncio.sleep(_TICK_SECONDS)

    async def working(self, work: Callable[[], Result]) -> Result:
        """Work in a thread; what nobody foresaw becomes a MemoriaError of a line."""
        self._busy += 1
        try:
            return await self._worked(work)
        finally:
            self._busy -= 1

    async def _worked(self, work: Callable[[], Result]) -> Result:
        async with self._room:
            try:
                return await _in_thread(work)
            except (MemoriaError, Asked):
                raise
            except OSError as error:
                where = error.filename or "the disk"
                raise MemoriaError(f"cannot use {where}: {error.strerror or error}") from error
            except Exception as error:  # noqa: BLE001 - else a client is told nothing, or all
                traceback.print_exception(error)
                what = f"memoria failed ({type(error).__name__})"
                raise MemoriaError(f"{what}; `memoria doctor` may say why") from None


async def _in_thread(work: Callable[[], Result]) -> Result:
    """Work in a thread that ends with the process, which asyncio's own would keep."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def tell(result: Result | None, error: Exception | None) -> None:
        if future.done():  # the client has cancelled the call
            return
        if error:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # one of the two is there

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as raised:  # noqa: BLE001 - handed to the one who waits
            error = raised
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await future
