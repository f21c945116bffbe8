"""Completion in the shells themselves: what Tab would offer."""

import shutil
import subprocess

import pytest
from limits import HANGS

from memoria.cli.shell_completion import SHELLS, Command, Option, script

PLAIN = (Option(("--json",), has_value=False, choices=(), summary="it's 100% JSON: \\ all"),)
FORMAT = Option(("-f", "--format"), has_value=True, choices=("yaml", "json"), summary="how")
FILE = Option(("--file",), has_value=True, choices=(), summary="which")
VERBS = (
    Command(("start",), "make: a vault", PLAIN, (), ()),
    Command(("skills",), "show", (*PLAIN, FORMAT, FILE), (), ()),
    Command(("shell",), "print", PLAIN, ("bash", "zsh"), ()),
    Command(
        ("study",),
        "find out",
        PLAIN,
        (),
        (
            Command(("study", "start"), "begin it", (FILE,), (), ()),
            Command(("study", "stop"), "end it", (), (), ()),
        ),
    ),
)
# the words of a line, the last one as far as it is typed -> what is offered
CASES = [
    (["sta"], {"start"}),
    (["s"], {"start", "skills", "shell", "study"}),
    (["skills", "--f"], {"--format", "--file"}),
    (["skills", "--format", ""], {"yaml", "json"}),
    (["skills", "-f", "y"], {"yaml"}),
    (["skills", "--file", "no"], {"notes.txt"}),
    (["shell", "b"], {"bash"}),
    (["study", "st"], {"start", "stop"}),
    (["study", "start", "--f"], {"--file"}),
    (["start", "--j"], {"--json"}),
]

BASH = """
source {script}
COMP_WORDS=(toy {words}); COMP_CWORD={count}
_toy
if ((${{#COMPREPLY[@]}})); then printf '%s\\n' "${{COMPREPLY[@]}}"; else compgen -f -- {last}; fi
"""
# a shell with a screen of its own, in which Tab is pressed; compadd's matches are printed
ZSH = """
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; autoload -Uz compinit; compinit -u -d {folder}/dump; cd {folder}"
zpty -w z "source {script}"
zpty -w z 'shown() {{ compstate[insert]=; compstate[list]=; builtin compadd -O got "$@"; '\\
'print -rl -- $got >> {folder}/out; builtin compadd "$@" }}'
zpty -w z 'compadd() {{ shown "$@" }}; after() {{ print done >> {folder}/out }}'
zpty -w z 'comppostfuncs=(after); bindkey "^I" complete-word'
zpty -w z 'print ready >> {folder}/out'
for i in {{1..100}}; do [[ -s {folder}/out ]] && break; sleep 0.05; done
zpty -w -n z $'toy {line}\\t'
for i in {{1..100}}; do grep -q done {folder}/out && break; sleep 0.05; done
zpty -d z
"""


def offered(shell, words, folder):
    path = folder / f"toy.{shell}"
    path.write_text(script(shell, "toy", VERBS), encoding="utf-8")
    if shell == "fish":
        line = " ".join(["toy", *words])
        code = f"source {path}; complete -C '{line}'"
        command = ["fish", "--no-config", "-c", code]
    elif shell == "bash":
        typed = " ".join(f"'{word}'" for word in words)
        code = BASH.format(script=path, words=typed, count=len(words), last=f"'{words[-1]}'")
        command = ["bash", "--norc", "-c", code]
    else:
        line = " ".join(words)
        command = ["zsh", "-f", "-c", ZSH.format(script=path, folder=folder, line=line)]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb"}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=HANGS
    )
    text = (folder / "out").read_text() if shell == "zsh" else done.stdout
    rows = {row.partition("\t")[0] for row in text.splitlines()} - {"ready", "done", ""}
    return rows, done.stderr


def told(words):
    return " ".join(sorted(words) if isinstance(words, set) else words)


@pytest.mark.parametrize(("words", "wanted"), CASES, ids=told)
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_what_tab_offers(shell, words, wanted, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "notes.txt").write_text("")
    assert offered(shell, words, tmp_path) == (wanted, "")


@pytest.mark.parametrize(("words", "wanted"), CASES[2:4], ids=told)
def test_what_tab_offers_in_zsh(words, wanted, tmp_path):
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    assert offered("zsh", words, tmp_path)[0] == wanted


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_reads_the_script_without_a_word(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = tmp_path / "script"
    path.write_text(script(shell, "toy", VERBS), encoding="utf-8")
    done = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
