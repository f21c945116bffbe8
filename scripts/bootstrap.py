"""A bare clone and Python 3.11 -> an environment with all that Memoria needs, in its .venv.

Standard library alone, as nothing else is there yet. The environment is made once and again when
pyproject.toml changes; nothing outside of the clone is touched.
"""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv"
OLDEST = (3, 11)


def python(extra: str = "") -> Path:
    """Give the interpreter of the environment, which is made or brought up to date if needed.

    `extra` names an optional group of pyproject.toml, such as "dev".
    """
    if sys.version_info < OLDEST:
        sys.exit(f"memoria: Python {'.'.join(map(str, OLDEST))} or newer is needed: {sys.version}")
    program = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    marker = ENVIRONMENT / f"memoria-{extra or 'core'}"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if not program.exists() or not marker.exists() or marker.read_text() != wanted:
        _install(program, extra)
        marker.write_text(wanted)
    return program


def run(program: Path, *arguments: str) -> int:
    """Run a command of the environment in the clone; give its exit code."""
    try:
        return subprocess.run([str(program), *arguments], cwd=ROOT, check=False).returncode
    except KeyboardInterrupt:
        return 130


def _install(program: Path, extra: str) -> None:
    print("Installing what Memoria needs into .venv (once, about a minute) ...", file=sys.stderr)
    try:
        if not program.exists():
            venv.create(ENVIRONMENT, with_pip=True, clear=ENVIRONMENT.exists())
        elif subprocess.run([str(program), "-c", "import pip"], check=False).returncode:
            # made by uv, which brings none, or cut off while it was made
            subprocess.run([str(program), "-m", "ensurepip"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(
            f"memoria: cannot make {ENVIRONMENT}: {error}; on Debian: apt install python3-venv"
        )
    target = f".[{extra}]" if extra else "."
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", target]
    if run(program, *pip):
        sys.exit("memoria: the installation failed; the lines above say why. Run this again.")
