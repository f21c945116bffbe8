"""A bare clone and Python 3.11 -> an environment with all that Memoria needs, in its .venv.

Standard library alone, as nothing else is there yet. The environment is made once and again when
pyproject.toml changes; nothing outside of the clone is touched. The client's plugin, whose folder
comes and goes with its versions, gets one in the folder that the client keeps for its data.
"""

import hashlib
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv"
OLDEST = (3, 11)
# a person who sees nothing for longer takes the program for stuck
EVERY_SECONDS = 10


def python(extra: str = "", environment: Path = ENVIRONMENT) -> Path:
    """Give the interpreter of the environment, which is made or brought up to date if needed.

    `extra` names an optional group of pyproject.toml, such as "dev".
    """
    _refuse_an_old_python()
    program = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    marker = environment / f"memoria-{extra or 'core'}"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if not program.exists() or not marker.exists() or marker.read_text() != wanted:
        _install(program, extra, environment)
        marker.write_text(wanted)
    return program


def memoria(*words: str, folder: Path = ROOT) -> int:
    """Run a verb in a folder with all that it needs; its help needs only the standard library."""
    if {"-h", "--help"}.isdisjoint(words):
        return run(python(), "-m", "memoria", *words, folder=folder)
    _refuse_an_old_python()
    from memoria.cli.main import main  # noqa: PLC0415 - an old Python cannot read it

    return main(list(words))


def run(program: Path, *arguments: str, folder: Path = ROOT) -> int:
    """Run a command of the environment in a folder; give its exit code."""
    try:
        return subprocess.run([str(program), *arguments], cwd=folder, check=False).returncode
    except KeyboardInterrupt:
        return 130


def setup(arguments: list[str]) -> int:
    """Set up what the plugin needs: an environment, and a vault filled from the sessions there are.

    Where a `memoria` is on the PATH (pipx, uv) that one is used. The arguments go to
    `memoria start`.
    """
    data = os.environ.get("CLAUDE_PLUGIN_DATA")
    from memoria.vault.storage.child_environment import on_path  # noqa: PLC0415 - as in `memoria`

    found = on_path("memoria")
    vault = os.environ.get("CLAUDE_PLUGIN_OPTION_VAULT")
    words = ["start", "--vault", vault or str(Path.home() / "memoria"), *arguments]
    if found:
        code = run(Path(found), *words)
    else:
        folder = Path(data) if data else Path.home() / ".local" / "share" / "memoria"
        code = run(python(environment=folder / "venv"), "-m", "memoria", *words)
    if data:
        print("The plugin captures from the next session on; there is nothing more to install.")
    return code


def _watched(program: Path, *arguments: str) -> int:
    """Run as `run` does, and say every ten seconds that it goes on: pip itself is silent."""
    started = time.monotonic()
    process = subprocess.Popen([str(program), *arguments], cwd=ROOT)
    rewrites, text = sys.stderr.isatty(), ""
    while True:
        try:
            code = process.wait(EVERY_SECONDS)
        except subprocess.TimeoutExpired:
            seconds = round(time.monotonic() - started)
            text = f"  downloading and installing packages: {seconds} s so far"
            print(text, end="\r" if rewrites else "\n", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            process.wait()
            return 130
        else:
            if rewrites:  # clears the line that was rewritten; Windows' console may know no codes
                print(" " * len(text), end="\r", file=sys.stderr, flush=True)
            return code


def _refuse_an_old_python() -> None:
    if sys.version_info < OLDEST:
        sys.exit(f"memoria: Python {'.'.join(map(str, OLDEST))} or newer is needed: {sys.version}")


def _install(program: Path, extra: str, environment: Path) -> None:
    where = ".venv" if environment == ENVIRONMENT else environment
    print(f"Installing what Memoria needs into {where} (once, about a minute) ...", file=sys.stderr)
    try:
        if not program.exists():
            # as `python -m venv` does it: macOS' copy of a Python may not find its libraries
            links = sys.platform != "win32"
            venv.create(environment, with_pip=True, clear=environment.exists(), symlinks=links)
        elif subprocess.run([str(program), "-c", "import pip"], check=False).returncode:
            # made by uv, which brings none, or cut off while it was made
            subprocess.run([str(program), "-m", "ensurepip"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(
            f"memoria: cannot make {environment}: {error}; on Debian: apt install python3-venv"
        )
    target = f".[{extra}]" if extra else "."
    # a plugin's folder goes with its version: what is installed from there is a copy
    editable = ["--editable"] if environment == ENVIRONMENT else []
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *editable, target]
    if _watched(program, *pip):
        sys.exit("memoria: the installation failed; the lines above say why. Run this again.")
