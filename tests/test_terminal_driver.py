"""Who drives a command, by the processes around it and its terminal."""

import os
import types
from dataclasses import replace
from pathlib import Path

import pytest
from cases import cased

from memoria.terminal_driver import Driver, Process, ProcessContext, find_driver, is_served
from memoria.terminal_processes import _is_console

INIT = Process(1, "systemd", ("/sbin/init",))
EMULATOR = Process(20, "gnome-terminal-", ("/usr/libexec/gnome-terminal-server",))
SHELL = Process(30, "bash", ("-bash",), frozenset({"PATH", "CLAUDE_CODE_SSE_PORT", "CODEX_HOME"}))
MEMORIA = Process(40, "memoria", ("/venv/bin/python", "/venv/bin/memoria", "review"))
WINDOW = ProcessContext((EMULATOR, INIT), 20, "", "")
PERSON = ProcessContext((MEMORIA, SHELL, EMULATOR, INIT), 30, "/dev/pts/3", "/dev/pts/3", (WINDOW,))


def through(*between, **changes):
    """A person's terminal with processes between the shell and the verb."""
    return replace(PERSON, chain=(MEMORIA, *between, SHELL, EMULATOR, INIT), **changes)


def held(name, **changes):
    """A terminal whose other end a program without a terminal holds."""
    one = Process(25, name)
    holder = ProcessContext((one, INIT), 25, "", "")
    return ProcessContext(
        (MEMORIA, one, INIT), 40, "/dev/pts/4", "/dev/pts/4", (replace(holder, **changes),)
    )


def test_a_person_at_a_terminal():
    assert find_driver(PERSON) == Driver()
    assert find_driver(PERSON).is_person
    # of a console, of Windows, and where the other end cannot be seen
    assert find_driver(replace(PERSON, holders=())).is_person
    assert find_driver(replace(PERSON, leader=0)).is_person


@pytest.mark.parametrize(
    "name", ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT"]
)
def test_a_variable_of_an_agent_counts_wherever_it_is_set(name):
    own = replace(MEMORIA, variables=frozenset({name}))
    assert (
        find_driver(replace(PERSON, chain=(own, SHELL, INIT))).reason
        == f"{name} is set in memoria (40)"
    )
    above = Process(35, "bash", ("bash", "-c", "env -u X memoria"), frozenset({name}))
    assert find_driver(through(above)).reason == f"{name} is set in bash (35)"
    window = replace(EMULATOR, variables=frozenset({name}))
    assert not find_driver(
        replace(PERSON, holders=(ProcessContext((window, INIT), 20, "", ""),))
    ).is_person


@cased()
def test_an_agent_among_the_parents(name, command):
    assert find_driver(through(Process(35, name, command))).reason == f"{name} (35) runs it"


@cased()
def test_what_only_mentions_an_agent_is_none(name, command):
    assert find_driver(through(Process(35, name, command))).is_person


@pytest.mark.parametrize(
    ("seat", "reason"),
    [
        (replace(PERSON, terminal="", stdin=""), "there is no terminal"),
        (replace(PERSON, stdin=""), "standard input is not the terminal"),
        (replace(PERSON, stdin="/dev/pts/9"), "standard input is not the terminal"),
        (replace(PERSON, chain=(MEMORIA, INIT)), "the shell that started it is not there any more"),
        (ProcessContext((), 0, "", ""), "there is no terminal"),
    ],
)
def test_without_a_terminal_of_its_own(seat, reason):
    assert find_driver(seat) == Driver(reason)


@pytest.mark.parametrize("name", ["script", "python3.12", "expect", "socat"])
def test_who_only_passes_keys_on_is_asked_the_same(name):
    assert find_driver(held(name)).reason == f"{name} types for it, and there is no terminal"
    beneath = {"terminal": "/dev/pts/3", "stdin": "/dev/pts/3", "leader": 30, "holders": (WINDOW,)}
    chain = (Process(25, name), SHELL, EMULATOR, INIT)
    assert find_driver(held(name, chain=chain, **beneath)).is_person


def test_a_tmux_session_counts_where_a_person_is_attached():
    alone = "no person is attached to this tmux session"
    assert find_driver(held("tmux: server")).reason == alone
    client = replace(PERSON, chain=(Process(50, "tmux: client"), SHELL, EMULATOR, INIT))
    assert find_driver(held("tmux: server", clients=(client,))).is_person
    robot = replace(client, chain=(Process(50, "tmux: client"), Process(35, "claude"), INIT))
    assert find_driver(held("tmux: server", clients=(robot,))).reason == alone
    assert find_driver(held("tmux: server", clients=(robot, client))).is_person


def test_a_server_that_a_command_started_is_no_clients():
    inner = frozenset({"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"})
    server = replace(MEMORIA, variables=frozenset({"CLAUDECODE", "AI_AGENT"}))
    client, shell = Process(33, "claude"), Process(35, "bash", (), inner)
    assert is_served(replace(PERSON, chain=(server, client, SHELL, INIT)))
    assert is_served(replace(PERSON, chain=(server, Process(33, "zed"), INIT)))
    assert not is_served(replace(PERSON, chain=(server, shell, client, SHELL, INIT)))
    assert not is_served(replace(PERSON, chain=(replace(server, variables=inner), client, INIT)))
    # the client itself may have been started by another agent's tests
    assert is_served(replace(PERSON, chain=(server, client, shell, client, INIT)))


def test_a_server_that_was_detached_is_no_clients():
    """An agent's command can start what outlives it, and answers the form itself."""
    own = Process(41, "python", ("python", "answers.py"))
    assert not is_served(ProcessContext((MEMORIA, own, INIT), 41, "", ""))
    assert not is_served(ProcessContext((MEMORIA, INIT), 40, "", ""))
    assert not is_served(ProcessContext((), 0, "", ""))
    # it may open a terminal, or take the person's
    assert not is_served(held("script"))
    assert not is_served(replace(PERSON, chain=(MEMORIA, own, INIT)))


@pytest.mark.parametrize("name", ["claude", "Cursor.exe", "Code Helper (Plugin)", "zed-editor"])
def test_a_known_client_needs_no_terminal(name):
    assert is_served(ProcessContext((MEMORIA, Process(33, name), INIT), 33, "", ""))
    # one that nobody knows is taken where a person sits
    client = Process(35, "python", ("python", "client.py"))
    assert is_served(through(client, stdin=""))
    assert not is_served(through(replace(client, variables=frozenset({"CLAUDE_PID"})), stdin=""))


def test_windows_null_device_is_no_console():
    """Its isatty says that it is a terminal; Python reads the console by a class of its own."""

    def stream(raw):
        return types.SimpleNamespace(buffer=types.SimpleNamespace(raw=raw), isatty=lambda: True)

    assert _is_console(stream(type("_WindowsConsoleIO", (), {})()))
    with Path(os.devnull).open("rb", buffering=0) as null:
        assert not _is_console(stream(null))
    assert not _is_console(None)
