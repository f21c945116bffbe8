"""`memoria mcp` as a client of the mcp package starts it: a real process and its calls.

`mode` names the era of the protocol that the client speaks.
"""

import asyncio
import os
import sys
from pathlib import Path

from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

SERVER = """
import sys
sys.path.insert(0, sys.argv[1])
from memoria.cli.main import main
from memoria.terminal_driver import Driver
sys.exit(main(["mcp", "--engine", "offline", *sys.argv[2:]], driver=Driver()))
"""


class Session:
    """A client's session: `asked` are the questions that the person was shown."""

    def __init__(self, client):
        self.client = client
        self.asked = []

    async def tools(self):
        found = await self.client.list_tools()
        return found.model_dump(by_alias=True, exclude_none=True, mode="json")["tools"]

    async def call(self, name, **arguments):
        """Call a tool; give its text, and whether it is an error."""
        found = await self.client.call_tool(name, arguments)
        (block,) = found.content
        return block.text, found.is_error


def parameters(place, *, cwd, vault="", **environment):
    """What a client starts the server with."""
    names = ("HOME", "USERPROFILE", "MEMORIA_TIMEZONE")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return StdioServerParameters(
        command=sys.executable,
        # who runs the tests may be an agent, whose own server asks nobody
        args=["-c", SERVER, str(SCRIPTS), "--vault", str(vault or place.vault)],
        env=kept | environment,
        cwd=str(cwd),
    )


def serve(place, work, *answers, mode="legacy", cwd=None, **more):
    """Start the server, let `work(session)` talk with it, end it; give what that gives.

    `answers` are the person's, in order: a dict is an accepted form, "decline" or "cancel" is that.
    A client with none has no way to ask.
    """
    left = list(answers)

    async def run():
        held = []

        async def elicited(_, asked):
            held[0].asked.append(asked.message)
            answer = left.pop(0)
            if isinstance(answer, dict):
                return types.ElicitResult(action="accept", content=answer)
            return types.ElicitResult(action=answer)

        asks = {"elicitation_callback": elicited} if answers else {}
        given = parameters(place, cwd=cwd or place.root, **more)
        with (place.root / "server.log").open("a") as log:
            async with Client(stdio_client(given, log), mode=mode, **asks) as client:
                held.append(Session(client))
                return await work(held[0])

    return asyncio.run(run())
