"""Read the lines of a Codex rollout as neutral pieces: whose words, which calls, how they ended.

A message is written two or three times: as an event, as an item sent to the model, in old versions
again as an event of the model's reply. The user is read from the events, which have a person's own
words without scaffolding, the assistant from the items. The traps: versions differ in the event
that has the user's words; a fork may begin with a copy of its parent's turns; a subagent's user is
another agent; and what a compaction repeats is never new.
"""

import re
from datetime import datetime
from typing import Any

from memoria.agents import transcript
from memoria.agents.claude_code.tools import remember
from memoria.agents.claude_code.user_words import seal_elements
from memoria.agents.codex import tools
from memoria.agents.json_line import NAME, mapping_of, mappings_of, parse_line, parse_time, text_of
from memoria.agents.transcript import CallEnding, Limits, Piece, ResultEvent, TranscriptLine
from memoria.text.shorten import shorten

# The line types that are known, `type` or `type/payload.type`; those of WANTED are read. All were
# seen in real files of 0.140 to 0.142 or of 0.169 but those of the last line, which are in the
# client's source alone.
WANTED = frozenset(
    """session_meta compacted
    event_msg/user_message event_msg/item_completed event_msg/task_started event_msg/task_complete
    event_msg/turn_aborted
    response_item/message response_item/function_call response_item/function_call_output
    response_item/custom_tool_call response_item/custom_tool_call_output
    response_item/web_search_call
    event_msg/thread_rolled_back response_item/local_shell_call""".split()  # noqa: SIM905 - a table reads best as text
)
# What repeats something else, or is no conversation.
NOISE = frozenset(
    """world_state turn_context token_usage_record event_msg/token_count
    event_msg/agent_message event_msg/patch_apply_end event_msg/mcp_tool_call_end
    event_msg/web_search_end event_msg/context_compacted event_msg/thread_settings_applied
    response_item/reasoning response_item/tool_search_call response_item/tool_search_output
    event_msg/agent_reasoning event_msg/exec_command_end event_msg/entered_review_mode
    event_msg/exited_review_mode event_msg/undo_completed response_item/compaction
    response_item/ghost_snapshot""".split()  # noqa: SIM905 - as above
)
_PROMPT_TYPES = frozenset({"event_msg/user_message", "event_msg/item_completed"})
# how a line begins: '{"timestamp":"...","type":"event_msg","payload":{"type":"user_message"'
_LINE_HEAD = re.compile(
    rb'\{"timestamp":"[^"]{10,40}",(?:"ordinal":\d{1,12},)?"type":"'
    rb'([a-z_]{1,40}","payload":\{(?:"type":"[a-z_]{1,40}")?)'
)


def _build_type_prefix(kind: str, inner: str = "") -> bytes:
    return (f'{kind}","payload":{{' + f'"type":"{inner}"' * bool(inner)).encode()


