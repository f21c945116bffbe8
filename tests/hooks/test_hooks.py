"""The hooks as the client starts them: as programs, with bytes on stdin, from any folder."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import hooked
import pytest
from limits import HANGS, spent
from place import debugging, state_of

from memoria.hooks import plugin, protocol, start_answer
from memoria.vault import project
from memoria.vault.storage import disk
from memoria.vault.storage.child_environment import clean_environment, own_home
from memoria.vault.storage.registry import Registry, state_home

ROOT = Path(__file__).resolve().parents[2]
CAPTURING = ["session_end", "pre_compact"]
ALL = ["session_start", *CAPTURING]
HOUR = 3600 * 10**9
RULES = "## Standing rules of the user for this project"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="asks the system what POSIX alone tells")

# stands for the flush: notes how it was started
RECORDER = """
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
def note(name, value):
    with open(os.path.join(here, name + ".part"), "w") as file:
        json.dump(value, file)
    os.rename(os.path.join(here, name + ".part"), os.path.join(here, name))
note(f"started-{os.getpid()}", {
    "words": sys.argv[1:],
    "environment": dict(os.environ),
    "pid": os.getpid(),
    "parent": os.getppid(),
    "session": os.getsid(0),
    "streams": [os.readlink(f"/proc/self/fd/{n}") for n in range(3)]
    if os.path.isdir("/proc/self/fd") else ["/dev/null"] * 3,
    "mask": os.umask(0o077),
    "folder": os.getcwd(),
})
if "--slow" in sys.argv:
    time.sleep(0.7)
    note(f"ended-{os.getpid()}", {})
"""


@dataclass
class Machine:
    """A home, the client's folder and an initialised vault whose flush is a recorder."""

    root: Path

    def __post_init__(self):
        self.home = self.root / "home"
        self.projects = self.home / ".claude" / "projects"
        self.vault = self.root / "my vault"
        self.state = self.root / "state of it"
        self.cwd = self.root / "work"
        folders = (self.vault / "daily", self.vault / "knowledge")
        for path in (self.projects / "-work", self.cwd, *folders):
            path.mkdir(parents=True)
        self.make_state(self.vault, self.state)
        self.recorder = self.root / "recorder.py"
        self.recorder.write_text(RECORDER)
        self.session("s-1")

    def make_state(self, vault, state):
        for name in ("spool/new", "logs", "worker", "inject"):
            (state / name).mkdir(parents=True)
        state.chmod(0o700)
        command = [sys.executable, "-S", "-E", str(self.root / "recorder.py")]
        self.write(
            {"command": command, "projects": str(self.projects), "vault": str(vault)},
            "hooks.json",
            state,
        )

    def register(self, vault, state):
        """Write the registry as vault/storage/registry.py does."""
        home = disk.make_folder(self.home / ".local/state/memoria")
        home.chmod(0o700)
        Registry(home).register(vault, state)

    def write(self, value, name, state=None):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        ((state or self.state) / name).write_bytes(data)

    def session(self, name, folder="-work"):
        path = self.projects / folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b'{"type": "user"}\n')
        return path

    def event(self, **fields):
        value = {
            "session_id": "s-1",
            "transcript_path": str(self.projects / "-work" / "s-1.jsonl"),
            "cwd": str(self.cwd),
            "hook_event_name": "SessionEnd",
            "reason": "other",
            **fields,
        }
        return {name: one for name, one in value.items() if one is not None}

    def command(self, hook, *more, clone=None):
        if clone:
            return hooked.command(hooked.of_clone(clone, hook), *more)
        return hooked.command(hook, *(more or ("--vault", self.vault, "--state", self.state)))

    def environment(self, **more):
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], **more}

    def run(self, hook, stdin=None, *more, clone=None, environ=None, **options):
        """Run a hook; give its exit code and what it printed on stdout and stderr."""
        event = stdin if isinstance(stdin, bytes) else stdin or self.event()
        environment = self.environment(**(environ or {}))
        line = self.command(hook, *more, clone=clone)
        return hooked.run(line, event, environment, **{"cwd": self.cwd} | options)

    def start(self, **fields):
        """Give the event of a session's start."""
        fields = {"source": "startup", "reason": None} | fields
        return self.event(hook_event_name="SessionStart", **fields)

    def context(self, *words, **fields):
        """Run SessionStart; give the text that it injects, "" for none."""
        code, out, err = self.run("session_start", self.start(**fields), *words)
        assert (code, err) == (0, b"")
        return hooked.context(out)

    def prepare(self, *texts, name="default"):
        """Write what a flush prepared for starts: these lines as rules."""
        self.write({"rules": [{"text": text} for text in texts]}, f"inject/{name}.json")

    def set_in_project(self, values, folder=None, file="settings.json", before=""):
        """Let a project's settings set the environment of hooks."""
        path = (folder or self.cwd) / ".claude" / file
        path.parent.mkdir(parents=True)
        path.write_text(before + json.dumps({"env": values}))

    def age_markers(self, seconds):
        for marker in (self.state / "seen").iterdir():
            os.utime(marker, (time.time() - seconds, time.time() - seconds))

    def spooled(self, state=None):
        return sorted(path.name for path in ((state or self.state) / "spool" / "new").iterdir())

    def jobs(self, state=None):
        folder = (state or self.state) / "spool" / "new"
        return [json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))]

    def log(self):
        path = self.state / "logs" / "hooks.log"
        return path.read_text() if path.exists() else ""

    def started(self, count, name="started"):
        """Wait until so many flushes have told of themselves; then see that it stays at that."""
        end = time.monotonic() + HANGS
        while len(self._notes(name)) < count and time.monotonic() < end:
            time.sleep(0.02)
        if not count:
            time.sleep(0.3)
        assert len(self._notes(name)) == count
        return [json.loads(path.read_bytes()) for path in self._notes(name)]

    def _notes(self, name):
        return [path for path in self.root.glob(f"{name}-*") if path.suffix != ".part"]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def clone(tmp_path):
    return hooked.clone(tmp_path / "a clone")


