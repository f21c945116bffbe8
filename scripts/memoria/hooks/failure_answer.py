"""Tell a session what the errors of its failed command went away after, in earlier sessions.

Words of what was printed bring the few fixes that may be for it out of the index; the line of the
error decides. The output of a failing command may have been written by anybody, so nothing of it is
said again here.
"""

from __future__ import annotations

import os
import re

from memoria.hooks import protocol
from memoria.hooks.session_claims import SessionClaims
from memoria.privacy.project_keys import project_key
from memoria.search.cures import lookup
from memoria.search.index.reader import IndexReader
from memoria.text import shorten

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

EVENT = "PostToolUseFailure"
# the client's words for a call that the person refused
_REFUSED = "The user doesn't want to"
# how Copilot CLI and Gemini CLI tell of a command that failed, around what it printed
_TAIL = 500  # characters
_WRAPPED = "<untrusted_context>\nOutput: "
_EXITED = re.compile(r" completed with exit code -?[1-9]\d*>\s*\Z|\nExit Code: [1-9]")


def handle(place: protocol.HookPlace, event: dict[str, Any]) -> None:
    """Print what the errors went away after, where that is known."""
    session, error = protocol.session_of(event), _find_error(event)
    inputs = event.get("tool_input")
    # of the agent's own tools (a file that was not read first) the tool says what to do
    command = protocol.text_at(inputs, "command") if isinstance(inputs, dict) else ""
    refused = event.get("is_interrupt") or error.lstrip().startswith(_REFUSED)
    if not session or not error or not command or refused or protocol.is_own_work(place, event):
        return
    claims = SessionClaims(place, session)
    if claims.is_control:
        return
    project = project_key(protocol.session_folder(event))
    text = _strip_codes(shorten.shorten(error, lookup.RESULT))
    reader = IndexReader(place.path("search.sqlite"), project)
    cures = reader.cures(lookup.find_tokens(text))
    cures = [cure for cure in cures if not claims.has(_cure_claim(cure))]
    best = lookup.choose_cures(cures, text, command[: lookup.ARGUMENT], project)
    key = protocol.id_at(event, "tool_use_id")
    claimed_names = (
        claims.claim(f"call {key}", [_cure_claim(cure) for cure in best]) if best else ()
    )
    best = [cure for cure in best if _cure_claim(cure) in claimed_names]
    if best:
        records = [{name: cure[name] for name in ("signature", "how", "day")} for cure in best]
        claims.record(EVENT, project, about=key, cures=records)
        lines = [lookup.format_cure(cure, project) for cure in best]
        context = lookup.compose_text(lines, place.vault, os.urandom(8).hex())
        protocol.print_answer(place, EVENT, {"additionalContext": context})


def _find_error(event: dict[str, Any]) -> str:
    """Give what a failed call printed, "" for one that went well; others tell of each call."""
    error = protocol.text_at(event, "error")
    for field, name in (("tool_result", "text_result_for_llm"), ("tool_response", "llmContent")):
        output = event.get(field)
        output_text = protocol.text_at(output, name) if isinstance(output, dict) else ""
        error = output_text if _EXITED.search(output_text[-_TAIL:]) else error
    return error.removeprefix(_WRAPPED)


def _strip_codes(text: str) -> str:
    """Take terminal codes out of a text: they stand within its words."""
    if "\x1b" not in text and "\x9b" not in text:
        return text
    from memoria.text.unicode import strip_ansi  # noqa: PLC0415 - few tools colour for a pipe

    return strip_ansi(text)


def _cure_claim(cure: Mapping[str, str]) -> str:
    return f"cure {cure['signature']}"
