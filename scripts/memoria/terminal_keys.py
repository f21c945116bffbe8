"""Read the person's keyboard: one key at a time, without Enter, or a line that begins with a text.

A terminal gives a line at a time unless it is told otherwise, and what it was told has to be taken
back whatever happens, or the shell after us is unusable. The trap: keys that were typed ahead would
decide about what nobody has seen yet, so they are dropped, all but Ctrl-C. This is the one home of
prompt_toolkit; it is loaded where a key is read, as it takes longer than the rest of a short verb.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from memoria import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from prompt_toolkit.key_binding import KeyPress

ESCAPE = "\x1b"
# Ctrl-D, and on Windows Ctrl-Z: no more keys will come
_ENDS = frozenset({"\x04", "\x1a"})
_INTERRUPT = "\x03"
# a terminal sends an arrow's characters at once; a person does not type the next key within this
_SEQUENCE_SECONDS = 0.05
# a signal that comes just before the wait begins is heard only after it: none is longer than this
_LONGEST_WAIT_SECONDS = 0.5


def is_interactive() -> bool:
    """Whether there is a person: standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask_yes_no(question: str) -> bool:
    """Ask the person a question; only y says yes."""
    with Keys() as keys:  # it drops what was typed before the question
        terminal.print_prompt(f"{question} [y/N] ")
        answer = keys.key().lower() == "y"
    terminal.print_rows([("", "yes" if answer else "no")])
    return answer


@contextmanager
def _interrupt_on_end() -> Iterator[None]:
    """Let a closed window or a polite kill interrupt like Ctrl-C."""
    import signal  # noqa: PLC0415 - most verbs read no key

    # what ends a program whose window was closed, or that somebody wants to end
    numbers = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]
    handlers = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


class Keys:
    """The keyboard while single keys are read; leaving it gives the terminal back as it was."""

    def __init__(self) -> None:
        from prompt_toolkit.input import create_input  # noqa: PLC0415 - slow to load

        self._input = create_input()
        self._presses: list[KeyPress] = []
        self._exits = ExitStack()

    def __enter__(self) -> Self:
        """Begin to read single keys."""
        self._exits.enter_context(self._input.raw_mode())
        self._exits.enter_context(_interrupt_on_end())
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal back."""
        self._exits.close()

    def key(self) -> str:
        """Wait for a key: its character, ESCAPE for an arrow and its like, "" for no more keys.

        Ctrl-C raises KeyboardInterrupt.
        """
        while not self._presses:
            if self._wait_for_key(_LONGEST_WAIT_SECONDS) and not self._read_keys():
                return ""
        text = self._presses.pop(0).data
        _raise_if_interrupt(text)
        if text in _ENDS:
            return ""
        # the key Enter, as a line would have it
        return {"\r": "\n"}.get(text, text if len(text) == 1 else ESCAPE)

    def drop(self) -> None:
        """Forget keys typed ahead; to be called before what they would decide is shown."""
        while self._wait_for_key(0) and self._read_keys():
            pass
        for press in self._presses:
            _raise_if_interrupt(press.data)
        self._presses.clear()

    def line(self, prompt: str, text: str = "") -> str:
        """Let the person edit a line that begins as `text`; "" if they leave it empty or end it."""
        from prompt_toolkit import prompt as edit_prompt  # noqa: PLC0415 - slow to load

        self._exits.close()
        try:
            return edit_prompt(prompt, default=text).strip()
        except EOFError:
            return ""
        finally:
            self.__enter__()

    def _read_keys(self) -> bool:
        """Take the keys that are there; False where no more will come."""
        self._presses += self._input.read_keys()
        if not self._presses and not self._wait_for_key(_SEQUENCE_SECONDS):
            self._presses += self._input.flush_keys()  # Escape alone
        return not self._input.closed

    def _wait_for_key(self, seconds: float) -> bool:
        """Wait until a key is there, so long at most; say whether one is."""
        if sys.platform == "win32":
            from prompt_toolkit.eventloop.win32 import wait_for_handles  # noqa: PLC0415 - slow to load

            return wait_for_handles([self._input.handle], int(seconds * 1000)) is not None  # type: ignore[attr-defined] # of Windows' input
        import select  # noqa: PLC0415 - Windows has it for sockets alone

        return bool(select.select([self._input.fileno()], [], [], seconds)[0])


def _raise_if_interrupt(text: str) -> None:
    if text == _INTERRUPT:
        raise KeyboardInterrupt
