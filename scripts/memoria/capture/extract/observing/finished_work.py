"""Find the pull requests and tracked items that a session saw finished, and what waited for them.

An open item is closed by what a later session shows: a merge, or a tracker's command that closed
what the item names. What only words tell is for a model to judge.
"""

import re
from typing import NamedTuple

from memoria.agents.transcript import Call
from memoria.capture.extract.observing.folders import name_other_repository
from memoria.capture.extract.observing.observations import ObservedCall, ObservedSession
from memoria.vault.project import folder_key, label

_MERGE = re.compile(r"\bgh pr (?:merge|close)(?:\s+-[\w-]+)*\s+#?(\d{1,7})\b")
# "X Pull request #7 is not mergeable", which a pipe hides; and what is merged later or never
_NOT_MERGED = re.compile(r"(?im)^(?:x |failed|graphql|error|could not)|not mergeable")
# only what these print tells of a merge: a file or a page may have the same words
_TELLER = re.compile(r"\s*(?:cd\s[^;&|\n]{1,200}&&\s*)?(?:gh|git)\s[^;&\n]*\Z")
_LATER = re.compile(r"\s--(?:disable-)?auto\b")
_OF_REPOSITORY = re.compile(r"\bgh\s[^;&|\n]{0,200}?\s(?:-R|--repo)[\s=]([\w./-]+)")
# how `gh` and `git log` tell of a merge; keys of JSON are sorted
_TOLD_MERGE = re.compile(
    r"\"number\":\s*(\d{1,7}),\s*\"state\":\s*\"MERGED\""
    r"|\"state\":\s*\"MERGED\"[^{}]{0,400}?/pull/(\d{1,7})\b"
    r"|\b[Mm]erged? pull request \S{0,100}?#(\d{1,7})\b"
)
_MERGED_BRANCH = re.compile(r"\"headRefName\":\s*\"([^\"]+)\"[^{}]{0,400}?\"state\":\s*\"MERGED\"")
_SQUASHED = re.compile(r"(?m)\(#(\d{1,7})\)$")  # the end of a subject in `git log`
_CLOSE = re.compile(r"\b(?:bd|br) close((?:\s+\w+(?:-[\w.]+)+)+)")  # "bd close my-app-12"
# "still needs to be merged", "not yet mergeable, as the PR is a draft"; "Merge PR #12"
_WAITS = re.compile(
    r"(?i)\b(?:not|still|needs?|await\w*|waits?|until|to be)\b[^.;]{0,60}"
    r"\b(?:merg\w+|draft|review(?:ed)?|approv\w+|rebas\w+|conflict\w*)\b"
    r"|^(?:merge|rebase|review|approve|land)\b"
)
# "wait until PR #12 is merged, then deploy", "after PR #12 was merged": there is more to do
_MORE = re.compile(r"(?i)\b(?:then|once|after|as soon as|before)\b")
_PULL = re.compile(r"(?:\bPR #?|#|/pull/)(\d{1,7})\b")
_BRANCH = re.compile(r"\ABranch `([^`]+)`")


class FinishedWork(NamedTuple):
    """What a session saw finished: numbers of pull requests, branches, ids of a tracker."""

    pulls: frozenset[str]
    branches: frozenset[str]
    tracked: frozenset[str]

    def closes(self, text: str, context: str) -> bool:
        """Whether it is all that an open item waits for; `context` is that of the item's entry."""
        if _MORE.search(text):
            return False
        prefixes = "|".join({re.escape(name.rpartition("-")[0]) for name in self.tracked})
        pattern = rf"(?<![\w-])(?:{prefixes})(?:-\w+(?:\.\w+)*)+"
        ids = {*re.findall(pattern, text)} if prefixes else set()
        if ids and ids <= self.tracked:
            return True
        own = {*_PULL.findall(text)}
        named = own or {*_PULL.findall(context)}
        branch = None if own else _BRANCH.match(context)
        is_merged = (named and named <= self.pulls) or (branch and branch[1] in self.branches)
        return bool(is_merged and _WAITS.search(text))


def find_finished_work(session: ObservedSession) -> FinishedWork:
    """Find what the calls of a session show as finished in its repository."""
    pulls, branches, tracked = set[str](), set[str](), set[str]()
    cwd = session.transcript.cwd
    for call in (seen.call for seen in session.calls if _is_of_repository(seen, cwd)):
        if call.kind in {"shell", "output"} and _is_done(call):
            is_merged = not (_LATER.search(call.command) or _NOT_MERGED.search(call.result))
            pulls.update(_MERGE.findall(call.command) if is_merged else ())
            told = call.result if _TELLER.match(call.command) else ""
            pulls.update("".join(groups) for groups in _TOLD_MERGE.findall(told))
            pulls.update(_SQUASHED.findall(told) if "git log" in call.command else ())
            branches.update(_MERGED_BRANCH.findall(told))
            tracked.update(" ".join(_CLOSE.findall(call.command)).split())
    return FinishedWork(frozenset(pulls), frozenset(branches), frozenset(tracked))


def _is_of_repository(seen: ObservedCall, cwd: str) -> bool:
    """Whether a call worked in the session's repository: numbers of others are of other work."""
    named = _OF_REPOSITORY.search(seen.call.command)
    is_named = named is None or not cwd or label(named[1]) == label(folder_key(cwd))
    return is_named and not name_other_repository(seen.folder, cwd)


def _is_done(call: Call) -> bool:
    return call.answered and not (call.is_error or call.is_refused or call.status)
