"""Read a line of a Claude Code transcript: when and where it was written, and its pieces.

Most bytes of a transcript are no conversation (in new clients 94 of 100) and repeat the user's
words, so the line's type is found in the raw bytes before anything is parsed. Wrong types, texts of
any length and lone surrogates end here, so that what handles a Piece need not doubt it. The trap:
whose words they are is said in many ways (flags, origins, tags, the model's name) that changed over
the client's versions; what a program wrote must not pass as typed.
"""

import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

from memoria.agents import json_line, transcript
from memoria.agents.claude_code import tools
from memoria.agents.claude_code.user_words import seal_elements
from memoria.agents.json_line import NAME, PATH, mapping_of, mappings_of, parse_time, text_of
from memoria.agents.transcript import AssistantText, Compaction, Interrupt, Limits, TranscriptLine
from memoria.text.shorten import shorten

# Types that are no conversation, as clients 2.0 to 2.1.330 write them.
NOISE = frozenset(
    {
        *("progress", "system", "last-prompt", "mode", "permission-mode", "repl-mode"),
        *("api-request", "api-request-shape", "api-request-blob", "api-request-resumed"),
        *("file-history-snapshot", "file-history-delta", "attribution-snapshot", "cost-state"),
        *("agent-name", "agent-color", "agent-setting", "tag", "relocated", "worktree-state"),
        *("content-replacement", "frame-link", "observer-ref", "continued-in", "memory-mode"),
        *("resume-head-vouch", "fork-context-ref", "bridge-session", "session-owner"),
        *("atis-latch", "isolation-latch", "dev-mods", "tools-used", "derived-from"),
        *("data-flow-records", "data-flow-incomplete", "history-suppression", "ended-by-model"),
        *("artifact-comment-monitor", "artifact-autoreact-ledger", "hybrid-organization"),
    }
)
_HEAD_BYTES = 1024  # in which a line's own type stands when nothing nested precedes it
_RESULT_COPY = b',"toolUseResult":'  # where the client's second copy of a result begins
# types of lines with a title -> its rank, and the key that it stands behind
_TITLES = {
    "summary": (transcript.MODEL_TITLE, "summary"),
    "ai-title": (2, "aiTitle"),  # newer than a summary
    "custom-title": (transcript.TYPED_TITLE, "customTitle"),
}
# Flags of user lines that the client wrote for itself or for its own display.
_CLIENT_FLAGS = ("isMeta", "isVirtual", "isVisibleInTranscriptOnly", "ephemeral", "turnCompanion")
# Marks of user lines whose words a program wrote; the client's own test for typed words reads them.
_PROGRAM_MARKS = frozenset(
    "textNotTyped handedOff queueSkipAttachments wakeupSource scheduledTaskId".split()  # noqa: SIM905 - as text
)
# One of these is on every user line that is anything but typed words or a tool's result.
_ALL_MARKS = frozenset(
    {*_CLIENT_FLAGS, *_PROGRAM_MARKS, "isCompactSummary", "origin", "promptSource"}
)
_PERSON_ORIGINS = frozenset({"human", "voice-call"})
# "queued" was typed while the agent worked, "sdk" is what a person gave to `claude -p`; the client
# also writes "system" (schedules, plugins) and "suggestion_accepted" (a model wrote it)
_TYPED_SOURCES = frozenset({"typed", "queued", "sdk"})
# a program speaks where no mark tells: "<task-notification>", "<scheduled-task ...>" of old clients
_NOTICE = re.compile(
    r"\s*<(?:task-notification|teammate-message|scheduled-[a-z]{1,20}|background-task-[a-z]{1,20})\b"
)
# "[Request interrupted by user for tool use]"
_INTERRUPT = re.compile(r"\s*\[Request interrupted by user[^\]\n]{0,80}\]\s*")
# a program's words in the queue: "<task-id>7", and '{"task_id":"b1","task_type":"shell"}', which
# clients of early 2026 queued when a task began; not "a < b"
_PROGRAM_WORDS = re.compile(r"\s*(?:<[a-z][\w-]*[\s>]|\{\"task_id\":\".*\"task_type\":\")")
# pieces of a line, or why it is left out ("" where that is no loss)
_Pieces = tuple[transcript.Piece, ...] | str


