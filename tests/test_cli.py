import subprocess
import sys
from pathlib import Path

import pytest
from place import debugging

from memoria.cli import VERBS

ROOT = Path(__file__).resolve().parents[1]


def test_no_vault_is_one_line_that_says_what_to_do(place, tmp_path):
    code, _, err = place.run("compile", "--vault", str(tmp_path / "nowhere"))
    assert code == 3
    assert err == (
        f"memoria: no vault at {tmp_path}/nowhere: `memoria init {tmp_path}/nowhere` makes one\n"
    )


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_help_with_an_example(place, verb):
    code, out, _ = place.run(verb, "--help")
    assert code == 0
    assert "example: memoria" in out


@pytest.mark.parametrize("verb", sorted(set(VERBS) - {"start"}))
def test_every_verb_is_a_script_of_the_clone(verb):
    script = ROOT / "scripts" / f"{verb}.py"
    done = subprocess.run(
        [sys.executable, script, "--help"], capture_output=True, text=True, check=True, cwd="/"
    )
    assert f"memoria {verb}" in done.stdout


def test_an_unknown_verb(place):
    code, _, err = place.run("compil")
    assert code == 2
    assert "invalid choice: 'compil'" in err


def test_init_makes_what_is_missing_and_touches_nothing_else(place):
    agents = place.vault / "AGENTS.md"
    agents.write_text(agents.read_text() + "\nMine.\n")
    (place.vault / ".gitignore").unlink()
    assert place.json("init")["created"] == [".gitignore"]
    assert agents.read_text().endswith("Mine.\n")


def test_state_is_this_user_s_alone(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    place.run("compile")
    for path in (place.vault / ".memoria").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_reader_that_closes_the_pipe_is_no_error(place):
    command = [sys.executable, "-m", "memoria", "doctor", "--vault", str(place.vault)]
    done = subprocess.run(
        f"{' '.join(map(str, command))} | true",
        shell=True,
        cwd=ROOT / "scripts",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