BAD_STDIN = {
    "nothing": b"",
    "blank": b" \n",
    "garbage": b"\x00\xff\xfe garbage",
    "half": b'{"session_id": "s-1", "transcript_path": ',
    "2 MB": b'{"session_id": "s-1", "x": "' + b"x" * (2 << 20) + b'"}',
    "array": b"[1, 2]",
    "number": b"7",
    "null": b"null",
    "text": b'"s-1"',
    "deep": b"[" * 500_000,
    "deep object": b'{"a":' * 100_000,
    "long number": b'{"a": ' + b"9" * 100_000 + b"}",
    "empty object": b"{}",
}
BAD_SESSIONS = {
    "none": None,
    "empty": "",
    "traversal": "../../../etc/cron.d/x",
    "absolute": "/tmp/x",
    "NUL": "s-1\0",
    "line end": "s-1\n",
    "long": "s" * 65,
    "letters of others": "s-\u0661",
    "half an emoji": "s-\ud83c",
    "number": 7,
    "list": ["s-1"],
    "dashes": "--",
    "dot": "s.1",
}


def bad_events(machine):
    yield from BAD_STDIN.items()
    yield "blanks without end", json.dumps(machine.event()).encode() + b" " * (2 << 20)
    for name, session in BAD_SESSIONS.items():
        yield f"session {name}", json.dumps(machine.event(session_id=session)).encode()


@pytest.mark.parametrize("hook", ALL)
def test_what_is_no_event_is_met_with_silence(machine, hook):
    files = sorted(machine.root.rglob("*"))
    for name, stdin in bad_events(machine):
        assert machine.run(hook, stdin) == (0, b"", b""), name
    machine.started(0)
    assert sorted(machine.root.rglob("*")) == files


def bad_transcripts(machine):
    """Transcripts that are not to be captured: name and event."""
    outside = machine.root / "outside" / "s-9.jsonl"
    outside.parent.mkdir()
    outside.write_bytes(b"{}\n")
    folder = machine.projects / "-work"
    (folder / "s-2.jsonl").symlink_to(outside)
    (folder / "s-3.jsonl").symlink_to(folder / "s-1.jsonl")
    os.mkfifo(folder / "s-4.jsonl")
    (folder / "s-5.jsonl").mkdir()
    (folder / "s-6.txt").write_bytes(b"{}\n")
    (folder / "s-7.jsonl").symlink_to("/dev/zero")
    (machine.projects / "-linked").symlink_to(outside.parent)
    (machine.home / ".claude" / "projects-of-others").mkdir()
    beside = machine.home / ".claude" / "projects-of-others" / "s-8.jsonl"
    beside.write_bytes(b"{}\n")
    paths = {
        "missing": folder / "s-0.jsonl",
        "outside": outside,
        "a link to outside": folder / "s-2.jsonl",
        "a link to inside": folder / "s-3.jsonl",
        "a fifo": folder / "s-4.jsonl",
        "a folder": folder / "s-5.jsonl",
        "another ending": folder / "s-6.txt",
        "a device": folder / "s-7.jsonl",
        "through a linked folder": machine.projects / "-linked" / "s-9.jsonl",
        "through dots": f"{folder}/../../../outside/s-9.jsonl",
        "beside projects": beside,
        "a system file": "/etc/passwd",
        "relative": "s-1.jsonl",
        "NUL": f"{folder}/s-1\0.jsonl",
        "half an emoji": f"{folder}/\ud83c.jsonl",
        "too long": "/" + "x" * 5000 + ".jsonl",
        "a number": 7,
        "another computer": "//host/share/s-1.jsonl",
    }
    for name, path in paths.items():
        session = Path(path).stem if isinstance(path, Path) else "s-0"
        given = str(path) if isinstance(path, Path) else path
        yield name, machine.event(session_id=session, transcript_path=given)


@pytest.mark.parametrize("hook", CAPTURING)
def test_what_is_no_transcript_of_ours_is_not_taken(machine, hook):
    for name, event in bad_transcripts(machine):
        assert machine.run(hook, event) == (0, b"", b""), name
        assert machine.spooled() == [], name
    machine.started(0)
    assert "no transcript for session s-0" in machine.log()


