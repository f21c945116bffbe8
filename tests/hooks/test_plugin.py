"""The plugin's entry as the client starts it, and how it finds vault and interpreter."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import hooked
import pytest
from limits import spent
from place import state_of

from memoria.agents.claude_code import settings as client_settings
from memoria.cli.setup.init import init
from memoria.hooks import call_answer, launcher, plugin, run as runner
from memoria.settings import load
from memoria.vault.storage.registry import Registry
from memoria.workspace import workspace

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / ".claude-plugin" / "run.py"
MANIFEST = json.loads((ROOT / ".claude-plugin" / "hooks.json").read_text(encoding="utf-8"))
EVENTS = sorted(MANIFEST["hooks"])
# CPU seconds: a third of what the client gives a plugin's SessionEnd
LIMIT = 0.5


class Machine:
    """A home with the client's folder in it."""

    def __init__(self, home):
        self.home = home
        self.config = home / ".claude"
        self.project = self.config / "projects" / "-work"
        self.project.mkdir(parents=True)
        self.env = {"HOME": str(home), "PATH": os.environ["PATH"], "CLAUDE_PLUGIN_ROOT": str(ROOT)}

    def vault(self, name="memoria", **more):
        environ = {**self.env, "CLAUDE_CONFIG_DIR": str(self.config), **more}
        work = workspace(load(str(self.home / name), environ=environ))
        init(work)
        return work

    def mute(self):
        """Make a vault whose flush can not be started."""
        work = self.vault()
        hooked.amend(work.vault.state.snapshot, command=["/nowhere"])
        return work

    def install(self, work):
        """Let the hooks of all projects serve that vault."""
        Registry().install(work.vault.root)

    def place(self, **more):
        return plugin.find_place({**self.env, "CLAUDE_CONFIG_DIR": str(self.config), **more})

    def event(self, name, **more):
        transcript = self.project / "s-1.jsonl"
        transcript.write_text("{}\n")
        return {
            "hook_event_name": name,
            "session_id": "s-1",
            "transcript_path": str(transcript),
            "cwd": "/",
            **more,
        }

    def hook(self, name, command=None, env=None, **more):
        """Run a hook as the client does: its line of hooks.json in a shell."""
        [group] = MANIFEST["hooks"][name]
        [entry] = group["hooks"]
        return subprocess.run(
            ["/bin/sh", "-c", command or entry["command"]],
            input=json.dumps(self.event(name, **more)),
            env={**self.env, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return Machine(tmp_path)


def jobs(vault):
    return list((state_of(vault) / "spool" / "new").glob("*.json"))


def found(folder):
    return list(Path(folder).glob("python3.1*"))


def test_it_hears_of_what_an_install_hears_of():
    every = {event for event, _ in (*client_settings.SCRIPTS, *client_settings.OPTIONAL)}
    assert every <= set(EVENTS)
    # two of them capture
    assert len({runner.load_module(event) for event in EVENTS}) == len(EVENTS) - 1


@pytest.mark.parametrize("name", EVENTS)
def test_without_a_vault_a_hook_is_silent_but_for_the_first_start(machine, name):
    done = machine.hook(name, source="startup", prompt="hello")
    assert (done.returncode, done.stderr) == (0, "")
    if name == "SessionStart":
        said = json.loads(done.stdout)
        assert said["systemMessage"] == plugin.UNSET
        assert said["hookSpecificOutput"]["additionalContext"] == plugin.UNSET
        assert "\n" not in plugin.UNSET
        assert machine.hook(name, source="resume").stdout == ""
        assert machine.hook(name, source="startup", env={"MEMORIA_DISABLE": "1"}).stdout == ""
    else:
        assert done.stdout == ""
    assert sorted(path.name for path in machine.home.iterdir()) == [".claude"]


def test_a_session_s_end_is_in_the_spool_before_the_client_loses_patience(machine):
    work = machine.mute()
    took = []
    for _ in range(3):
        began = spent()
        done = machine.hook("SessionEnd", reason="other")
        took.append(spent() - began)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(jobs(work.vault.root)) == 3
    assert min(took) < LIMIT


@pytest.mark.parametrize("found", ["", "python", "py"])
def test_a_machine_without_python3(machine, tmp_path, found):
    work = machine.mute()
    folder = tmp_path / "bin"
    folder.mkdir()
    # as Windows has one that only says where to buy a real one
    (folder / "python3").write_text("#!/bin/sh\necho not found >&2\nexit 49\n")
    (folder / "python3").chmod(0o755)
    if found:
        (folder / found).symlink_to(sys.executable)
    done = machine.hook("SessionEnd", env={"PATH": str(folder)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(jobs(work.vault.root)) == (1 if found else 0)
    said = machine.hook("SessionStart", env={"PATH": str(folder)}, source="startup").stdout
    assert ("no Python 3.11" in said) == (not found)


def test_an_old_python_hands_over_to_a_newer_one(machine, tmp_path):
    """The entry is run with the version of an old one: it looks for a newer on the PATH."""
    work = machine.mute()
    folder = tmp_path / "bin"
    folder.mkdir()
    old = (
        f"import sys; sys.version_info = (3, 9); sys.argv = [{str(RUN)!r}, 'hook', 'SessionEnd']; "
        f"import runpy; runpy.run_path({str(RUN)!r}, run_name='__main__')"
    )
    command = f'{sys.executable} -S -E -c "{old}"'
    named = {"PATH": str(folder), "HOME": str(machine.home)}
    # where it looks beside the PATH, this machine may have one
    if not [one for place in ("/usr/local/bin", "/opt/homebrew/bin") for one in found(place)]:
        done = machine.hook("SessionEnd", command=command, env=named)
        assert (done.returncode, done.stdout, jobs(work.vault.root)) == (1, "", [])
    (folder / f"python3.{sys.version_info[1]}").symlink_to(sys.executable)
    done = machine.hook("SessionEnd", command=command, env=named)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(jobs(work.vault.root)) == 1


# -- Which vault ----------------------------------------------------------------------------------


def test_the_option_comes_first_then_an_install_then_the_home(machine):
    assert machine.place().snapshot is None
    home = machine.vault().vault.root
    assert machine.place().vault == str(home)
    other = machine.vault("installed")
    machine.install(other)
    assert machine.place().vault == str(other.vault.root)
    named = str(machine.vault("named").vault.root)
    assert machine.place(**{plugin.OPTION: named}).vault == named
    # what a project's settings can set is no reason to take another
    elsewhere = {"MEMORIA_VAULT": str(home), "MEMORIA_STATE_DIR": str(state_of(home))}
    found = machine.place(**elsewhere, **{plugin.OPTION: named})
    assert (found.vault, found.state) == (named, str(state_of(named)))


def test_an_installed_vault_whose_state_is_gone_gives_way(machine):
    home = machine.vault().vault.root
    gone = machine.vault("gone")
    machine.install(gone)
    gone.vault.state.snapshot.unlink()
    assert machine.place().vault == str(home)
    Registry().install(None)
    assert machine.place().vault == str(home)


def test_a_named_vault_that_is_not_set_up_is_no_reason_to_take_another(machine):
    machine.vault()
    assert machine.place(**{plugin.OPTION: str(machine.home / "none")}).snapshot is None


def test_what_a_project_sets_is_handed_to_no_verb(machine, tmp_path):
    found = machine.vault()
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    values = {"ANTHROPIC_BASE_URL": "x", "MEMORIA_ENGINE": "claude", "PYTHONPATH": "y"}
    (project / ".claude/settings.json").write_text(json.dumps({"env": values}))
    code = f"import json, os, sys; sys.path.append({str(ROOT / 'scripts')!r})\n"
    code += "from memoria.hooks import plugin, protocol\n"
    code += "print(json.dumps(protocol.build_environment(plugin.find_place(os.environ))))"
    more = values | {"CLAUDE_PROJECT_DIR": str(project), "OTHER": "z"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=machine.env | more, capture_output=True, check=True
    )
    told = json.loads(done.stdout)
    assert not values.keys() & told.keys()
    assert told["OTHER"] == "z"
    assert found.vault.state.exists


@pytest.mark.parametrize("text", ["{", "[]", '{"vaults": 1}', '{"vaults": {"x": 7}}', "\0"])
def test_a_registry_that_is_none(machine, text):
    machine.vault()
    (state_of(machine.home / "memoria").parent / "registry.json").write_text(text)
    assert machine.place().snapshot is None


# -- Verbs and the server -------------------------------------------------------------------------


def run(machine, *words, stdin="", **more):
    return subprocess.run(
        [sys.executable, "-S", "-E", RUN, *words],
        input=stdin,
        env={**machine.env, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_verb_runs_in_the_interpreter_of_the_vault(machine):
    done = run(machine, "status")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"{plugin.UNSET}\n")
    machine.vault()
    done = run(machine, "status", "--json")
    assert done.returncode == 0, done.stderr
    assert "rules" in json.loads(done.stdout)


def test_an_interpreter_that_is_gone_is_replaced_by_the_program_on_the_path(machine, tmp_path):
    work = machine.vault()
    hooked.amend(work.vault.state.snapshot, command=["/gone", "/gone"])
    done = run(machine, "status", PATH=str(tmp_path))
    assert (done.returncode, "is gone" in done.stderr) == (3, True)
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "memoria"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    done = run(machine, "search", "a b", PATH=str(folder))
    assert done.stdout == f"search --vault {work.vault.root} a b\n"


def test_without_a_vault_the_server_is_there_and_has_no_tools(machine):
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "resources/list"},
    ]
    done = run(machine, "mcp", stdin="".join(f"{json.dumps(one)}\n" for one in asked) + "{\n")
    assert (done.returncode, done.stderr) == (0, "")
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["id"] for one in said] == [1, 2, 3]
    assert said[0]["result"]["protocolVersion"] == "x"
    assert said[1]["result"] == {"tools": []}
    assert said[2]["error"]["code"] == -32601


def test_a_server_whose_interpreter_is_gone_says_so_to_the_model():
    sink = io.BytesIO()
    launcher.serve_without_tools(io.BytesIO(b'{"id": 1, "method": "initialize"}\n'), sink, "gone")
    assert json.loads(sink.getvalue())["result"]["instructions"] == "gone"


def test_a_tool_call_starts_no_python_while_no_guard_is_on(machine, tmp_path):
    work = machine.vault()
    data = tmp_path / "data"
    data.mkdir()
    env = {"CLAUDE_PLUGIN_DATA": str(data)}
    calls = tmp_path / "calls"
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho x >> "{calls}"\nexec {sys.executable} "$@"\n')
    program.chmod(0o755)
    env["PATH"] = f"{program.parent}:/usr/bin:/bin"
    compiled = work.vault.state.root / plugin.COMPILED
    for is_on in (False, True, False):
        if is_on:
            compiled.write_text('{"tools": {}, "guards": []}')
        else:
            compiled.unlink(missing_ok=True)
        machine.hook("UserPromptSubmit", env=env, prompt="hello")
        calls.unlink()
        done = machine.hook("PreToolUse", env=env, tool_name="Bash", tool_input={"command": "ls"})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert calls.exists() == is_on


def test_the_names_that_are_written_twice_are_the_same():
    assert call_answer.COMPILED == plugin.COMPILED
    assert f"$CLAUDE_PLUGIN_DATA/{plugin.GUARDED}" in json.dumps(MANIFEST)


def test_a_clone_that_is_the_vault_serves_as_the_plugin_s_too(machine):
    clone = machine.vault("clone").vault.root
    assert machine.place(CLAUDE_PLUGIN_ROOT=str(clone)).vault == str(clone)
    other = machine.vault("other")
    machine.install(other)
    assert machine.place(CLAUDE_PLUGIN_ROOT=str(clone)).vault == str(other.vault.root)
