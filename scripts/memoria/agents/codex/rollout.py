"""Lines of a Codex rollout -> a Transcript: turns with the user's own words, calls and texts.

Every message is written twice, as an event and as an item sent to the model; the events hold the
user's own words without scaffolding, so the user is read from them and the assistant from the
items. The trap: a compaction repeats old messages, and a steer is a user message within a task.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code.lines import moment
from memoria.agents.codex import tools
from memoria.agents.transcript import Compaction, Interrupt, Say, Steer, Transcript, Turn, Usage
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.pieces import Limits
    from memoria.agents.transcript import Step

_NAME = 200  # characters of a name or id


class Rollout:
    """Feed `line` in the file's order, then ask for the `transcript`."""

    def __init__(self, session: str, now: datetime, limits: Limits) -> None:
        """Begin; `now` is the time of lines that have none."""
        self._session, self._now, self._limits = session, now, limits
        self._meta: dict[str, str] = {}
        self._branch = ""
        self._turns: list[_Turn] = []
        self._calls: dict[str, list[tuple[list[Step], int]]] = {}
        self._running: dict[str, tuple[list[Step], int]] = {}
        self._is_asked = False
        self._tokens: tuple[int, int, int] = (0, 0, 0)

    def line(self, raw: bytes) -> None:
        """Take one line; what is no JSON object or of no use is passed over."""
        try:
            record = json.loads(raw)
        except (ValueError, RecursionError):
            return
        payload = record.get("payload") if isinstance(record, dict) else None
        if not isinstance(payload, dict):
            return
        self._now = moment(record.get("timestamp")) or self._now
        kind, inner = record.get("type"), payload.get("type")
        if kind == "session_meta":
            self._begin(payload)
        elif kind == "turn_context":
            self._meta["model"] = str(payload.get("model", ""))[:_NAME]
        elif kind == "event_msg":
            self._event(str(inner), payload)
        elif kind == "response_item":
            self._item(str(inner), payload, raw)
        elif kind == "compacted":
            summary = shorten(str(payload.get("message", "")), self._limits.text)
            self._add(Compaction(summary, self._now))

    def transcript(self, end: int) -> Transcript:
        """Give what was read, up to byte `end`."""
        turns = tuple(turn.closed() for turn in self._turns)
        fresh, cached, made = self._tokens
        usage = Usage(self._meta.get("model", ""), fresh, made, cached, 0)
        return Transcript(
            session=self._meta.get("id", self._session),
            cwd=self._meta.get("cwd", ""),
            version=self._meta.get("version", ""),
            title="",
            turns=turns,
            start=0,
            end=end,
            last_uuid=turns[-1].uuid if turns else "",
            usage=(usage,) if any(self._tokens) else (),
        )

    def _begin(self, payload: dict[str, Any]) -> None:
        """Take the first session_meta alone: a fork copies its parent's behind its own."""
        if self._meta.get("id"):
            return
        keys = {"id": "id", "cwd": "cwd", "version": "cli_version"}
        self._meta |= {name: str(payload.get(key, ""))[:_NAME] for name, key in keys.items()}
        git = payload.get("git")
        self._branch = str(git.get("branch", ""))[:_NAME] if isinstance(git, dict) else ""

    def _event(self, kind: str, payload: dict[str, Any]) -> None:
        if kind == "user_message":
            text = shorten(str(payload.get("message", "")), self._limits.text)
            if self._is_asked:
                self._add(Steer(text, self._now))
            elif text.strip():
                self._is_asked = True
                self._turns.append(_Turn(self._uuid(text), self._now, text, self._branch))
        elif kind in {"task_started", "task_complete"}:
            self._is_asked = False
        elif kind == "turn_aborted":
            self._is_asked = False
            self._add(Interrupt(self._now))
        elif kind == "token_count":
            self._count(payload)

    def _uuid(self, text: str) -> str:
        """Name a turn by its session, place and words: the lines have no ids."""
        told = f"{self._meta.get('id', self._session)}:{len(self._turns)}:{text}"
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:32]

    def _count(self, payload: dict[str, Any]) -> None:
        """Keep the session's sum of tokens, which every such line repeats."""
        info = payload.get("info")
        total = info.get("total_token_usage") if isinstance(info, dict) else None
        if isinstance(total, dict):
            names = ("input_tokens", "cached_input_tokens", "output_tokens")
            sent, cached, made = (int(total.get(name) or 0) for name in names)
            self._tokens = (max(0, sent - cached), cached, made)

    def _item(self, kind: str, payload: dict[str, Any], raw: bytes) -> None:
        if kind == "message" and payload.get("role") == "assistant":
            blocks = [one for one in payload.get("content") or () if isinstance(one, dict)]
            text = "\n".join(str(one.get("text", "")) for one in blocks)
            if text.strip():
                self._add(Say(shorten(text, self._limits.text), self._now))
        elif kind in {"function_call", "custom_tool_call"}:
            if len(raw) <= self._limits.line:
                self._call(payload)
        elif kind in {"function_call_output", "custom_tool_call_output"}:
            self._answer(str(payload.get("call_id", "")), payload.get("output"))

    def _call(self, payload: dict[str, Any]) -> None:
        """Add a call; the reading of a running command's output is no call of its own."""
        key = str(payload.get("call_id", ""))
        waited = tools.arguments(payload.get("arguments")).get("session_id", "")
        if payload.get("name") == "write_stdin" and waited in self._running:
            self._calls[key] = [self._running.pop(waited)]
            return
        if not self._turns:
            self._turns.append(_Turn(self._uuid(""), self._now, "", self._branch))
        steps = self._turns[-1].steps
        made = tools.opened(payload, self._now, self._limits)
        self._calls[key] = [(steps, len(steps) + place) for place in range(len(made))]
        for call in made:
            self._add(call)

    def _answer(self, key: str, output: object) -> None:
        for steps, place in self._calls.pop(key, ()):
            before: Any = steps[place]
            after = tools.finished(before, output, self._limits)
            if before.answered:
                after = tools.resumed(before, after, self._limits)
            steps[place] = after
            if session := tools.running(output):
                self._running[session] = (steps, place)

    def _add(self, step: Step) -> None:
        if self._turns:
            self._turns[-1].steps.append(step)
            self._turns[-1].until = max(self._turns[-1].until, step.at)


class _Turn:
    """A turn that still grows."""

    def __init__(self, uuid: str, at: datetime, prompt: str, branch: str) -> None:
        self.uuid, self.at, self.until = uuid, at, at
        self.prompt, self.branch = prompt, branch
        self.steps: list[Step] = []

    def closed(self) -> Turn:
        return Turn(self.uuid, self.at, self.until, self.prompt, self.branch, tuple(self.steps))
