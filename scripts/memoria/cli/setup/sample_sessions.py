"""Write the sample sessions as Claude Code would have written them.

A sample is a YAML file of the package: where and when the session ran, and its steps in order, each
named by its first key (ask, say, think, call, steer, stop, compact, branch, link). What the client
adds (ids, times, tokens, bookkeeping) is made from names and counts, so that the same steps give
the same bytes. Lines of one reply share its id and repeat its usage; a reply ends at a user line.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

import yaml

from memoria.vault.package_files import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

HOME = "/home/robin/code"
INTERRUPTED = "[Request interrupted by user for tool use]"
_MODEL = "claude-opus-5-5"
# nobody signed this thinking, and it says so
_SIGNATURE = base64.b64encode(b"an invented session: not a signature").decode()
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The "
    "summary below covers the earlier portion of the conversation.\n\n"
)
_TOKEN = 4  # characters
_SYSTEM_TOKENS = 17_400  # what the client sends before the first prompt
_TYPING = 90  # seconds before a prompt, and one more for each character

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Session:
    """A sample session: `began` is an ISO time in UTC; `named` says who gave the title."""

    project: str
    began: str
    version: str
    steps: tuple[Step, ...]
    branch: str = "main"
    title: str = ""
    named: bool = False

    @property
    def cwd(self) -> str:
        """The folder that it ran in."""
        return f"{HOME}/{self.project}"

    @property
    def id(self) -> str:
        """Its id, which is also the name of its file."""
        return str(uuid5(NAMESPACE_URL, f"memoria:sample/{self.project}/{self.began}"))

    @property
    def path(self) -> str:
        """Where the client would keep it, under its folder of projects."""
        return f"{re.sub('[^A-Za-z0-9]', '-', self.cwd)}/{self.id}.jsonl"


def sample_sessions() -> list[Session]:
    """Read the samples of the package, in order of time."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C ten times as fast
    values = [yaml.load(path.read_bytes(), loader) for path in SAMPLES.glob("*.yaml")]  # noqa: S506 - a safe one
    sessions = [Session(**value | {"steps": tuple(value["steps"])}) for value in values]
    return sorted(sessions, key=lambda session: session.began)


def write_sessions(folder: Path, sessions: list[Session]) -> None:
    """Write the transcripts of sessions as the client lays them out in its folder of projects."""
    for session in sessions:
        path = folder / session.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(transcript(session))


def transcript(session: Session) -> bytes:
    """Give a session as the client would have written it to its file."""
    lines = _Client(session).record()
    written = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines]
    return ("\n".join(written) + "\n").encode()


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
            getattr(self, f"_{next(iter(step))}")(step)
        self._end_turn()
        self._title()
        self._note("last-prompt", lastPrompt=self.prompt)
        return self.lines

    # Steps

    def _ask(self, step: Step) -> None:
        if self.prompt:
            self._end_turn()
            self._title()
        self.prompt = step["ask"]
        self._wait(step.get("after", _TYPING + len(self.prompt)))
        self.asked_at = self.now
        self._user(self.prompt, permissionMode="default")

    def _say(self, step: Step) -> None:
        self._speak("text", step["say"])

    def _think(self, step: Step) -> None:
        self._speak("thinking", step["think"], signature=_SIGNATURE)

    def _speak(self, kind: str, words: str, **signed: str) -> None:
        self._wait(2 + len(words) // 90)
        self._assistant({"type": kind, kind: words, **signed}, len(words))

    def _call(self, step: Step) -> None:
        given, result = dict(step["input"]), step["result"]
        if path := given.get("file_path"):
            given["file_path"] = full = f"{self.session.cwd}/{path}"
            result = re.sub(rf"(file |: ){re.escape(path)}", lambda hit: hit[1] + full, result)
        key = self._key("toolu_01")
        self._wait(2)
        block = {"type": "tool_use", "id": key, "name": step["call"], "input": given}
        self._assistant(block, len(json.dumps(given)))
        self._wait(step.get("took", 1))
        answer = {"tool_use_id": key, "type": "tool_result", "content": result}
        self._user([answer | ({"is_error": True} if step.get("error") else {})])

    def _steer(self, step: Step) -> None:
        words = step["steer"]
        self._wait(8 + len(words) // 5)
        name = self._uuid()
        self._note("queue-operation", operation="enqueue", **self._at(), content=words)
        self._wait(2)
        self._note("queue-operation", operation="remove", **self._at())
        command = {"type": "queued_command", "prompt": words, "source_uuid": name}
        self._line("attachment", attachment={**command, "origin": {"kind": "human"}})
        self.fresh += len(words)

    def _stop(self, _: Step) -> None:
        self._wait(3)
        self._user([{"type": "text", "text": INTERRUPTED}])

    def _compact(self, step: Step) -> None:
        self._end_turn()
        self._wait(4)
        before = self.context + self.wrote + (self.fresh + self.spoken) // _TOKEN
        about = {"trigger": "auto", "preTokens": before}
        boundary = {"subtype": "compact_boundary", "content": "Conversation compacted"}
        self._line("system", **boundary, compactMetadata=about)
        self.context, self.wrote, self.fresh, self.spoken = _SYSTEM_TOKENS, 0, 0, 0
        self._wait(20)
        words = _CONTINUED + step["compact"]
        self._user(words, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def _branch(self, step: Step) -> None:
        self.branch = step["branch"]

    def _link(self, step: Step) -> None:
        number, name = step["link"], f"robin/{self.session.project}"
        url = f"https://git.example.com/{name}/pull/{number}"
        self._note("pr-link", prNumber=number, prUrl=url, prRepository=name, **self._at())

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
        message = {"model": _MODEL, "id": self.reply, "type": "message", "role": "assistant"}
        content = {"content": [block], "stop_reason": None, "usage": usage}
        self._line("assistant", message=message | content)

    def _end_turn(self) -> None:
        """Write how long the turn took, as the client does when the agent has answered."""
        if self.lines and self.lines[-1]["type"] == "assistant":
            duration = int((self.now - self.asked_at).total_seconds() * 1000)
            self._line("system", subtype="turn_duration", durationMs=duration, isMeta=False)

    def _title(self) -> None:
        """Write the title after the first turn, once."""
        kinds = {"ai-title", "custom-title"}
        if self.session.title and not kinds & {line["type"] for line in self.lines}:
            kind = "custom" if self.session.named else "ai"
            self._note(f"{kind}-title", **{f"{kind}Title": self.session.title})

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
