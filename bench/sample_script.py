"""Steps of an invented session -> the lines that the client would have written of it.

A session is told as a conversation (ask, say, bash, edit, ...), so that people can read and change
it; what the client adds (ids, times, tokens, branches, bookkeeping) is made here, from names alone,
so that the same steps give the same bytes. The trap: prose is wrapped in the source for its reader,
but a client never wraps, so `ask` and `say` join lines while output of tools is left as it stands.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from textwrap import dedent
from typing import Any
from uuid import NAMESPACE_URL, uuid5

HOME = "/home/robin/code"
MODEL = "claude-opus-5-5"
# nobody signed this thinking, and it says so
_SIGNATURE = base64.b64encode(b"an invented session: not a signature").decode()
_STARTS = re.compile(r"\s*(?:[-*]|\d{1,2}\.)\s|#|\||```")
_GOES_ON = re.compile(r" \\\n\s*")
_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). To tell you how to proceed, the "
    "user said:\n"
)
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The "
    "summary below covers the earlier portion of the conversation.\n\n"
)
_INTERRUPTED = "[Request interrupted by user for tool use]"
_TOKEN = 4  # characters
_SYSTEM_TOKENS = 17_400  # what the client sends before the first prompt


# -- Steps ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """A prompt; `after` is how many seconds the person took for it."""

    words: str
    after: int


@dataclass(frozen=True, slots=True)
class Say:
    """What the assistant says, or only thinks."""

    words: str
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A call with its result; `took` in seconds."""

    name: str
    given: dict[str, Any]
    result: str
    error: bool = False
    took: int = 1


@dataclass(frozen=True, slots=True)
class Steer:
    """What was typed while the agent worked."""

    words: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The person pressed Escape during the call before it."""


@dataclass(frozen=True, slots=True)
class Compact:
    """The client replaced what was said so far by a summary."""

    summary: str


@dataclass(frozen=True, slots=True)
class Branch:
    """From here on the repository is on that branch."""

    name: str


@dataclass(frozen=True, slots=True)
class Link:
    """A pull request that the client noticed."""

    number: int


Step = Ask | Say | Tool | Steer | Stop | Compact | Branch | Link


@dataclass(frozen=True, slots=True)
class Session:
    """One session: `began` is an ISO time in UTC; `named` says that the person gave the title."""

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


# -- What the sessions are written with -----------------------------------------------------------


def ask(words: str, after: int = 0) -> Ask:
    """Prompt; without `after` it took as long as typing does."""
    text = _prose(words)
    return Ask(text, after or 90 + len(text))


def say(words: str) -> Say:
    """Answer, or tell what comes next."""
    return Say(_prose(words))


def think(words: str) -> Say:
    """Think, which is not kept by anyone."""
    return Say(_prose(words), thinking=True)


def steer(words: str) -> Steer:
    """Type while the agent works."""
    return Steer(_prose(words))


def bash(command: str, output: str = "", *, fails: int = 0, took: int = 2) -> Tool:
    """Run a command; `fails` is its exit status."""
    text = _raw(output)
    result = f"Exit code {fails}\n{text}" if fails else text or "(no output)"
    return Tool("Bash", {"command": _raw(command)}, result, bool(fails), took)


def read(path: str, content: str, start: int = 1) -> Tool:
    """Read a file, from line `start` on."""
    lines = enumerate(_raw(content).split("\n"), start)
    given: dict[str, Any] = {"file_path": path}
    given |= {"offset": start} if start > 1 else {}
    return Tool("Read", given, "\n".join(f"{number:>6}\u2192{line}" for number, line in lines))


def missing(path: str, instead: str = "") -> Tool:
    """Read a file that is not there."""
    hint = f" Did you mean {instead}?" if instead else ""
    return Tool("Read", {"file_path": path}, _failed(f"File does not exist.{hint}"), error=True)


def edit(path: str, old: str, new: str) -> Tool:
    """Change a file."""
    result = f"The file {path} has been updated successfully."
    return Tool("Edit", _replaced(path, old, new), result)


def mistaken(path: str, old: str, new: str) -> Tool:
    """Try to change what does not stand in a file."""
    result = _failed(f"String to replace not found in file.\nString: {_raw(old)}")
    return Tool("Edit", _replaced(path, old, new), result, error=True)


def create(path: str, content: str) -> Tool:
    """Write a new file."""
    given = {"file_path": path, "content": _raw(content) + "\n"}
    return Tool("Write", given, f"File created successfully at: {path}")


def refused(call: Tool, reason: str) -> Tool:
    """Propose a call that the person refuses, saying why."""
    return Tool(call.name, call.given, _REFUSED + _prose(reason), error=True, took=35)


def choose(question: str, header: str, options: dict[str, str], answer: str) -> Tool:
    """Ask which way to go; the answer may be none of the options."""
    listed = [{"label": label, "description": about} for label, about in options.items()]
    asked = {"question": question, "header": header, "options": listed, "multiSelect": False}
    result = f'User has answered your questions: "{question}"="{answer}".'
    result += " You can now continue with the user's answers in mind."
    return Tool("AskUserQuestion", {"questions": [asked]}, result, took=50)


def stopped(command: str) -> tuple[Tool, Stop]:
    """Run a command that the person stops with Escape."""
    result = f"Exit code 137\n{_INTERRUPTED}"
    return Tool("Bash", {"command": command}, result, error=True, took=4), Stop()


def commit(branch: str, subject: str, body: str, changed: str) -> Tool:
    """Commit everything with a reasoned message; `changed` is git's last line."""
    words = _prose(body)
    command = f"git add -A && git commit -m \"$(cat <<'EOF'\n{subject}\n\n{words}\nEOF\n)\""
    sha = hashlib.sha1(f"{subject}{words}".encode(), usedforsecurity=False).hexdigest()[:7]
    return Tool("Bash", {"command": command}, f"[{branch} {sha}] {subject}\n {changed}", took=2)


