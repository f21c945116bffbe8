"""The first command and the plugin's set-up: which environment, which vault."""

import os
import sys
from pathlib import Path

import pytest

import bootstrap
from memoria.vault.storage.child_environment import on_path


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A home, and what would have been run there."""
    calls = []

    def run(program, *words):
        calls.append((str(program), *words))
        return 0

    monkeypatch.setattr(bootstrap, "run", run)
    monkeypatch.setattr(bootstrap, "_install", lambda *words: calls.append(("install", *words)))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("MEMORIA_VAULT", "CLAUDE_PLUGIN_OPTION_VAULT", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)
    return calls


def test_the_plugin_gets_an_environment_in_its_data_folder_once(
    machine, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("CLAUDE_PLUGIN_DATA", str(tmp_path / "data"))
    folder = tmp_path / "data" / "venv"
    program = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    program.parent.mkdir(parents=True)
    wanted = (str(program), "-m", "memoria", "start", "--vault", str(tmp_path / "memoria"))
    assert bootstrap.setup([]) == 0
    assert machine == [("install", program, "", folder), wanted]
    assert "there is nothing more to install" in capsys.readouterr().out
    machine.clear()
    program.write_text("")
    assert bootstrap.setup(["--limit", "3"]) == 0
    assert machine == [(*wanted, "--limit", "3")]


def test_a_memoria_that_is_there_is_used_for_the_vault_of_the_option(
    machine, tmp_path, monkeypatch
):
    program = tmp_path / "bin" / "memoria"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("CLAUDE_PLUGIN_OPTION_VAULT", "/notes")
    monkeypatch.setenv("MEMORIA_VAULT", "/other")
    assert bootstrap.setup([]) == 0
    assert machine == [(str(program), "start", "--vault", "/notes")]


@pytest.mark.parametrize("verb", ["start", "demo"])
def test_help_installs_nothing(machine, capsys, verb):
    with pytest.raises(SystemExit, match=r"^0$"):
        bootstrap.memoria(verb, "--help")
    assert machine == []
    assert f"usage: memoria {verb}" in capsys.readouterr().out


def test_an_old_python_is_told_which_one_is_needed(machine, monkeypatch):
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 10))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed"):
        bootstrap.python()


def test_a_long_installation_says_that_it_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(bootstrap, "EVERY_SECONDS", 0.01)
    words = ("-c", "import time; time.sleep(0.5); raise SystemExit(3)")
    assert bootstrap._watched(Path(sys.executable), *words) == 3
    assert "downloading and installing packages" in capsys.readouterr().err


@pytest.mark.parametrize(("platform", "links"), [("darwin", True), ("win32", False)])
def test_an_environment_is_made_as_python_itself_makes_it(monkeypatch, tmp_path, platform, links):
    made = []
    monkeypatch.setattr(bootstrap.sys, "platform", platform)
    monkeypatch.setattr(bootstrap.venv, "create", lambda *_, **how: made.append(how["symlinks"]))
    monkeypatch.setattr(bootstrap, "_watched", lambda *_: 0)
    bootstrap._install(tmp_path / "python", "", tmp_path / "venv")
    assert made == [links]


def test_on_windows_no_program_of_the_present_folder_is_taken(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "win32")
    for folder in ("here", "bin"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "git.exe").write_text("")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PATH", ".")
    assert on_path("git") is None
    monkeypatch.setenv("PATH", f".{os.pathsep}{tmp_path / 'bin'}")
    assert on_path("git") == str(tmp_path / "bin" / "git.exe")


def test_a_script_whose_python_lacks_the_packages_runs_in_the_clones_environment(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    import run_verb

    monkeypatch.setattr(run_verb, "find_spec", lambda _: None)
    monkeypatch.setattr(run_verb, "memoria", lambda *words, folder: print(*words, folder) or 3)
    monkeypatch.setattr(sys, "argv", ["search.py", "two words"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"^3$"):
        run_verb.run_verb("search")
    assert capsys.readouterr().out == f"search two words {tmp_path}\n"
    assert sys.path[0] == str(Path(bootstrap.__file__).parent)
