"""A Service <-> the Model Context Protocol on standard input and output, by the mcp package.

The package's two majors have nothing in common but their types: 1.23 (the oldest that the Claude
SDK takes) registers handlers by request type and may ask the client in the middle of a call; 2.x
takes handlers as arguments and also speaks the protocol of 2026-07, in which a question is an
answer and the client calls again. Both are served here, and nothing else knows. The trap: a type
checker sees the major that is installed, so what differs between the two is Any.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from memoria.errors import MemoriaError
from memoria.mcp import elicitation as asking
from memoria.mcp import stdio as wire
from memoria.mcp.calls import Desk

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from memoria.mcp.calls import Service

    # what a request's parameters are answered with, in the protocol's words
    _Answer = Callable[[Any], Awaitable[dict[str, Any]]]

# JSON-RPC's and the protocol's: a resource that is not there
_NOT_FOUND = -32002


def serve(service: Service) -> None:
    """Serve until standard input ends."""
    incoming, outgoing = wire.taken()
    with suppress(BrokenPipeError):  # the client has gone: there is nobody left to tell
        asyncio.run(_served(service, incoming, outgoing))


async def _served(service: Service, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    # here, since loading it takes 0.6 s
    from mcp.server.lowlevel import Server  # noqa: PLC0415
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    desk = Desk(service)
    server: Any = _modern(desk) if hasattr(Server, "get_request_handler") else _classic(desk)
    lines: Any = wire.Lines(incoming, desk.idle)
    async with stdio_server(lines, wire.Out(outgoing)) as (read, write):  # type: ignore[arg-type]  # it needs no more of a file than this
        await server.run(read, write, server.create_initialization_options())


def _modern(desk: Desk) -> Any:  # noqa: ANN401 - each major has a server of its own
    from mcp import types  # noqa: PLC0415 - as above
    from mcp.server.lowlevel import Server  # noqa: PLC0415
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415

    async def call(ctx: Any, params: Any) -> Any:  # noqa: ANN401 - pydantic's
        consent = asking.asked_again(ctx, params, asyncio.get_running_loop())
        try:
            found = await desk.call(params, consent)
        except asking.Asked as wanted:
            return types.InputRequiredResult.model_validate(asking.request(wanted.question))
        return types.CallToolResult.model_validate(found)

    async def read(_: Any, params: Any) -> Any:  # noqa: ANN401 - as above
        try:
            return types.ReadResourceResult.model_validate(await desk.read(params))
        except MemoriaError as error:
            raise MCPError(_NOT_FOUND, str(error)) from None

    def listing(kind: Any, found: _Answer) -> Any:  # noqa: ANN401 - as above
        async def listed(_: Any, params: Any) -> Any:  # noqa: ANN401 - as above
            return kind.model_validate(await found(params))

        return listed

    return Server(
        **_described(desk.service),
        on_call_tool=call,
        on_read_resource=read,
        on_list_tools=listing(types.ListToolsResult, desk.tools),
        on_list_resources=listing(types.ListResourcesResult, desk.resources),
        on_list_resource_templates=listing(types.ListResourceTemplatesResult, desk.templates),
    )


def _classic(desk: Desk) -> Any:  # noqa: ANN401 - as above
    import mcp.types  # noqa: PLC0415 - as above
    from mcp.server.lowlevel import Server  # noqa: PLC0415
    from mcp.shared import exceptions  # noqa: PLC0415

    types: Any = mcp.types
    failed: Any = exceptions
    server: Any = Server(**_described(desk.service))

    async def call(params: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        loop = asyncio.get_running_loop()
        return await desk.call(params, asking.asked_within(server.request_context.session, loop))

    async def read(params: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        try:
            return await desk.read(params)
        except MemoriaError as error:
            data = types.ErrorData(code=_NOT_FOUND, message=str(error))
            raise failed.McpError(data) from None

    def handler(kind: Any, found: _Answer) -> Any:  # noqa: ANN401 - as above
        async def handle(request: Any) -> Any:  # noqa: ANN401 - as above
            return types.ServerResult(kind.model_validate(await found(request.params)))

        return handle

    server.request_handlers |= {
        types.CallToolRequest: handler(types.CallToolResult, call),
        types.ReadResourceRequest: handler(types.ReadResourceResult, read),
        types.ListToolsRequest: handler(types.ListToolsResult, desk.tools),
        types.ListResourcesRequest: handler(types.ListResourcesResult, desk.resources),
        types.ListResourceTemplatesRequest: handler(
            types.ListResourceTemplatesResult, desk.templates
        ),
    }
    return server


def _described(service: Service) -> dict[str, Any]:
    return {
        "name": service.name,
        "version": service.version,
        "instructions": service.instructions,
    }
