"""Write the sample sessions as Claude Code would have written them.

A sample is a YAML file of the package: where and when the session ran, and its steps in order, each
named by its first key (ask, say, think, call, steer, stop, compact, branch, link). What the client
adds and Memoria reads (ids, times) is made from names and counts, so that the same steps give the
same bytes.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import yaml

from memoria.vault.package_files import SAMPLES

HOME = "/home/robin/code"
INTERRUPTED = "[Request interrupted by user for tool use]"
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The "
    "summary below covers the earlier portion of the conversation.\n\n"
)
_TYPING = 90  # seconds before a prompt, and one more for each character

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SampleSession:
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


def read_sample_sessions() -> list[SampleSession]:
    """Read the samples of the package, in order of time."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C ten times as fast
    values = [yaml.load(path.read_bytes(), loader) for path in SAMPLES.glob("*.yaml")]  # noqa: S506 - a safe one
    sessions = [SampleSession(**value | {"steps": tuple(value["steps"])}) for value in values]
    return sorted(sessions, key=lambda session: session.began)


def write_sessions(folder: Path, sessions: list[SampleSession]) -> None:
    """Write the transcripts of sessions as the client lays them out in its folder of projects."""
    for session in sessions:
        path = folder / session.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_transcript(session))


def render_transcript(session: SampleSession) -> bytes:
    """Give a session as the client would have written it to its file."""
    lines = _TranscriptWriter(session).record()
    rows = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines]
    return ("\n".join(rows) + "\n").encode()


class _TranscriptWriter:
    """Writes the lines of one session, as client 2.1 does."""

    def __init__(self, session: SampleSession) -> None:
        self.session, self.branch = session, session.branch
        self.now = datetime.fromisoformat(session.began).replace(tzinfo=UTC)
        self.lines: list[dict[str, Any]] = []
        self.parent: str | None = None

    def record(self) -> list[dict[str, Any]]:
        """Play all steps and give the lines."""
        for step in self.session.steps:
            getattr(self, f"_{next(iter(step))}")(step)
        if self.session.title:
            kind = "custom" if self.session.named else "ai"
            self._note(f"{kind}-title", **{f"{kind}Title": self.session.title})
        return self.lines

    # Steps

    def _ask(self, step: Step) -> None:
        self._wait(step.get("after", _TYPING + len(step["ask"])))
        self._user(step["ask"])

    def _say(self, step: Step) -> None:
        self._wait(2 + len(step["say"]) // 90)
        self._assistant({"type": "text", "text": step["say"]})

    def _think(self, step: Step) -> None:
        self._wait(2 + len(step["think"]) // 90)
        self._assistant({"type": "thinking", "thinking": step["think"]})

    def _call(self, step: Step) -> None:
        tool_input, result = dict(step["input"]), step["result"]
        if path := tool_input.get("file_path"):
            tool_input["file_path"] = full = f"{self.session.cwd}/{path}"
            result = re.sub(rf"(file |: ){re.escape(path)}", lambda hit: hit[1] + full, result)
        key = f"toolu_{self._uuid()}"
        self._wait(2)
        self._assistant({"type": "tool_use", "id": key, "name": step["call"], "input": tool_input})
        self._wait(step.get("took", 1))
        block = {"tool_use_id": key, "type": "tool_result", "content": result}
        self._user([block | ({"is_error": True} if step.get("error") else {})])

    def _steer(self, step: Step) -> None:
        words = step["steer"]
        self._wait(10 + len(words) // 5)
        command = {"type": "queued_command", "prompt": words, "source_uuid": self._uuid()}
        self._line("attachment", attachment={**command, "origin": {"kind": "human"}})

    def _stop(self, _: Step) -> None:
        self._wait(3)
        self._user([{"type": "text", "text": INTERRUPTED}])

    def _compact(self, step: Step) -> None:
        self._wait(24)
        flags = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
        self._user(_CONTINUED + step["compact"], **flags)

    def _branch(self, step: Step) -> None:
        self.branch = step["branch"]

    def _link(self, step: Step) -> None:
        number, name = step["link"], f"robin/{self.session.project}"
        url = f"https://git.example.com/{name}/pull/{number}"
        self._note("pr-link", prNumber=number, prUrl=url, prRepository=name)

    # Lines

    def _user(self, content: object, **fields: object) -> None:
        self._line("user", message={"role": "user", "content": content}, **fields)

    def _assistant(self, block: dict[str, Any]) -> None:
        message = {"id": f"msg_{self._uuid()}", "type": "message", "role": "assistant"}
        self._line("assistant", message=message | {"content": [block]})

    def _note(self, kind: str, **values: object) -> None:
        self.lines.append({"type": kind, "sessionId": self.session.id, **values})

    def _line(self, kind: str, **values: object) -> None:
        name = self._uuid()
        line: dict[str, Any] = {"parentUuid": self.parent, "isSidechain": False}
        line |= {"userType": "external", "cwd": self.session.cwd, "gitBranch": self.branch}
        line |= {"sessionId": self.session.id, "version": self.session.version, "type": kind}
        stamp = f"{self.now.isoformat(timespec='milliseconds')[:23]}Z"
        self.lines.append(line | values | {"uuid": name, "timestamp": stamp})
        self.parent = name

    def _wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds, milliseconds=len(self.lines) * 137 % 1000)

    def _uuid(self) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self.session.id}/{len(self.lines)}"))
