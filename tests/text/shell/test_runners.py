"""The command that another command runs."""

import pytest

from memoria.text.shell import simple_command as runner


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("sudo -u me ls -l", "ls -l"),
        ("sudo -l", None),
        ("command -v git", None),
        ("env A=1 ls", "ls"),
        ("env", None),
        ("timeout --signal=KILL 5 ls", "ls"),
        ("timeout 5", None),
        ("xargs -I {} rm {}", "rm {}"),
        ("uv --directory x run ls", "ls"),
        ("uv sync", None),
        ("npm exec -- ls", "ls"),
        ("npm test", None),
        ("python -m http.server", "http.server"),
        ("python main.py -m x", None),
        ("python -c x", None),
        ("git status", None),
    ],
)
def test_it_begins_behind_the_options(text, inner):
    words = tuple(text.split())
    found = [" ".join(rest) for _, rest, _ in runner.run(words[0], words)]
    assert found == ([inner] if inner else [])


@pytest.mark.parametrize(
    ("words", "script"),
    [
        (("bash", "-c", "ls"), "ls"),
        (("bash", "-e", "-lc", "ls", "x"), "ls"),
        (("bash", "script.sh"), None),
        (("bash", "--norc", "-c", "ls"), "ls"),
        (("eval", "git", "push"), "git push"),
        (("trap", "-", "EXIT"), "EXIT"),
        (("git", "-c", "ls"), None),
    ],
)
def test_a_shell_runs_a_text(words, script):
    assert runner.script(words[0], words) == script


def test_a_shell_without_a_script_reads_one():
    assert runner.reads_script("sh", ("sh",))
    assert runner.reads_script("bash", ("bash", "-s", "x"))
    assert not runner.reads_script("bash", ("bash", "x.sh"))
    assert not runner.reads_script("cat", ("cat",))
