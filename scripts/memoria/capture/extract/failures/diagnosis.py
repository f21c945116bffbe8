"""Read what a command printed as its faults: the kind of each and the line that tells it.

Rules are tried from the most telling to the least (a linter's code, a compiler's message, an
exception, an assertion, what a shell program says), and the first that finds a line decides. Output
order decides only among lines of one rule, so the same failure has the same name every time.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from memoria.capture.extract.failures.output_lines import (
    find_assertion,
    find_failing_test,
    has_traceback,
    is_opaque,
    is_weak,
    strip_noise_lines,
)
from memoria.capture.extract.signatures import mask
from memoria.text.shell.actions import describe_action

_MAX_CODES = 6  # a run that breaks more rules of a linter is the first one over old code
# The code names the rule; of its text, more than the beginning only repeats what was found.
_MAX_LINT_WORDS = 8
_MAX_CHARS = 500  # An example is shown to a person; the rest of a longer line adds nothing.
# A linter's finding: `code` names the rule, `text` says what it is about.
_LINTS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # golangci-lint and pylint; a message may go on over some lines
        (
            r"^[^\s:]+:\d+:\d+: (?P<text>[^\n]*(?:\n(?![^\s:]+:\d+:)[^\n]*){0,3}?)"
            r" \((?P<code>[a-z][a-z0-9-]+)\)$"
        ),
        r"^[^\s:]+:\d+: (?P<text>\d+-\d+ lines are duplicate of [^\n]*) \((?P<code>dupl)\)$",
        # ruff, flake8; ruff's long form
        r"^[^\s:]+\.pyi?:\d+:\d+:? (?P<code>[A-Z]{1,4}\d{2,4}):? (?:\[\*\] )?(?P<text>.+)$",
        r"^(?P<code>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(?P<text>.+)\n\s*--> ",
        # mypy, pyright
        r"^[^\s:]+\.pyi?:\d+(?::\d+)?: error: (?P<text>.+?)\s+\[(?P<code>[\w-]+)\]$",
        r"^\s*[^\s:]+\.pyi?:\d+:\d+ - error: (?P<text>.+) \((?P<code>report\w+)\)$",
        # eslint, shellcheck, rubocop, markdownlint
        r"^\s+\d+:\d+\s+error\s+(?P<text>\S.*?)\s{2,}(?P<code>[@\w/-]+)$",
        r"\b(?P<code>SC\d{4})\b(?: \(\w+\))?: (?P<text>.+)$",
        r"^\S+:\d+:\d+: [CWEF]: (?:\[Correctable\] )?(?P<code>[A-Z]\w+/\w+): (?P<text>.+)$",
        (
            r"^\S+:\d+(?::\d+)? (?:error )?(?P<code>MD\d{3})/\S+ (?P<text>[^\n\[]+)"
            r"(?: \[(?:Context: \"(?P<source>[^\"\n]+)\")?[^\n]*)?$"
        ),
    )
)
# rustc; tsc and csc; tsc's long form; gcc, clang and javac; go; kotlinc; go's packages
_COMPILE = tuple(
    re.compile(pattern)
    for pattern in (
        r"^\s*error\[(?P<code>E\d{4})\]: (?P<text>.+)",
        r"^\S+\(\d+,\d+\): error (?P<code>(?:TS|CS)\d+): (?P<text>.+)",
        r"^\S+:\d+:\d+ - error (?P<code>TS\d+): (?P<text>.+)",
        r"^\S+?:\d+(?::\d+)?: (?:fatal )?error: (?P<text>.+)",
        r"^(?:vet: )?\S+\.go:\d+:\d+: (?P<text>.+)",
        r"^e: \S+ (?P<text>.+)",
        r"^package \S+: (?P<text>.+)",
    )
)
_EXCEPTION = re.compile(  # "ValueError: x", "E   KeyError: 'x'", "Caused by: java.io.IOException"
    r"^\s*(?:E\s+|Uncaught |Caused by: |Exception in thread \S+ |ERROR:? )?(?:[\w$]+\.)*"
    r"(?P<code>[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Timeout|Failure))(?: \[\w+\])?"
    r"(?::\s*(?P<text>.*)|$)"
)
# "src/app.py:3", "vet: a.go:12": the file at the beginning of a finding, before its line number
_FINDING_FILE = re.compile(r"^\s*(?:vet: )?([^\s:()]+\.\w+)[:(]\d")
_ASSERTION_ERRORS = {"AssertionError", "AssertionFailedError", "ComparisonFailure"}
_PANIC = re.compile(r"^\s*(?:panic: |fatal error: |thread '[^']*' panicked at )(?P<text>.+)")
# What a shell's programs say; the first pattern that a line meets names the kind. That a program is
# not found counts before a refusal, that a file is not behind it.
_SHELL_KINDS = (
    {
        "timeout": r"(?i)\btimed out\b|\btimeout exceeded\b|deadline exceeded",
        "not-found": r"command not found|: not found$|not recognized as (?:an internal|the name)",
    },
    {
        "permission": (
            r"(?i)permission (?:to \S+ )?denied|operation not permitted|EACCES|access denied"
            r"|haven't granted|has been (?:denied|blocked)|requires approval|not allowed"
        ),
        "usage": (
            r"(?i)\b(?:unknown|unrecogni[sz]ed|invalid|illegal) (?:shorthand |short |long )?"
            r"(?:flag|option|command|subcommand|argument|switch)|accepts (?:at \w+ )?\d+ arg"
            r"|unexpected argument|no such (?:option|command)|^usage: |unknown JSON field"
            r"|requires (?:an argument|at least)|missing required"
        ),
        "not-found": (
            r"(?i)no such file|ENOENT|cannot find|could not find|does not exist|cannot access"
            r"|not a git repository|unknown revision"
        ),
        "network": (
            r"(?i)could not resolve host|connection refused|ECONNREFUSED|ETIMEDOUT"
            r"|network is unreachable|TLS handshake|unable to access '"
        ),
    },
)
# "make: error: x", "x could not be read: failed"
_GENERIC = (
    r"^(?:\S+: )?(?:fatal|error|Error|ERROR|npm ERR!|npm error|E|abort|FATAL)\b:?\s*\S",
    (
        r"(?i)\b(?:error|failed|failure|cannot|can't|couldn't|unable|invalid|fatal|denied|refused"
        r"|missing|not found|unexpected|rejected|aborted|undefined|unsupported|unbound variable"
        r"|segmentation fault|core dumped|killed|bad substitution|is a directory|unterminated"
        r"|too many|integer expression|no space left|already (?:exists|in use)|violates|exceeded)\b"
    ),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that failed: its kind, the line that says so, and the line masked.

    `informative` is False where the output does not say what it was. `place` is the file that a
    linter or compiler names, `source` the line of code that it shows below ("" for neither): they
    tell which edit mended it and are no part of what the fault is.
    """

    kind: str
    line: str
    masked: str
    informative: bool = True
    place: str = field(default="", compare=False)
    source: str = field(default="", compare=False)