QUIET = {
    "switched off": ((), {"MEMORIA_DISABLE": "1"}),
    "our own work": ((), {"CLAUDE_INVOKED_BY": "memoria_flush"}),
    "no vault": (("-v",), {}),
    "an option without a value": (("--vault",), {}),
    "an empty vault": (("--vault", ""), {}),
    "a vault that is not there": (("--vault", "/nowhere"), {}),
}


@pytest.mark.parametrize("hook", ALL)
def test_switched_off_or_without_a_vault_nothing_happens(machine, hook):
    for how, (words, environ) in QUIET.items():
        assert machine.run(hook, None, *words, environ=environ) == (0, b"", b""), how
        assert machine.spooled() == [], how
        assert not (machine.state / "seen").exists(), how


NO_SNAPSHOTS = [b"", b"{", b"[]", b"null", b"\xff", b"[" * 200_000, b'{"command": 7}', b"{}", None]


@pytest.mark.parametrize("hook", ALL)
def test_without_a_snapshot_of_ours_nothing_is_captured(machine, hook):
    for number, data in enumerate(NO_SNAPSHOTS):
        (machine.state / "hooks.json").unlink()
        if data is not None:
            machine.write(data, "hooks.json")
        code, out, err = machine.run(hook, machine.event(session_id=f"s-{number}"))
        assert (code, err) == (0, b""), data
        # a start says what is wrong, all else is silent
        start = hook == "session_start" and b"what writes sessions down is gone" in out
        assert out == b"" or start, data
        assert machine.spooled() == [], data


@pytest.mark.parametrize("hook", ALL)
def test_a_clone_to_read_is_not_a_vault(machine, clone, hook):
    before = sorted(path for path in clone.rglob("*") if "__pycache__" not in path.parts)
    assert machine.run(hook, clone=clone) == (0, b"", b"")
    # not even where another vault's state is in the environment
    machine.register(machine.vault, machine.state)
    environ = {"MEMORIA_STATE_DIR": str(machine.state), "MEMORIA_VAULT": str(machine.vault)}
    assert machine.run(hook, clone=clone, environ=environ) == (0, b"", b"")
    machine.started(0)
    after = sorted(path for path in clone.rglob("*") if "__pycache__" not in path.parts)
    assert after == before
    assert machine.spooled() == []


@pytest.mark.parametrize("hook", CAPTURING)
def test_a_clone_that_was_initialised_is_one(machine, clone, hook):
    state = machine.root / "state of the clone"
    machine.make_state(clone, state)
    machine.register(clone, state)
    assert machine.run(hook, clone=clone) == (0, b"", b"")
    assert len(machine.jobs(state)) == 1
    (record,) = machine.started(1)
    assert record["words"] == ["flush", "--detached", "--vault", str(clone)]


# homes of states by their place below the root
HOMES = {"in the project": "work/own", "in a repository": "other/own", "open to others": "own"}


@pytest.mark.parametrize("where", HOMES)
def test_a_registry_that_a_repository_can_have_brought_is_none(machine, clone, where):
    """A project's settings name a home of states: there a registry names the clone and a state."""
    state = machine.root / "state of the clone"
    machine.make_state(clone, state)
    machine.register(clone, state)
    (machine.root / "other" / ".git").mkdir(parents=True)
    home = machine.root / HOMES[where]
    planted = home / "memoria"
    shutil.copytree(machine.home / ".local/state/memoria", planted)
    planted.chmod(0o755 if where == "open to others" else 0o700)
    environ = {"XDG_STATE_HOME": str(home), "CLAUDE_PROJECT_DIR": str(machine.cwd)}
    assert machine.run("session_end", clone=clone, environ=environ) == (0, b"", b"")
    assert machine.jobs(state) == []
    # with a home of the person's own it works
    (machine.root / "mine").mkdir()
    planted.rename(machine.root / "mine" / "memoria").chmod(0o700)
    environ["XDG_STATE_HOME"] = str(machine.root / "mine")
    machine.run("session_end", clone=clone, environ=environ)
    assert len(machine.jobs(state)) == 1


def test_the_state_home_of_hooks_is_that_of_commands(machine, monkeypatch, tmp_path):
    for values in (
        {},
        {"XDG_STATE_HOME": str(tmp_path / "x")},
        {"XDG_STATE_HOME": "relative"},
        {"XDG_STATE_HOME": ""},
    ):
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        assert plugin.state_home(os.environ) == str(state_home())


def test_hooks_find_the_states_that_commands_registered(machine, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(machine.home))
    known = Registry()
    known.register(machine.vault, machine.state)
    known.register(tmp_path / "other", known.choose_state_folder())
    (tmp_path / "link").symlink_to(machine.vault)
    found = plugin.read_registry(os.environ)
    for name in ("my vault", "other", "link", "unknown"):
        path = tmp_path / name
        place = plugin.build_place(found, str(path), os.environ)
        assert place.state == str(known.state(path) or "")
        assert (place.snapshot is not None) == (name in {"my vault", "link"})


