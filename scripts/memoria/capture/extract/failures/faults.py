"""A tool call -> its Faults: what failed, of which kind, in which line the result says so.

The client's error flag is noisy both ways. A fifth of the flagged calls were refused by the user or
cancelled with another; a search without a match is flagged, a failed check behind a pipe is not.
The trap: the first line of an error says nothing ("Exit code 1", "[lint] $ run ./..."); one such
line hid 63 different errors under one name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.failures.diagnosis import Fault, diagnose
from memoria.capture.extract.failures.error_lines import has_traceback, says_failed
from memoria.capture.extract.signatures import mask
from memoria.text.shell.actions import action, hides_status, is_check, is_question, runs_program

if TYPE_CHECKING:
    from memoria.agents.transcript import Call

# 130 is Ctrl-C, 143 a polite kill: somebody stopped it.
_STOPPED_STATUS = (130, 143)
# how a client announces the status in the output itself
_STATUS_LINE = re.compile(r"\A\s*(?:Error: )?Exit code \d+\s*")
_TASK_OUTPUT = re.compile(
    r"<(?:output|stdout|stderr)>(.*?)(?:</(?:output|stdout|stderr)>|\Z)", re.DOTALL
)
# 124: the limit that the command was called with ended it, as with a server that goes on.
_TIME_UP = 124
# What `ls` and its like leave with where nothing is, on macOS and on Linux.
_NOTHING_THERE = (1, 2)
_LOOKS = {"ls", "cat", "stat", "head", "tail", "wc", "file", "find", "du", "tree", "readlink",
          "realpath", "git log", "git show", "git branch", "git remote"}  # fmt: skip
_LISTINGS = {"pip show", "pip3 show", "uv pip show", "npm ls", "npm list", "npm view", "kill"}
_WRAPPER = re.compile(r"</?(?:tool_use_error|error)>")
_SENTENCE = re.compile(r"(?<=[a-z)\]])\.(?:\s|$)")

# The client's own messages and those of other tools: the first that matches names the kind.
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("hook", r"\bhook (?:error|blocked|denied|returned blocking)|PreToolUse:|PostToolUse:"),
        ("edit-mismatch", r"string to replace not found|old_string|matches of the string to repl"),
        (
            "not-read",
            r"has not been read yet|must (?:first )?(?:be )?read (?:it )?(?:first|before)",
        ),
        ("stale", r"(?:has been|was) (?:unexpectedly )?modified|modified since"),
        ("directory", r"EISDIR|is a directory"),
        ("too-large", r"exceeds? (?:the )?maximum|too large|too many (?:tokens|results)"),
        (
            "invalid-input",
            (
                r"InputValidationError|invalid (?:input|arguments?|parameter|regex|pattern)"
                r"|required parameter|not a prompt-based|unexpected parameter"
            ),
        ),
        ("permission", r"permission|not allowed|denied|EACCES|not granted|blocked|forbidden"),
        ("timeout", r"timed? ?out|ETIMEDOUT|deadline exceeded"),
        ("http", r"status code \d{3}|HTTP (?:error )?\d{3}|\b(?:404|403|429|500|502|503)\b"),
        (
            "network",
            (
                r"ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|unable to (?:connect|fetch|verify)"
                r"|getaddrinfo|socket hang up|connection (?:closed|refused|reset)"
            ),
        ),
        (
            "not-found",
            (
                r"does not exist|not found|no such|ENOENT|unknown (?:skill|tool|agent)"
                r"|could not find|no (?:task|shell|file) (?:found|with)"
            ),
        ),
    )
)


def _is_answer(call: Call) -> bool:
    """Say whether the exit status only answered "no", or was expected as the command was called."""
    if call.status is None:
        return False
    printed = bool(_STATUS_LINE.sub("", call.result, count=1).strip())
    if call.status == _TIME_UP:
        return "timeout" in call.command.split() and not is_check(call.command)
    if call.status == 1 and is_question(call.command, printed=printed):
        return True
    verbs = set(action(call.command).split(" && "))
    # Who throws the error away asks whether there is something; `pip show` says it in words.
    asked = not printed and "2>/dev/null" in call.command and verbs <= _LOOKS
    return call.status in _NOTHING_THERE and (asked or verbs <= _LISTINGS)


def _shell(call: Call) -> tuple[Fault, ...]:
    if call.is_error:
        return () if _is_answer(call) else diagnose(call.result, call.command)
    failed = (is_check(call.command) and says_failed(call.result)) or (
        runs_program(call.command) and has_traceback(call.result)
    )
    if not failed or not hides_status(call.command):
        return ()
    return diagnose(call.result, call.command)


def _background(call: Call) -> tuple[Fault, ...]:
    if not call.status or call.status in _STOPPED_STATUS:
        return ()
    output = "\n".join(_TASK_OUTPUT.findall(call.result))
    return diagnose(output, "")


def _client(call: Call) -> tuple[Fault, ...]:
    lines = [line.strip() for line in _WRAPPER.sub("", call.result).splitlines() if line.strip()]
    line = lines[0] if lines else ""
    kind = next((kind for kind, pattern in _KINDS if pattern.search(line)), "error")
    if kind == "invalid-input" and len(lines) > 1:
        line = f"{line} {lines[1]}"
    elif kind == "http":
        kind = "http:" + (re.findall(r"\b[1-5]\d\d\b", line) or ["?"])[0]
    # What follows the first sentence is advice, and it changes with the client's version.
    said = mask(_SENTENCE.split(line, maxsplit=1)[0])
    about = call.path or call.argument("path")
    return (Fault(kind, line[:500] if about in line else f"{line[:500]} ({about[:300]})", said),)


def faults(call: Call) -> tuple[Fault, ...]:
    """Find what went wrong in one call; () where nothing did, or the person stopped it.

    A call has one fault, but a linter's run has one for each rule that was broken: they are
    different mistakes, and the same set hardly ever comes again.
    """
    if not call.answered or call.is_refused:
        return ()
    if call.kind == "shell":
        return _shell(call)
    if call.kind == "output" and not call.is_error:
        return _background(call)
    return _client(call) if call.is_error else ()
