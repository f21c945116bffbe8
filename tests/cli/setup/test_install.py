import json
import os
import shlex
import signal
import subprocess
import sys
from argparse import Namespace
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from place import state_of

from memoria.agents.claude_code import settings as client_settings, settings_store
from memoria.cli.setup import install as install_command
from memoria.cli.setup.install import build_hooks, install, put_hooks
from memoria.errors import SettingsError, UsageError
from memoria.settings import load
from memoria.workspace import workspace

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"


@dataclass
class Place:
    """A person's machine: a vault, the client's folder, the installed package."""

    root: Path
    vault: Path = field(init=False)
    state: Path = field(init=False)
    config: Path = field(init=False)
    hooks: Path = field(init=False)

    def __post_init__(self):
        self.vault = self.root / "my vault"
        self.state = self.root / "state"
        self.config = self.root / ".claude"
        self.hooks = self.root / "lib" / "memoria" / "hooks"
        self.hooks.mkdir(parents=True)
        for _, name in (*client_settings.SCRIPTS, *client_settings.OPTIONAL):
            (self.hooks / name).write_text("")

    @property
    def settings(self) -> Path:
        return self.config / "settings.json"

    def write(self, text: str) -> None:
        self.config.mkdir(exist_ok=True)
        self.settings.write_bytes(text.encode())

    def install(self, python=sys.executable, *, dry_run=False):
        hooks = build_hooks(self.vault, Path(python), self.hooks, self.state)
        return install(self.config, hooks, dry_run=dry_run)

    def files(self) -> dict[str, bytes]:
        found = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


