"""Serve a vault by the Model Context Protocol on standard input and output: the home of `mcp`.

The question to the person is the answer of a call, and the client calls again with what the person
said, which counts only for that very question. A client of the protocol before 2026-07 is not
asked: there a proposal waits in `memoria review`. The server alone loads it: mcp takes .6 s.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self, TypeVar

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from memoria.errors import MemoriaError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server import ServerRequestContext

    from memoria.mcp.server import Consent, VaultService

    _Context = ServerRequestContext[Any]
    _Page = types.PaginatedRequestParams | None

Result = TypeVar("Result")
# calls that work at once: a client that sends more has them wait
_MAX_AT_ONCE = 4
# a client that has closed its end: what it asked before that is answered, unless a model thinks
_LAST_SECONDS, _TICK_SECONDS = 5.0, 0.05
_QUESTION = "consent"
_FORM: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {
        "approve": {
            "type": "boolean",
            "title": "Do it",
            "description": "tick this, then accept",
            "default": False,
        }
    },
    "required": ["approve"],
}


@dataclass
class AnswerNeeded(Exception):
    """A call cannot go on before the person has answered, and the client will call again."""

    question: str


def serve(service: VaultService) -> None:
    """Serve until standard input ends."""
    with suppress(BrokenPipeError):  # the client has gone: there is nobody left to tell
        asyncio.run(_serve_async(service))


async def _serve_async(service: VaultService) -> None:
    room, busy = asyncio.Semaphore(_MAX_AT_ONCE), set[object]()

    async def idle() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await asyncio.sleep(_TICK_SECONDS)  # until what was read has become calls
                while busy:  # noqa: ASYNC110 - many tasks change it, and it is looked at once
                    await asyncio.sleep(_TICK_SECONDS)

    async def call(
        context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        consent = _build_consent(context, params)
        arguments, token = params.arguments or {}, object()
        busy.add(token)
        try:
            async with room:
                text = await _run_work(lambda: service.call(params.name, arguments, consent))
        except AnswerNeeded as needed:
            return types.InputRequiredResult.model_validate(_build_request(needed.question))
        except MemoriaError as error:  # told in a line that the model can act on
            return _build_result(" ".join(str(error).split()), is_error=True)
        finally:
            busy.discard(token)
        return _build_result(text)

    async def tools(_: _Context, __: _Page) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": service.tools()})

    server: Server[Any] = Server(
        service.name,
        version=service.version,
        instructions=service.instructions,
        on_call_tool=call,
        on_list_tools=tools,
    )
    async with stdio_server() as (read, write):
        client_stream: Any = _ClientStream(read, idle)
        await server.run(client_stream, write, server.create_initialization_options())


class _ClientStream:
    """What a client says; its end waits until all that was asked is answered."""

    def __init__(self, stream: Any, idle: Callable[[], Awaitable[None]]) -> None:  # noqa: ANN401 - of mcp
        self._stream, self._idle = stream, idle

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as above
        return getattr(self._stream, name)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stream.__aexit__(*error)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:  # noqa: ANN401 - as above
        try:
            return await self._stream.__anext__()
        except StopAsyncIteration:
            await self._idle()
            raise


def _build_result(text: str, *, is_error: bool = False) -> types.CallToolResult:
    content = [{"type": "text", "text": text}]
    return types.CallToolResult.model_validate({"content": content, "isError": is_error})


# -- Working in threads ----------------------------------------------------------------------------


async def _run_work(work: Callable[[], Result]) -> Result:
    """Work in a thread; what nobody foresaw becomes a MemoriaError of a line."""
    try:
        return await _run_in_thread(work)
    except (MemoriaError, AnswerNeeded):
        raise
    except OSError as error:
        path = error.filename or "the disk"
        raise MemoriaError(f"cannot use {path}: {error.strerror or error}") from error
    except Exception as error:  # noqa: BLE001 - else a client is told nothing, or all
        traceback.print_exception(error)
        summary = f"memoria failed ({type(error).__name__})"
        raise MemoriaError(f"{summary}; `memoria doctor` may say why") from None


async def _run_in_thread(work: Callable[[], Result]) -> Result:
    """Work in a thread that ends with the process, which asyncio's own would keep.

    A call may think for minutes after its client has gone.
    """
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


# -- Asking the person -----------------------------------------------------------------------------


def _build_consent(context: _Context, params: types.CallToolRequestParams) -> Consent:
    """Give the way to ask that a client has: with its next call, or none."""
    capabilities = context.session.client_capabilities
    form = capabilities.elicitation if capabilities else None
    # {} means that it can show a form
    if context.session.can_send_request or not form or (form.form is None and form.url is not None):
        return lambda _: None
    return lambda question: _read_answer(params, question)


def _read_answer(params: types.CallToolRequestParams, question: str) -> bool | None:
    """Give the answer that came with a call, if it is one to this very question; else ask."""
    answers = params.input_responses or {}
    if _QUESTION not in answers or params.request_state != _request_state(question):
        raise AnswerNeeded(question)
    return _is_yes(answers[_QUESTION])


def _is_yes(result: object) -> bool | None:
    """Read an answer; None for a form that nobody answered: put away, or there is no terminal."""
    if not isinstance(result, types.ElicitResult):
        return False
    if result.action == "cancel":
        return None
    return result.action == "accept" and (result.content or {}).get("approve") is True


def _build_request(question: str) -> dict[str, Any]:
    """Give the question as an answer to a call, which the client will make again."""
    params = {"mode": "form", "message": question, "requestedSchema": _FORM}
    request = {"method": "elicitation/create", "params": params}
    return {"inputRequests": {_QUESTION: request}, "requestState": _request_state(question)}


def _request_state(question: str) -> str:
    return sha256(question.encode("utf-8", "replace")).hexdigest()
