import signal
import subprocess
import sys
from pathlib import Path

import pytest
from keyboard import python

from memoria import terminal_keys as keys

if sys.platform == "win32":
    pytest.skip("a pseudo-terminal is POSIX's", allow_module_level=True)

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
READING = f"""
import sys
sys.path.insert(0, {str(SCRIPTS)!r})
from memoria import terminal_keys as keys
board = keys.Keys()
def say(*words):
    print(*words, flush=True)
say("there", keys.is_interactive())
"""
ECHO = """
with board:
    while True:
        say("ready")
        key = board.key()
        say("key", ascii(key))
        if key in ("", "q"):
            break
say("left")
"""


def start(body, *words):
    return python(READING + body, *words)


PRESSES = {
    "a": "'a'",
    "?": "'?'",
    "é": r"'\xe9'",
    "日": r"'\u65e5'",
    "\x1b[A": r"'\x1b'",
    "\x1b[1;5C": r"'\x1b'",
    "\x1bOP": r"'\x1b'",
    "\x1b": r"'\x1b'",
    "\x7f": r"'\x7f'",
    "\n": r"'\n'",
}


def test_one_press_is_one_key_without_enter():
    person = start(ECHO).wait("there True")
    for typed, key in PRESSES.items():
        person.wait("ready").type(typed).wait(f"key {key}")
    person.wait("ready").type("q").wait("key 'q'").wait("left")
    assert person.end() == 0


def test_no_more_keys():
    person = start(ECHO)
    person.wait("ready").type("\x04").wait("key ''").wait("left")
    assert person.end() == 0


def test_ctrl_c_interrupts_and_the_terminal_is_as_it_was():
    person = start("""
import termios
before = termios.tcgetattr(0)
try:
    with board:
        say("ready")
        board.key()
except KeyboardInterrupt:
    say("interrupted", termios.tcgetattr(0) == before)
""")
    person.wait("ready").type("\x03").wait("interrupted True")
    assert person.end() == 0


def test_keys_typed_ahead_are_dropped():
    person = start("""
import fcntl, struct, termios, time
with board:
    say("ready")
    while struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, bytes(4)))[0] < 3:
        time.sleep(0.01)
    board.drop()
    say("now")
    say("key", ascii(board.key()))
""")
    person.wait("ready").type("aaa").wait("now").type("b").wait("key 'b'")
    assert person.end() == 0


EDIT = """
with board:
    for text in sys.argv[1:]:
        say("ready")
        board.key()
        say("line", ascii(board.line("> ", text)))
        say("key", ascii(board.key()))
"""
# what the line begins with, what is typed, what the line is then
EDITS = [
    ("old", " and new\n", "'old and new'"),
    ("old", "\x15new\n", "'new'"),
    ("old", "\n", "'old'"),
    ("old", "\x15\n", "''"),
    ("", "\x04", "''"),
    ("", "  new  \n", "'new'"),
]


def test_a_line_begins_with_a_text_and_keys_go_on_after_it():
    person = start(EDIT, *(before for before, _, _ in EDITS))
    for before, typed, after in EDITS:
        person.wait("ready").type("e").wait(f"> {before}".strip()).type(typed)
        person.wait(f"line {after}").type("k").wait("key 'k'")
    assert person.end() == 0


def test_a_pipe_is_no_person():
    done = subprocess.run(
        [sys.executable, "-c", READING], input="", capture_output=True, text=True, check=True
    )
    assert done.stdout == "there False\n"
    assert not keys.is_interactive()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_polite_end_interrupts_so_that_what_was_begun_is_finished(number):
    person = start("""
try:
    with board:
        say("ready")
        board.key()
finally:
    say("finished")
""")
    person.wait("ready").send(number)
    person.wait("finished")
    assert person.end() != 0
