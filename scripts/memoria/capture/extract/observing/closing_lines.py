"""What a tool's last lines say of how it ended: one row a tool, each from a real output.

A row counts only for the tool that it names, or for a runner of scripts (`make`, `npm run`) that
may have run any. The trap: a test prints what it likes, also "error" and "FAIL", so a row is what
the tool itself writes, at the place of the line where it writes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from memoria.text.unicode import strip_ansi

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Row:
    """A tool by the beginnings of its commands, its lines for both ends, and where they stand.

    `is_silent` says that the tool prints nothing where it finds nothing; of a runner of scripts,
    that it prints nothing of its own unless one fails. `is_last` says that its passing line is
    written once all is done, whatever others write after it.
    """

    tools: tuple[str, ...]
    passed: str
    failed: str
    source: str
    is_silent: bool = False
    is_last: bool = False


_COUNT = r"[1-9]\d*"
ROWS = (
    Row(
        ("pytest", "py.test"),
        r"(?:=+ )?(?!.*\b\d+ (?:failed|errors?)\b)\d+ passed\b.* in [\d.]+s\b",
        rf"(?:=+ )?(?:\d+ \w+, )*{_COUNT} (?:failed|errors?)\b.* in [\d.]+s\b|FAILED \S+::\S"
        r"|(?:=+ )?no tests ran\b|ERROR: (?:usage|file or directory|not found)|INTERNALERROR>"
        r"|!+ Interrupted:",
        "pytest src/_pytest/terminal.py, build_summary_stats_line; seen",
    ),
    Row(
        ("unittest", "manage.py test"),
        r"OK(?: \((?:skipped|expected failures)=.*\))?$",
        r"FAILED \((?:failures|errors|unexpected successes|skipped|expected failures)=",
        "CPython Lib/unittest/runner.py, TextTestRunner.run",
    ),
    Row(
        ("go test", "gotestsum"),
        r"ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|PASS$|DONE \d+ tests(?:, \d+ skipped)? in [\d.]+s"
        r"|\?\s+\S+\s+\[no test files\]",
        r"FAIL(?:$|\s)|--- FAIL: |panic: |no required module provides"
        rf"|DONE \d+ tests.*, {_COUNT} (?:failure|error)",
        "seen; cmd/go/internal/test/test.go; gotestsum testjson/summary.go",
    ),
    Row(
        ("go build", "go vet", "go run", "gofmt"),
        r"(?!)",
        r"# \S+(?: \[\S+\])?$|\S+\.go:\d+:\d+: |go: .*(?:error|cannot|not found)"
        r"|no required module provides|vet: ",
        "seen: a heading with the package, then file:line:column",
        is_silent=True,
    ),
    Row(
        ("cargo test", "cargo nextest"),
        r"test result: ok\. |\s+Summary \[.*\] \d+ tests? run: \d+ passed(?!.*failed)",
        r"test result: FAILED\. |error(?:\[E\d+\])?: |\s+Summary \[.*failed",
        "rust library/test/src/formatters/pretty.rs, write_run_finish; nextest reporter",
    ),
    Row(
        ("cargo build", "cargo check", "cargo clippy"),
        r"\s+Finished\b.* target\(s\) in ",
        r"error(?:\[E\d+\])?: ",
        "seen; cargo src/cargo/core/compiler/job_queue/mod.rs",
    ),
    Row(
        ("jest",),
        r"Tests:\s+(?!.*\bfailed\b).*\b\d+ passed",
        r"(?:Tests|Test Suites):\s+.*\b\d+ failed|No tests found, exiting with code 1",
        "seen; jest packages/jest-reporters/src/getSummary.ts",
    ),
    Row(
        ("vitest",),
        r"\s+Test Files\s+(?!.*\bfailed\b).*\b\d+ passed",
        r"\s+(?:Test Files|Tests)\s+.*\b\d+ failed|\s+Errors\s+\d+ errors?$"
        r"|No test files found, exiting with code 1",
        "seen; vitest packages/vitest/src/node/reporters/base.ts, reportSummary",
    ),
    Row(
        ("bun test",),
        r"\s*0 fail$",
        rf"\s*{_COUNT} (?:fail|errors?)$|error: (?:Cannot find|Test filter|0 test files)",
        "seen; bun.sh/docs/cli/test",
    ),
    Row(
        ("mocha", "cypress"),
        r"\s+\d+ passing \([\dmsh. ]+\)|\s*✔\s+All specs passed!",
        r"\s+\d+ failing$|\s*✖\s+\d+ of \d+ failed",
        "mocha lib/reporters/base.js, epilogue; cypress cli docs",
    ),
    Row(
        ("playwright",),
        r"\s+\d+ passed \([\d.]+m?s?\)|\s+\d+ passed \([\d.]+[mh]\)",
        r"\s+\d+ failed$|\s+\d+ did not run$|Error: No tests found",
        "seen; playwright packages/playwright/src/reporters/base.ts, generateSummary",
    ),
    Row(
        ("node",),
        r"(?:# |\u2139 )fail 0$",
        rf"(?:# |\u2139 )fail {_COUNT}$",
        "node lib/internal/test_runner/reporter/tap.js; docs test runner",
    ),
    Row(
        ("rspec",),
        r"\d+ examples?, 0 failures(?!.*\berrors? occurred)",
        rf"\d+ examples?, {_COUNT} failures?|.*\berrors? occurred outside of examples",
        "rspec-core lib/rspec/core/notifications.rb, SummaryNotification#totals_line",
    ),
    Row(
        ("rails test", "rake test", "minitest"),
        r"\d+ (?:runs|tests), \d+ assertions, 0 failures, 0 errors",
        rf"\d+ (?:runs|tests), \d+ assertions, (?:{_COUNT} failures|\d+ failures, {_COUNT} errors)",
        "minitest lib/minitest.rb, SummaryReporter#summary",
    ),
    Row(
        ("phpunit", "pest", "php artisan test"),
        r"OK \(\d+ tests?, |OK, but |\s+Tests:\s+(?!.*failed)\d+ passed",
        r"(?:FAILURES|ERRORS|WARNINGS)!$|\s+Tests:\s+\d+ failed",
        "phpunit src/TextUI/Output/Default/ResultPrinter tests (*.phpt); pest output",
    ),
    Row(
        ("gradle", "gradlew"),
        r"BUILD SUCCESSFUL in ",
        r"BUILD FAILED|FAILURE: Build (?:failed|completed with)",
        "gradle docs, command_line_interface; BuildResultLogger",
    ),
    Row(
        ("mvn", "mvnw"),
        r"(?:\[INFO\] )?BUILD SUCCESS$",
        r"(?:\[(?:INFO|ERROR)\] )?BUILD FAILURE$",
        "maven-embedder ExecutionEventLogger.logResult",
    ),
    Row(
        ("dotnet",),
        r"\s*Passed!\s+- Failed:\s+0|Build succeeded|Test Run Successful\.|"
        r"Test summary: total: \d+, failed: 0",
        rf"\s*Failed!\s+- Failed:|Build FAILED|Build failed with|Test Run Failed\."
        rf"|Test summary: total: \d+, failed: {_COUNT}|.*: error (?:CS|MSB|NETSDK)\d+:",
        "dotnet test and dotnet build docs; vstest ConsoleLogger",
    ),
    Row(
        ("ctest",),
        r"100% tests passed, 0 tests failed out of \d+|100% tests passed out of",
        rf"\d+% tests passed, {_COUNT} tests? failed out of|No tests were found!!!",
        "CMake Source/CTest/cmCTestTestHandler.cxx, LogTestSummary",
    ),
    Row(
        ("eslint",),
        r"✖ \d+ problems? \(0 errors, ",
        rf"✖ \d+ problems? \({_COUNT} errors?, |Oops! Something went wrong!",
        "eslint lib/cli-engine/formatters/stylish.js; seen",
        is_silent=True,
    ),
    Row(
        ("biome",),
        r"(?:Checked|Formatted|Linted) \d+ files? in ",
        rf"Found {_COUNT} errors?\.|.*Some errors were emitted while",
        "seen; biome crates/biome_cli/src/reporter/terminal.rs",
    ),
    Row(
        ("ruff",),
        r"All checks passed!|\d+ files? (?:already formatted|left unchanged|reformatted)"
        r"|Found \d+ errors? \(\d+ fixed, 0 remaining\)",
        rf"Found {_COUNT} errors?(?:\.|$)|Found \d+ errors? \(\d+ fixed, {_COUNT} remaining\)"
        r"|\d+ files? would be reformatted|ruff failed$",
        "ruff crates/ruff/src/printer.rs; crates/ruff/src/commands/format.rs",
    ),
    Row(
        ("mypy", "dmypy"),
        r"Success: no issues found in ",
        rf"Found {_COUNT} errors? in ",
        "mypy mypy/util.py, FancyFormatter",
    ),
    Row(
        ("pyright", "basedpyright"),
        r"0 errors, ",
        rf"{_COUNT} errors?, ",
        "pyright packages/pyright-internal/src/pyright.ts, logDiagnosticToConsole",
    ),
    Row(
        ("tsc", "vue-tsc"),
        r"Found 0 errors",
        rf".*\berror TS\d+: |Found {_COUNT} errors?\b",
        "TypeScript src/compiler/watch.ts, getErrorSummaryText; seen",
        is_silent=True,
    ),
    Row(
        ("golangci-lint",),
        r"0 issues\.",
        rf"{_COUNT} issues?:|level=error |Error: can't load config",
        "seen; golangci-lint pkg/commands/run.go, printStats",
        is_silent=True,
    ),
    Row(
        ("prettier",),
        r"All matched files use Prettier code style!",
        r"(?:\[warn\] )?Code style issues (?:found )?in|(?:\[error\] )?\S+: SyntaxError: ",
        "prettier src/cli/format.js; seen",
    ),
    Row(
        ("black",),
        r"All done! ✨",
        r"(?:\d+ files? (?:would|failed to) (?:be )?reformat|Oh no! 💥)",
        "black src/black/__init__.py, main",
    ),
    Row(
        ("rubocop",),
        r"\d+ files? inspected, no offenses detected",
        rf"\d+ files? inspected, {_COUNT} offenses? detected",
        "rubocop lib/rubocop/formatter/simple_text_formatter.rb",
    ),
    Row(
        ("pre-commit", "prek"),
        r".+\.{3,}(?:\(.*\))?Passed$",
        r".+\.{3,}(?:\(.*\))?Failed$",
        "pre-commit pre_commit/commands/run.py, _full_msg",
    ),
    Row(
        ("git commit",),
        r"\[[^\]\n]{1,200} (?:\(root-commit\) )?[0-9a-f]{7,40}\] ",
        r"nothing (?:added )?to commit|no changes added to commit|On branch .*\nnothing to commit"
        r"|husky - \S+ (?:hook exited with code [1-9]|script failed \(code [1-9])"
        r"|Aborting commit due to|error: (?:pathspec|Committing is not possible|gpg failed)"
        r"|fatal: |- exit code: [1-9]|- files were modified by this hook",
        "seen; git builtin/commit.c, print_commit_summary; husky v4 to v9; pre-commit",
        is_last=True,
    ),
)
# Bundlers and others that only runners of scripts start.
_SCRIPTS = Row(
    (),
    r"\s*✓ built in |.*\bBuild success in |\s*✓ Compiled successfully|\S+ \S+: Exited with code 0$",
    r"error during build:|.*\bBuild failed\b|Failed to compile\.|\S+ \S+: Exited with code [1-9]",
    "seen (vite, tsup, bun --filter); next build",
)
RUNNER = Row(
    ("npm", "pnpm", "yarn", "bun run", "mise run", "make", "gmake", "just", "turbo", "nx", "task"),
    r"(?!)",
    r"g?make(?:\[\d+\])?: \*\*\* |npm (?:ERR!|error) |.*\bELIFECYCLE\b|.*\bERR_PNPM_"
    r"|error Command failed with exit code [1-9]|error: script .* exited with code [1-9]"
    r"|error: [Rr]ecipe .* failed|(?:mise )?ERROR task failed|task: Failed to run task"
    r"|\s*Failed:\s+\S+#\S+|ninja: build stopped|error: Script not found",
    "seen (mise, pnpm, bun); GNU make job.c; npm lib/utils; just src/error.rs; turbo run summary",
    is_silent=True,
)
_ANYTHING = tuple(row for row in ROWS if row.tools != ("git commit",))


@lru_cache(maxsize=256)  # a session runs few tools
def _patterns(tool: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    own = rows_of(tool)
    rows = own if own and own != (RUNNER,) else (*_ANYTHING, _SCRIPTS, RUNNER)
    return _compiled(row.passed for row in rows), _compiled(row.failed for row in rows)


def _compiled(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("^(?:" + "|".join(f"(?:{one})" for one in patterns) + ")", re.MULTILINE)


def rows_of(tool: str) -> tuple[Row, ...]:
    """Give the rows of a command by its program and subcommand, () for one that is not known."""
    own = tuple(row for row in ROWS if any(_runs(tool, name) for name in row.tools))
    return own or ((RUNNER,) if is_runner(tool) else ())


def is_runner(tool: str) -> bool:
    """Say whether a command starts a script that a project has named."""
    return any(_runs(tool, name) for name in RUNNER.tools)


def _runs(tool: str, name: str) -> bool:
    return tool == name or tool.startswith(f"{name} ")


_PREFIX = re.compile(r"^\[[\w:@./-]{1,40}\] ", re.MULTILINE)
Said = Literal["passed", "failed", ""]


def said(tool: str, output: str) -> Said:
    """Say how a tool ended by its own closing lines, "" where none of them stands there."""
    passed, failed = _patterns(tool)
    text = _PREFIX.sub("", strip_ansi(output).replace("\r", "\n"))
    done = passed.search(text)
    if failed.search(text) and not (done and any(row.is_last for row in rows_of(tool))):
        return "failed"
    return "passed" if done else ""


def is_silent(tool: str) -> bool:
    """Say whether a tool prints nothing where it finds nothing."""
    return any(row.is_silent for row in rows_of(tool))
