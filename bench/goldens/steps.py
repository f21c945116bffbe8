"""Words in which an invented session is told: each gives a step of a sample session.

A step is what the YAML of a sample holds (memoria/cli/setup/sample_sessions.py).
"""

from __future__ import annotations

import hashlib
from typing import Any

from memoria.cli.setup.sample_sessions import INTERRUPTED, Step

_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). To tell you how to proceed, the "
    "user said:\n"
)


def ask(words: str) -> Step:
    """Prompt."""
    return {"ask": words}


def say(words: str) -> Step:
    """Answer, or tell what comes next."""
    return {"say": words}


def steer(words: str) -> Step:
    """Type while the agent works."""
    return {"steer": words}


def compact(summary: str) -> Step:
    """Replace what was said so far by a summary."""
    return {"compact": summary}


def bash(command: str, output: str = "", *, fails: int = 0, took: int = 2) -> Step:
    """Run a command; `fails` is its exit status."""
    result = f"Exit code {fails}\n{output}" if fails else output or "(no output)"
    return _call("Bash", {"command": command}, result, error=bool(fails), took=took)


def fetch(address: str, page: str) -> Step:
    """Read a page of the web."""
    return _call("WebFetch", {"url": address, "prompt": "read"}, page)


def read(path: str, content: str, start: int = 1) -> Step:
    """Read a file, from line `start` on."""
    lines = enumerate(content.strip("\n").split("\n"), start)
    given: dict[str, Any] = {"file_path": path} | ({"offset": start} if start > 1 else {})
    return _call("Read", given, "\n".join(f"{number:>6}\u2192{line}" for number, line in lines))


def edit(path: str, old: str, new: str) -> Step:
    """Change a file."""
    result = f"The file {path} has been updated successfully."
    return _call("Edit", _replaced(path, old, new), result)


def mistaken(path: str, old: str, new: str) -> Step:
    """Try to change what does not stand in a file."""
    result = f"<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>"
    return _call("Edit", _replaced(path, old, new), result, error=True)


def refused(call: Step, reason: str) -> Step:
    """Propose a call that the person refuses, saying why."""
    return {**call, "result": _REFUSED + reason, "error": True, "took": 35}


def choose(question: str, header: str, options: dict[str, str], answer: str) -> Step:
    """Ask which way to go; the answer may be none of the options."""
    listed = [{"label": label, "description": about} for label, about in options.items()]
    asked = {"question": question, "header": header, "options": listed, "multiSelect": False}
    result = f'User has answered your questions: "{question}"="{answer}".'
    result += " You can now continue with the user's answers in mind."
    return _call("AskUserQuestion", {"questions": [asked]}, result, took=50)


def stopped(command: str) -> tuple[Step, Step]:
    """Run a command that the person stops with Escape."""
    result = f"Exit code 137\n{INTERRUPTED}"
    call = _call("Bash", {"command": command}, result, error=True, took=4)
    return call, {"stop": True}


def commit(branch: str, subject: str, body: str, changed: str) -> Step:
    """Commit everything with a reasoned message; `changed` is git's last line."""
    command = f"git add -A && git commit -m \"$(cat <<'EOF'\n{subject}\n\n{body}\nEOF\n)\""
    sha = hashlib.sha1(f"{subject}{body}".encode(), usedforsecurity=False).hexdigest()[:7]
    return _call("Bash", {"command": command}, f"[{branch} {sha}] {subject}\n {changed}", took=2)


def switch(name: str) -> tuple[Step, Step]:
    """Begin a branch."""
    called = bash(f"git switch -c {name}", f"Switched to a new branch '{name}'")
    return called, {"branch": name}


def pull_request(title: str, body: str, number: int, project: str) -> tuple[Step, Step]:
    """Push the branch and open a pull request."""
    command = f'git push -q -u origin HEAD && gh pr create --title "{title}" --body "{body}"'
    address = f"https://git.example.com/robin/{project}/pull/{number}"
    return bash(command, address, took=6), {"link": number}


def _call(
    name: str, given: dict[str, Any], result: str, *, error: bool = False, took: int = 1
) -> Step:
    return {"call": name, "input": given, "result": result, "error": error, "took": took}


def _replaced(path: str, old: str, new: str) -> dict[str, Any]:
    return {"replace_all": False, "file_path": path, "old_string": old, "new_string": new}
