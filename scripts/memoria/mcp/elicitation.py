"""A question to the person at a client -> their word, in the ways that clients have of asking.

An old client is asked in the middle of a call. For a new one the question is the call's answer, and
the client calls again with what the person said. The trap: such an answer comes from the client, so
it counts only for the very question that it was given to.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memoria.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    # asks the person; None where the client has no way to
    Consent = Callable[[str], bool | None]

# a person who was asked and went to lunch: the call is given up, and nothing has changed
_PATIENCE_SECONDS = 600.0
_QUESTION = "consent"
_FORM = {
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
class Asked(Exception):
    """A call cannot go on before the person has answered, and the client will call again."""

    question: str


def _can_ask(capabilities: Any) -> bool:  # noqa: ANN401 - pydantic's or None
    """Whether a client can show the person a form; {} means that it can."""
    found = getattr(capabilities, "elicitation", None)
    if found is None:
        return False
    return getattr(found, "form", None) is not None or getattr(found, "url", None) is None


def asked_within(session: Any, loop: asyncio.AbstractEventLoop) -> Consent:  # noqa: ANN401 - as above
    """Give the way to ask that a client of a 1.x server has: in the call."""
    known = session.client_params
    if not _can_ask(known.capabilities if known else None):
        return lambda _: None
    return lambda question: _answer(loop, session.elicit(question, _FORM))


def asked_again(ctx: Any, params: Any, loop: asyncio.AbstractEventLoop) -> Consent:  # noqa: ANN401 - as above
    """Give the way to ask that a client of a 2.x server has: in the call, or with the next one."""
    if not _can_ask(ctx.session.client_capabilities):
        return lambda _: None
    if ctx.session.can_send_request:
        return lambda question: _answer(
            loop, ctx.session.elicit_form(question, _FORM, ctx.request_id)
        )
    return lambda question: _given(params, question)


def _answer(loop: asyncio.AbstractEventLoop, asked: Awaitable[Any]) -> bool | None:
    """Wait for the person's answer; None where the client could not ask after all."""

    async def wait() -> Any:  # noqa: ANN401 - pydantic's
        return await asked

    waiting = asyncio.run_coroutine_threadsafe(wait(), loop)
    try:
        return _is_yes(waiting.result(_PATIENCE_SECONDS))
    except TimeoutError:
        waiting.cancel()
        raise UsageError("the user was asked and has not answered; nothing was changed") from None
    except Exception:  # noqa: BLE001 - each major has errors of its own for a client that says no
        return None


def _given(params: Any, question: str) -> bool | None:  # noqa: ANN401 - pydantic's
    """Give the answer that came with a call, if it is one to this very question; else ask."""
    answers = params.input_responses or {}
    if _QUESTION not in answers or params.request_state != _state(question):
        raise Asked(question)
    return _is_yes(answers[_QUESTION])


def _is_yes(result: Any) -> bool | None:  # noqa: ANN401 - pydantic's
    """Read an answer; None for a form that nobody answered: put away, or there is no terminal."""
    if getattr(result, "action", "") == "cancel":
        return None
    content = getattr(result, "content", None)
    if getattr(result, "action", "") != "accept" or not isinstance(content, dict):
        return False
    return content.get("approve") is True


def request(question: str) -> dict[str, Any]:
    """Give the question as an answer to a call, which the client will make again."""
    params = {"mode": "form", "message": question, "requestedSchema": _FORM}
    asked = {"method": "elicitation/create", "params": params}
    return {"inputRequests": {_QUESTION: asked}, "requestState": _state(question)}


def _state(question: str) -> str:
    return sha256(question.encode("utf-8", "replace")).hexdigest()
