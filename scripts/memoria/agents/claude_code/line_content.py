"""A parsed line -> its pieces: the client's format, old and new, and all that it leaves open.

Wrong types, texts of any length and lone surrogates end here, so that what handles a Piece need not
doubt it. The trap: whose words they are is said in many ways (flags, origins, tags, the model's
name) that changed over the client's versions; what a program wrote must not pass as typed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from memoria.agents.json_line import NAME
from memoria.agents.pieces import (
    TYPED_TITLE,
    Answered,
    Called,
    Compacted,
    Interrupted,
    Limits,
    Linked,
    Piece,
    Prompted,
    Queued,
    Said,
    Spent,
    Steered,
    Titled,
)
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from collections.abc import Callable

_TITLES = {
    "summary": (1, "summary"),
    "ai-title": (2, "aiTitle"),
    "custom-title": (TYPED_TITLE, "customTitle"),
}
# Flags of user lines that the client wrote for itself or for its own display.
_META = ("isMeta", "isVirtual", "isVisibleInTranscriptOnly", "ephemeral", "turnCompanion")
# Marks of user lines whose words a program wrote; the client's own test for typed words reads them.
_PROGRAMS = ("textNotTyped", "handedOff", "queueSkipAttachments", "wakeupSource", "scheduledTaskId")
# One of these is on every user line that is anything but typed words or a tool's result.
_MARKS = frozenset({*_META, *_PROGRAMS, "isCompactSummary", "origin", "promptSource"})
_PEOPLE = frozenset({"human", "voice-call"})
# "queued" was typed while the agent worked, "sdk" is what a person gave to `claude -p`; the client
# also writes "system" (schedules, plugins) and "suggestion_accepted" (a model wrote it)
_SOURCES = frozenset({"typed", "queued", "sdk"})
# what tells that a program speaks where no mark does: older clients' notices
_NOTICE = re.compile(
    r"\s*<(?:task-notification|teammate-message|scheduled-[a-z]{1,20}|background-task-[a-z]{1,20})\b"
)
_ARGUMENTS = 64  # arguments of one call: real tools have under 20
_INTERRUPT = re.compile(r"\s*\[Request interrupted by user[^\]\n]{0,80}\]\s*")
_TAG = re.compile(r"\s*<[a-z][\w-]*[\s>]")
PATH = 4096  # characters of a path or URL, as Linux bounds them


def pieces(record: dict[str, Any], limits: Limits) -> tuple[Piece, ...] | str:
    """Take a line of a WANTED type apart, or say why it is left out ("" where that is no loss)."""
    return _PIECES[record["type"]](record, limits)


def spent(record: dict[str, Any]) -> Spent | None:
    """Read the tokens that an assistant line repeats; None where it has none or no id."""
    message = mapping(record.get("message"))
    usage, reply = mapping(message.get("usage")), text_of(message.get("id"))
    if not usage or not reply:
        return None
    return Spent(
        shorten(reply, NAME),
        shorten(text_of(message.get("model")), NAME),
        (
            _count(usage.get("input_tokens")),
            _count(usage.get("output_tokens")),
            _count(usage.get("cache_read_input_tokens")),
            _count(usage.get("cache_creation_input_tokens")),
        ),
    )


def text_of(value: object) -> str:
    """Give a text, "" for any other value."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    """Give an object, an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def _blocks(content: object) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []


def _readable(content: object) -> str:
    """Give the text of a string or of blocks; an image leaves a mark, so that it is not missed."""
    if isinstance(content, str):
        return content
    texts = []
    for block in _blocks(content):
        if block.get("type") in ("image", "document"):
            texts.append(f"[{block['type']}]")
        elif text := text_of(block.get("text")):
            texts.append(text)
    return "\n".join(texts)


def _typed(origin: object) -> bool:
    """Say whether a person wrote it: clients that name origins also queue words of programs."""
    return origin is None or mapping(origin).get("kind") in _PEOPLE


def _untagged(text: str) -> bool:
    """Say whether words of unnamed origin are a person's: those of programs come in tags."""
    return bool(text.strip()) and not _TAG.match(text)


