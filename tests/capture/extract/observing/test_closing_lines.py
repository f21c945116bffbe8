"""Each tool's closing lines, as it writes them, and no word of a log."""

import pytest

from memoria.capture.extract.observing.closing_lines import _FAILED, is_silent, rows_of, said

# the tool's command, what it ends with when it passes, and when it fails
SAMPLES = [
    (
        "pytest",
        "===== 12 passed, 1 skipped, 2 warnings in 0.52s =====",
        "===== 1 failed, 11 passed in 0.52s =====",
    ),
    ("pytest", "12 passed in 0.52s", "1 error in 0.10s"),
    ("pytest", "3 passed, 1 xfailed in 0.03s", "FAILED tests/test_a.py::test_b - assert 1 == 2"),
    ("unittest", "Ran 3 tests in 0.001s\n\nOK", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)"),
    ("go test", "ok  \texample.org/shop/lease\t0.41s", "FAIL\texample.org/shop/lease\t0.41s\nFAIL"),
    ("go test", "ok  \texample.org/shop\t(cached)", "FAIL\texample.org/shop [build failed]"),
    ("go build", "", "# example.org/shop\n./a.go:3:2: undefined: x"),
    (
        "cargo test",
        "test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.00s",
        "test result: FAILED. 2 passed; 1 failed; 0 ignored; finished in 0.00s",
    ),
    (
        "cargo build",
        "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.52s",
        "error[E0425]: cannot find value `x` in this scope\nerror: could not compile `shop`",
    ),
    ("jest", "Tests:       72 passed, 72 total", "Tests:       1 failed, 71 passed, 72 total"),
    (
        "vitest",
        " Test Files  12 passed (12)\n      Tests  230 passed (230)",
        " Test Files  1 failed | 11 passed (12)",
    ),
    ("bun test", " 4 pass\n 0 fail\nRan 4 tests across 2 files.", " 4 pass\n 1 fail"),
    ("mocha", "  3 passing (10ms)", "  2 passing (10ms)\n  1 failing"),
    ("playwright", "  20 passed (17.6s)", "  1 failed\n  19 passed (21.3s)"),
    ("node", "# pass 3\n# fail 0", "# pass 2\n# fail 1"),
    ("rspec", "3 examples, 0 failures", "3 examples, 1 failure"),
    (
        "rails test",
        "3 runs, 4 assertions, 0 failures, 0 errors, 0 skips",
        "3 runs, 4 assertions, 1 failures, 0 errors, 0 skips",
    ),
    (
        "phpunit",
        "OK (2 tests, 2 assertions)",
        "FAILURES!\nTests: 2, Assertions: 2, Failures: 1.",
    ),
    ("gradle", "BUILD SUCCESSFUL in 3s", "FAILURE: Build failed with an exception."),
    ("mvn", "[INFO] BUILD SUCCESS", "[INFO] BUILD FAILURE"),
    (
        "dotnet test",
        "Passed!  - Failed:     0, Passed:    10, Skipped:     0, Total:    10",
        "Failed!  - Failed:     1, Passed:     9, Skipped:     0, Total:    10",
    ),
    (
        "ctest",
        "100% tests passed, 0 tests failed out of 28",
        "96% tests passed, 1 tests failed out of 28",
    ),
    (
        "eslint",
        "\u2716 2 problems (0 errors, 2 warnings)",
        "\u2716 2 problems (1 error, 1 warning)",
    ),
    (
        "biome",
        "Checked 17 files in 21ms. No fixes applied.",
        "Checked 1 file in 63ms. No fixes applied.\nFound 2 errors.",
    ),
    ("ruff", "All checks passed!", "Found 3 errors."),
    ("mypy", "Success: no issues found in 3 source files", "Found 1 error in 1 file (checked 3)"),
    ("pyright", "0 errors, 1 warning, 0 informations", "2 errors, 0 warnings, 0 informations"),
    ("tsc", "Found 0 errors. Watching for file changes.", "a.ts(1,2): error TS2322: Type"),
    ("golangci-lint", "0 issues.", "2 issues:\n* errcheck: 2"),
    (
        "prettier",
        "All matched files use Prettier code style!",
        "[warn] Code style issues found in 2 files. Run Prettier with --write to fix.",
    ),
    ("black", "All done! \u2728 \U0001f370 \u2728", "1 file would be reformatted."),
    (
        "rubocop",
        "3 files inspected, no offenses detected",
        "3 files inspected, 2 offenses detected",
    ),
    ("pre-commit", "trim trailing whitespace....Passed", "ruff......................Failed"),
    (
        "git commit",
        "[main 1a2b3c4] Hold the lease\n 1 file changed",
        "nothing to commit, working tree clean",
    ),
    (
        "git commit",
        "[detached HEAD f8fe3f9] Hold it",
        "husky - pre-commit script failed (code 1)",
    ),
    ("git commit", "[a (root-commit) 1a2b3c4] x", "- hook id: ruff\n- exit code: 1"),
    (
        "npm run ci",
        "Tests:       72 passed, 72 total",
        "Tests:       72 passed, 72 total\nnpm error Lifecycle script `ci` failed with error:",
    ),
    ("make test", "12 passed in 0.52s", "make: *** [Makefile:3: test] Error 1"),
    ("mise run lint", "[lint:go] 0 issues.", "[lint:go] 1 issues:\n[lint:go] ERROR task failed"),
]


@pytest.mark.parametrize(("tool", "passed", "failed"), SAMPLES)
def test_a_closing_line_tells_how_a_tool_ended(tool, passed, failed):
    log = "INFO Error in the log, as the test wants it\n"
    assert said(tool, log + passed) == ("passed" if passed else "")
    assert said(tool, log + failed) == "failed"
    assert said(tool, f"\x1b[32m{failed}\x1b[0m") == "failed"


def test_every_row_has_a_sample():
    covered = {row for tool, _, _ in SAMPLES for row in rows_of(tool)}
    assert _FAILED.keys() - covered == {""}


def test_silence_tells_only_of_tools_that_are_silent():
    assert is_silent("go vet")
    assert is_silent("pnpm lint")
    assert not is_silent("pytest")