TEXTS = [
    None,
    "{}",
    '{\r\n\t"model": "opus",\r\n\t"a": 1\r\n}\r\n',
    '\ufeff{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"caf\u00e9"}]}]}}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_install_and_uninstall_leave_every_byte_of_the_machine_as_it_was(place, text):
    if text is not None:
        place.write(text)
    before = place.files()
    done = place.install()
    assert done.changed
    changed = set(place.files().items()) - set(before.items())
    assert {name for name, _ in changed} == {".claude/settings.json"}
    left = put_hooks(place.settings, (), dry_run=False)
    assert (left.changed, left.deleted) == (True, text is None)
    assert place.files() == before


@pytest.mark.parametrize("text", TEXTS)
def test_a_dry_run_shows_the_same_diff_and_changes_nothing(place, text):
    if text is not None:
        place.write(text)
    before = place.files()
    shown = place.install(dry_run=True)
    assert place.files() == before
    assert not place.config.exists() or text is not None
    done = place.install()
    assert (shown.diff, shown.changed) == (done.diff, True)
    installed = place.files()
    shown = put_hooks(place.settings, (), dry_run=True)
    assert place.files() == installed
    assert put_hooks(place.settings, (), dry_run=False) == shown


def test_what_the_client_will_run(place):
    place.install()
    groups = json.loads(place.settings.read_text())["hooks"]
    assert list(groups) == [
        *("SessionStart", "PreCompact", "SessionEnd"),
        *("UserPromptSubmit", "PostToolUseFailure"),
    ]
    [handler] = groups["SessionEnd"][0]["hooks"]
    script, vault = str(place.hooks / "session_end.py"), str(place.vault)
    assert sorted(handler) == ["command", "timeout", "type"]
    words = shlex.split(handler["command"])
    assert [*words[:2], *words[3:]] == [
        *("/bin/sh", "-c", sys.executable, script),
        *("--vault", vault, "--state", str(place.state), "||", "exit", "0"),
    ]
    line = ["/bin/sh", "-c", handler["command"]]
    ran = subprocess.run(line, check=True, capture_output=True)
    assert ran.stdout == b""
    assert not any(hook.gone for hook in settings_store.read_installed_hooks(place.config))


def test_a_new_interpreter_or_vault_replaces_the_old(place):
    place.write('{\n  "a": 1\n}\n')
    other = place.root / "python3"
    other.write_text("")
    place.install(python=other)
    place.vault = place.root / "other"
    assert place.install().changed
    found = settings_store.read_installed_hooks(place.config)
    assert {(hook.python, hook.vault) for hook in found} == {(sys.executable, str(place.vault))}
    assert len(found) == 5
    put_hooks(place.settings, (), dry_run=False)
    assert place.settings.read_text() == '{\n  "a": 1\n}\n'


@pytest.mark.parametrize("text", ['{"a": 1,}', "[]", '{"hooks": 1}', "// mine\n{}"])
def test_settings_that_are_not_valid_stay(place, text):
    place.write(text)
    before = place.files()
    for act in (place.install, lambda: put_hooks(place.settings, (), dry_run=False)):
        with pytest.raises(SettingsError, match=r"settings\.json(, line 1, column|: )"):
            act()
    assert place.files() == before


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_read_only_settings_stay(place):
    place.write("{}")
    place.settings.chmod(0o444)
    with pytest.raises(UsageError, match="read-only"):
        place.install()
    assert place.settings.read_text() == "{}"
    place.settings.chmod(0o644)
    assert place.install().changed


@pytest.mark.parametrize("name", ["vault", "state"])
def test_a_path_that_json_cannot_hold_is_refused(place, name):
    setattr(place, name, place.root / "a\udcffb")
    with pytest.raises(UsageError, match="cannot be printed"):
        place.install()


def test_a_kill_at_any_step_leaves_settings_that_an_uninstall_gives_back(place):
    """Die before the n-th write to the disk, for every n."""
    code = (
        "import os, sys, signal; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from memoria.cli.setup.install import build_hooks, install\n"
        "left = [int(sys.argv[2])]\n"
        "def hook(event, args):\n"
        "    if event in {'os.rename', 'os.remove', 'os.chmod', 'os.mkdir'} or (\n"
        "        event == 'open' and isinstance(args[2], int) and args[2] & os.O_CREAT):\n"
        "        left[0] -= 1\n"
        "        if left[0] < 0: os.kill(os.getpid(), signal.SIGKILL)\n"
        "sys.addaudithook(hook)\n"
        "vault, config, hooks = map(Path, sys.argv[3:])\n"
        "hooks = build_hooks(vault, Path(sys.executable), hooks, vault / 'x')\n"
        "install(config, hooks, dry_run=False)\n"
    )
    for step in range(20):
        place.write('{"a": 1}')
        words = [str(SCRIPTS), str(step), str(place.vault), str(place.config), str(place.hooks)]
        ran = subprocess.run([sys.executable, "-B", "-c", code, *words], check=False)
        json.loads(place.settings.read_text())
        put_hooks(place.settings, (), dry_run=False)
        assert place.settings.read_text() == '{"a": 1}'
        if ran.returncode == 0:
            break
        assert ran.returncode == -signal.SIGKILL
    assert step >= 4  # two temporary files, two renames


@pytest.fixture
def run(place, capsys):
    """Run a verb of the installation there; give stdout and stderr."""
    environ = {"HOME": str(place.root), "CLAUDE_CONFIG_DIR": str(place.config)}
    work = workspace(load(str(place.vault), environ=environ))

    def run(verb="install", *, dry_run=False):
        options = {"json": False, "agent": "", "project": False, "state": ""}
        assert install_command.run(Namespace(verb=verb, dry_run=dry_run, **options), work) == 0
        return capsys.readouterr()

    return run


def test_the_verbs_print_two_lines_and_with_dry_run_the_diff(place, run, monkeypatch):
    monkeypatch.setattr(install_command, "HOOKS", place.hooks)
    out, _ = run(dry_run=True)
    head, diff = out.split("\n\n", 1)
    assert len(head.splitlines()) == 6
    assert all(said in head for said in ("a session starts", "`memoria uninstall` deletes it"))
    assert diff.startswith(f"--- {place.settings}\n+++ {place.settings}\n@@ ")
    assert max(map(len, diff.splitlines()[2:])) <= 80
    old = place.config / "projects" / "-home-ana" / "s-1.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text("{}\n")
    out, err = run()
    assert out == ""
    undo, earlier = err.splitlines()
    assert "`memoria uninstall` undoes it" in undo
    assert f"1 earlier session is not in it: `memoria start --vault '{place.vault}'" in earlier
    out, err = run()
    assert (out, "already" in err) == ("", True)
    out, err = run("uninstall", dry_run=True)
    assert out.count("\n-") > 30
    assert ("nothing was written" in err, place.settings.exists()) == (True, True)
    out, err = run("uninstall")
    assert (out, place.settings.exists()) == ("", False)
    assert "is gone: nothing but" in err


def test_the_hooks_name_vault_and_state_and_take_neither_from_the_environment(place, run, tmp_path):
    run()
    state = state_of(place.vault)
    for hook in settings_store.read_installed_hooks(place.config):
        assert hook.args[-4:] == ("--vault", str(place.vault), "--state", str(state))
        assert hook.vault == str(place.vault)
    transcript = place.config / "projects" / "-work" / "s-1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("{}\n")
    [handler] = json.loads(place.settings.read_text())["hooks"]["SessionEnd"][0]["hooks"]
    snapshot = json.loads((state / "hooks.json").read_bytes())
    (state / "hooks.json").write_text(json.dumps(snapshot | {"command": ["/nowhere"]}))
    event = {"session_id": "s-1", "transcript_path": str(transcript), "cwd": "/"}
    words = ["/bin/sh", "-c", handler["command"]]
    other = str(tmp_path / "other")
    environ = {"HOME": "/", "MEMORIA_VAULT": other, "MEMORIA_STATE_DIR": other}
    subprocess.run(words, input=json.dumps(event).encode(), check=True, env=environ)
    assert len(list((state / "spool" / "new").glob("*.json"))) == 1
