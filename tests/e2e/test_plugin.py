"""The plugin in the real client: from the marketplace to the last uninstall."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from client import find_client
from keeper import TALKS, Keeper, answers
from loopback import call, prompt_text

from memoria.hooks.plugin import UNSET

A, B, C, D = TALKS
ROOT = Path(__file__).resolve().parents[2]
NAME = "memoria@memoria"


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """The repository as a marketplace, at a place with blanks and signs."""
    folder = tmp_path_factory.mktemp("market") / "Ana's $HOME r\u00e4ume"
    skip = shutil.ignore_patterns("__pycache__", ".mypy_cache", ".ruff_cache", "samples")
    for name in (".claude-plugin", "scripts", "hooks"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    for name in ("AGENTS.md", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    return folder


class Plugged(Keeper):
    """A room with a vault at the default place, and the plugin in the client."""

    def __init__(self, root, loop, **extra):
        super().__init__(root, loop, "offline", installed=False, **extra)
        self.vault = self.home / "memoria"

    def plugin(self, *words):
        done = self.run(find_client(), "plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def plug(self, market, *more):
        self.plugin("marketplace", "add", market)
        self.plugin("install", NAME, *more)

    def told(self):
        """What stood in the last request to the model."""
        return prompt_text(self.loop.bodies[-1])


ROOM = Plugged


def test_the_manifests_are_valid():
    done = subprocess.run(
        [find_client(), "plugin", "validate", ROOT, "--strict"],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "memoria:memory" in done.stdout


def test_from_the_marketplace_to_the_last_uninstall(room, market):
    before = sorted(path.name for path in market.rglob("*"))
    room.plug(market)
    assert NAME in room.plugin("list")
    # no vault: one line, and nothing is made
    assert room.ask(TALKS[A][0]).stdout.strip() == TALKS[A][1]
    assert room.told().count(UNSET) == 1
    assert not room.vault.exists()
    room.do("init")
    room.on_branch("leaks")
    room.ask(TALKS[A][0])
    room.kept()
    room.delivered_once(A, parts=1)
    assert UNSET not in room.told()
    # a command of the plugin, in the client's own words for its folder; the skill is offered;
    # and the second session gets what the first one left
    search = "mcp__plugin_memoria_memoria__memory_search"
    room.loop.script(
        call("ToolSearch", {"query": f"select:{search}"}), call(search, {"query": "zebra-4471"})
    )
    room.loop.fallback = answers
    room.ask(f"/memoria:query {TALKS[B][0]}")
    assert f"{TALKS[B][0]}\n\n1. Search" in room.told()
    # the server answered, and nobody had to allow it
    found = json.dumps(room.loop.bodies[-1]["messages"][-2:])
    assert "never evicts an entry" in found
    assert "permission" not in found
    assert f'"{market}/.claude-plugin/run.py" search "WORDS"' in room.told()
    assert "memoria:memory" in room.told()
    assert "<memoria-" in room.told()
    room.kept()
    room.plugin("disable", NAME)
    room.ask(TALKS[C][0])
    room.settle()
    texts = "".join(room.texts())
    assert [word in texts for word in TALKS] == [True, True, False, False]
    assert len({record["session"] for record in room.ledger("session")}) == 2
    room.plugin("uninstall", NAME)
    room.plugin("marketplace", "remove", "memoria")
    left = json.loads(room.settings().read_text())
    assert not any(left.values()), left
    assert sorted(path.name for path in market.rglob("*") if "pyc" not in path.name) == before


def test_beside_an_install_nothing_is_captured_or_said_twice(room, market):
    """The plugin finds the vault that the install's hooks name."""
    room.vault = room.root / "elsewhere"
    room.do("install")
    room.do("remember", "Always name zebra-4471 in the change log", "--global")
    room.plug(market)
    room.ask(TALKS[A][0])
    assert room.told().count("in the change log") == 1
    assert room.told().count("<memoria-") == 1
    room.kept()
    room.delivered_once(A, parts=1)
    assert len(room.ledger("injection")) == 1
    assert not (room.home / "memoria").exists()


def test_a_rule_stands_guard_there_too(room, market):
    room.do("init")
    check = 'check: {occasion: {command: ["frobnicate --force"]}}\n'
    _, told = room.guard("Never frobnicate by force", check)
    assert "the plugin has them" in told
    room.plug(market)
    room.loop.script(
        call("Bash", {"command": "echo one"}),
        call("Bash", {"command": "cd . && frobnicate --force now"}),
    )
    room.ask("Frobnicate it.", "--allowedTools", "Bash")
    results = json.dumps(room.loop.bodies[-1]["messages"])
    assert "PreToolUse:Bash hook error: Memoria: the call was not run" in results
    assert "Never frobnicate by force" in results