def read_line(raw: bytes, limits: Limits, now: datetime) -> TranscriptLine | str:
    """Parse one line, or say why it is left out ("" where it is no conversation by its type)."""
    kind = own_type(raw)
    reason = _find_skip_reason(kind, raw)
    loaded = reason if reason is not None else _parse_record(raw, cut=kind == "user")
    if isinstance(loaded, str):
        return loaded
    record, damaged = loaded
    kind = record.get("type")
    if not isinstance(kind, str):
        return "no type"
    if kind not in _PIECES:
        return _type_skip_reason(kind)
    at = parse_time(record.get("timestamp")) or now
    content = _PIECES[kind](record, limits, at)
    if isinstance(content, str):
        return content
    uuid, sidechain = shorten(text_of(record.get("uuid")), NAME), record.get("isSidechain") is True
    spoken = kind in {"user", "assistant"}
    keys = ("sessionId", "cwd", "gitBranch")
    place = _build_place(*[text_of(record.get(key))[:PATH] for key in keys])
    return TranscriptLine(uuid, at, place, content, spoken, damaged, sidechain)


def own_type(raw: bytes) -> str | None:
    """Find the line's own "type" without parsing; None where only parsing can tell.

    Quotes inside of JSON strings are escaped, so the needle is a key; with no brace before it but
    the line's first, it is the line's own and not that of something nested. What is nested in an
    attachment's line comes before its type, and is told by its name.
    """
    start = raw.find(b'"type":"', 0, _HEAD_BYTES)
    if start < 0:
        return None
    brace = raw.find(b"{", 1, start)
    if brace >= 0:
        return "attachment" if raw.endswith(b'"attachment":', 0, brace) else None
    end = raw.find(b'"', start + 8, start + 8 + NAME)
    return raw[start + 8 : end].decode("ascii", "replace") if end > 0 else None


def _find_skip_reason(kind: str | None, raw: bytes) -> str | None:
    """Say why a line is left out where its bytes tell it already; None where it is to be parsed."""
    if kind is None or kind == "assistant":
        return "" if _only_thinks(raw) else None
    if kind not in _PIECES:
        return _type_skip_reason(kind)
    return "" if kind == "attachment" and b'"queued_command"' not in raw else None


def _only_thinks(raw: bytes) -> bool:
    """Say whether all that the line holds is thinking, which is not kept."""
    begins = raw.find(b'"content":[{"type":"thinking"', 0, _HEAD_BYTES) > 0
    return begins and b'"type":"text"' not in raw and b'"type":"tool_use"' not in raw


def _type_skip_reason(kind: str) -> str:
    return "" if kind in NOISE else f"type {shorten(kind, NAME)}"


def _parse_record(raw: bytes, *, cut: bool) -> tuple[dict[str, Any], bool] | str:
    """Parse a line, or say why not; True beside it where bytes had to be replaced.

    With `cut`, without the client's second copy of a tool's result, half of the bytes of old files:
    what stands before it is an object of its own exactly where its key is one of the line's own.
    """
    line = json_line.strip_line(raw)
    end = line.find(_RESULT_COPY) if cut and not json_line.is_bomb(line) else -1
    if end > 0 and isinstance(loaded := json_line.parse_stripped(line[:end] + b"}"), tuple):
        return loaded
    return json_line.parse_line(line)


# a file's lines nearly all come from one place
_build_place = lru_cache(maxsize=64)(transcript.build_place)


def _list_blocks(content: object) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else mappings_of(content)


def _join_texts(content: object) -> str:
    """Give the text of a string or of blocks; an image leaves a mark, so that it is not missed."""
    if isinstance(content, str):
        return content
    texts = []
    for block in mappings_of(content):
        if block.get("type") in ("image", "document"):
            texts.append(f"[{block['type']}]")
        elif text := text_of(block.get("text")):
            texts.append(text)
    return "\n".join(texts)


def _join_spoken(content: object) -> str:
    """Give the text of a person's message, in which the client put what others wrote."""
    blocks = _list_blocks(content)
    texts = [_join_texts([block]) for block in blocks]
    is_among_others = len(blocks) > 1
    sealed = [seal_elements(text, is_among_others=is_among_others) for text in texts if text]
    return "\n".join(sealed)


def _is_typed(origin: object) -> bool:
    """Say whether a person wrote it: clients that name origins also queue words of programs."""
    return origin is None or text_of(mapping_of(origin).get("kind")) in _PERSON_ORIGINS


def _is_persons(text: str) -> bool:
    """Say whether words of unnamed origin are a person's: those of programs come in known forms."""
    return bool(text.strip()) and not _PROGRAM_WORDS.match(text)