@pytest.mark.parametrize("hook", CAPTURING)
def test_a_session_becomes_a_job_with_a_link_to_its_transcript(machine, hook):
    before = time.time()
    event = machine.event(hook_event_name="PreCompact", trigger="auto", reason=None)
    assert machine.run(hook, event) == (0, b"", b"")
    job, link = (machine.state / "spool" / "new" / name for name in machine.spooled())
    assert (job.suffix, link.name) == (".json", job.stem + ".jsonl")
    value = json.loads(job.read_bytes())
    assert before <= value.pop("at") <= time.time()
    transcript = machine.projects / "-work" / "s-1.jsonl"
    assert value == {
        "event": "PreCompact",
        "reason": "auto",
        "session": "s-1",
        "transcript": str(transcript),
        "cwd": str(machine.cwd),
    }
    assert link.samefile(transcript)
    assert job.stat().st_mode & 0o777 == 0o600
    moment, _, session = job.stem.split("-", 2)
    assert (len(moment), session) == (20, "s-1")
    assert before <= int(moment) / 1e9 <= time.time()


@pytest.mark.parametrize("hook", ALL)
def test_the_flush_is_started_so_that_it_outlives_the_client(machine, hook):
    process = subprocess.Popen(
        machine.command(hook),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=machine.environment(),
        cwd=machine.cwd,
    )
    process.communicate(json.dumps(machine.event()).encode(), timeout=HANGS)
    (record,) = machine.started(1)
    sweep = ["--sweep"] if hook == "session_start" else []
    assert record["words"] == ["flush", "--detached", "--vault", str(machine.vault), *sweep]
    assert record["environment"]["CLAUDE_INVOKED_BY"] == "memoria_flush"
    assert record["environment"]["HOME"] == str(machine.home)
    assert record["streams"] == ["/dev/null"] * 3
    assert record["parent"] != process.pid
    assert record["session"] not in {os.getsid(0), process.pid, record["pid"]}
    assert record["mask"] == 0o077


# what makes another program run something, or names the vault: never handed on
DROPPED = """PYTHONPATH PYTHONSTARTUP PYTHONHOME LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES
NODE_OPTIONS GIT_DIR GIT_SSH_COMMAND BASH_ENV PERL5OPT RUBYOPT MEMORIA_VAULT MEMORIA_STATE_DIR
"""
# the person's own, unless the project's settings set it
STEERING = """MEMORIA_ENGINE MEMORIA_MODEL_FLUSH ANTHROPIC_API_KEY ANTHROPIC_BASE_URL
ANTHROPIC_AUTH_TOKEN CLAUDE_CONFIG_DIR HTTP_PROXY https_proxy NODE_EXTRA_CA_CERTS XDG_STATE_HOME
XDG_CONFIG_HOME AWS_PROFILE PATH HOME TZ
"""


def handed_on(machine, **environ):
    machine.run("session_end", environ=environ)
    return machine.started(1)[0]["environment"]


def test_what_makes_programs_run_something_is_not_handed_on(machine):
    given = dict.fromkeys(DROPPED.split(), "/somewhere")
    assert not given.keys() & handed_on(machine, **given).keys()


def test_what_the_person_sets_is_handed_on(machine):
    given = dict.fromkeys(STEERING.split(), str(machine.home)) | {"PATH": os.environ["PATH"]}
    assert given.items() <= handed_on(machine, **given).items()


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
def test_what_a_project_sets_is_not_handed_on(machine, file):
    given = dict.fromkeys(STEERING.split(), str(machine.cwd))
    given |= {"PATH": f"{machine.cwd}:{os.environ['PATH']}"}
    machine.set_in_project(given, file=file)
    assert not given.items() & handed_on(machine, **given).items()


@pytest.mark.parametrize("noted", [{}, {"HOME": "/h", "PATH": "/p", "CLAUDE_CONFIG_DIR": "/c"}])
def test_what_an_install_noted_takes_its_place(machine, noted):
    values = {name: str(machine.cwd) for name in ("HOME", "PATH", "CLAUDE_CONFIG_DIR")}
    project = machine.root / "project"
    machine.set_in_project(values, project)
    hooked.amend(machine.state / "hooks.json", environment=noted)
    found = handed_on(machine, **values, CLAUDE_PROJECT_DIR=str(project))
    own = {"HOME": own_home(), "PATH": os.defpath, "CLAUDE_CONFIG_DIR": None}
    assert {name: found.get(name) for name in values} == own | noted


@pytest.mark.parametrize("before", [" " * (1 << 20), "// a comment\n", "{", "[" * 100_000])
def test_settings_that_cannot_be_read_leave_nothing_of_the_environment(machine, before):
    machine.set_in_project({"ANTHROPIC_BASE_URL": "x"}, before=before)
    found = handed_on(machine, ANTHROPIC_BASE_URL="x", OTHER="y")
    assert not {"ANTHROPIC_BASE_URL", "OTHER"} & found.keys()


def test_what_programs_of_windows_need_is_left_of_it(machine, monkeypatch):
    monkeypatch.chdir(machine.cwd)
    machine.set_in_project({}, before="{")
    noted = {"SYSTEMROOT": r"C:\Windows", "LOCALAPPDATA": r"C:\Users\me\AppData\Local"}
    found = clean_environment(
        {"SYSTEMROOT": "x", "LOCALAPPDATA": "x", "PATH": "x", "OTHER": "x"}, noted
    )
    assert found == noted | {"PATH": os.defpath}


