import pytest
from cases import cased

from memoria.text.shell.actions import (
    describe_action,
    hides_status,
    is_check,
    is_question,
    runs_program,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go test -v ./pkg -run TestA 2>&1 | tail -20", "go test"),
        ("cd /srv/app && npm run test:unit -- --watch=false", "npm run test:unit"),
        ("make fmt && make lint", "make fmt && make lint"),
        ("python3 -m pytest -q tests", "pytest"),
        ("uv run pytest -q", "pytest"),
        ("CI=1 timeout 60 cargo test", "cargo test"),
        ("./gradlew test", "gradlew test"),
        ("git -C sub commit -m 'a && b; c'", "git commit"),
        ("cat <<'EOF' > x.py\nimport os; os.remove('y')\nEOF\npython x.py", "cat && python"),
        ("echo hello", "echo"),
        ("", ""),
        ("  \n ", ""),
    ],
)
def test_action(text, expected):
    assert describe_action(text) == expected


def test_programs_that_run_each_other_without_end_are_read():
    assert describe_action("nice " * 3000 + "pytest") == "pytest"


@cased()
def test_is_check(text, expected):
    assert is_check(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pytest | tail -3", True),
        ("pytest; echo done", True),
        ("pytest || true", True),
        ("pytest 2>&1", False),
        ("cd x && pytest -k 'a|b'", False),
        ('pytest -k "a;b" > out.txt', False),
    ],
)
def test_hides_status(text, expected):
    assert hides_status(text) is expected


@pytest.mark.parametrize(
    ("text", "printed", "expected"),
    [
        ("grep -n nothing src/x.py", False, True),
        ("cat x | grep y", False, True),
        ("diff a b", True, True),
        ("which node", False, True),
        ("[ -f .env ]", False, True),
        ("git config user.signingkey", False, True),
        ("make && grep x y", False, True),
        ("make && grep x y", True, False),
        ("make", False, False),
        ("gh pr diff 3", False, False),
    ],
)
def test_is_question(text, printed, expected):
    assert is_question(text, printed=printed) is expected


def test_runs_program():
    assert runs_program("cd x && python tool.py --all | head")
    assert not runs_program("cat tool.py")
