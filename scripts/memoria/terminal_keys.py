"""The person's keyboard -> one key at a time, without Enter; and a line that begins with a text.

A terminal gives a line at a time unless it is told otherwise, and what it was told has to be taken
back whatever happens, or the shell after us is unusable. The traps: an arrow key is three
characters, of which the last one is a letter, so an escape sequence is read as one key; and keys
that were typed ahead would decide about what nobody has seen yet, so they are dropped.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

ESCAPE = "\x1b"
# Ctrl-D, and on Windows Ctrl-Z: no more keys will come
_ENDS = frozenset({"\x04", "\x1a"})
# a terminal sends a sequence at once; a person does not type the next key within this (seconds)
_SEQUENCE_SECONDS = 0.05


# what ends a program whose window was closed, or that somebody wants to end
_ENDING = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def is_there() -> bool:
    """Whether there is a person: standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


if sys.platform == "win32":
    import msvcrt

    class _Board:
        """The console of Windows."""

        def begin(self) -> None:
            """Nothing has to be set: keys are read past the line's editor."""

        def end(self) -> None:
            """Nothing was set."""

        def key(self) -> str:
            found = msvcrt.getwch()
            if found == "\x03":
                raise KeyboardInterrupt
            if found in {"\x00", "\xe0"}:  # a function key or an arrow: its code follows
                msvcrt.getwch()
                return ESCAPE
            return found

        def drop(self) -> None:
            while msvcrt.kbhit():
                msvcrt.getwch()

else:
    import os
    import select
    import termios
    import tty

    class _Board:
        """A terminal of POSIX."""

        def __init__(self) -> None:
            self._descriptor = sys.stdin.fileno()
            self._before: list[object] | None = None

        def begin(self) -> None:
            # Ctrl-C goes on to interrupt, and lines are printed as always
            self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor)

        def end(self) -> None:
            if self._before is not None:
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]  # what tcgetattr gave
                self._before = None

        def key(self) -> str:
            found = os.read(self._descriptor, 1)
            while self._is_begun(found) and (more := os.read(self._descriptor, 1)):
                found += more
            text = found.decode("utf-8", "replace")
            if text == ESCAPE:
                self._pass_sequence()
            return text

        def drop(self) -> None:
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

        def _is_begun(self, found: bytes) -> bool:
            """Whether a character of UTF-8 has bytes to come."""
            try:
                found.decode()
            except UnicodeDecodeError as error:
                return error.reason == "unexpected end of data"
            return False

        def _pass_sequence(self) -> None:
            """Read the rest of an escape sequence, up to the letter that ends it."""
            found = self._next()
            if found == b"O":
                self._next()
            while found and found in b"[0123456789;?<=>":
                found = self._next()

        def _next(self) -> bytes:
            """Read a byte that follows at once, b"" where none does."""
            there, _, _ = select.select([self._descriptor], [], [], _SEQUENCE_SECONDS)
            return os.read(self._descriptor, 1) if there else b""


class Keys:
    """The keyboard while single keys are read; leaving it gives the terminal back as it was."""

    def __init__(self) -> None:
        self._board = _Board()
        self._handlers: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Begin to read single keys; a closed window or a polite kill interrupts like Ctrl-C."""
        self._board.begin()
        self._handlers = {number: signal.signal(number, _interrupt) for number in _ENDING}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the terminal back."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._board.end()

    def key(self) -> str:
        """Wait for a key: its character, ESCAPE for an arrow and its like, "" for no more keys.

        Ctrl-C raises KeyboardInterrupt.
        """
        found = self._board.key()
        return "" if found in _ENDS else found

    def drop(self) -> None:
        """Forget keys typed ahead; to be called before what they would decide is shown."""
        self._board.drop()

    def line(self, prompt: str, text: str = "") -> str:
        """Let the person edit a line that begins as `text`; "" if they leave it empty or end it."""
        self._board.end()
        try:
            return _edited(prompt, text).strip()
        except EOFError:
            return ""
        finally:
            self._board.begin()


def _edited(prompt: str, text: str) -> str:
    if sys.platform == "win32":
        return _anew(prompt, text)
    try:
        import readline  # noqa: PLC0415 - some builds of Python lack it
    except ImportError:
        return _anew(prompt, text)
    # what is typed here is no command that anybody wants back
    with suppress(AttributeError):
        readline.set_auto_history(False)
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        return input(prompt)
    finally:
        readline.set_startup_hook()


def _anew(prompt: str, text: str) -> str:
    """Show the text, and let the person type it anew."""
    if text:
        sys.stdout.write(f"{text}\n")
    return input(prompt)