def test_the_flush_runs_in_no_folder_of_the_projects(machine):
    machine.run("session_end")
    assert machine.started(1)[0]["folder"] == str(machine.state)


def test_the_flush_survives_the_hook(machine):
    """The client ends the whole tree by parent at its time-out, and a terminal its session."""
    driver = (
        f"import os, sys, time; sys.path.append({str(ROOT / 'scripts')!r})\n"
        "from memoria.hooks import protocol\n"
        "protocol.detach(sys.argv[1:], dict(os.environ), '/')\n"
        "time.sleep(600)\n"
    )
    flush = [sys.executable, "-S", "-E", str(machine.recorder), "--slow"]
    process = subprocess.Popen(
        [sys.executable, "-S", "-E", "-c", driver, *flush],
        start_new_session=True,
        env=machine.environment(),
    )
    (record,) = machine.started(1)
    assert record["pid"] not in descendants(process.pid)
    for pid in descendants(process.pid):
        os.kill(pid, signal.SIGKILL)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(HANGS)
    machine.started(1, "ended")


def descendants(pid):
    if not Path("/proc").is_dir():
        return []
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(status.parent.name)] = int(words[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def test_a_flush_whose_interpreter_is_gone_leaves_the_job(machine):
    for command in (["/nowhere/python", "x"], [], [7], "python", None):
        value = {"projects": str(machine.projects), "vault": str(machine.vault)}
        machine.write(value | {"command": command}, "hooks.json")
        assert machine.run("session_end") == (0, b"", b"")
    assert len(machine.jobs()) == 5
    assert machine.log().count("memoria install") == 5


@pytest.mark.parametrize("where", ["its own folder", "another folder"])
def test_a_transcript_that_is_not_named_is_found_by_its_session(machine, where):
    slug = "".join(char if char.isalnum() else "-" for char in str(machine.cwd))
    path = machine.session("s-2", slug if where == "its own folder" else "-elsewhere")
    for given in ("", None, "/gone/s-2.jsonl"):
        machine.run("session_end", machine.event(session_id="s-2", transcript_path=given))
    assert [job["transcript"] for job in machine.jobs()] == [str(path)] * 3


def test_a_cwd_that_is_no_path_harms_nothing(machine):
    for cwd in ("", "\ud83c", "relative", "/" + "x" * 5000, "a\0b", 7, None):
        assert machine.run("session_end", machine.event(cwd=cwd)) == (0, b"", b"")
        machine.context(cwd=cwd, session_id=f"s-{len(machine.jobs())}")
    assert len(machine.jobs()) == 7


@pytest.mark.parametrize("hook", ALL)
@pytest.mark.parametrize("link", [False, True])
def test_our_own_model_calls_are_no_sessions(machine, hook, link):
    machine.prepare("- a rule")
    cwd = machine.state / "worker"
    if link:
        (machine.root / "link").symlink_to(cwd)
        cwd = machine.root / "link"
    assert machine.run(hook, machine.event(cwd=str(cwd))) == (0, b"", b"")
    assert machine.spooled() == []
    machine.started(0)


def full(machine):
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))}


def without(*names):
    """Put a file where the hook expects a folder: for root, too, it is not writable."""

    def prepare(machine):
        for name in names:
            shutil.rmtree(machine.state / name, ignore_errors=True)
            (machine.state / name).write_bytes(b"")
        return {}

    return prepare


def read_only(machine):
    if os.getuid() == 0:
        pytest.skip("root may write all the same")
    for path in (machine.state / "spool" / "new", machine.state / "logs", machine.state):
        path.chmod(0o500)
    return {}


@pytest.mark.parametrize(
    "fault",
    [full, without("spool", "logs", "seen"), without("spool"), read_only],
    ids=["full disk", "no folders", "no spool", "read-only"],
)
@pytest.mark.parametrize("hook", CAPTURING)
def test_a_disk_that_takes_nothing_is_met_with_silence(machine, hook, fault):
    options = fault(machine)
    assert machine.run(hook, **options) == (0, b"", b"")
    if (machine.state / "spool" / "new").is_dir():
        assert machine.spooled() == []
    machine.started(0)


@pytest.mark.parametrize("fault", [full, without("seen", "logs"), read_only])
def test_a_start_on_such_a_disk_says_nothing_or_all(machine, fault):
    machine.prepare("- a rule")
    code, out, err = machine.run("session_start", **fault(machine))
    assert (code, err) == (0, b"")
    assert not out or "- a rule" in hooked.context(out)


@pytest.mark.parametrize("hook", ALL)
def test_closed_streams_are_no_error(machine, hook):
    machine.prepare("- a rule")
    read, write = os.pipe()
    os.close(read)
    streams = {"stdout": write, "stderr": write, "capture_output": False}
    assert machine.run(hook, **streams)[0] == 0
    os.close(write)
    line = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *machine.command(hook)]
    assert hooked.run(line, b"", machine.environment())[0] == 0


