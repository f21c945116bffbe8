"""Calls -> the commits and pull requests that they made, and the branch that was worked on.

A commit counts when its call succeeded, or when git named its hash where a pipe hides the status.
The trap: `git commit -m` in a test script is text, a try in a scratch repository is none of the
work, and an amended or reset commit is undone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.capture.extract.observing.texts import sentences
from memoria.capture.extract.observing.values import Commit, PullRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.agents.transcript import Call, Transcript
    from memoria.capture.extract.observing.values import Fate, ObservedCall

_COMMIT = re.compile(r"\bgit\b(?: -[cC] \S+| --\S+)* commit\b")
_ELSEWHERE = re.compile(
    r"\bgit init\b|\bmktemp\b|\bcd (?:/private)?/tmp/"
)  # a try in a scratch repository
_HASHED = re.compile(
    r"^\[(?P<branch>[^\]\n]{1,200}?)(?: \(root-commit\))? (?P<sha>[0-9a-f]{7,40})\] "
    r"(?P<subject>.*)$",
    re.MULTILINE,
)
_HEREDOC = re.compile(r"<<-?\s{0,3}(['\"]?)(\w{1,20})\1[^\n]{0,200}\n")
_MESSAGE = re.compile(
    r"\s(?:-[a-zA-Z]*m|--message)(?:\s+|=)(?:\"((?:[^\"\\]|\\.){1,6000})\"|'([^']{1,6000})'"
    r"|\$'((?:[^'\\]|\\.){1,6000})')"
)
_TRAILER = re.compile(
    r"^(?:[A-Z][A-Za-z]+(?:-[A-Za-z]+)+|Fixes|Closes|Refs?):\s|^🤖|Generated with \[", re.MULTILINE
)
_UNDONE = re.compile(
    r"\bgit reset\b(?!.* -- )[^&;|\n]{0,60}?\b(?:HEAD|@)(?:~(\d{1,2})|(\^{1,9})|~)"
)
_ARGUMENTS = 300  # characters after `git commit` in which its message begins


def commits(calls: Iterable[ObservedCall]) -> tuple[Commit, ...]:
    """Find the commits that were made, each with what became of it."""
    made: list[Commit] = []
    for one in calls:
        command = one.call.command
        if "git" not in command or one.call.is_error:
            continue
        if undone := _UNDONE.search(command):
            _mark(made, "reverted", int(undone[1] or 0) or len(undone[2] or "") or 1)
        if commit := _commit(one):
            if "--amend" in command:
                _mark(made, "amended", 1)
            made.append(commit)
    return tuple(made)


def _mark(made: list[Commit], fate: Fate, count: int) -> None:
    """Tell of the last commits that stand what became of them."""
    standing = [at for at, commit in enumerate(made) if commit.fate == "kept"]
    for at in standing[-count:]:
        made[at] = replace(made[at], fate=fate)


def _commit(one: ObservedCall) -> Commit | None:
    """Read a commit whose hash git has printed; the body is known where the message was given."""
    call, command = one.call, one.call.command
    called, hashed = _COMMIT.search(command), _HASHED.search(call.result)
    if not called or not hashed or _ELSEWHERE.search(command):
        return None
    message = _message(command[called.start() :]) or hashed["subject"]
    text = _TRAILER.split(message)[0].strip()
    subject, _, body = text.partition("\n")
    if not subject:
        return None
    place = (one.turn, one.step, call.at)
    told = sentences(body)
    return Commit(
        subject.strip(), joined(body), *place, hashed["branch"], hashed["sha"], sentences=told
    )


_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s")


def joined(text: str) -> str:
    """Join the lines of a text that were wrapped: a paragraph and an item are one line each."""
    lines: list[str] = []
    goes_on = False
    for line in text.strip().split("\n"):
        if goes_on and line.strip() and not _ITEM.match(line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
        goes_on = bool(line.strip())
    return "\n".join(lines)


def _message(command: str) -> str:
    """Read the message of a `git commit`: a heredoc, or its -m arguments."""
    opening = _HEREDOC.search(command, 0, _ARGUMENTS)
    if opening and "&&" not in command[: opening.start()]:
        lines = command[opening.end() :].split("\n")
        end = next((at for at, line in enumerate(lines) if line.strip() == opening[2]), len(lines))
        return "\n".join(lines[:end]).strip()
    parts = [next(filter(None, found)) for found in _MESSAGE.findall(command[:20_000])]
    return "\n\n".join(part.replace('\\"', '"').replace("\\n", "\n") for part in parts)


_TITLE = re.compile(
    r"--title[ =](?:\"((?:[^\"\\]|\\.){1,300})\"|'([^']{1,300})')|\s-t (?:\"([^\"]{1,300})\""
    r"|'([^']{1,300})')"
)
_PULL_URL = re.compile(r"/(?:pull|merge_requests)/(\d{1,7})")


def pull_requests(transcript: Transcript) -> tuple[PullRequest, ...]:
    """Give the pull requests that were opened, and those that the client linked."""
    made: dict[str, PullRequest] = {}
    for call in transcript.calls:
        opened = "gh pr create" in call.command and not call.is_error
        if opened and (url := _PULL_URL.search(call.result)):
            title = _TITLE.search(call.command)
            made[url[1]] = PullRequest(next(filter(None, title.groups())) if title else "", url[1])
    for link in transcript.pull_requests:
        if url := _PULL_URL.search(link):
            made.setdefault(url[1], PullRequest("", url[1]))
    return tuple(made.values())


# -- Branch ---------------------------------------------------------------------------------------

_NEW_BRANCH = re.compile(r"\bgit (?:checkout -[bB]|switch -[cC])\s+([\w./-]{1,120})")
# branches on which everything happens: a work item of one would be a grab bag
_TRUNK = frozenset(
    """main master trunk next develop dev development stable staging stage production prod release
    head default mainline""".split()  # noqa: SIM905 - a word list reads best as words
)


def is_trunk(branch: str) -> bool:
    """Whether a branch is one that all work goes through, so that it names no work of its own."""
    return branch.lower() in _TRUNK or not branch


def branch(transcript: Transcript, busy: frozenset[int], made: Sequence[Commit]) -> str:
    """Give the branch that was worked on last: where it was edited, else talked about."""
    turns = (
        [turn for index, turn in enumerate(transcript.turns) if index in busy]
        or [turn for turn in transcript.turns if turn.says]
        or list(transcript.turns)
    )
    if not turns:
        return ""
    if opened := [found for call in turns[-1].calls if (found := _opened(call))]:
        return opened[-1]
    named = [commit.branch for commit in made if commit.branch and " " not in commit.branch]
    return turns[-1].branch or (named[-1] if named else "")


def _opened(call: Call) -> str:
    """Give the branch that a call began, "" for none."""
    match = None if call.is_error or not call.answered else _NEW_BRANCH.search(call.command)
    return match[1] if match else ""
