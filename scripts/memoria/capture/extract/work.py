"""Tool calls of a transcript -> Work: branch, edited files, commits, pull requests, last checks.

These are facts and no opinions: a commit counts when git named its hash, a file when its edit
succeeded, a check by how it ended the last time. They are the part of an entry that cannot be
wrong. The trap: `git commit -m` in a test script is text, and an amended or reset commit is
undone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.capture.extract.failures.faults import faults
from memoria.text.shell.actions import commands, is_check, verb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.agents.transcript import Call, Transcript


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that the session made: its message without trailers, and the turn's index."""

    subject: str
    body: str
    turn: int
    branch: str = ""

    @property
    def scope(self) -> str:
        """The scope of a conventional commit, "" where it has none."""
        match = _CONVENTIONAL.match(self.subject)
        return (match["scope"] or "") if match else ""

    @property
    def is_housekeeping(self) -> bool:
        """Whether it records how the work went rather than what was chosen."""
        return bool(_HOUSEKEEPING.match(self.subject))


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request that the session opened."""

    title: str
    number: str


@dataclass(frozen=True, slots=True)
class Work:
    """What was done with the tools in one part of a session.

    `files` are relative to the session's folder where they lie in it, most edited first; `checks`
    are whole runs of tests, linters and builds with whether each passed the last time; `busy` holds
    the turns in which a file was edited or a commit made: only what was said in those was decided.
    """

    branch: str = ""
    files: tuple[str, ...] = ()
    commits: tuple[Commit, ...] = ()
    pull_requests: tuple[PullRequest, ...] = ()
    checks: tuple[tuple[str, bool], ...] = ()
    busy: frozenset[int] = field(default_factory=frozenset)


# branches on which everything happens: a work item of one would be a grab bag
_TRUNK = frozenset(
    """main master trunk next develop dev development stable staging stage production prod release
    head default mainline""".split()  # noqa: SIM905 - a word list reads best as words
)


def is_trunk(branch: str) -> bool:
    """Whether a branch is one that all work goes through, so that it names no work of its own."""
    return branch.lower() in _TRUNK or not branch


def work(transcript: Transcript) -> Work:
    """Gather what the tool calls of a transcript did."""
    commits = _commits(transcript)
    edits = [
        (index, path)
        for index, turn in enumerate(transcript.turns)
        for call in turn.calls
        if (path := _edited(call, transcript.cwd))
    ]
    counts = Counter(path for _, path in edits)
    order = {path: place for place, (_, path) in reversed(list(enumerate(edits)))}
    busy = frozenset(index for index, _ in edits) | {commit.turn for commit in commits}
    return Work(
        branch=_branch(transcript, busy, commits),
        files=tuple(sorted(counts, key=lambda path: (-counts[path], order[path]))),
        commits=commits,
        pull_requests=_pull_requests(transcript),
        checks=_checks(transcript),
        busy=busy,
    )


# -- Files ----------------------------------------------------------------------------------------

_PASSING = re.compile(  # scratch and the client's own files: no part of the work
    r"(?:^|/)(?:tmp|scratchpad)/|^(?:/|~|[A-Za-z]:).*/\.claude/|(?:^|/)\.claude/(?:plans"
    r"|projects|todos)/"
    r"|AppData/Local/Temp/|^/(?:private|var/folders)/|(?:^|/)plans?/[^/]*\.md$"
)
_OUTSIDE = 4  # names of a path outside the session's folder that tell where it belongs


def _edited(call: Call, cwd: str) -> str:
    """Give the file that a call changed, "" where it changed none that belongs to the work."""
    if call.kind != "edit" or call.is_error or not call.answered:
        return ""
    # a name can hold line ends and worse; what cannot be printed is shown as "?"
    path = "".join(c if c.isprintable() else "?" for c in call.path).replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/") + "/"
    if len(root) > 1 and path.lower().startswith(root.lower()):
        path = path[len(root) :]
    if _PASSING.search(path):
        return ""
    absolute = path.startswith(("/", "~")) or path[1:2] == ":"
    return "/".join(path.split("/")[-_OUTSIDE:]) if absolute else path


# -- Commits and pull requests --------------------------------------------------------------------

_CONVENTIONAL = re.compile(
    r"(?P<type>feat|fix|refactor|perf|docs?|test|tests|chore|style|build|ci"
    r"|revert)(?:\((?P<scope>[\w./ -]{1,40})\))?!?:\s+",
    re.IGNORECASE,
)
_HOUSEKEEPING = re.compile(
    r"merge\b|wip\b|address(?:ing|ed)?\b.{0,40}\b(?:review|comments?|feedback|nits?)|(?:fix"
    r"|resolve)\w*:?\s+(?:the\s+)?(?:lint\w*|typos?|format\w*|tests?|ci|build|merge conflicts?"
    r"|nits?)\b|(?:chore|style)\b|bump\b|fixup!|squash!|format\b|lint\b|gofmt|apply (?:review"
    r"|suggestion)|review\b|initial commit|update \S+$",
    re.IGNORECASE,
)
_COMMIT = re.compile(r"\bgit\b(?: -[cC] \S+| --\S+)* commit\b")
_ELSEWHERE = re.compile(
    r"\bgit init\b|\bmktemp\b|\bcd (?:/private)?/tmp/"
)  # a try in a scratch repository
_HASHED = re.compile(
    r"^\[(?P<branch>[^\]\n]{1,200}?)(?: \(root-commit\))? [0-9a-f]{7,40}\] (?P<subject>.*)$",
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


def _commits(transcript: Transcript) -> tuple[Commit, ...]:
    made: list[Commit] = []
    for index, turn in enumerate(transcript.turns):
        for call in turn.calls:
            command = call.command
            if call.kind != "shell" or "git" not in command or call.is_error:
                continue
            if undone := _UNDONE.search(command):
                count = int(undone[1] or 0) or len(undone[2] or "") or 1
                del made[max(0, len(made) - count) :]
            if commit := _commit(call, command, index):
                if made and "--amend" in command:
                    made.pop()
                made.append(commit)
    return tuple(made)


def _commit(call: Call, command: str, turn: int) -> Commit | None:
    """Read a commit whose hash git has printed; the body is known where the message was given."""
    called, hashed = _COMMIT.search(command), _HASHED.search(call.result)
    if not called or not hashed or _ELSEWHERE.search(command):
        return None
    message = _message(command[called.start() :]) or hashed["subject"]
    text = _TRAILER.split(message)[0].strip()
    subject, _, body = text.partition("\n")
    return Commit(subject.strip(), body.strip(), turn, hashed["branch"]) if subject else None


def _message(command: str) -> str:
    """Read the message of a `git commit`: a heredoc, or its -m arguments."""
    opening = _HEREDOC.search(command, 0, _ARGUMENTS)
    if opening and "&&" not in command[: opening.start()]:
        lines = command[opening.end() :].split("\n")
        end = next((at for at, line in enumerate(lines) if line.strip() == opening[2]), len(lines))
        return "\n".join(lines[:end]).strip()
    parts = [next(filter(None, found)) for found in _MESSAGE.findall(command[:20_000])]
    return "\n\n".join(part.replace('\\"', '"').replace("\\n", "\n") for part in parts)


_ARGUMENTS = 300  # characters after `git commit` in which its message begins


_TITLE = re.compile(
    r"--title[ =](?:\"((?:[^\"\\]|\\.){1,300})\"|'([^']{1,300})')|\s-t (?:\"([^\"]{1,300})\""
    r"|'([^']{1,300})')"
)
_PULL_URL = re.compile(r"/(?:pull|merge_requests)/(\d{1,7})")


def _pull_requests(transcript: Transcript) -> tuple[PullRequest, ...]:
    made: dict[str, PullRequest] = {}
    for call in transcript.calls:
        command = call.command
        if (
            "gh pr create" in command
            and not call.is_error
            and (url := _PULL_URL.search(call.result))
        ):
            title = _TITLE.search(command)
            made[url[1]] = PullRequest(next(filter(None, title.groups())) if title else "", url[1])
    for link in transcript.pull_requests:
        if url := _PULL_URL.search(link):
            made.setdefault(url[1], PullRequest("", url[1]))
    return tuple(made.values())


# -- Branch ---------------------------------------------------------------------------------------

_NEW_BRANCH = re.compile(r"\bgit (?:checkout -[bB]|switch -[cC])\s+([\w./-]{1,120})")


def _branch(transcript: Transcript, busy: frozenset[int], commits: tuple[Commit, ...]) -> str:
    """Give the branch that was worked on last: where it was edited, else talked about."""
    turns = (
        [turn for index, turn in enumerate(transcript.turns) if index in busy]
        or [turn for turn in transcript.turns if turn.says]
        or list(transcript.turns)
    )
    if not turns:
        return ""
    if made := [found for call in turns[-1].calls if (found := _made_branch(call))]:
        return made[-1]
    named = [commit.branch for commit in commits if " " not in commit.branch]
    return turns[-1].branch or (named[-1] if named else "")


def _made_branch(call: Call) -> str:
    match = None if call.is_error or not call.answered else _NEW_BRANCH.search(call.command)
    return match[1] if match else ""


# -- Checks ---------------------------------------------------------------------------------------

_SELECTED = re.compile(
    r"-run|-k|-t|-g|--?(?:filter|grep|testNamePattern|tests?|only)(?:=.*)?|.*::.*|.*\.(?:py"
    r"|[jt]sx?|rb|go|rs)"
)
_BACKGROUND = re.compile(r"running in (?:the )?background|timed out", re.IGNORECASE)
_LONGEST_CHECK = 600  # characters: a longer command is a script that happens to run a test


def _checks(transcript: Transcript) -> tuple[tuple[str, bool], ...]:
    """Give each check with how it ended last; a selection of tests says nothing of the rest."""
    last: dict[str, bool] = {}
    for call in transcript.calls:
        for name in _ran(call):
            last.pop(name, None)  # the order is that of the last runs
            last[name] = not call.is_error and not faults(call)
    return tuple(last.items())


def _ran(call: Call) -> Iterator[str]:
    """Yield the checks that a call ran to an end."""
    line = call.command
    if call.kind != "shell" or not call.answered or len(line) > _LONGEST_CHECK:
        return
    if _BACKGROUND.search(call.result[:300]) or call.is_refused:
        return
    for command in commands(line):
        name = verb(command)
        if (
            is_check(name)
            and not command.is_filter
            and not any(map(_SELECTED.fullmatch, command.words))
        ):
            yield name
