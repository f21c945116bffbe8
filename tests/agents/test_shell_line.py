"""A hook's line in each shell, and read again; no shell of Windows runs here."""

import base64
import shlex
import subprocess

import pytest
from hypothesis import given, strategies as st

from memoria.agents.claude_code.settings import merge_hooks, parse_hooks
from memoria.agents.client_hooks import CLIENTS
from memoria.agents.shell_line import CMD, POWERSHELL, SH, format_shell_line, parse_shell_line

PLAIN = (r"C:\Users\me\.venv\Scripts\python.exe", "-S", "-E", r"C:\m\memoria\hooks/pre_tool_use.py")
SPACED = (r"C:\Users\Eve O'Neil\python.exe", "-S", r"C:\a b\x.py", "--vault", r"D:\my notes")
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), min_size=1)


def decoded(line):
    return base64.b64decode(line.rpartition(" ")[2]).decode("utf-16-le")


def test_cmd_is_given_no_quotes_as_codex_would_escape_them():
    assert format_shell_line(PLAIN, CMD) == " ".join(PLAIN) + " || exit 0"
    line = format_shell_line(SPACED, CMD)
    assert not set(line) & set("'\"|&^%")
    assert decoded(line) == format_shell_line(SPACED, POWERSHELL)


def test_powershell_calls_the_program_and_knows_no_double_bar():
    assert format_shell_line(PLAIN, POWERSHELL) == "& " + " ".join(PLAIN) + "; exit 0"
    assert format_shell_line(SPACED, POWERSHELL) == (
        r"& 'C:\Users\Eve O''Neil\python.exe' -S 'C:\a b\x.py' --vault 'D:\my notes'; exit 0"
    )


@pytest.mark.parametrize("shell", [SH, CMD, POWERSHELL])
@given(given_words=st.lists(VALUES, min_size=1))
def test_a_line_is_read_as_it_was_written(shell, given_words):
    # a program of Windows begins with its drive
    told = ("/bin/x" if shell == SH else r"C:\x.exe", *given_words)
    assert parse_shell_line(format_shell_line(told, shell)) == list(told)


@pytest.mark.parametrize(
    "line",
    ["", "echo hello", "& x", "python x.py; exit 0", "sh 'x || exit 0", "powershell -File x.ps1"],
)
def test_a_persons_line_is_none_of_ours(line):
    assert parse_shell_line(line) == []


def test_sh_ends_well_whatever_is_gone():
    line = format_shell_line(("/nowhere/python", "a b"))
    assert shlex.split(line)[:2] == ["/nowhere/python", "a b"]
    done = subprocess.run(["/bin/sh", "-c", line], stderr=subprocess.DEVNULL, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_an_install_on_windows_has_lines_of_the_clients_shell(name):
    client = CLIENTS[name]
    for folder in (r"C:\Users\me", r"C:\Users\A B"):
        python, vault = rf"{folder}\python.exe", rf"{folder}\memoria"
        for hook in client.hooks(python, rf"{folder}\memoria\hooks", vault, r"C:\s", "Bash"):
            assert parse_shell_line(hook.line) == [hook.command, *hook.args]
            assert (hook.python, hook.vault) == (python, vault)
            is_powershell = name in {"copilot", "gemini"}
            assert hook.line.startswith("& ") == is_powershell
            assert not is_powershell or "||" not in hook.line


@pytest.mark.parametrize("folder", [r"C:\Users\me", r"C:\Users\A B"])
def test_what_codex_is_given_is_read_again(folder):
    made = CLIENTS["codex"].hooks(rf"{folder}\python.exe", rf"{folder}\memoria\hooks", "V", "S", "")
    text = merge_hooks("", made, "hooks.json")
    assert parse_hooks(text, "hooks.json") == made