def _build_fault(kind: str, line: str, core: str, *, names: bool = False) -> Fault:
    masked = mask(" ".join(core.split()), names=names)
    return Fault(kind, " ".join(line.split())[:_MAX_CHARS], masked)


def _find_place(finding: str) -> str:
    match = _FINDING_FILE.match(finding)
    return match[1] if match else ""


def _build_lint_fault(match: re.Match[str]) -> Fault:
    """Make a linter's finding a fault; what stands below it is mostly the line it is about."""
    message, text = match["text"], match.string
    kind, line = f"lint:{match['code']}", f"{message} ({match['code']})"
    fault = _build_fault(kind, line, message, names=True)
    end = text.find("\n", match.end() + 1)
    line_below = text[match.end() : end if end >= 0 else len(text)].strip()
    source = match.groupdict().get("source") or line_below[:_MAX_CHARS]
    masked = " ".join(fault.masked.split()[:_MAX_LINT_WORDS])
    return replace(fault, masked=masked, place=_find_place(match[0]), source=source)


def _find_lint_faults(lines: Sequence[str]) -> tuple[Fault, ...]:
    """One fault for each rule that was broken: the same set of rules hardly ever comes again."""
    text = "\n".join(lines)
    for pattern in _LINTS:
        # the first finding of each rule
        findings = {match["code"]: match for match in reversed([*pattern.finditer(text)])}
        if findings:
            # A linter that cannot type-check its input reports the compiler's error.
            faults = [_build_lint_fault(findings[code]) for code in sorted(findings)[:_MAX_CODES]]
            return () if "typecheck" in findings else tuple(faults)
    return ()


