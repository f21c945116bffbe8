"""A Session -> the lines that the client would have written of it.

What the client adds (ids, times, tokens, branches, bookkeeping) is made from names and counts, so
that the same steps give the same bytes. The trap: lines of one reply share its id and repeat its
usage, and a reply ends where a user line stands.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from bench.sample_sessions.script import INTERRUPTED, pull_address

if TYPE_CHECKING:
    from bench.sample_sessions.script import (
        Ask,
        Branch,
        Compact,
        Link,
        Say,
        Session,
        Steer,
        Stop,
        Tool,
    )

MODEL = "claude-opus-5-5"
# nobody signed this thinking, and it says so
_SIGNATURE = base64.b64encode(b"an invented session: not a signature").decode()
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The "
    "summary below covers the earlier portion of the conversation.\n\n"
)
_TOKEN = 4  # characters
_SYSTEM_TOKENS = 17_400  # what the client sends before the first prompt


@dataclass
class _Client:
    """Writes the lines of one session, as client 2.1 does.

    `context` and `wrote` are the tokens that a reply reads from and writes to the cache; `fresh`
    and `spoken` the characters that came in and went out since the reply began.
    """

    session: Session
    lines: list[dict[str, Any]] = field(default_factory=list)
    now: datetime = field(init=False)
    branch: str = field(init=False)
    asked_at: datetime = field(init=False)
    parent: str | None = None
    reply: str = ""
    prompt: str = ""
    context: int = _SYSTEM_TOKENS
    wrote: int = 0
    fresh: int = 0
    spoken: int = 0

    def __post_init__(self) -> None:
        self.now = self.asked_at = datetime.fromisoformat(self.session.began).replace(tzinfo=UTC)
        self.branch = self.session.branch
        self._note("permission-mode", permissionMode="default")

    def record(self) -> list[dict[str, Any]]:
        """Play all steps and give the lines."""
        for step in self.session.steps:
            getattr(self, f"_{type(step).__name__.lower()}")(step)
        self._end_turn()
        self._title()
        self._note("last-prompt", lastPrompt=self.prompt)
        return self.lines

    # Steps

    def _ask(self, step: Ask) -> None:
        if self.prompt:
            self._end_turn()
            self._title()
        self._wait(step.after)
        self.asked_at, self.prompt = self.now, step.words
        self._user(step.words, permissionMode="default")

    def _say(self, step: Say) -> None:
        key = "thinking" if step.thinking else "text"
        signed = {"signature": _SIGNATURE} if step.thinking else {}
        self._wait(2 + len(step.words) // 90)
        self._assistant({"type": key, key: step.words, **signed}, len(step.words))

    def _tool(self, step: Tool) -> None:
        cwd = self.session.cwd
        given = dict(step.given)
        path, full = given.get("file_path", ""), f"{cwd}/{given.get('file_path', '')}"
        if path:
            given["file_path"] = full
        key = self._key("toolu_01")
        self._wait(2)
        block = {"type": "tool_use", "id": key, "name": step.name, "input": given}
        self._assistant(block, len(json.dumps(given)))
        self._wait(step.took)
        result = step.result
        if path:
            result = result.replace(f"file {path}", f"file {full}").replace(
                f": {path}", f": {full}"
            )
        answer = {"tool_use_id": key, "type": "tool_result", "content": result}
        self._user([answer | ({"is_error": True} if step.error else {})])

    def _steer(self, step: Steer) -> None:
        self._wait(8 + len(step.words) // 5)
        name = self._uuid()
        self._note("queue-operation", operation="enqueue", **self._at(), content=step.words)
        self._wait(2)
        self._note("queue-operation", operation="remove", **self._at())
        origin = {"kind": "human"}
        command = {"type": "queued_command", "prompt": step.words, "source_uuid": name}
        self._line("attachment", attachment={**command, "origin": origin})
        self.fresh += len(step.words)

    def _stop(self, _: Stop) -> None:
        self._wait(3)
        self._user([{"type": "text", "text": INTERRUPTED}])

    def _compact(self, step: Compact) -> None:
        self._end_turn()
        self._wait(4)
        before = self.context + self.wrote + (self.fresh + self.spoken) // _TOKEN
        said = {"trigger": "auto", "preTokens": before}
        self._line(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            compactMetadata=said,
        )
        self.context, self.wrote, self.fresh, self.spoken = _SYSTEM_TOKENS, 0, 0, 0
        self._wait(20)
        words = _CONTINUED + step.summary
        self._user(words, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def _branch(self, step: Branch) -> None:
        self.branch = step.name

    def _link(self, step: Link) -> None:
        url = pull_address(self.session.project, step.number)
        name = f"robin/{self.session.project}"
        self._note("pr-link", prNumber=step.number, prUrl=url, prRepository=name, **self._at())

    # Lines

    def _user(self, content: object, **more: object) -> None:
        self.fresh += len(content if isinstance(content, str) else json.dumps(content))
        self.reply = ""
        self._line("user", message={"role": "user", "content": content}, **more)

    def _assistant(self, block: dict[str, Any], size: int) -> None:
        if not self.reply:
            self.reply = self._key("msg_01")
            self.context += self.wrote
            self.wrote = (self.fresh + self.spoken) // _TOKEN
            self.fresh = self.spoken = 0
        self.spoken += size
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": self.wrote,
            "cache_read_input_tokens": self.context,
            "output_tokens": self.spoken // _TOKEN + 1,
        }
        message: dict[str, Any] = {
            "model": MODEL,
            "id": self.reply,
            "type": "message",
            "role": "assistant",
        }
        message |= {"content": [block], "stop_reason": None, "usage": usage}
        self._line("assistant", message=message)

    def _end_turn(self) -> None:
        """Write how long the turn took, as the client does when the agent has answered."""
        if self.lines and self.lines[-1]["type"] == "assistant":
            duration = int((self.now - self.asked_at).total_seconds() * 1000)
            self._line("system", subtype="turn_duration", durationMs=duration, isMeta=False)

    def _title(self) -> None:
        """Write the title after the first turn, once."""
        kinds = {"ai-title", "custom-title"}
        if self.session.title and not kinds & {line["type"] for line in self.lines}:
            if self.session.named:
                self._note("custom-title", customTitle=self.session.title)
            else:
                self._note("ai-title", aiTitle=self.session.title)

    def _note(self, kind: str, **values: object) -> None:
        self.lines.append({"type": kind, "sessionId": self.session.id, **values})

    def _line(self, kind: str, **values: object) -> None:
        name = self._uuid()
        line: dict[str, Any] = {"parentUuid": self.parent, "isSidechain": False}
        line |= {"userType": "external", "cwd": self.session.cwd, "sessionId": self.session.id}
        line |= {"version": self.session.version, "gitBranch": self.branch}
        if kind == "assistant":  # there the type stands behind the message
            line |= {**values, "requestId": self._key("req_01"), "type": kind}
        else:
            line |= {"type": kind, **values}
        self.lines.append(line | {"uuid": name, **self._at()})
        self.parent = name

    def _at(self) -> dict[str, str]:
        return {"timestamp": f"{self.now.isoformat(timespec='milliseconds')[:23]}Z"}

    def _wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds, milliseconds=len(self.lines) * 137 % 1000)

    def _uuid(self) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self.session.id}/{len(self.lines)}"))

    def _key(self, prefix: str) -> str:
        digest = hashlib.sha256(f"{prefix}{self.session.id}/{len(self.lines)}".encode()).digest()
        return prefix + base64.b32encode(digest).decode()[:22]


def lines(session: Session) -> bytes:
    """Give a session as the client would have written it to its file."""
    written = [
        json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        for line in _Client(session).record()
    ]
    return ("\n".join(written) + "\n").encode()
