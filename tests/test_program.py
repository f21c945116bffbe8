"""How the program is called: a command that is printed can be typed as it stands."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cased

from memoria import program, terminal
from memoria.cli.main import main


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """An environment in a clone, whose program is not on the PATH."""
    script = tmp_path / "home" / "clone" / ".venv" / "bin" / "memoria"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script.with_name("python")))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir("/usr")
    return tmp_path / "home" / "clone"


def test_in_a_clone_it_is_the_path_as_short_as_it_can_be_typed(clone, monkeypatch):
    assert program.command_with_vault() == "~/clone/.venv/bin/memoria"
    monkeypatch.chdir(clone)
    assert program.command_with_vault() == ".venv/bin/memoria"
    monkeypatch.setenv("HOME", "/nowhere")
    monkeypatch.chdir("/usr")
    assert program.command_with_vault() == str(clone / ".venv/bin/memoria")


def test_a_path_that_a_shell_would_split_is_quoted(clone, monkeypatch):
    moved = clone.rename(clone.with_name("a clone"))
    script = moved / ".venv" / "bin" / "memoria"
    monkeypatch.setattr(sys, "executable", str(script.with_name("python")))
    assert program.command_with_vault() == f'"{script}"'


def test_on_windows_it_is_the_program_of_scripts_without_its_ending_or_a_home_sign(
    clone, monkeypatch
):
    place = clone / ".venv" / "Scripts"
    place.mkdir()
    (place / "memoria.exe").write_text("")
    (place / "memoria.exe").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(place / "python.exe"))
    monkeypatch.setattr(sys, "platform", "win32")
    # cmd does not know ~
    assert program.command_with_vault() == str(place / "memoria")
    monkeypatch.chdir(clone)
    assert program.command_with_vault() == ".venv/Scripts/memoria"


@cased()
def test_words_are_quoted_as_the_shells_of_the_system_take_them(monkeypatch, words, posix, windows):
    monkeypatch.setattr(sys, "platform", "linux")
    assert program.quote_words(*words) == posix
    monkeypatch.setattr(sys, "platform", "win32")  # single quotes are letters to cmd
    assert program.quote_words(*words) == windows


def test_on_the_path_and_where_there_is_no_program_it_is_the_name(clone, monkeypatch):
    monkeypatch.setenv("PATH", str(clone / ".venv" / "bin"))
    assert program.command_with_vault() == "memoria"
    monkeypatch.setenv("PATH", "/usr/bin")
    (clone / ".venv" / "bin" / "memoria").unlink()
    assert program.command_with_vault() == "memoria"


def test_all_that_speaks_to_a_person_says_it(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    hint = "see `memoria review`; `memoria` is the name, `memoria-compiler` the package"
    terminal.print_line(hint)
    terminal.print_paragraph(hint)
    terminal.print_rows([("", hint)])
    talk = terminal.Terminal()
    talk.say(hint)
    talk.warn(hint)
    out, err = capsys.readouterr()
    for said in (out, err):
        assert "`memoria review`" not in said
        assert " ".join(said.split()).count("`.venv/bin/memoria review`; `memoria` is") > 1


def run(folder, *words, stderr=subprocess.PIPE, **more):
    """Run a program in a folder that is the home, too."""
    place = {"HOME": str(folder), "PATH": os.defpath}
    more |= {"env": place, "cwd": folder, "stdout": subprocess.PIPE, "stderr": stderr}
    return subprocess.run(words, text=True, check=False, **more)


def test_in_one_pipe_talk_stands_behind_what_was_printed_before_it(tmp_path):
    script = Path(sys.executable).with_name("memoria")
    assert run(tmp_path, script, "init").returncode == 0
    done = run(tmp_path, script, "cost", stderr=subprocess.STDOUT)
    assert done.returncode == 0
    first = [line.partition(" ")[0] for line in done.stdout.splitlines() if line]
    assert first == ["No", "With", "operation", "flush,", "compile,", "query,", "lint,", "Budget:"]


def test_a_hint_names_the_vault_once_and_only_where_a_verb_would_choose_another(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    second = tmp_path / "second"
    for words, hint in (
        (["init", "second"], f"`memoria --vault {second} import`"),
        (["init", "--vault", "second"], f"`memoria --vault {second} import`"),
        (["status", "--vault", "third"], f"`memoria init {tmp_path}/third` makes one"),
        (
            ["doctor", "--vault", "second"],
            f"this vault; `memoria install --vault {second}",
        ),
        (["install", "--vault", "second", "--quiet"], ""),
        # it looks at the vault of the hooks, and not at the default
        (["doctor"], f"0 active, 0 waiting (`memoria --vault {second} review`)"),
        (["demo", "--vault", "second"], "`memoria demo DIR` names another folder"),
    ):
        main(words)
        assert hint in "".join(capsys.readouterr())
    monkeypatch.setenv("MEMORIA_VAULT", "second")
    main(["init", "second"])
    assert "`memoria import`" in capsys.readouterr().err


def test_a_document_stays_as_it_is(clone, capsys):
    terminal.print_document("- Type `memoria review`.\n")
    assert capsys.readouterr().out == "- Type `memoria review`.\n"


def test_an_error_and_a_hook_say_it(tmp_path):
    script = Path(sys.executable).with_name("memoria")
    done = run(tmp_path, script, "status")
    assert done.returncode == 3
    assert f"`{script} init {tmp_path}/memoria` makes one" in done.stderr
    hook = Path(program.__file__).parent / "hooks" / "session_start.py"
    place = ("--vault", tmp_path / "vault", "--state", tmp_path / "state")
    event = '{"session_id": "s-1", "source": "startup", "cwd": "/"}'
    done = run(tmp_path, sys.executable, hook, *place, input=event)
    assert f"run `{script} install --vault FOLDER`" in done.stdout