def _find_compile_fault(lines: Sequence[str]) -> tuple[Fault, ...]:
    for line in lines:
        for pattern in _COMPILE:
            if match := pattern.match(line):
                code = match.groupdict().get("code")
                kind = f"compile:{code}" if code else "compile"
                text = match["text"].removesuffix(" (typecheck)")
                fault = _build_fault(kind, line, text, names=True)
                return (replace(fault, place=_find_place(line)),)
    return ()


def _find_exception(lines: Sequence[str], *, last: bool) -> tuple[Fault, ...]:
    """What ended the program: the last exception of a traceback, elsewhere the first."""
    matches = [match for line in lines if (match := _EXCEPTION.match(line))]
    if not matches or matches[-1 if last else 0]["code"] in _ASSERTION_ERRORS:
        return ()
    match = matches[-1 if last else 0]
    line = match[0].strip().removeprefix("E").strip() if match[0].startswith("E  ") else match[0]
    return (_build_fault(f"exception:{match['code']}", line, match["text"] or ""),)


def _find_panic(lines: Sequence[str]) -> tuple[Fault, ...]:
    for line, next_line in pairwise((*lines, "")):
        if match := _PANIC.match(line):
            # Rust names the place there and says what happened in the next line.
            message = next_line if line.endswith(":") and next_line else match["text"]
            return (_build_fault("panic", message, message),)
    return ()


def _find_test_fault(lines: Sequence[str]) -> tuple[Fault, ...]:
    name, message = find_failing_test(lines), find_assertion(lines)
    if not name and not any(line.startswith(("E  ", "FAIL")) for line in lines):
        return ()
    if not message:
        # The name is all there is, so it must not be masked.
        return (Fault("test", f"FAIL {name}", f"FAIL {name}"),) if name else ()
    masked = mask(message)
    masked_with_name = f"{masked} ({name})" if name and is_opaque(message) else masked
    return (Fault("test", " ".join(message.split())[:_MAX_CHARS], masked_with_name),)


def _find_shell_fault(lines: Sequence[str]) -> tuple[Fault, ...]:
    telling_lines = [line for line in lines if not is_weak(line)]
    kinds = [item for table in _SHELL_KINDS for item in table.items()]
    for kind, pattern in (*kinds, *(("exit", pattern) for pattern in _GENERIC)):
        if line := next(filter(re.compile(pattern).search, telling_lines), ""):
            return (_build_fault(kind, line, line),)
    return ()


def _build_unexplained_fault(printed: Sequence[str], command: str) -> tuple[Fault, ...]:
    """Name the failure by what was tried, where no line tells."""
    action = describe_action(command)
    line = next((line for line in printed if not is_weak(line)), "").strip()[:_MAX_CHARS]
    return (Fault("exit", line or f"{action} failed", action, informative=False),)


def diagnose(text: str, command: str) -> tuple[Fault, ...]:
    """Name what a failed command's output says went wrong; the most telling first."""
    lines = tuple(strip_noise_lines(text))
    conflict = next((line for line in lines if line.startswith("CONFLICT (")), "")
    if conflict:
        return (_build_fault("conflict", conflict, conflict),)
    return (
        _find_lint_faults(lines)
        or _find_compile_fault(lines)
        or _find_exception(lines, last=has_traceback(text))
        or _find_panic(lines)
        or _find_test_fault(lines)
        or _find_shell_fault(lines)
        or _build_unexplained_fault(lines, command)
    )
