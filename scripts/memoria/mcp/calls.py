"""A Service, and calls of it -> what the protocol answers, whichever package carries it.

A call works with locks and files, so each has a thread, and a few of them work at once. What goes
wrong is told in a line that a model can act on. The trap: asyncio's own threads keep the process
until they are done, and a call may think for minutes after its client has gone.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from memoria.errors import MemoriaError
from memoria.mcp.elicitation import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memoria.mcp.elicitation import Consent

Result = TypeVar("Result")
# calls that work at once: a client that sends more has them wait
_AT_ONCE = 4
# a client that has closed its end: what it asked before that is answered, unless a model thinks
_LAST_SECONDS, _TICK_SECONDS = 5.0, 0.05


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


class Desk:
    """Where the calls of a service are worked on."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._busy = 0

    async def idle(self) -> None:
        """Wait until what was asked for is answered, or for as long as that may take."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await asyncio.sleep(_TICK_SECONDS)  # until what was read has become calls
                while self._busy:  # noqa: ASYNC110 - many tasks change it, and it is looked at once
                    await asyncio.sleep(_TICK_SECONDS)

    async def call(self, params: Any, consent: Consent) -> dict[str, Any]:  # noqa: ANN401 - pydantic's
        """Call a tool; what goes wrong is told in a line that the model can act on."""
        given = params.arguments or {}
        try:
            text = await self._working(lambda: self.service.call(params.name, given, consent))
        except MemoriaError as error:
            return _told(" ".join(str(error).split()), wrong=True)
        return _told(text)

    async def tools(self, _: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        """List the tools."""
        return {"tools": self.service.tools()}

    async def read(self, params: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        """Read a resource; MemoriaError where there is none."""
        uri = str(params.uri)
        text = await self._working(lambda: self.service.read(uri))
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}

    async def resources(self, params: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic's or None
        """List some resources, and the cursor to go on with."""
        cursor = str(getattr(params, "cursor", None) or "")
        found, more = await self._working(lambda: self.service.resources(cursor))
        return {"resources": found} | ({"nextCursor": more} if more else {})

    async def templates(self, _: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        """List the templates of resources."""
        return {"resourceTemplates": self.service.templates()}

    async def _working(self, work: Callable[[], Result]) -> Result:
        """Work in a thread; what nobody foresaw becomes a line, and its traceback talk."""
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


def _told(text: str, *, wrong: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": wrong}
