import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cased

from memoria.cli.main import DAILY, VERBS, _is_unread, main

ROOT = Path(__file__).resolve().parents[2]


NEED_A_VAULT = (
    *("compile", "new auth", "report", "experiment status", "undo", "forget x", "guard list"),
    *("cost", "rewards", "status", "diff", "trust", "remember Use-tabs-here", "update"),
    *("reject wf-1", "team status", "flush", "rewrite --engine claude", "doctor --audit"),
)


@pytest.mark.parametrize("words", NEED_A_VAULT)
def test_no_vault_is_one_line_that_says_what_to_do(place, tmp_path, words):
    err = place.err(*words.split(), "--vault", str(tmp_path / "nowhere"), code=3)
    assert err == (
        f"memoria: no vault at {tmp_path}/nowhere: `memoria init {tmp_path}/nowhere` makes one\n"
    )


# the scripts one after the other, as each is started: its folder first on the path
SCRIPTS = """
import contextlib, io, runpy, sys
for script in sys.argv[1:]:
    said = io.StringIO()
    sys.path[0], sys.argv = script.rpartition("/")[0], [script, "--help"]
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        runpy.run_path(script, run_name="__main__")
    print(said.getvalue().split(" [")[0])
"""


def test_every_verb_is_a_script_of_the_clone():
    verbs = sorted(set(VERBS) - {"start", "demo"})
    # one name would hide the package that the verb needs
    scripts = [ROOT / "scripts" / f"{verb}{'_' if verb == 'mcp' else ''}.py" for verb in verbs]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPTS, *map(str, scripts)],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    assert done.stdout.splitlines() == [f"usage: memoria {verb}" for verb in verbs]


@cased()
def test_wrong_use_is_one_line_that_says_what_was_meant(capsys, words, said):
    with pytest.raises(SystemExit, match="2"):
        main(words)
    err = capsys.readouterr().err
    assert err.startswith("memoria: ")
    assert err.count("\n") == 1
    assert said in err


def test_without_a_verb_it_names_each_once_and_what_a_day_needs_first(capsys):
    with pytest.raises(SystemExit, match="2"):
        main([])
    shown = capsys.readouterr().err
    assert max(map(len, shown.splitlines())) <= 80
    named = re.findall(r"^  (?!-)(\S+)  +\S|(?<=[ \n])([a-z]+)(?=,|\n)", shown.split("set up:")[1])
    rest = [name for pair in named for name in pair if name in VERBS]
    first = [line.split()[0] for line in shown.split("set up:")[0].splitlines() if line[:2] == "  "]
    first = [name for name in first if name in VERBS]
    assert first == list(DAILY)
    assert sorted([*first, *rest]) == sorted(VERBS)


def test_help_of_all_verbs_has_a_line_for_each(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["help", "--all"])
    shown = capsys.readouterr().out.splitlines()
    assert max(map(len, shown)) <= 80
    for name, verb in VERBS.items():
        assert sum(line.split()[:1] == [name] and verb.summary in line for line in shown) == 1


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_the_help_of_a_verb_fits_80_columns(monkeypatch, capsys, verb):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match="0"):
        main(["help", verb])
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert out.startswith(f"usage: memoria {verb}")
    assert "example: memoria" in out
    assert [line for line in lines if re.search(r"[a-z]-$", line)] == [], "a name is broken"
    wide = [line for line in lines if len(line) > 80]
    assert [line for line in wide if "example: " not in line] == []


@cased()
def test_options_of_every_verb_stand_anywhere(place, capsys, words):
    assert main([word.format(place.vault) for word in words]) == 0
    assert json.loads(capsys.readouterr().out)["rules"] == []


def test_a_reader_that_closes_the_pipe_leaves_no_code_of_its_own():
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}
    for words in (["help", "--all"], ["--version"]):
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", "memoria", *words]
        done = subprocess.run(
            command,
            cwd=ROOT / "scripts",
            env=buffered,
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("platform", "error", "is_unread"),
    [
        ("linux", BrokenPipeError(errno.EPIPE, "Broken pipe"), True),
        ("win32", OSError(errno.EINVAL, "Invalid argument"), True),
        ("win32", OSError(errno.EINVAL, "Invalid argument", "C:\\a?b"), False),
        ("linux", OSError(errno.EINVAL, "Invalid argument"), False),
    ],
)
def test_windows_calls_a_pipe_without_a_reader_an_invalid_argument(
    monkeypatch, platform, error, is_unread
):
    monkeypatch.setattr(sys, "platform", platform)
    assert _is_unread(error) == is_unread
