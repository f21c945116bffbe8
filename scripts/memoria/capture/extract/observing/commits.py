"""Find the commits that calls made, with message and fate, the pull requests, and the branch.

A commit counts when its call succeeded, when git named its hash where a pipe hides the status, or
when a later `git log` of the session shows it; `-q` and wrappers print no hash. A try in a scratch
repository is none of the work, and an amended, reset or reverted commit is undone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memoria.agents.transcript import Call, Transcript
from memoria.capture.extract.observing.call_outcomes import find_check_outcomes
from memoria.capture.extract.observing.folders import name_other_repository
from memoria.capture.extract.observing.observations import Commit, Fate, ObservedCall, PullRequest
from memoria.privacy.imperatives import gives_orders
from memoria.text.prose import capitalise
from memoria.text.shell.actions import parse_commands, verb

_COMMIT = re.compile(r"\bgit\b(?: -[cC] \S+| --\S+)* commit\b")  # "git -C x commit"
# where it is a try, in a scratch repository
_SCRATCH = re.compile(r"\bgit init\b|\bmktemp\b|\bcd (?:/private)?/tmp/")
_HASH_LINE = re.compile(  # "[main 4f2a91c] Add x"
    r"(?m)^\[(?P<branch>[^\]\n]{1,200}?)(?: \(root-commit\))? (?P<sha>[0-9a-f]{7,40})\] "
    r"(?P<subject>.*)$"
)
_TRAILER = re.compile(  # "Co-Authored-By: ", "Fixes: "
    r"(?m)(?<=\n)(?:[A-Z][A-Za-z]+(?:-[A-Za-z]+)+|Fixes|Closes|Refs?):\s|^🤖|Generated with \["
)
# programs that show what was committed elsewhere or before
_SHOWS = {"cat", "head", "tail", "grep", "rg", "sed", "less", "jq", "gh", "curl", "ssh"}
# "git reset --soft HEAD~2", "git reset HEAD^"; not "git reset HEAD -- file"
_RESET = re.compile(r"\bgit reset\b(?!.* -- )[^&;|\n]{0,60}?\b(?:HEAD|@)(?:~(\d{1,2})|(\^{1,9})|~)")
_RESET_TO = re.compile(r"\bgit reset --(?:hard|soft|mixed|keep) ([0-9a-f]{7,40})\b")
_REVERT = re.compile(r"\bgit revert (?:--?[\w-]+ )*([0-9a-f]{7,40}\b|HEAD\b(?![~^])|@(?=\s|$))")
_HEREDOC = re.compile(r"<<-?\s{0,3}(['\"]?)(\w{1,20})\1[^\n]{0,200}\n")  # "<<'EOF'"
_WRITTEN_FILE = re.compile(  # "cat > msg.txt <<EOF", lines, "EOF"
    r"(?m)>\s*(\S{1,300})\s*<<-?\s*['\"]?\w{1,20}['\"]?\n([\s\S]*?)\n\w{2,20}$"
)
_FILE_OPTION = re.compile(r"\s(?:-F|--file)[ =](\S{1,300})")
_MESSAGE_OPTION = re.compile(  # " -am 'x'", " --message="x"", " -m $'x'"
    r"\s(?:-[a-zA-Z]*m|--message)(?:\s+|=)(?:\"((?:[^\"\\]|\\.){1,6000})\"|'([^']{1,6000})'"
    r"|\$'((?:[^'\\]|\\.){1,6000})')"
)
_ONE_COMMAND = re.compile(  # a command to its end: an operator or a line's end outside of quotes
    r"(?:[^\"'\\&|;\n]|\\[\s\S]|\"(?:[^\"\\]|\\[\s\S])*+\"|'[^']*+'|&(?!&))*+"
)
_ARGUMENT_CHARS = 300  # after `git commit`, in which its message begins
_MAX_CHARS = 20_000  # of a command that are read for messages
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s")
_TITLE_OPTION = re.compile(  # "--title "x"", " -t 'x'" of a pull request
    r"--title[ =](?:\"((?:[^\"\\]|\\.){1,300})\"|'([^']{1,300})')|\s-t (?:\"([^\"]{1,300})\""
    r"|'([^']{1,300})')"
)
_PULL_URL = re.compile(r"/(?:pull|merge_requests)/(\d{1,7})")
_NEW_BRANCH = re.compile(r"\bgit (?:checkout -[bB]|switch -[cC])\s+([\w./-]{1,120})")
_ASKS_BRANCH = re.compile(r"(?:\A|[;&|\n])\s*git (?:status|checkout|switch)\b")
# "On branch x", "Switched to a new branch 'x'", and of the short form "## x...origin/x [ahead 1]"
_STATED_BRANCH = re.compile(
    r"(?m)(?:^On branch |^Switched to (?:a new )?branch '|^## (?=\S+\.\.\.)|\A## )"
    r"([\w./-]{1,120}?)(?=\.\.\.|'|\s|$)"
)


# what they print of others stands behind a sign or a blank
_STATES_BRANCH = {"git status", "git checkout", "git switch", "git fetch", "git pull"}
# clients that tell the branch in each line, as it is then
_TELL_BRANCH = {"claude-code"}


def find_commits(calls: Iterable[ObservedCall]) -> tuple[Commit, ...]:
    """Find the commits that were made, each with what became of it."""
    history = _CommitHistory()
    for call in calls:
        history.take(call)
    return tuple(history.made)


@dataclass(slots=True)
class _CommitHistory:
    """The commits so far; those that nothing shows yet; texts that were written, by file."""

    made: list[Commit] = field(default_factory=list)
    waiting: list[Commit] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)

    def take(self, seen_call: ObservedCall) -> None:
        """Note what a call did to the history."""
        call = seen_call.call
        if call.kind == "edit" and call.hunks and not call.hunks[0].old:
            self.written[call.path] = call.hunks[0].new
        if call.kind != "shell" or not call.answered or call.is_refused:
            return
        self._undo_commits(call)
        self._confirm_waiting(call)
        self.written |= dict(_WRITTEN_FILE.findall(call.command[:_MAX_CHARS]))
        is_made = False
        for command, hash_line in _find_commit_commands(seen_call):
            if commit := self._read_commit(seen_call, command, hash_line):
                self._add_commit(commit, command)
                is_made = True
        if not is_made:
            self._confirm_waiting(call)

    def _read_commit(
        self, seen_call: ObservedCall, command: str, hash_line: re.Match[str] | None
    ) -> Commit | None:
        """Read the commit that a command made, or tried to make where its outcome is hidden."""
        call = seen_call.call
        state = _find_commit_state(call)
        if _SCRATCH.search(call.command) or not (hash_line or state in {"passed", "unknown"}):
            return None
        message = parse_message(command, self.written)
        title = hash_line["subject"] if hash_line else ""
        subject, body = split_message(message or title)
        if not subject and "--amend" in command and self.made:
            subject = self.made[-1].subject
        if "--amend" in command and self.made and subject == self.made[-1].subject:
            body = body or self.made[-1].body
        if not subject or "--dry-run" in command:
            return None
        names = (hash_line["branch"], hash_line["sha"]) if hash_line else ("", "")
        commit = Commit(
            subject, body, seen_call.turn, seen_call.step, call.at, *names, folder=seen_call.folder
        )
        if not hash_line and state == "unknown":
            self.waiting.append(commit)
            return None
        return commit

    def _add_commit(self, commit: Commit, command: str) -> None:
        if "--amend" in command:
            self._mark_fate("amended", 1)
        self.made.append(commit)

    def _confirm_waiting(self, call: Call) -> None:
        """Take a commit for made whose subject the history shows."""
        if "git log" in call.command or "git show" in call.command or "git push" in call.command:
            for commit in [commit for commit in self.waiting if commit.subject in call.result]:
                self.waiting.remove(commit)
                self._add_commit(commit, "")

    def _undo_commits(self, call: Call) -> None:
        if call.is_error:
            return
        command = call.command[:_MAX_CHARS]
        if reset := _RESET.search(command):
            self._mark_fate("reverted", int(reset[1] or 0) or len(reset[2] or "") or 1)
        elif reset_to := _RESET_TO.search(command):
            commits = enumerate(self.made)
            places = [at for at, old in commits if _is_same_sha(old.sha, reset_to[1])]
            self._mark_fate("reverted", len(self.made) - places[-1] - 1 if places else 0)
        for revision in _REVERT.findall(command):
            standing = [commit for commit in self.made if commit.fate == "kept"]
            if revision in {"HEAD", "@"}:
                reverted = standing[-1:]
            else:
                reverted = [old for old in standing if _is_same_sha(old.sha, revision)]
            for commit in reverted:
                self.made[self.made.index(commit)] = replace(commit, fate="reverted")

    def _mark_fate(self, fate: Fate, count: int) -> None:
        """Tell of the last commits that stand what became of them."""
        standing = [at for at, commit in enumerate(self.made) if commit.fate == "kept"]
        for at in standing[len(standing) - count :] if count else ():
            self.made[at] = replace(self.made[at], fate=fate)


def _is_same_sha(sha: str, revision: str) -> bool:
    return bool(sha) and (sha.startswith(revision) or revision.startswith(sha))


def _find_commit_state(call: Call) -> str:
    """Say how the `git commit` of a call ended, "" where it has none."""
    outcomes = [
        outcome for command, outcome in find_check_outcomes(call) if verb(command) == "git commit"
    ]
    if outcomes:
        return outcomes[-1].state
    # of a script that is too long to be judged only its own status tells
    return "passed" if _COMMIT.search(call.command) and call.status == 0 else ""


def _find_hash_line(run: ObservedCall) -> re.Match[str] | None:
    """Find the line in which git names the new commit; also of a wrapper that calls git."""
    match = _HASH_LINE.search(run.call.result)
    if not match or _COMMIT.search(run.call.command) or "git revert" in run.call.command:
        return match
    names = {verb(command).split(" ")[0] for command in run.commands}
    return None if "git" in names or names & _SHOWS else match


def _find_commit_commands(run: ObservedCall) -> list[tuple[str, re.Match[str] | None]]:
    """Give each `git commit` of a call with the line that names it, where git named several."""
    command, named = run.call.command, list(_HASH_LINE.finditer(run.call.result))
    starts = [match.start() for match in _COMMIT.finditer(command)]
    if len(named) < 2 or len(starts) != len(named):  # noqa: PLR2004 - several
        return [(command, _find_hash_line(run))]
    parts = zip(starts, [*starts[1:], len(command)], named, strict=True)
    return [(command[start:end], line) for start, end, line in parts]


def parse_message(command: str, written: Mapping[str, str]) -> str:
    """Read the message of a `git commit`: a here-document, its -m arguments, a file's text."""
    call = _COMMIT.search(command)
    if not call:
        return ""
    command = command[call.start() : call.start() + _MAX_CHARS]
    opening = _HEREDOC.search(command, 0, _ARGUMENT_CHARS)
    if opening and "&&" not in command[: opening.start()]:
        lines = command[opening.end() :].split("\n")
        end = next((at for at, line in enumerate(lines) if line.strip() == opening[2]), len(lines))
        return "\n".join(lines[:end]).strip()
    # what comes behind it has a message or a file of its own: a tag, a pull request
    command = command[: whole.end()] if (whole := _ONE_COMMAND.match(command)) else command
    if (file_option := _FILE_OPTION.search(command)) and file_option[1] in written:
        return written[file_option[1]].strip()
    parts = [next(filter(None, groups)) for groups in _MESSAGE_OPTION.findall(command)]
    text = "\n\n".join(part.replace('\\"', '"').replace("\\n", "\n") for part in parts)
    return "" if text.startswith("$(") else text


