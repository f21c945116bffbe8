"""Completion in the shells themselves: what Tab would offer for the real command line."""

import shutil
import subprocess

import pytest
from limits import HANGS

SHELLS = ("bash", "zsh", "fish")
# the words of a line, the last one as far as it is typed -> some of what is offered, and what not
CASES = [
    (["sta"], {"start", "stats", "status"}, {"search"}),
    (["skills", "--fo"], {"--format"}, {"--json"}),
    (["skills", "--format", ""], {"yaml", "json", "markdown"}, {"--format"}),
    (["skills", "--output", "no"], {"notes.txt"}, set()),
    (["completion", "b"], {"bash"}, {"zsh"}),
    (["experiment", "st"], {"start", "status"}, {"end"}),
    (["experiment", "start", "--err"], {"--error-class"}, set()),
    (["init", "--vault", "fo"], {"folder"}, {"notes.txt"}),
]
BASH = """
source {script}
COMP_WORDS=(memoria {words}); COMP_CWORD={count}
_shtab_memoria memoria {last} ''
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def script(place, shell):
    out = place.do("completion", shell)
    path = place.root / f"memoria.{shell}"
    path.write_text(out, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "wanted", "others"), CASES, ids=[" ".join(case[0]) for case in CASES]
)
def test_what_tab_offers_in_bash(place, words, wanted, others):
    (place.root / "notes.txt").write_text("")
    (place.root / "folder").mkdir()
    typed = " ".join(f"'{word}'" for word in words)
    code = BASH.format(
        script=script(place, "bash"), words=typed, count=len(words), last=f"'{words[-1]}'"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", code],
        cwd=place.root,
        env={"PATH": "/usr/bin:/bin", "HOME": str(place.root), "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS,
    )
    offered = set(done.stdout.split())
    assert wanted <= offered
    assert not others & offered


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_reads_the_script_without_a_word(place, shell):
    path = script(place, shell)
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
