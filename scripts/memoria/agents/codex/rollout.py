"""Read the lines of a Codex rollout as neutral pieces: whose words, which calls, how they ended.

A message is written two or three times: as an event, as an item sent to the model, in old versions
again as an event of the model's reply. The user is read from the events, which have a person's own
words without scaffolding, the assistant from the items. The traps: versions differ in the event
that has the user's words; a fork may begin with a copy of its parent's turns; a subagent's user is
another agent; and what a compaction repeats is never new.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memoria.agents.codex import tools
from memoria.agents.json_line import NAME, load, moment
from memoria.agents.pieces import (
    Answered,
    Called,
    Compacted,
    Interrupted,
    Line,
    Opened,
    Place,
    Prompted,
    Said,
    Spent,
    Steered,
    Withdrawn,
)
from memoria.agents.renamed_tools import PATH, count, text_of
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.pieces import Limits, Piece
    from memoria.agents.transcript import Call

# The line types that are known, `type` or `type/payload.type`; those of WANTED are read. All were
# seen in real files of 0.140 to 0.142 or of 0.169 but those of the last line, which are in the
# client's source alone.
WANTED = frozenset(
    """session_meta turn_context compacted token_usage_record
    event_msg/user_message event_msg/item_completed event_msg/task_started event_msg/task_complete
    event_msg/turn_aborted event_msg/token_count
    response_item/message response_item/function_call response_item/function_call_output
    response_item/custom_tool_call response_item/custom_tool_call_output
    response_item/web_search_call
    event_msg/thread_rolled_back response_item/local_shell_call""".split()  # noqa: SIM905 - a table reads best as text
)
# What repeats something else, or is no conversation.
NOISE = frozenset(
    """world_state event_msg/agent_message event_msg/patch_apply_end event_msg/mcp_tool_call_end
    event_msg/web_search_end event_msg/context_compacted event_msg/thread_settings_applied
    response_item/reasoning response_item/tool_search_call response_item/tool_search_output
    event_msg/agent_reasoning event_msg/exec_command_end event_msg/entered_review_mode
    event_msg/exited_review_mode event_msg/undo_completed response_item/compaction
    response_item/ghost_snapshot""".split()  # noqa: SIM905 - as above
)
_WORDS = frozenset({"event_msg/user_message", "event_msg/item_completed"})
_MARKS: dict[str, Piece] = {
    "event_msg/task_started": Opened(),
    "event_msg/turn_aborted": Interrupted(),
}
_HEAD = re.compile(
    rb'\{"timestamp":"[^"]{10,40}",(?:"ordinal":\d{1,12},)?"type":"([a-z_]{1,40})",'
    rb'"payload":\{(?:"type":"([a-z_]{1,40})",)?'
)
# what stands in the raw bytes of those two lines alone of their type that are read
_NEEDLES = {
    "response_item/message": b'"role":"assistant"',
    "event_msg/item_completed": b'"UserMessage"',
}
# of old versions, which say again and again what the session has cost: told before all is parsed
_TOTAL = re.compile(rb'"total_token_usage":(\{[^{}]{1,300}\})')
_VERSION_7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
# calls whose end is awaited: a session has a handful, a hostile file as many as lines
_AWAITED = 1000


class Rollout:
    """The format of Codex's lines; it remembers whose session and which turn they are of."""

    agent = "codex"
    head = 1  # session_meta alone says whose session it is

    def __init__(self) -> None:
        """Begin before the first line."""
        self._place = Place("", "", "", "")
        self._model = ""
        self._turn = ""
        self._is_running = self._is_asked = False
        self._is_subagent = self._is_copy = False
        self._words = ("", "")
        self._total, self._sum = 0, b""
        self._has_records = False
        self._running: dict[str, str] = {}
        self._alias: dict[str, str] = {}
        self._patches: dict[str, int] = {}

    def read_line(self, raw: bytes, limits: Limits) -> Line | str:
        """Parse one line, or say why it is left out ("" where it is no conversation)."""
        head = _HEAD.match(raw)
        if head and head[2]:
            kind = f"{head[1].decode()}/{head[2].decode()}"
            if kind in NOISE or _NEEDLES.get(kind, b"") not in raw:
                return ""
            if kind == "event_msg/token_count" and self._is_said_again(raw):
                return ""
        loaded = load(raw)
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
        return self._line(kind, payload, moment(record.get("timestamp")), limits, damaged=damaged)

    def _is_said_again(self, raw: bytes) -> bool:
        """Whether a line's sum of tokens is no other than the last one's, or told elsewhere."""
        found = _TOTAL.search(raw)
        before, self._sum = self._sum, found[1] if found else b""
        return self._has_records or (found is not None and found[1] == before)

    @staticmethod
    def call(called: Called, at: datetime, result: Answered | None, limits: Limits) -> Call:
        """Make the Call of a tool's inputs, and of its result where there is one."""
        return tools.call(called, at, result, limits)

    def _line(
        self,
        kind: str,
        payload: dict[str, Any],
        at: datetime | None,
        limits: Limits,
        *,
        damaged: bool,
    ) -> Line | str:
        is_item = kind.startswith("response_item")
        if not is_item:
            self._note(kind, payload)
        is_new = kind in _WORDS and self._is_prompt(kind, payload)
        if self._is_subagent or self._is_copy:
            told = "subagent's session" if self._is_subagent else "copied from the parent's session"
            return told if is_item or is_new else ""
        if is_new:
            prompt = self._prompt(kind, payload, limits)
            uuid = self._turn if isinstance(prompt, Prompted) else ""
            return Line(uuid, at, self._place, False, damaged, False, (prompt,))
        pieces = tuple(self._pieces(kind, payload, limits))
        spent = None if is_item else self._spent(kind, payload)
        if not pieces and spent is None and not damaged:
            return ""
        return Line("", at, self._place, False, damaged, is_item, pieces, spent)

    def _note(self, kind: str, payload: dict[str, Any]) -> None:
        """Take what a line says of session, turn and model."""
        if kind == "session_meta" and not self._place.session:
            self._begin(payload)
        elif kind == "turn_context":
            self._model = text_of(payload.get("model"))[:NAME]
        elif kind == "event_msg/task_started":
            self._turn = text_of(payload.get("turn_id"))[:NAME]
            self._is_running, self._is_asked = True, False
            self._is_copy = self._is_older(self._turn)
        elif kind in {"event_msg/task_complete", "event_msg/turn_aborted"}:
            self._turn, self._is_running = "", False

    def _begin(self, payload: dict[str, Any]) -> None:
        """Take the first session_meta alone: a fork may copy its parent's behind its own."""
        session, git = text_of(payload.get("id")), payload.get("git")
        branch = text_of(git.get("branch")) if isinstance(git, dict) else ""
        self._place = Place(
            session if _SESSION.fullmatch(session) else "",
            shorten(text_of(payload.get("cwd")), PATH),
            shorten(branch, NAME),
            shorten(text_of(payload.get("cli_version")), NAME),
        )
        source = payload.get("source")
        self._is_subagent = payload.get("thread_source") == "subagent" or (
            isinstance(source, dict) and "subagent" in source
        )

    def _is_older(self, turn: str) -> bool:
        """Whether a turn began before its session: both ids begin with their time."""
        ids = (turn, self._place.session)
        return all(map(_VERSION_7.fullmatch, ids)) and turn < self._place.session

    def _is_prompt(self, kind: str, payload: dict[str, Any]) -> bool:
        """Whether a line has a person's own words, and not those that the one before it had."""
        text = _own_words(payload)
        if not text.strip():
            return False
        told, self._words = self._words, (kind, text)
        if told[1] != text or told[0] in {"", kind}:
            return True
        self._words = ("", "")
        return False

    def _prompt(self, kind: str, payload: dict[str, Any], limits: Limits) -> Piece:
        """Give what the user typed: it opens a turn, or steers the one that is running."""
        text = shorten(_own_words(payload), limits.text)
        if kind == "event_msg/item_completed":
            self._turn = text_of(payload.get("turn_id"))[:NAME] or self._turn
        if self._is_running and self._is_asked:
            return Steered(text)
        self._is_asked = True
        return Prompted(text)

    def _pieces(self, kind: str, payload: dict[str, Any], limits: Limits) -> list[Piece]:
        if kind == "compacted":
            return [Compacted(shorten(text_of(payload.get("message")), limits.text))]
        if kind in _MARKS:
            return [_MARKS[kind]]
        if kind == "event_msg/thread_rolled_back":
            turns = payload.get("num_turns")
            return [Withdrawn(turns)] if isinstance(turns, int) and turns > 0 else []
        if kind == "response_item/message":
            return _said(payload, limits)
        if kind.endswith("_output"):
            return self._answered(payload, limits)
        return self._called(payload, limits) if kind.startswith("response_item") else []

    def _called(self, payload: dict[str, Any], limits: Limits) -> list[Piece]:
        """Give a call; the reading of a running command's output is no call of its own."""
        key = text_of(payload.get("call_id"))[:NAME]
        calls = tools.opened(key, payload, limits)
        waited = dict(calls[0].arguments).get("session_id", "") if calls else ""
        if payload.get("name") == "write_stdin" and waited in self._running:
            _remember(self._alias, key, self._running.pop(waited))
            return []
        if len(calls) > 1:
            _remember(self._patches, key, len(calls))
        if payload.get("type") == "web_search_call":  # what it found is told to the model alone
            return [*calls, *(Answered(one.id, "", False) for one in calls)]
        return list(calls)

    def _answered(self, payload: dict[str, Any], limits: Limits) -> list[Piece]:
        key = text_of(payload.get("call_id"))[:NAME]
        text = tools.output_text(payload.get("output"))
        key = self._alias.pop(key, key)
        session = tools.running(text)
        if session:
            _remember(self._running, session, key)
        is_error, shown = tools.ending(text)[2], shorten(text, limits.result)
        names = [key, *(f"{key}#{at}" for at in range(1, self._patches.pop(key, 1)))]
        return [Answered(name, shown, is_error, bool(session)) for name in names]

    def _spent(self, kind: str, payload: dict[str, Any]) -> Spent | None:
        """Give a reply's tokens: newer versions have a line for them, older ones count them up."""
        if kind == "token_usage_record":
            self._has_records = True
            tokens = _tokens(payload.get("usage"))
            name = text_of(payload.get("response_id"))[:NAME]
            return Spent(name, self._model, tokens) if tokens and name else None
        info = payload.get("info") if kind == "event_msg/token_count" else None
        if self._has_records or not isinstance(info, dict):
            return None
        total = sum(_tokens(info.get("total_token_usage")) or (0,))
        tokens = _tokens(info.get("last_token_usage"))
        if not tokens or total == self._total:
            return None  # said again
        self._total = total
        return Spent(f"{self._place.session}:{total}", self._model, tokens)


def _said(payload: dict[str, Any], limits: Limits) -> list[Piece]:
    if payload.get("role") != "assistant":
        return []
    text = _joined(payload.get("content"))
    return [Said(shorten(text, limits.text))] if text.strip() else []


def _own_words(payload: dict[str, Any]) -> str:
    """Give what the person typed, of either form of event."""
    item = payload.get("item")
    if isinstance(item, dict):
        return _joined(item.get("content")) if item.get("type") == "UserMessage" else ""
    return text_of(payload.get("message"))


def _joined(content: object) -> str:
    blocks = content if isinstance(content, list) else []
    texts = (text_of(block.get("text")) for block in blocks if isinstance(block, dict))
    return "\n".join(filter(None, texts))


def _tokens(usage: object) -> tuple[int, ...]:
    """Give fresh input, output, read from and written to the cache; () for no counts."""
    if not isinstance(usage, dict):
        return ()
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
    sent, made, cached, wrote = (count(usage.get(name)) for name in names)
    return (max(0, sent - cached), made, cached, wrote)


def _remember(table: dict[str, Any], key: str, value: object) -> None:
    """Put into a table that holds only what may still be asked for."""
    if len(table) >= _AWAITED:
        table.clear()
    table[key] = value