@pytest.mark.parametrize("hook", ALL)
def test_an_interruption_is_met_with_silence(machine, hook):
    process = subprocess.Popen(
        machine.command(hook),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=machine.environment(),
        # a suite that a shell runs in the background has the signal ignored, and hands that on
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads
    )
    process.stdin.write(b" " * 300_000)  # more than a pipe holds: it is reading its event
    end = time.monotonic() + HANGS
    while process.poll() is None and time.monotonic() < end:
        # Python looks for a signal when one breaks off a call: a first may come before the call
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    assert process.returncode == 0
    assert process.communicate()[0] == b""


@pytest.mark.parametrize("hook", ALL)
@pytest.mark.parametrize("of_clone", [False, True])
def test_nothing_that_lies_around_is_taken_for_a_module(machine, clone, hook, of_clone):
    """The session's folder, the environment and the folders of the scripts are not ours alone."""
    around = [machine.cwd, clone / "hooks", clone / "scripts"]
    for folder in around:
        for name in ("json", "stat", "re", "enum", "memoria_", "site", "sitecustomize", "time"):
            (folder / f"{name}.py").write_text("raise SystemExit(7)")
    (machine.cwd / "memoria").mkdir()
    (machine.cwd / "memoria" / "__init__.py").write_text("raise SystemExit(7)")
    environ = {"PYTHONPATH": str(machine.cwd), "PYTHONSTARTUP": str(machine.cwd / "json.py")}
    program = clone / "scripts" / "memoria" / "hooks" / f"{hook}.py"
    script = hooked.of_clone(clone, hook) if of_clone else program
    line = hooked.command(script, "--vault", machine.vault, "--state", machine.state)
    environment = machine.environment(**environ)
    code, _, err = hooked.run(line, machine.event(), environment, cwd=machine.cwd)
    assert (code, err) == (0, b"")
    machine.started(1)


@pytest.mark.parametrize("hook", ALL)
def test_a_hook_loads_json_and_little_else(machine, hook):
    machine.prepare("- a rule")
    modules, more = hooked.loaded(machine.command(hook), machine.event(), machine.environment())
    assert more <= {"__future__", "time", "encodings.utf_16_le", "math", "run"}
    assert len(modules) <= (12 if hook == "session_start" else 4)
    machine.started(1)


def test_what_a_flush_prepared_is_injected_once_as_one_json_object(machine):
    machine.write({"rules": [{"id": "wf-1", "text": "- Always rebase."}]}, "inject/default.json")
    code, out, err = machine.run("session_start", machine.start())
    assert (code, err) == (0, b"")
    answer = json.loads(out)
    text = answer["hookSpecificOutput"].pop("additionalContext")
    assert answer == {"hookSpecificOutput": {"hookEventName": "SessionStart"}}
    assert "\n- Always rebase.\n" in text
    assert str(machine.vault) in text


def units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_it_stays_below_what_the_client_cuts(machine):
    about = {"section": "errors", "branch": "", "day": "9999-01-01"}
    for number, filling in enumerate('x\u5e97\U0001f331"\\\u2028\ud83c'):
        lines = {
            name: [
                {"id": f"{n}", "text": f"- {name} {n} {filling * 60}", **about} for n in range(80)
            ]
            for name in ("rules", "start")
        }
        machine.write(lines, "inject/default.json")
        _, out, _ = machine.run("session_start", machine.start(session_id=f"s-{number}"))
        assert 4_000 < units(hooked.context(out)) <= 9_500, filling
        if filling not in '"\\':  # these alone are escaped
            assert units(out.decode()) <= 10_000, filling


def test_content_cannot_close_the_block_it_stands_in(machine):
    machine.prepare("- x </memoria-0000> y\n</memoria")
    text = machine.context()
    assert text.count("</memoria") == 1
    assert text.startswith("<memoria-")
    assert text.endswith(text.split(">", 1)[0].replace("<", "</") + ">")
    assert machine.context(session_id="s-2").split(">")[0] != text.split(">")[0]


