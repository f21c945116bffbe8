"""An invented conversation -> the steps of a Session: what was asked, said and called, in order.

A session is told in few words (ask, say, bash, edit, ...), so that people can read and change it;
what the client adds to them is made by client.py. The trap: prose is wrapped in the source
for its reader, but nobody wraps what they type, so `ask` and `say` join the lines of a paragraph
while output of tools is left as it stands.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, uuid5

HOME = "/home/robin/code"
_STARTS = re.compile(r"\s*(?:[-*]|\d{1,2}\.)\s|#|\||```")
_GOES_ON = re.compile(r" \\\n\s*")
_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). To tell you how to proceed, the "
    "user said:\n"
)
INTERRUPTED = "[Request interrupted by user for tool use]"


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
    result = f"Exit code 137\n{INTERRUPTED}"
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
    return bash(command, f"{pull_address(project, number)}", took=6), Link(number)


def pull_address(project: str, number: int) -> str:
    """Give the address of a pull request, on a server that does not exist."""
    return f"https://git.example.com/robin/{project}/pull/{number}"


def _failed(text: str) -> str:
    return f"<tool_use_error>{text}</tool_use_error>"


def _replaced(path: str, old: str, new: str) -> dict[str, Any]:
    strings = {"old_string": _raw(old), "new_string": _raw(new)}
    return {"replace_all": False, "file_path": path, **strings}


def _raw(text: str) -> str:
    """Take off the indentation of the closing quotes; a line that ends in a backslash goes on."""
    lines = text.split("\n")
    indentation = "" if lines[-1].strip() else lines[-1]
    whole = "\n".join(line.removeprefix(indentation) for line in lines)
    return _GOES_ON.sub(" ", whole.strip("\n"))


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