def _parse_user(record: dict[str, Any], limits: Limits, at: datetime) -> _Pieces:
    blocks = _list_blocks(mapping_of(record.get("message")).get("content"))
    if not blocks:
        return "no content"
    is_typed = True
    if not _ALL_MARKS.isdisjoint(record):
        if record.get("isCompactSummary") is True:
            return (Compaction(shorten(_join_texts(blocks), limits.text), at),)
        if any(record.get(flag) is True for flag in _CLIENT_FLAGS):
            return "meta"
        is_by_program = any(record.get(mark) for mark in _PROGRAM_MARKS)
        is_typed = text_of(record.get("promptSource", "typed")) in _TYPED_SOURCES
        is_typed = is_typed and not is_by_program and _is_typed(record.get("origin"))
    spoken = [block for block in blocks if block.get("type") != "tool_result"]
    result_blocks = [block for block in blocks if block.get("type") == "tool_result"]
    results = tuple([_parse_result(block, limits) for block in result_blocks])
    if not spoken:
        return results
    if not is_typed:
        return results or "not typed"
    words = _parse_words(spoken, limits, at, among_results=bool(results))
    return (*results, *words) if isinstance(words, tuple) else results or words


def _parse_words(
    blocks: list[dict[str, Any]], limits: Limits, at: datetime, *, among_results: bool
) -> _Pieces:
    """Tell interrupts from words, and leave out what a program says in the user's place.

    Nobody types into the message that carries a tool's result: a program or a hook wrote there.
    """
    words = [block for block in blocks if not _INTERRUPT.fullmatch(text_of(block.get("text")))]
    interrupts = (Interrupt(at),) if len(words) < len(blocks) else ()
    text = _join_spoken(words)
    if not text.strip():
        return interrupts
    if among_results or _NOTICE.match(text):
        return interrupts or "not typed"
    return (*interrupts, transcript.PromptEvent(shorten(text, limits.text)))


def _parse_result(block: dict[str, Any], limits: Limits) -> transcript.ResultEvent:
    return transcript.ResultEvent(
        shorten(text_of(block.get("tool_use_id")), NAME),
        shorten(_join_texts(block.get("content")), limits.result),
        block.get("is_error") is True,
    )


def _parse_assistant(record: dict[str, Any], limits: Limits, at: datetime) -> _Pieces:
    message = mapping_of(record.get("message"))
    if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
        return "API error"
    pieces: list[transcript.Piece] = []
    for block in _list_blocks(message.get("content")):
        if block.get("type") == "tool_use":
            key, name = (shorten(text_of(block.get(field)), NAME) for field in ("id", "name"))
            arguments = tools.format_arguments(mapping_of(block.get("input")), limits)
            pieces.append(tools.build_call(key, name, arguments, at))
        elif block.get("type") == "text" and (text := text_of(block.get("text"))).strip():
            pieces.append(AssistantText(shorten(text, limits.text), at))
    return tuple(pieces)


def _parse_attachment(record: dict[str, Any], limits: Limits, _: datetime) -> _Pieces:
    attachment = mapping_of(record.get("attachment"))
    if attachment.get("type") != "queued_command":
        return ""
    text, origin = _join_spoken(attachment.get("prompt")), attachment.get("origin")
    is_by_program = attachment.get("isMeta") is True or bool(attachment.get("textNotTyped"))
    is_typed = _is_typed(origin) and (origin is not None or _is_persons(text))
    key = shorten(text_of(attachment.get("source_uuid")), NAME)
    return (transcript.SteerEvent(shorten(text, limits.text), key, is_typed and not is_by_program),)


def _parse_queue_operation(record: dict[str, Any], limits: Limits, _: datetime) -> _Pieces:
    text = _join_spoken(record.get("content"))
    fields = ("operation", "commandUuid")
    operation, key = (shorten(text_of(record.get(name)), NAME) for name in fields)
    is_discarded = "reason" in record or (bool(text) and not _is_persons(text))
    return (transcript.QueueEvent(operation, shorten(text, limits.text), key, is_discarded),)


def _parse_title(record: dict[str, Any], *_: object) -> _Pieces:
    rank, key = _TITLES[record["type"]]
    text = shorten(text_of(record.get(key)).strip(), NAME)
    return (transcript.TitleEvent(rank, text),) if text else ()


def _parse_link(record: dict[str, Any], *_: object) -> _Pieces:
    url = shorten(text_of(record.get("prUrl")), PATH)
    return (transcript.PullRequestEvent(url),) if url else ()


_PIECES: dict[str, Callable[[dict[str, Any], Limits, datetime], _Pieces]] = {
    "user": _parse_user,
    "assistant": _parse_assistant,
    "attachment": _parse_attachment,
    "queue-operation": _parse_queue_operation,
    **dict.fromkeys(_TITLES, _parse_title),
    "pr-link": _parse_link,
}
WANTED = frozenset(_PIECES)
