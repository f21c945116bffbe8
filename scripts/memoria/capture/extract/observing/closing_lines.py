"""Tell by a tool's last lines how it ended: for each tool what it writes, from real outputs.

The patterns are from the sources of the tools or seen. A row counts only for the tool that it
names, or for a runner of scripts (`make`, `npm run`) that may have run any: a test prints what it
likes, also "error" and "FAIL".
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from memoria.text.unicode import strip_ansi

# programs that start a script which the project has named
_RUNNERS = ("npm", "pnpm", "yarn", "bun run", "mise run", "make", "gmake", "just", "turbo", "nx",
            "task")  # fmt: skip
_RUNNER = "runner"
# by the beginnings of its commands: the lines with which a tool says that all went well
_PASSED = {
    "pytest, py.test": r"(?:=+ )?(?!.*\b\d+ (?:failed|errors?)\b)\d+ passed\b.* in [\d.]+s\b",
    "unittest, manage.py test": r"OK(?: \((?:skipped|expected failures)=.*\))?$",
    "go test, gotestsum": (
        r"ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|PASS$|DONE \d+ tests(?:, \d+ skipped)? in [\d.]+s"
        r"|\?\s+\S+\s+\[no test files\]"
    ),
    "cargo test, cargo nextest": (
        r"test result: ok\. |\s+Summary \[.*\] \d+ tests? run: \d+ passed(?!.*failed)"
    ),
    "cargo build, cargo check, cargo clippy": r"\s+Finished\b.* target\(s\) in ",
    "jest": r"Tests:\s+(?!.*\bfailed\b).*\b\d+ passed",
    "vitest": r"\s+Test Files\s+(?!.*\bfailed\b).*\b\d+ passed",
    "bun test": r"\s*0 fail$",
    "mocha, cypress": r"\s+\d+ passing \([\dmsh. ]+\)|\s*✔\s+All specs passed!",
    "playwright": r"\s+\d+ passed \([\d.]+m?s?\)|\s+\d+ passed \([\d.]+[mh]\)",
    "node": r"(?:# |\u2139 )fail 0$",
    "rspec": r"\d+ examples?, 0 failures(?!.*\berrors? occurred)",
    "rails test, rake test, minitest": r"\d+ (?:runs|tests), \d+ assertions, 0 failures, 0 errors",
    "phpunit, pest, php artisan test": (
        r"OK \(\d+ tests?, |OK, but |\s+Tests:\s+(?!.*failed)\d+ passed"
    ),
    "gradle, gradlew": r"BUILD SUCCESSFUL in ",
    "mvn, mvnw": r"(?:\[INFO\] )?BUILD SUCCESS$",
    "dotnet": (
        r"\s*Passed!\s+- Failed:\s+0|Build succeeded|Test Run Successful\."
        r"|Test summary: total: \d+, failed: 0"
    ),
    "ctest": r"100% tests passed, 0 tests failed out of \d+|100% tests passed out of",
    "eslint": r"✖ \d+ problems? \(0 errors, ",
    "biome": r"(?:Checked|Formatted|Linted) \d+ files? in ",
    "ruff": (
        r"All checks passed!|\d+ files? (?:already formatted|left unchanged|reformatted)"
        r"|Found \d+ errors? \(\d+ fixed, 0 remaining\)"
    ),
    "mypy, dmypy": r"Success: no issues found in ",
    "pyright, basedpyright": r"0 errors, ",
    "tsc, vue-tsc": r"Found 0 errors",
    "golangci-lint": r"0 issues\.",
    "prettier": r"All matched files use Prettier code style!",
    "black": r"All done! ✨",
    "rubocop": r"\d+ files? inspected, no offenses detected",
    "pre-commit, prek": r".+\.{3,}(?:\(.*\))?Passed$",
    "git commit": r"\[[^\]\n]{1,200} (?:\(root-commit\) )?[0-9a-f]{7,40}\] ",
    # bundlers and others that only runners of scripts start
    "": (
        r"\s*✓ built in |.*\bBuild success in |\s*✓ Compiled successfully"
        r"|\S+ \S+: Exited with code 0$"
    ),
}
_FAILED = {
    "pytest, py.test": (
        r"(?:=+ )?(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s\b|FAILED \S+::\S"
        r"|(?:=+ )?no tests ran\b|ERROR: (?:usage|file or directory|not found)|INTERNALERROR>"
        r"|!+ Interrupted:"
    ),
    "unittest, manage.py test": (
        r"FAILED \((?:failures|errors|unexpected successes|skipped|expected failures)="
    ),
    "go test, gotestsum": (
        r"FAIL(?:$|\s)|--- FAIL: |panic: |no required module provides"
        r"|DONE \d+ tests.*, [1-9]\d* (?:failure|error)"
    ),
    "go build, go vet, go run, gofmt": (
        r"# \S+(?: \[\S+\])?$|\S+\.go:\d+:\d+: |go: .*(?:error|cannot|not found)"
        r"|no required module provides|vet: "
    ),
    "cargo test, cargo nextest": (
        r"test result: FAILED\. |error(?:\[E\d+\])?: |\s+Summary \[.*failed"
    ),
    "cargo build, cargo check, cargo clippy": r"error(?:\[E\d+\])?: ",
    "jest": r"(?:Tests|Test Suites):\s+.*\b\d+ failed|No tests found, exiting with code 1",
    "vitest": (
        r"\s+(?:Test Files|Tests)\s+.*\b\d+ failed|\s+Errors\s+\d+ errors?$"
        r"|No test files found, exiting with code 1"
    ),
    "bun test": r"\s*[1-9]\d* (?:fail|errors?)$|error: (?:Cannot find|Test filter|0 test files)",
    "mocha, cypress": r"\s+\d+ failing$|\s*✖\s+\d+ of \d+ failed",
    "playwright": r"\s+\d+ failed$|\s+\d+ did not run$|Error: No tests found",
    "node": r"(?:# |\u2139 )fail [1-9]\d*$",
    "rspec": r"\d+ examples?, [1-9]\d* failures?|.*\berrors? occurred outside of examples",
    "rails test, rake test, minitest": (
        r"\d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures|\d+ failures, [1-9]\d* errors)"
    ),
    "phpunit, pest, php artisan test": r"(?:FAILURES|ERRORS|WARNINGS)!$|\s+Tests:\s+\d+ failed",
    "gradle, gradlew": r"BUILD FAILED|FAILURE: Build (?:failed|completed with)",
    "mvn, mvnw": r"(?:\[(?:INFO|ERROR)\] )?BUILD FAILURE$",
    "dotnet": (
        r"\s*Failed!\s+- Failed:|Build FAILED|Build failed with|Test Run Failed\."
        r"|Test summary: total: \d+, failed: [1-9]\d*|.*: error (?:CS|MSB|NETSDK)\d+:"
    ),
    "ctest": r"\d+% tests passed, [1-9]\d* tests? failed out of|No tests were found!!!",
    "eslint": r"✖ \d+ problems? \([1-9]\d* errors?, |Oops! Something went wrong!",
    "biome": r"Found [1-9]\d* errors?\.|.*Some errors were emitted while",
    "ruff": (
        r"Found [1-9]\d* errors?(?:\.|$)|Found \d+ errors? \(\d+ fixed, [1-9]\d* remaining\)"
        r"|\d+ files? would be reformatted|ruff failed$"
    ),
    "mypy, dmypy": r"Found [1-9]\d* errors? in ",
    "pyright, basedpyright": r"[1-9]\d* errors?, ",
    "tsc, vue-tsc": r".*\berror TS\d+: |Found [1-9]\d* errors?\b",
    "golangci-lint": r"[1-9]\d* issues?:|level=error |Error: can't load config",
    "prettier": r"(?:\[warn\] )?Code style issues (?:found )?in|(?:\[error\] )?\S+: SyntaxError: ",
    "black": r"(?:\d+ files? (?:would|failed to) (?:be )?reformat|Oh no! 💥)",
    "rubocop": r"\d+ files? inspected, [1-9]\d* offenses? detected",
    "pre-commit, prek": r".+\.{3,}(?:\(.*\))?Failed$",
    "git commit": (
        r"nothing (?:added )?to commit|no changes added to commit"
        r"|On branch .*\nnothing to commit|husky - \S+ (?:hook exited with code [1-9]"
        r"|script failed \(code [1-9])|Aborting commit due to|error: (?:pathspec"
        r"|Committing is not possible|gpg failed)|fatal: |- exit code: [1-9]"
        r"|- files were modified by this hook"
    ),
    "": (
        r"error during build:|.*\bBuild failed\b|Failed to compile\."
        r"|\S+ \S+: Exited with code [1-9]"
    ),
    _RUNNER: (
        r"g?make(?:\[\d+\])?: \*\*\* |npm (?:ERR!|error) |.*\bELIFECYCLE\b|.*\bERR_PNPM_"
        r"|error Command failed with exit code [1-9]|error: script .* exited with code [1-9]"
        r"|error: [Rr]ecipe .* failed|(?:mise )?ERROR task failed|task: Failed to run task"
        r"|\s*Failed:\s+\S+#\S+|ninja: build stopped|error: Script not found"
    ),
}
# tools that print nothing where they find nothing, and runners, which print nothing of their own
_SILENT = frozenset(
    {"go build, go vet, go run, gofmt", "eslint", "tsc, vue-tsc", "golangci-lint", _RUNNER}
)
_COMMIT = "git commit"
_TASK_PREFIX = re.compile(r"(?m)^\[[\w:@./-]{1,40}\] ")  # "[web:test] "


@lru_cache(maxsize=256)  # a session runs few tools
def _compile_patterns(tool: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    names = set(find_rows(tool)) - {_RUNNER} or _FAILED.keys() - {_COMMIT}
    passed, failed = (
        "|".join(f"(?:{row})" for name, row in rows.items() if name in names)
        for rows in (_PASSED, _FAILED)
    )
    return re.compile(f"(?m)^(?:{passed or '(?!)'})"), re.compile(f"(?m)^(?:{failed})")


def find_rows(tool: str) -> tuple[str, ...]:
    """Name the rows of a command by its program and subcommand, () for one that is not known."""
    rows = tuple(row for row in _FAILED if row and _matches_any(tool, row.split(", ")))
    return rows or ((_RUNNER,) if is_runner(tool) else ())


def is_runner(tool: str) -> bool:
    """Say whether a command starts a script that a project has named."""
    return _matches_any(tool, _RUNNERS)


def _matches_any(tool: str, names: Sequence[str]) -> bool:
    return any(tool == name or tool.startswith(f"{name} ") for name in names)


def find_closing_state(tool: str, output: str) -> Literal["passed", "failed", ""]:
    """Say how a tool ended by its own closing lines, "" where none of them stands there."""
    passed, failed = _compile_patterns(tool)
    text = _TASK_PREFIX.sub("", strip_ansi(output).replace("\r", "\n"))
    passed_match = passed.search(text)
    # a commit's line is written once all is done, whatever its hooks wrote before
    if failed.search(text) and not (passed_match and _COMMIT in find_rows(tool)):
        return "failed"
    return "passed" if passed_match else ""


def is_silent(tool: str) -> bool:
    """Say whether a tool prints nothing where it finds nothing."""
    return not _SILENT.isdisjoint(find_rows(tool))