def _user(record: dict[str, Any], limits: Limits) -> tuple[Piece, ...] | str:
    blocks = _blocks(mapping(record.get("message")).get("content"))
    if not blocks:
        return "no content"
    typed = True
    if not _MARKS.isdisjoint(record):
        if record.get("isCompactSummary") is True:
            return (Compacted(shorten(_readable(blocks), limits.text)),)
        if any(record.get(flag) is True for flag in _META):
            return "meta"
        typed = _typed(record.get("origin")) and not any(record.get(mark) for mark in _PROGRAMS)
        typed = typed and record.get("promptSource", "typed") in _SOURCES
    results = tuple(
        [_answered(block, limits) for block in blocks if block.get("type") == "tool_result"]
    )
    if len(results) == len(blocks):
        return results
    if not typed:
        return results or "not typed"
    spoken = [block for block in blocks if block.get("type") != "tool_result"]
    found = _spoken(spoken, limits, among_results=bool(results))
    return (*results, *found) if isinstance(found, tuple) else results or found


def _spoken(
    blocks: list[dict[str, Any]], limits: Limits, *, among_results: bool
) -> tuple[Piece, ...] | str:
    """Tell interrupts from words, and leave out what a program says in the user's place.

    Nobody types into the message that carries a tool's result: a program or a hook wrote there.
    """
    words = [block for block in blocks if not _INTERRUPT.fullmatch(text_of(block.get("text")))]
    stops = (Interrupted(),) if len(words) < len(blocks) else ()
    text = _readable(words)
    if not text.strip():
        return stops
    if among_results or _NOTICE.match(text):
        return stops or "not typed"
    return (*stops, Prompted(shorten(text, limits.text)))


def _answered(block: dict[str, Any], limits: Limits) -> Answered:
    return Answered(
        shorten(text_of(block.get("tool_use_id")), NAME),
        shorten(_readable(block.get("content")), limits.result),
        block.get("is_error") is True,
    )


def _assistant(record: dict[str, Any], limits: Limits) -> tuple[Piece, ...] | str:
    message = mapping(record.get("message"))
    if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
        return "API error"
    pieces: list[Piece] = []
    for block in _blocks(message.get("content")):
        if block.get("type") == "tool_use":
            pieces.append(_called(block, limits))
        elif block.get("type") == "text" and (text := text_of(block.get("text"))).strip():
            pieces.append(Said(shorten(text, limits.text)))
    return tuple(pieces)


def _called(block: dict[str, Any], limits: Limits) -> Called:
    given = list(mapping(block.get("input")).items())[:_ARGUMENTS]
    return Called(
        shorten(text_of(block.get("id")), NAME),
        shorten(text_of(block.get("name")), NAME),
        tuple([(shorten(key, NAME), shorten(_dumped(one), limits.argument)) for key, one in given]),
    )


def _dumped(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "[nested too deeply]"


def _attachment(record: dict[str, Any], limits: Limits) -> tuple[Piece, ...] | str:
    attached = mapping(record.get("attachment"))
    if attached.get("type") != "queued_command":
        return ""
    text, origin = _readable(attached.get("prompt")), attached.get("origin")
    typed = (
        _typed(origin) and attached.get("isMeta") is not True and not attached.get("textNotTyped")
    )
    typed = typed and (origin is not None or _untagged(text))
    key = shorten(text_of(attached.get("source_uuid")), NAME)
    return (Steered(shorten(text, limits.text), key, typed),)


def _queue(record: dict[str, Any], limits: Limits) -> tuple[Piece, ...]:
    text = _readable(record.get("content"))
    return (
        Queued(
            shorten(text_of(record.get("operation")), NAME),
            shorten(text, limits.text),
            shorten(text_of(record.get("commandUuid")), NAME),
            discarded="reason" in record or (bool(text) and not _untagged(text)),
        ),
    )


def _title(record: dict[str, Any], _limits: Limits) -> tuple[Piece, ...]:
    rank, key = _TITLES[record["type"]]
    text = shorten(text_of(record.get(key)).strip(), NAME)
    return (Titled(rank, text),) if text else ()


def _link(record: dict[str, Any], _limits: Limits) -> tuple[Piece, ...]:
    url = shorten(text_of(record.get("prUrl")), PATH)
    return (Linked(url),) if url else ()


def _count(value: object) -> int:
    # no sum of such counts passes what JSON readers hold exactly
    return value if type(value) is int and 0 <= value < 1 << 40 else 0


_PIECES: dict[str, Callable[[dict[str, Any], Limits], tuple[Piece, ...] | str]] = {
    "user": _user,
    "assistant": _assistant,
    "attachment": _attachment,
    "queue-operation": _queue,
    "summary": _title,
    "ai-title": _title,
    "custom-title": _title,
    "pr-link": _link,
}

WANTED = frozenset(_PIECES)