def switch(name: str) -> tuple[Tool, Branch]:
    """Begin a branch."""
    return bash(f"git switch -c {name}", f"Switched to a new branch '{name}'"), Branch(name)


def pull_request(title: str, body: str, number: int, project: str) -> tuple[Tool, Link]:
    """Push the branch and open a pull request."""
    command = f'git push -q -u origin HEAD && gh pr create --title "{title}" --body "{body}"'
    return bash(command, f"{_pull(project, number)}", took=6), Link(number)


def _pull(project: str, number: int) -> str:
    return f"https://git.example.com/robin/{project}/pull/{number}"


def _failed(text: str) -> str:
    return f"<tool_use_error>{text}</tool_use_error>"


def _replaced(path: str, old: str, new: str) -> dict[str, Any]:
    strings = {"old_string": _raw(old), "new_string": _raw(new)}
    return {"replace_all": False, "file_path": path, **strings}


def _raw(text: str) -> str:
    """Take the indentation off; a line that ends in a backslash goes on in the next."""
    return _GOES_ON.sub(" ", dedent(text).strip("\n"))


def _prose(text: str) -> str:
    """Join the lines of each paragraph and item; code, tables and headings stay as they are."""
    joined: list[str] = []
    fenced = False
    for line in _raw(text).split("\n"):
        begins = not joined or not joined[-1].strip() or joined[-1].startswith(("#", "|", "```"))
        if fenced or begins or not line.strip() or _STARTS.match(line):
            joined.append(line)
        else:
            joined[-1] += f" {line.strip()}"
        fenced ^= line.startswith("```")
    return "\n".join(joined)


# -- The client -----------------------------------------------------------------------------------


@dataclass
class _Client:
    """Writes the lines of one session, as client 2.1 does."""

    session: Session
    lines: list[dict[str, Any]] = field(default_factory=list)
    now: datetime = field(init=False)
    branch: str = field(init=False)
    asked_at: datetime = field(init=False)
    parent: str | None = None
    reply: str = ""
    prompt: str = ""
    context: int = _SYSTEM_TOKENS
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
            result = result.replace(f"file {path}", f"file {full}").replace(f": {path}", f": {full}")
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
        self._user([{"type": "text", "text": _INTERRUPTED}])

    def _compact(self, step: Compact) -> None:
        self._end_turn()
        self._wait(4)
        before = self.context + self.fresh // _TOKEN
        said = {"trigger": "auto", "preTokens": before}
        self._line(
            "system", subtype="compact_boundary", content="Conversation compacted", compactMetadata=said
        )
        self.context, self.fresh = _SYSTEM_TOKENS, 0
        self._wait(20)
        words = _CONTINUED + step.summary
        self._user(words, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def _branch(self, step: Branch) -> None:
        self.branch = step.name

    def _link(self, step: Link) -> None:
        url = _pull(self.session.project, step.number)
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
            self.context += self.fresh // _TOKEN
            self.spoken = 0
        self.spoken += size
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": self.fresh // _TOKEN,
            "cache_read_input_tokens": self.context - self.fresh // _TOKEN,
            "output_tokens": self.spoken // _TOKEN + 1,
        }
        message = {"model": MODEL, "id": self.reply, "type": "message", "role": "assistant"}
        message |= {"content": [block], "stop_reason": None, "usage": usage}
        self._line("assistant", message=message)

    def _end_turn(self) -> None:
        """Write how long the turn took, as the client does when the agent has answered."""
        self.context += self.spoken // _TOKEN
        self.spoken = self.fresh = 0
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

    def _line(self, kind: str, **values: Any) -> None:
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
