"""A home, a vault and a stopped clock -> what a verb, a hook or the MCP server prints there.

Only the outside is used: `python -m memoria`, the hook programs that the installed settings name,
the environment. The room lies at one fixed path, since some outputs are cut to a length and a path
counts; paths of this machine are replaced by names. The trap: a hook would start a detached flush,
which races with all that is recorded; here a hook cannot fork, and the flush is a step of its own.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FROZEN = Path(__file__).resolve().parent / "frozen"
START = 1_792_483_200  # 2026-10-20T08:00:00Z: after the last sample session
STEP = 60
_IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \| \s*(\S+)$", re.MULTILINE)
# Run a hook's file as the client does, without fork, by the stopped clock.
_HOOK = """
import os, sys
os.fork, os.waitpid, os.getpid = (lambda: 1), (lambda *_: (1, 0)), (lambda: 4242)
exec(open(sys.argv[1]).read(), {"__name__": "sitecustomize"})
del sys.argv[:2]
sys.path[0] = os.path.dirname(sys.argv[0])
code = compile(open(sys.argv[0]).read(), sys.argv[0], "exec")
exec(code, {"__name__": "__main__", "__file__": sys.argv[0], "__package__": None})
"""


@dataclass
class Room:
    """Where a set of sessions is worked on; `out` is where its record goes."""

    root: Path
    out: Path
    hash_seed: str
    package: Path = ROOT / "scripts"
    steps: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in (self.home, self.work):
            folder.mkdir(parents=True)
        self.out.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "MEMORIA_TIMEZONE": "UTC",
            "MEMORIA_ENGINE": "offline",
            "PYTHONHASHSEED": self.hash_seed,
            "PYTHONPATH": os.pathsep.join((str(FROZEN), str(self.package))),
        }

    @property
    def home(self) -> Path:
        """The person's home."""
        return self.root / "home"

    @property
    def vault(self) -> Path:
        """The vault."""
        return self.root / "vault"

    @property
    def work(self) -> Path:
        """The folder in which verbs are called: no project, no vault."""
        return self.root / "work"

    @property
    def projects(self) -> Path:
        """Where the client keeps transcripts."""
        return self.home / ".claude" / "projects"

    def put(self, path: str, content: bytes) -> Path:
        """Write a transcript, as old as its last line says."""
        file = self.projects / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        os.utime(file, (START - 3600, START - 3600))
        return file

    def verb(self, name: str, *words: str, said: bytes = b"") -> str:
        """Run a verb and record exit code, stdout and stderr; give stdout."""
        command = [sys.executable, "-m", "memoria", words[0], "--vault", str(self.vault)]
        done = self._run([*command, *words[1:]], said)
        text = "".join(
            f"--- {title}\n{self.masked(data)}"
            for title, data in (
                (f"exit {done.returncode}: {' '.join(words)}", b"\n"),
                ("stdout", done.stdout),
                ("stderr", done.stderr),
            )
        )
        self._record(f"{name}.txt", text)
        return done.stdout.decode("utf-8", "replace")

    def hook(self, name: str, event: dict[str, Any], command: list[str]) -> None:
        """Run a hook's command; record what it prints and which modules it loads."""
        at = next(place for place, word in enumerate(command) if word.endswith(".py"))
        # what the launcher of the settings would start
        python = [command[at - 1], "-S", "-E", "-X", "importtime"]
        program = [*python, "-c", _HOOK, str(FROZEN / "sitecustomize.py")]
        done = self._run([*program, *command[at:]], json.dumps(event).encode())
        loud = [line for line in done.stderr.split(b"\n") if not line.startswith(b"import time:")]
        said = f"--- exit {done.returncode}\n{self.masked(done.stdout)}\n"
        said += "--- stderr\n" + self.masked(b"\n".join(loud))
        found = _IMPORTED.findall(done.stderr.decode())
        own: list[str] = []
        other: list[str] = []
        for module in sorted(set(found)):
            if any(one.startswith(f"{module}.") for one in found):
                continue  # a package is loaded for what lies in it
            (own if module.split(".")[0] == "memoria" else other).append(module)
        roles = sorted(f"{role(self.package, module)} {module}" for module in own)
        lines = [*(f"memoria: {one}" for one in roles), *(f"library: {one}" for one in other)]
        self._record(f"{name}.txt", f"{said}--- modules\n" + "\n".join(lines) + "\n")

    def keep(self, name: str) -> None:
        """Record every byte of the vault but of state that lies in it."""
        folder = self.out / name
        for file in sorted(self.vault.rglob("*")):
            inner = file.relative_to(self.vault)
            if file.is_file() and inner.parts[0] != ".memoria":
                target = folder / inner
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(self.masked(file.read_bytes()), encoding="utf-8")

    def hooks(self) -> dict[str, list[str]]:
        """Read from the client's settings how each event's hook is started."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text())
        found = {}
        for event, groups in settings["hooks"].items():
            one = groups[0]["hooks"][0]
            found[event] = [*shlex.split(one["command"]), *one.get("args", ())]
        return found

    def masked(self, data: bytes) -> str:
        """Give a text with this machine's paths replaced by their roles."""
        text = data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
        names = {str(self.root): "<ROOM>", sys.executable: "<PYTHON>", str(ROOT): "<REPOSITORY>"}
        for path, name in names.items():
            text = text.replace(path, name)
        return text

    def _record(self, name: str, text: str) -> None:
        (self.out / name).write_text(text, encoding="utf-8")

    def _run(self, command: list[str], said: bytes) -> subprocess.CompletedProcess[bytes]:
        self.steps += 1
        now = {"GOLDENS_NOW": str(START + self.steps * STEP)}
        return subprocess.run(
            command,
            input=said,
            capture_output=True,
            cwd=self.work,
            env=self.environment | now,
            check=False,
        )


def role(package: Path, module: str) -> str:
    """Name a module by what it defines, so that moving or renaming it changes nothing."""
    path = package.joinpath(*module.split(".")).with_suffix(".py")
    if not path.is_file():
        return "-" * 8
    kinds = (ast.FunctionDef, ast.ClassDef)
    body = ast.parse(path.read_text(encoding="utf-8")).body
    names = " ".join(sorted(node.name for node in body if isinstance(node, kinds)))
    return hashlib.sha256(names.encode()).hexdigest()[:8]
