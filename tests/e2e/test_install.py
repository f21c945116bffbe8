"""Installed hooks in the real client: beside others, at odd places, and gone again."""

import json
import shutil
import sys
from functools import partial
from pathlib import Path

from client import SCRIPTS
from keeper import TALKS, Keeper
from loopback import prompt_text

from memoria.agents.claude_code import settings as client_settings

A, B, C, D = TALKS


ROOM = partial(Keeper, engine="offline", installed=False)


def test_from_nothing_to_a_captured_session_and_back(room):
    room.settings().write_text('{"model": "haiku",\n  "env": {"X": "1"}}')
    room.record("SessionStart", "SessionEnd")
    before = room.settings().read_bytes()
    room.do("init")
    code, found = room.checks()
    assert (code, found["hooks"]["ok"]) == (1, False)
    assert "memoria install" in found["hooks"]["detail"]
    room.do("install", "--dry-run")
    assert room.settings().read_bytes() == before
    room.do("install")
    room.do("install")
    assert json.loads(room.settings().read_text())["env"] == {"X": "1"}
    room.ask(TALKS[A][0])
    room.kept()
    room.delivered_once(A, parts=1)
    assert len(room.events("SessionStart")) == len(room.events("SessionEnd")) == 1
    code, found = room.checks()
    assert (code, found["hooks"]["ok"], found["captured"]["ok"]) == (0, True, True)
    assert "project" in found["captures"]["detail"]
    room.do("uninstall")
    assert room.settings().read_bytes() == before
    room.ask(TALKS[B][0])
    room.kept()
    room.delivered_once(A, parts=1)


def test_places_with_spaces_and_other_letters(loop, tmp_path):
    with Keeper(tmp_path / "Ana's r\u00e4ume $HOME \u4e2d", loop, "offline") as room:
        room.ask(TALKS[A][0])
        room.kept()
        room.delivered_once(A, parts=1)


HOOK_EVENTS = ("--output-format", "stream-json", "--verbose", "--include-hook-events")


class Own:
    """A Python and a copy of the package that an install in the room names, to be taken away."""

    def __init__(self, room):
        self.room = room
        self.python = room.root / "env" / "bin" / "python"
        self.package = room.root / "lib" / "memoria"
        self.python.parent.mkdir(parents=True)
        self.python.symlink_to(Path(sys.executable).resolve())
        if sys.prefix != sys.base_prefix:
            shutil.copy(Path(sys.prefix) / "pyvenv.cfg", room.root / "env")
        (room.root / "env" / "lib").symlink_to(Path(sys.prefix) / "lib")
        shutil.copytree(SCRIPTS / "memoria", self.package)
        shutil.copy(SCRIPTS.parent / "AGENTS.md", self.package)
        self.memoria("install")

    def memoria(self, verb):
        code = f"import sys; sys.path.insert(0, {str(self.package.parent)!r})\n"
        code += "from memoria.cli.main import main; sys.exit(main())"
        words = (verb, "--vault", self.room.vault)
        done = self.room.run(self.python, "-c", code, *words, seconds=60)
        assert done.returncode == 0, done.stderr

    def ask(self, talk):
        """Have a session; give what came of each hook: exit code, and what the client shows."""
        done = self.room.ask(TALKS[talk][0], *HOOK_EVENTS)
        assert done.returncode == 0
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        (result,) = (line for line in lines if line["type"] == "result")
        assert result["result"] == TALKS[talk][1]
        self.shown = done.stdout + done.stderr
        found = [line for line in lines if line.get("subtype") == "hook_response"]
        assert found
        return {line["hook_event"]: (line["exit_code"], line["stderr"]) for line in found}

    def told(self):
        """Give what Memoria told the last session's model."""
        return "\n".join(prompt_text(one.body) for one in self.room.loop.requests)


def test_an_upgraded_python_leaves_the_hooks_at_work(room):
    own = Own(room)
    assert set(own.ask(A).values()) == {(0, "")}
    room.kept()
    room.delivered_once(A, parts=1)
    assert "Memoria: " not in own.told()
    own.python.unlink()
    assert set(own.ask(B).values()) == {(0, "")}
    assert "ENOENT" not in own.shown
    line = f"Memoria: what writes sessions down ({own.python}) is gone, so they wait."
    assert line in own.told()
    room.settle()
    room.delivered_once(A, parts=1)
    assert len(list((room.state / "spool" / "new").glob("*.json"))) == 1
    code, found = room.checks()
    assert (code, found["hooks"]["ok"], found["interpreter"]["ok"]) == (1, False, False)
    assert found["hooks"]["detail"].startswith(f"{own.python} is gone; `memoria install --vault ")
    # and what mends it brings in what waited
    room.do("install")
    own.ask(C)
    room.kept()
    assert len(room.texts()) == 3
    assert room.checks()[0] == 0


def test_a_package_that_is_gone_leaves_no_complaint_at_each_prompt(room):
    own = Own(room)
    shutil.rmtree(own.package)
    assert set(own.ask(A).values()) == {(0, "")}
    assert "ENOENT" not in own.shown
    assert "Traceback" not in own.shown
    assert own.told().count(client_settings.LOST) == 1
    room.settle()
    assert room.texts() == []
    room.do("uninstall")
    assert not room.settings().exists()


def test_a_vault_that_was_moved_is_told_and_sessions_wait(loop, tmp_path):
    with Keeper(tmp_path, loop, "offline") as room:
        room.vault.rename(tmp_path / "moved")
        done = room.ask(TALKS[A][0])
        assert (done.returncode, done.stdout.strip()) == (0, TALKS[A][1])
        room.settle()
        told = "\n".join(prompt_text(one.body) for one in loop.requests)
        assert told.count("because the vault ") == 1
        assert f"{room.vault} is not there (moved or deleted?)" in told
        assert not room.vault.exists()
        code, found = room.checks()
        assert (code, found["vault"]["ok"], found["hooks"]["ok"]) == (1, False, True)
        assert found["waiting"]["detail"].startswith("1 captured session waits")
        (tmp_path / "moved").rename(room.vault)
        room.ask(TALKS[B][0])
        room.settle()
        assert len(room.texts()) == 2
