"""Find what failed in a tool call, of which kind, and in which line the result says so.

The client's error flag is noisy both ways: a fifth of the flagged calls were refused by the user or
cancelled with another; a search without a match is flagged, a failed check behind a pipe is not.
"""

import re

from memoria.agents.transcript import Call
from memoria.capture.extract.failures.diagnosis import Fault, diagnose
from memoria.capture.extract.failures.output_lines import has_traceback
from memoria.capture.extract.observing.call_outcomes import judge_call
from memoria.capture.extract.signatures import mask
from memoria.text.shell.actions import hides_status, runs_program

_STOPPED_STATUS = (130, 143)  # 130 is Ctrl-C, 143 a polite kill: somebody stopped it.
_TASK_OUTPUT = re.compile(r"(?s)<(?:output|stdout|stderr)>(.*?)(?:</(?:output|stdout|stderr)>|\Z)")
_WRAPPER = re.compile(r"</?(?:tool_use_error|error)>")
_SENTENCE_END = re.compile(r"(?<=[a-z)\]])\.(?:\s|$)")

# The client's own messages and those of other tools: the first that matches names the kind.
_KINDS = {
    "hook": r"\bhook (?:error|blocked|denied|returned blocking)|PreToolUse:|PostToolUse:",
    "edit-mismatch": r"string to replace not found|old_string|matches of the string to repl",
    "not-read": r"has not been read yet|must (?:first )?(?:be )?read (?:it )?(?:first|before)",
    "stale": r"(?:has been|was) (?:unexpectedly )?modified|modified since",
    "directory": r"EISDIR|is a directory",
    "too-large": r"exceeds? (?:the )?maximum|too large|too many (?:tokens|results)",
    "invalid-input": (
        r"InputValidationError|invalid (?:input|arguments?|parameter|regex|pattern)"
        r"|required parameter|not a prompt-based|unexpected parameter"
    ),
    "permission": r"permission|not allowed|denied|EACCES|not granted|blocked|forbidden",
    "timeout": r"timed? ?out|ETIMEDOUT|deadline exceeded",
    "http": r"status code \d{3}|HTTP (?:error )?\d{3}|\b(?:404|403|429|500|502|503)\b",
    "network": (
        r"ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|unable to (?:connect|fetch|verify)"
        r"|getaddrinfo|socket hang up|connection (?:closed|refused|reset)"
    ),
    "not-found": (
        r"does not exist|not found|no such|ENOENT|unknown (?:skill|tool|agent)"
        r"|could not find|no (?:task|shell|file) (?:found|with)"
    ),
}


def _build_client_fault(call: Call) -> tuple[Fault, ...]:
    lines = [line.strip() for line in _WRAPPER.sub("", call.result).splitlines() if line.strip()]
    line = lines[0] if lines else ""
    matches = (kind for kind, pattern in _KINDS.items() if re.search(pattern, line, re.IGNORECASE))
    kind = next(matches, "error")
    if kind == "invalid-input" and len(lines) > 1:
        line = f"{line} {lines[1]}"
    elif kind == "http":
        kind = "http:" + (re.findall(r"\b[1-5]\d\d\b", line) or ["?"])[0]
    # What follows the first sentence is advice, and it changes with the client's version.
    message = mask(_SENTENCE_END.split(line, maxsplit=1)[0])
    path = call.path or call.argument("path")
    return (Fault(kind, line[:500] if path in line else f"{line[:500]} ({path[:300]})", message),)


def find_faults(call: Call) -> tuple[Fault, ...]:
    """Find what went wrong in one call; () where nothing did, or the person stopped it."""
    if not call.answered or call.is_refused:
        return ()
    if call.kind == "shell":
        # a program that ended with a traceback behind a pipe, which hides its status
        is_hidden = not call.is_error and hides_status(call.command) and runs_program(call.command)
        failed = judge_call(call).state == "failed" or (is_hidden and has_traceback(call.result))
        return diagnose(call.result, call.command) if failed else ()
    if call.kind == "output" and not call.is_error:
        failed = bool(call.status) and call.status not in _STOPPED_STATUS
        return diagnose("\n".join(_TASK_OUTPUT.findall(call.result)), "") if failed else ()
    return _build_client_fault(call) if call.is_error else ()