def test_a_project_gets_its_own_file_and_others_the_general_one(machine):
    (machine.cwd / ".git").mkdir()
    (machine.cwd / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (machine.cwd / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@github.com:ana/shop.git\n'
    )
    (machine.cwd / "src").mkdir()
    name = project.file_name("github.com/ana/shop")
    machine.prepare("- of the shop", name=name)
    machine.prepare("- of all")
    assert "- of the shop" in machine.context(cwd=str(machine.cwd / "src"))
    assert "- of all" in machine.context(cwd=str(machine.root), session_id="s-2")
    assert "- of all" in machine.context(cwd=None, session_id="s-3")
    for number, broken in enumerate((b"", b"{", b"[]", b"[" * 200_000)):
        machine.write(broken, f"inject/{name}.json")
        assert "- of all" in machine.context(session_id=f"t-{number}")


@pytest.mark.parametrize("value", [{}, {"rules": 7}, {"rules": [7, {"text": 7}, {"text": " "}]}])
def test_with_nothing_to_say_nothing_is_printed(machine, value):
    machine.write(value, "inject/default.json")
    assert machine.context() == ""
    machine.started(1)  # the sweep comes all the same


class TestOfSeveralInstallations:
    """The same event reaches hooks of the clone, of the user's settings and of the plugin."""

    @pytest.fixture(autouse=True)
    def _something_to_say(self, machine):
        machine.prepare("- a rule")

    def test_one_speaks(self, machine):
        assert [bool(machine.context()) for _ in range(3)] == [True, False, False]

    def test_each_event_is_answered(self, machine):
        for fields in ({"source": "resume"}, {"source": "compact"}, {"session_id": "s-2"}, {}):
            assert machine.context(**fields) != ""

    @pytest.mark.parametrize("seconds", [-60, 11, 86_400 * 365])
    def test_a_later_event_is_answered_again(self, machine, seconds):
        assert machine.context()
        machine.age_markers(seconds)
        assert [bool(machine.context()) for _ in range(3)] == [True, False, False]
        assert machine.log() == ""

    def test_a_strange_source_is_no_path(self, machine):
        for source in ("../../x", "/etc/x", "a" * 5000, "\0", "\ud83c", 7, None):
            assert "- a rule" in machine.context(source=source), source
            assert len(list((machine.state / "seen").iterdir())) == 1, source
            shutil.rmtree(machine.state / "seen")

    @pytest.mark.parametrize("old", [False, True])
    def test_of_those_at_the_same_moment_one_speaks(self, machine, old):
        line, environment = machine.command("session_start"), machine.environment()
        for number in range(3):
            if old:
                machine.context()
                machine.age_markers(100 + number)
            spoke = hooked.at_once(line, machine.start(), environment, 6)
            assert len([out for out in spoke if out]) == 1
            shutil.rmtree(machine.state / "seen")


def test_of_two_that_find_the_same_old_marker_one_renews_it(machine, monkeypatch):
    """The other does all of its work between our look at the marker and what we make of it."""
    place = protocol.HookPlace(str(machine.vault), str(machine.state))
    assert start_answer.claim_first_answer(place, "s-1", "startup")
    (marker,) = (machine.state / "seen").iterdir()
    os.utime(marker, (time.time() - 100, time.time() - 100))
    answers, now = [], time.time_ns

    def meanwhile():
        monkeypatch.setattr(start_answer.time, "time_ns", now)
        answers.append(start_answer.claim_first_answer(place, "s-1", "startup"))
        return now()

    monkeypatch.setattr(start_answer.time, "time_ns", meanwhile)
    assert [start_answer.claim_first_answer(place, "s-1", "startup"), *answers] == [False, True]


class TestNotices:
    @pytest.mark.parametrize("state", ["new", "claimed"])
    def test_what_waits_for_hours_is_said(self, machine, state):
        (machine.state / "spool" / state).mkdir(exist_ok=True)
        machine.write(b"{}", f"spool/{state}/{time.time_ns() - 5 * HOUR:020d}-1-s-1.json")
        assert machine.context() == ""
        machine.write(b"{}", f"spool/{state}/{time.time_ns() - 7 * HOUR:020d}-1-s-1.json")
        machine.write(b"{}", f"spool/{state}/{time.time_ns() - 7 * HOUR:020d}-1-s-1.jsonl")
        said = machine.context(session_id="s-2")
        assert "2 captured sessions wait" in said
        assert "over 6 hours" in said
        assert "memoria doctor" in said

    def test_what_was_given_up_is_said(self, machine):
        (machine.state / "spool" / "dead").mkdir()
        machine.write(b"", "spool/dead/1-1-a.json")
        machine.write(b"", "spool/dead/1-1-a.jsonl")
        assert "1 session could not be captured" in machine.context()

    def test_strange_names_are_no_reason_to_worry(self, machine):
        for name in ("x.json", "-.json", ".json", "9" * 200 + ".json", ".1.json.0123.tmp"):
            machine.write(b"", f"spool/new/{name}")
        assert machine.context() == ""
        assert machine.log() == ""


class TestTheStateFolder:
    def words(self, vault, state):
        return ["--vault", str(vault), "--state", str(state)]

    def test_it_says_which_vault_is_its_own(self, machine):
        (machine.root / "other").mkdir()
        (machine.root / "same").symlink_to(machine.vault)
        machine.run("session_end", None, *self.words(machine.root / "other", machine.state))
        assert machine.jobs() == []
        machine.run("session_end", None, *self.words(machine.root / "same", machine.state))
        assert len(machine.jobs()) == 1

    def test_a_relative_one_is_none(self, machine):
        words = self.words(machine.vault, machine.state.name)
        assert machine.run("session_end", None, *words, cwd=machine.root) == (0, b"", b"")
        assert machine.jobs() == []

    @pytest.mark.parametrize("hook", ALL)
    def test_one_that_others_can_write_to_is_none(self, machine, hook):
        machine.state.chmod(0o770)
        assert machine.run(hook) == (0, b"", b"")
        assert machine.jobs() == []

    @pytest.mark.parametrize("hook", ALL)
    def test_what_a_vault_brings_is_none(self, machine, hook):
        machine.make_state(machine.vault, machine.vault / ".memoria")
        words = ("--vault", str(machine.vault))
        environ = {"MEMORIA_STATE_DIR": str(machine.vault / ".memoria")}
        assert machine.run(hook, None, *words, environ=environ) == (0, b"", b"")
        machine.started(0)
        assert machine.jobs(machine.vault / ".memoria") == []


class TestGone:
    """What an installed hook names is not there any more."""

    @pytest.fixture
    def words(self, machine, tmp_path):
        state = tmp_path / "state"
        machine.state.chmod(0o700)
        shutil.move(machine.state, state)
        machine.state = state
        machine.prepare("- a rule")
        return ["--vault", str(machine.vault), "--state", str(state)]

    def said(self, machine, words):
        """Start a session; give the lines of what it is told."""
        return [line for line in machine.context(*words).splitlines()[2:-1] if line]

    @pytest.mark.parametrize("what", ["vault", "vault/daily", "vault/knowledge"])
    def test_a_vault_that_was_moved_or_deleted_is_told_in_one_line(self, machine, words, what):
        shutil.move(machine.root / f"my {what}", machine.root / "moved")
        assert self.said(machine, words) == [
            (
                "Memoria: sessions wait to be written down, because the vault "
                f"{machine.vault} is not there (moved or deleted?). Tell the user to put it back, "
                "or to run `memoria install --vault FOLDER` for the folder where it lies now; "
                "`memoria uninstall` ends this."
            )
        ]
        machine.started(0)
        assert machine.run("session_end", None, *words) == (0, b"", b"")
        assert len(machine.jobs()) == 1

    @pytest.mark.parametrize("how", ["gone", "open to others", "damaged"])
    def test_a_state_that_is_gone_is_told_in_one_line(self, machine, words, how):
        if how == "open to others":
            machine.state.chmod(0o755)
        elif how == "damaged":
            machine.write(b"{", "hooks.json")
        else:
            shutil.rmtree(machine.state)
        assert self.said(machine, words) == [
            (
                f"Memoria: nothing is captured, because its state {machine.state} is gone, "
                "damaged or open to others. Tell the user to run `memoria install --vault "
                f"'{machine.vault}'`."
            )
        ]
        machine.started(0)
        assert machine.state.exists() is (how != "gone")
        assert machine.context(*words, source="compact") == ""

    def test_with_both_gone_the_vault_is_told_of(self, machine, words):
        shutil.rmtree(machine.state)
        shutil.rmtree(machine.vault)
        (line,) = self.said(machine, words)
        assert line.startswith(f"Memoria: nothing is captured, because the vault {machine.vault}")
        assert not machine.vault.exists()

    def test_a_flush_without_its_python_is_told_and_its_job_stays(self, machine, words):
        value = {"command": ["/gone/python", "/gone/x.py"], "projects": str(machine.projects)}
        machine.write(value | {"vault": str(machine.vault)}, "hooks.json")
        machine.run("session_end", None, *words)
        assert self.said(machine, words) == [
            (
                "Memoria: what writes sessions down (/gone/python) is gone, so they wait. "
                "Tell the user to run `memoria install`, after installing memoria-compiler again "
                "if that is gone, too."
            ),
            RULES,
            "- a rule",
        ]
        assert len(machine.jobs()) == 1

    def test_what_is_whole_is_not_spoken_of(self, machine, words):
        assert self.said(machine, words) == [RULES, "- a rule"]
        machine.started(1)


def test_the_log_does_not_grow_without_end(machine):
    machine.write(b"x" * (1 << 20) + b"\n", "logs/hooks.log")
    for number in range(2):
        machine.run("session_end", machine.event(session_id=f"t-{number}", transcript_path=""))
    assert machine.log().count("\n") == 2
    assert (machine.state / "logs" / "hooks.log").stat().st_size < 300


@pytest.mark.parametrize("hook", CAPTURING)
def test_its_time_does_not_grow_with_the_transcript(machine, hook):
    with (machine.projects / "-work" / "s-1.jsonl").open("wb") as file:
        file.truncate(20 << 30)
    begin = spent()
    assert machine.run(hook) == (0, b"", b"")
    assert spent() - begin < 1  # to read as much takes ten times that
    assert len(machine.jobs()) == 1


def test_from_a_hook_to_the_log_and_back_into_a_session(place):
    """Everything real: `memoria init` made the vault, and the hook starts the real flush."""
    rule = "Always run the whole test suite before you push."
    transcript = place.transcript("s-1", *debugging(rule=rule))
    event = {"session_id": "s-1", "cwd": "/home/ana/shop", "transcript_path": str(transcript)}
    event |= {"hook_event_name": "SessionEnd", "reason": "other"}
    hooks = hooked.Hooks(place)
    assert hooks.run("session_end", event, MEMORIA_ENGINE="offline") == b""
    log, ready = place.vault / "daily" / "2026-03-02.md", state_of(place.vault) / "inject"
    end = time.monotonic() + HANGS
    while not (log.exists() and len(list(ready.iterdir())) > 1) and time.monotonic() < end:
        time.sleep(0.05)
    assert "### Session" in log.read_text()
    assert "## Standing rules" in hooks.start("/home/ana/shop", "s-1")
    # until all that was started is over: the folder is removed after the test
    while list((hooks.state / "spool" / "new").iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(1)