def split_message(text: str) -> tuple[str, str]:
    """Part a message into its subject and its body, without trailers and with lines joined."""
    subject, _, body = _TRAILER.split(text.strip())[0].strip().partition("\n")
    return subject.strip(), join_wrapped_lines(body)


def join_wrapped_lines(text: str) -> str:
    """Join the lines of a text that were wrapped: a paragraph and an item are one line each."""
    lines: list[str] = []
    is_paragraph = False
    for line in text.strip().split("\n"):
        if is_paragraph and line.strip() and not _BULLET.match(line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
        is_paragraph = bool(line.strip())
    return "\n".join(lines)


def find_pull_requests(transcript: Transcript) -> tuple[PullRequest, ...]:
    """Give the pull requests that were opened, and those that the client linked."""
    made: dict[str, PullRequest] = {}
    for call in transcript.calls:
        is_opening = "gh pr create" in call.command and not call.is_error
        if is_opening and (url := _PULL_URL.search(call.result)):
            title = _TITLE_OPTION.search(call.command)
            made[url[1]] = PullRequest(next(filter(None, title.groups())) if title else "", url[1])
    for link in transcript.pull_requests:
        if url := _PULL_URL.search(link):
            made.setdefault(url[1], PullRequest("", url[1]))
    return tuple(made.values())


def find_branch(
    transcript: Transcript,
    calls: Iterable[ObservedCall],
    busy: frozenset[int],
    made: Sequence[Commit],
) -> str:
    """Give the branch that was worked on last: where it was edited, else talked about."""
    turns, cwd = transcript.turns, transcript.cwd
    said = [at for at, turn in enumerate(turns) if turn.says]
    last = max(busy or said or range(len(turns)), default=-1)
    if last < 0:
        return ""
    own_calls = [seen for seen in calls if _is_done_here(seen, cwd)]
    lines = [seen.call.command for seen in own_calls if seen.turn == last]
    if new_branches := [match[1] for line in lines if (match := _NEW_BRANCH.search(line))]:
        return new_branches[-1]
    commit = _find_last_named(made, cwd)
    # git names the branch of a commit; some clients name the one that was checked out at the start
    if commit and (commit.turn >= max(busy, default=0) or not turns[last].branch):
        return commit.branch
    # where the client told the branch of the start alone, what git printed of it last is newer
    if len({turn.branch for turn in turns}) > 1 or transcript.agent in _TELL_BRANCH:
        return turns[last].branch
    since, folder = (commit.turn, commit.folder) if commit else (last - 1, None)
    recent = (seen for seen in own_calls if since < seen.turn <= last)
    stated = _find_stated_branch([seen.call for seen in recent if folder in {None, seen.folder}])
    return stated or (commit.branch if commit else turns[last].branch)


def _is_done_here(seen: ObservedCall, cwd: str) -> bool:
    """Whether a call was done, and here: what git says in another repository is not of this one."""
    is_done = seen.call.answered and not seen.call.is_error
    return is_done and not name_other_repository(seen.folder, cwd)


def _find_last_named(made: Iterable[Commit], cwd: str) -> Commit | None:
    """Give the last commit of this repository whose branch is known."""
    named = (commit for commit in made if commit.branch and " " not in commit.branch)
    own = [commit for commit in named if not name_other_repository(commit.folder, cwd)]
    return own[-1] if own else None


def _find_stated_branch(calls: Sequence[Call]) -> str:
    """Give the branch that git last said it is on in this folder, "" for none.

    Of a call that runs more than git, a file or another program may have printed the words.
    """
    asking = (call for call in calls if _ASKS_BRANCH.search(call.command))
    results = [
        call.result
        for call in asking
        if {verb(command) for command in parse_commands(call.command)} <= _STATES_BRANCH
    ]
    stated = [match[1] for result in results for match in _STATED_BRANCH.finditer(result)]
    return stated[-1] if stated else ""


# -- Names of branches ----------------------------------------------------------------------------

# branches on which everything happens: a work item of one would be a grab bag
_TRUNK = frozenset(
    """main master trunk next develop dev development stable staging stage production prod release
    head default mainline""".split()  # noqa: SIM905 - a word list reads best as words
)
_OWNER_OR_TICKET = re.compile(  # "abc-12-", "feature/", "claude/"
    r"(?i)(?:[a-z]{2,8}-\d+|\d{4,8})(?:[-_/]|$)"
    r"|(?:feature|feat|fix|bugfix|hotfix|chore|refactor|docs|test|wip|issue|claude|codex)[/_]"
)


def is_trunk(branch: str) -> bool:
    """Whether a branch is one that all work goes through, so that it names no work of its own."""
    return branch.lower() in _TRUNK or not branch


def branch_words(branch: str) -> str:
    """Give the words of a branch's name, "" for a trunk and for one that orders.

    Whoever opens a pull request names its branch.
    """
    words = split_branch_name(branch)
    return "" if gives_orders(words) else words


def split_branch_name(branch: str) -> str:
    """Give the words of a branch's name without its owner and ticket, "" for a trunk."""
    if is_trunk(branch):
        return ""
    name = branch if _OWNER_OR_TICKET.match(branch) else branch.partition("/")[2] or branch
    for _ in range(3):  # a kind, an owner and a ticket at most
        if prefix := _OWNER_OR_TICKET.match(name):
            name = name[prefix.end() :]
    words = re.sub(r"[-_/]+|(?<=[a-z])(?=[A-Z][a-z])", " ", name.rpartition("/")[2]).strip()
    return capitalise(words) if re.search(r"[A-Za-z]{3}", words) else ""
