"""The tests: install what they need into this clone, then run them.

python3 scripts/check.py            the whole suite
python3 scripts/check.py --lint     ruff and mypy first
python3 scripts/check.py -k daily   arguments go to pytest
"""

import sys

from bootstrap import python, run

LINTERS = (
    ("-m", "ruff", "format", "--check", "."),
    ("-m", "ruff", "check", "."),
    ("-m", "mypy"),
    # the systems that the tests do not run on: what lacks there has to stand behind a question
    ("-m", "mypy", "--platform", "win32", "scripts", "hooks"),
    ("-m", "mypy", "--platform", "darwin", "scripts", "hooks"),
)


def main(arguments: list[str]) -> int:
    """Run the linters if asked for, then the tests; stop at the first that fails."""
    program = python("dev")
    if "--lint" in arguments:
        arguments.remove("--lint")
        for linter in LINTERS:
            code = run(program, *linter)
            if code:
                return code
    # two processes, a file of tests to one of them: what a file prepares is prepared once
    whole = () if arguments else ("-n", "2", "--dist", "loadfile")
    return run(program, "-m", "pytest", *whole, *arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
