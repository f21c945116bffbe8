"""A folder -> a home, a vault and a project that a round of torture works on, and its sessions.

All is made up here. The vault of the first round is made by Memoria's own verbs and copied for each
later one, which takes a hundredth of the time.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memoria import settings
from memoria.cli.main import main
from memoria.terminal_driver import Driver
from memoria.workspace import Workspace, workspace

if TYPE_CHECKING:
    from pathlib import Path

RULES = (
    "Always run the whole test suite before you push.",
    "Never commit to the main branch directly.",
    "From now on use uv instead of pip.",
    "Always write the changelog before the release.",
)
THINGS = ("token check", "invoice export", "login form", "search index", "mail queue", "cache key")
DAYS = ("2026-03-02", "2026-03-03", "2026-03-04")
# sessions that are to be forgotten: their names begin so, and so does a word that they all say
DOOMED = "quokka"
# a day on which nothing else was done and whose log nobody edits: no other's line goes with it
DOOMED_DAY = "2026-02-02"
STEERING = ("MEMORIA", "ANTHROPIC", "CLAUDE", "XDG_")


@dataclass(frozen=True)
class World:
    """Where everything of a round lies: `acks` is what processes were told is done."""

    root: Path

    @property
    def vault(self) -> Path:
        """The vault."""
        return self.root / "vault"

    @property
    def state(self) -> Path:
        """This machine's state of it."""
        return self.root / "state"

    @property
    def transcripts(self) -> Path:
        """Where the client would write its transcripts."""
        return self.root / "home" / ".claude" / "projects" / "-home-ana-shop"

    @property
    def project(self) -> Path:
        """A project that rules are promoted to."""
        return self.root / "shop"

    @property
    def other(self) -> Path:
        """Another project, for a rule that is taken out of it."""
        return self.root / "other"

    @property
    def acks(self) -> Path:
        """What was acknowledged, one word and one key a line."""
        return self.root / "acks"

    def environment(self) -> None:
        """Give this process the world's home and nothing of the machine's that steers Memoria."""
        for name in [one for one in os.environ if one.startswith(STEERING)]:
            del os.environ[name]
        home = str(self.root / "home")
        os.environ |= {"HOME": home, "USERPROFILE": home}
        os.environ |= {"MEMORIA_ENGINE": "offline", "MEMORIA_TIMEZONE": "UTC"}

    def run(self, *words: str) -> int:
        """Run a verb on the vault, without its talk; give its exit code."""
        verb, *rest = words
        return main([verb, "--vault", str(self.vault), "--quiet", *rest], driver=Driver())

    def work(self) -> Workspace:
        """Open the vault anew."""
        return workspace(settings.load(str(self.vault)), quiet=True)

    def session(self, name: str, number: int, rule: str = "") -> Path:
        """Write the transcript of a session in which something was asked, failed and was mended."""
        path = self.transcripts / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = _lines(name, number, rule)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def acknowledged(self, word: str) -> list[str]:
        """Give the keys that were acknowledged with a word."""
        text = self.acks.read_text(encoding="utf-8") if self.acks.exists() else ""
        pairs = (line.partition(" ") for line in text.splitlines())
        return [key for said, _, key in pairs if said == word]


def make(root: Path) -> World:
    """Make the world of the first round: a vault with entries, articles and rules."""
    world = World(root)
    (root / "home").mkdir(parents=True)
    world.project.mkdir()
    world.environment()
    os.chdir(world.project)
    world.run("init", "--state", str(world.state))
    for number, rule in enumerate(RULES):
        world.session(f"first-{number}", number, rule)
    world.run("import")
    world.run("compile")
    (world.project / "CLAUDE.md").write_text("# Shop\n\nMy own words.\n", encoding="utf-8")
    return world


def renew(world: World, kept: Path) -> None:
    """Put the world back to what `kept` holds, which is made of it the first time."""
    os.chdir("/")
    if not kept.exists():
        shutil.copytree(world.root, kept)
    shutil.rmtree(world.root)
    shutil.copytree(kept, world.root)
    os.chdir(world.project)


def _lines(name: str, number: int, rule: str) -> list[dict[str, Any]]:
    about = f"the {THINGS[number % len(THINGS)]} of customer {number}"
    if name.startswith(DOOMED):
        about = f"{about} {name}"  # a word that nobody else says
    call = {"type": "tool_use", "id": f"t-{name}", "name": "Bash", "input": {"command": "pytest"}}
    failed = {
        "type": "tool_result",
        "tool_use_id": f"t-{name}",
        "content": f"Exit code 1\nE   ValueError: {about} is empty",
        "is_error": True,
    }
    said = (
        f"The root cause: `shop_{number % 7}.py` read {about} before it was saved, so it came out "
        f"empty. The fix saves first and reads then, because a read takes a lock that a save "
        f"waits for."
    )
    blocks: list[tuple[str, Any]] = [
        ("user", f"Why does {about} come out empty? {rule}".strip()),
        ("assistant", [call]),
        ("user", [failed]),
        ("assistant", [{"type": "text", "text": said}]),
    ]
    day = DOOMED_DAY if name.startswith(DOOMED) else DAYS[number % len(DAYS)]
    return [
        {
            "type": kind,
            "uuid": f"u-{name}-{at}",
            "sessionId": name,
            "cwd": "/home/ana/shop",
            "version": "2.1.30",
            "gitBranch": "main",
            "isSidechain": False,
            "timestamp": f"{day}T{number % 24:02d}:{(number // 24) % 60:02d}:{at:02d}Z",
            "message": {"role": kind, "content": content, "id": f"m-{name}-{at}"},
        }
        for at, (kind, content) in enumerate(blocks)
    ]