# what stands in the bytes of those lines of a type that are read, by how the type begins a line
_NEEDLES = {
    _build_type_prefix(*kind.split("/")): needle
    for kind, needle in (
        *((kind, b"\0") for kind in NOISE),  # no JSON has that
        ("response_item/message", b'"role":"assistant"'),
        ("event_msg/item_completed", b'"UserMessage"'),
    )
}
# an editor's message: what is open and selected there, then what the person asks
_EDITOR_HEAD, _EDITOR_REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
# a UUID of version 7, which begins with its time
_UUID_7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class CodexFormat:
    """The format of Codex's lines; it remembers whose session and which turn they are of."""

    agent = "codex"
    head = 1  # session_meta alone says whose session it is

    def __init__(self) -> None:
        """Begin before the first line."""
        self._place = transcript.LinePlace()
        self._turn = ""
        self._is_running = self._is_asked = False
        self._is_subagent = self._is_copy = False
        self._words = ("", "")
        self._running: dict[str, str] = {}
        self._alias: dict[str, str] = {}
        self._patches: dict[str, int] = {}

    def read_line(self, raw: bytes, limits: Limits, now: datetime) -> TranscriptLine | str:
        """Parse one line, or say why it is left out ("" where it is no conversation)."""
        head = _LINE_HEAD.match(raw)
        if head and _NEEDLES.get(head[1], b"") not in raw:
            return ""
        loaded = parse_line(raw)
        if isinstance(loaded, str):
            return loaded
        record, damaged = loaded
        payload = record.get("payload")
        kind = str(record.get("type"))
        if not isinstance(payload, dict):
            return f"type {shorten(kind, NAME)} without a payload"
        if "type" in payload and kind in {"event_msg", "response_item"}:
            kind = f"{kind}/{payload['type']}"
        if kind not in WANTED:
            return "" if kind in NOISE else f"type {shorten(kind, NAME)}"
        at = parse_time(record.get("timestamp")) or now
        return self._build_line(kind, payload, at, limits, damaged=damaged)

    def _build_line(
        self, kind: str, payload: dict[str, Any], at: datetime, limits: Limits, *, damaged: bool
    ) -> TranscriptLine | str:
        is_item = kind.startswith("response_item")
        if not is_item:
            self._note_state(kind, payload)
        is_new = kind in _PROMPT_TYPES and self._is_prompt(kind, payload)
        if self._is_subagent or self._is_copy:
            spawned, copied = "subagent's session", "copied from the parent's session"
            return (spawned if self._is_subagent else copied) if is_item or is_new else ""
        if is_new:
            prompt = self._build_prompt(kind, payload, limits)
            uuid = self._turn if isinstance(prompt, transcript.PromptEvent) else ""
            return TranscriptLine(uuid, at, self._place, (prompt,), spoken=False, damaged=damaged)
        read_pieces = self._item_pieces if is_item else self._event_pieces
        pieces = tuple(read_pieces(kind, payload, at, limits))
        if not pieces and not damaged:
            return ""
        return TranscriptLine("", at, self._place, pieces, is_item, damaged)

    def _note_state(self, kind: str, payload: dict[str, Any]) -> None:
        """Take what a line says of session and turn."""
        if kind == "session_meta" and not self._place.session:
            self._begin_session(payload)
        elif kind == "event_msg/task_started":
            self._turn = text_of(payload.get("turn_id"))[:NAME]
            self._is_running, self._is_asked = True, False
            # a turn that is older than the session was copied
            ids = (self._turn, self._place.session)
            self._is_copy = all(map(_UUID_7.fullmatch, ids)) and ids[0] < ids[1]
        elif kind in {"event_msg/task_complete", "event_msg/turn_aborted"}:
            self._turn, self._is_running = "", False

    def _begin_session(self, payload: dict[str, Any]) -> None:
        """Take the first session_meta alone: a fork may copy its parent's behind its own."""
        branch = mapping_of(payload.get("git")).get("branch")
        self._place = transcript.build_place(payload.get("id"), payload.get("cwd"), branch)
        is_spawned = "subagent" in mapping_of(payload.get("source"))
        self._is_subagent = is_spawned or payload.get("thread_source") == "subagent"

    def _is_prompt(self, kind: str, payload: dict[str, Any]) -> bool:
        """Whether a line has a person's own words, and not those that the one before it had."""
        text = _own_words(payload)
        if not text.strip():
            return False
        previous, self._words = self._words, (kind, text)
        if previous[1] != text or previous[0] in {"", kind}:
            return True
        self._words = ("", "")
        return False

    def _build_prompt(self, kind: str, payload: dict[str, Any], limits: Limits) -> Piece:
        """Give what the user typed: it opens a turn, or steers the one that is running."""
        text = shorten(_own_words(payload), limits.text)
        if kind == "event_msg/item_completed":
            self._turn = text_of(payload.get("turn_id"))[:NAME] or self._turn
        if self._is_running and self._is_asked:
            return transcript.SteerEvent(text)
        self._is_asked = True
        return transcript.PromptEvent(text)

    def _event_pieces(
        self, kind: str, payload: dict[str, Any], at: datetime, limits: Limits
    ) -> list[Piece]:
        """Give what an event tells beside a prompt."""
        match kind.rpartition("/")[2]:
            case "compacted":
                summary = shorten(text_of(payload.get("message")), limits.text)
                return [transcript.Compaction(summary, at)]
            case "task_started":
                return [transcript.TurnStartEvent()]
            case "turn_aborted":
                return [transcript.Interrupt(at)]
            case "thread_rolled_back":
                turns = payload.get("num_turns")
                if isinstance(turns, int) and turns > 0:
                    return [transcript.WithdrawalEvent(turns)]
        return []

    def _item_pieces(
        self, kind: str, payload: dict[str, Any], at: datetime, limits: Limits
    ) -> list[Piece]:
        if kind.endswith("_output"):
            return self._result_pieces(payload, limits)
        if kind != "response_item/message":
            return self._call_pieces(payload, at, limits)
        text = _join_texts(payload.get("content"))
        is_reply = payload.get("role") == "assistant" and text.strip()
        return [transcript.AssistantText(shorten(text, limits.text), at)] if is_reply else []

    def _call_pieces(self, payload: dict[str, Any], at: datetime, limits: Limits) -> list[Piece]:
        """Give a call; the reading of a running command's output is no call of its own."""
        key = text_of(payload.get("call_id"))[:NAME]
        calls = tools.build_calls(key, payload, at, limits)
        session = calls[0].argument("session_id") if calls else ""
        if payload.get("name") == "write_stdin" and session in self._running:
            remember(self._alias, key, self._running.pop(session))
            return []
        if len(calls) > 1:
            remember(self._patches, key, len(calls))
        if payload.get("type") == "web_search_call":  # what it found is told to the model alone
            ends = (ResultEvent(call.id, "", False, False, CallEnding()) for call in calls)
            return [*calls, *ends]
        return list(calls)

    def _result_pieces(self, payload: dict[str, Any], limits: Limits) -> list[Piece]:
        key = text_of(payload.get("call_id"))[:NAME]
        text = tools.output_text(payload.get("output"))
        key = self._alias.pop(key, key)
        session = tools.find_running_session(text)
        if session:
            remember(self._running, session, key)
        ending, is_error = tools.parse_ending(text)
        output = shorten(tools.strip_wrapper(shorten(text, limits.result)), limits.result)
        keys = [key, *(f"{key}#{number}" for number in range(1, self._patches.pop(key, 1)))]
        return [ResultEvent(name, output, is_error, bool(session), ending) for name in keys]


def _own_words(payload: dict[str, Any]) -> str:
    """Give what the person typed, of either form of event; an editor's context as an element."""
    item = payload.get("item")
    text = text_of(payload.get("message"))
    if isinstance(item, dict):
        text = _join_texts(item.get("content")) if item.get("type") == "UserMessage" else ""
    # what is selected may hold the line behind which the person speaks
    context, mark, request = text.rpartition(_EDITOR_REQUEST)
    if not mark or not context.startswith(_EDITOR_HEAD):
        return text
    return f"{seal_elements(f'<ide_context>{context}', is_among_others=True)}\n{request.strip()}"


def _join_texts(content: object) -> str:
    return "\n".join(filter(None, (text_of(block.get("text")) for block in mappings_of(content))))
