"""Real processes and pseudo-terminals -> who is said to drive what runs in them."""

import shutil
import subprocess

import pytest
from desk import Desk, needs
from keyboard import Keyboard

pytestmark = needs


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def test_a_person_at_a_terminal(desk):
    assert desk.open(desk.ask) == "a person"
    # through a shell and a program that passes keys on, too
    assert desk.open(f"sh -c '{desk.ask}; true'") == "a person"
    assert desk.open(f'script -qc "{desk.ask}" /dev/null') == "a person"


def test_an_agents_variable_is_seen_in_each_parent(desk):
    assert desk.open(desk.ask, CLAUDECODE="1").startswith("CLAUDECODE is set in ")
    hidden = f"CLAUDECODE=1 sh -c 'env -u CLAUDECODE {desk.ask}; true'"
    assert desk.open(hidden).startswith("CLAUDECODE is set in sh")


def test_an_agents_program_is_seen_among_the_parents(desk):
    shell = desk.folder / "claude"
    shell.symlink_to("/bin/sh")
    assert desk.open(f"{shell} -c '{desk.ask}; true'").endswith(" runs it")


def test_without_the_terminal_on_standard_input(desk):
    assert desk.open(f"{desk.ask} < /dev/null") == "standard input is not the terminal"
    desk.said.unlink()
    desk.detached(*desk.ask.split())
    assert desk.answer() == "there is no terminal"


def test_a_detached_server_is_no_clients(desk):
    ask = ("sh", "-c", f"{desk.ask_as_server}; true")
    desk.detached(*ask)
    assert desk.answer() == "no client"
    desk.said.unlink()
    shell = desk.folder / "claude"
    shell.symlink_to("/bin/sh")
    desk.detached(str(shell), *ask[1:])
    assert desk.answer() == "a client"
    # a client that nobody knows, in a person's window
    assert desk.open(f"sh -c '{desk.ask_as_server}; true'") == "a client"
    assert desk.open(desk.ask_as_server, CLAUDE_CODE_CHILD_SESSION="1") == "no client"


def test_an_orphan_that_takes_a_persons_terminal(desk):
    """What an agent's shell starts twice removed reads the terminal in which the agent was run."""
    said = desk.open(_orphan(desk))
    assert said == "the shell that started it is not there any more"


def _orphan(desk):
    inner, program = desk.folder / "inner.sh", desk.folder / "outer.sh"
    # once the shell between the two has ended it has no parent in this session
    inner.write_text(
        f"while kill -0 $1 2>/dev/null; do sleep 0.1; done; {desk.ask}\n", encoding="utf-8"
    )
    program.write_text(
        f"sh -c 'sh {inner} $$ < '$(tty)' &'\nuntil [ -e {desk.said} ]; do sleep 0.1; done\n",
        encoding="utf-8",
    )
    return f"sh {program}"


def test_who_holds_the_terminal_is_asked(desk):
    relay = shutil.which("script")
    assert desk.open(desk.ask, terminal=relay) == "script types for it, and there is no terminal"
    nested = f'{desk.emulator} -qc "{desk.ask}" /dev/null'
    assert desk.open(nested, CLAUDECODE="1").startswith("CLAUDECODE is set in ")


def test_python_that_opened_a_terminal_is_no_person(desk):
    """The suite's own pseudo-terminals are such: who runs it sits at one, or does not."""
    board = Keyboard(*desk.ask.split())
    assert board.end() == 0
    here = desk.answer()
    assert here == "a person" if _at_terminal() else here != "a person"


def _at_terminal():
    from memoria import terminal_processes as processes

    return processes.find_driver().is_person


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_a_tmux_session_needs_a_person_who_is_attached(desk):
    tmux = f"tmux -S {desk.folder / 'socket'} -f /dev/null"
    try:
        said = desk.open(f"{tmux} new-session -d -s one '{desk.ask}; sleep 60'")
        assert said == "no person is attached to this tmux session"
        # a person's own session, in a window of theirs
        assert desk.open(f"{tmux} new-session -s two '{desk.ask}'") == "a person"
        # and one to which a program alone is attached
        said = desk.open(
            f"{tmux} new-session -s three '{desk.ask}'", terminal=shutil.which("script")
        )
        assert said == "no person is attached to this tmux session"
    finally:
        subprocess.run([*tmux.split(), "kill-server"], check=False, capture_output=True)
