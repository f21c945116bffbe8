"""Print for a person at a terminal: talk on stderr, data on stdout.

Without a terminal (a pipe, CI, a detached flush) progress is silent, lines are plain and as long as
they are; with one, or where COLUMNS says how wide it is, they are wrapped. What a person reads may
be the name of a file that somebody pushed, so no codes and no invisible characters get out, not
into a pipe either, since a pager obeys them; JSON has them as escapes. NO_COLOR is rich's to
honour. rich is loaded where something is drawn: it costs as much as half of a short verb. Windows
gives pipes and files the code page of the country, in which most text cannot be said: there the
streams that are no console are set to UTF-8, as other systems have it from the locale.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from memoria.program import expand_commands
from memoria.text.unicode import strip_ansi, strip_hidden

# a command that a person types, which stays on one line
_COMMAND = re.compile(r"`[^` ]*memoria\"? [^`]+`[.,;:)]?")
# stands for the blanks of a command while a text is wrapped
_KEPT_BLANK = "\0"
# bell, backspace, vertical tab, form feed, carriage return; what some take for the end of a line
_CURSOR = {**dict.fromkeys((7, 8, 11, 12, 13)), 0x2028: " ", 0x2029: " "}


def speak_utf8() -> None:
    """Set Windows' streams, and what child processes find; call it before anything is printed."""
    if sys.platform != "win32":
        return
    os.putenv("PYTHONUTF8", "1")
    streams: tuple[Any, ...] = (sys.stdin, sys.stdout, sys.stderr)
    for stream in streams:
        # without a console a program that has no window has no streams, either
        if stream is not None and hasattr(stream, "reconfigure") and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="replace")


class Terminal:
    """Where a command talks to the person."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def say(self, text: str = "") -> None:
        """Say a line about the work on stderr; nothing with --quiet."""
        if not self._quiet:
            sys.stdout.flush()  # in a pipe that gets both, each line stands where it was said
            print_stderr(text)

    def warn(self, text: str) -> None:
        """Say a line that a person has to see, also with --quiet."""
        if not sys.stderr.isatty():
            print_stderr(text)
            return
        from rich.console import Console  # noqa: PLC0415 - rich is slow to load

        console = Console(stderr=True, soft_wrap=True, markup=False, emoji=False, highlight=False)
        console.print(_wrap_lines(_clean_line(text), sys.stderr), style="yellow")

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Callable[[str], None]]:
        """Show progress over `total` steps; call the given function after each."""
        if self._quiet or not sys.stderr.isatty():
            yield lambda _step: None
            return
        from rich import progress as rich_progress  # noqa: PLC0415 - rich is slow to load
        from rich.console import Console  # noqa: PLC0415 - rich is slow to load

        with rich_progress.Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda _step: bar.advance(task)


def print_stderr(text: str) -> None:
    """Print a line about the work on stderr."""
    sys.stderr.write(_wrap_lines(_clean_line(text), sys.stderr) + "\n")


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Print lines on stdout for a person at a terminal, each with its style ("bold", "" for none).

    Long lines are wrapped; codes and invisible characters in them cannot reach the terminal.
    """
    from rich.console import Console  # noqa: PLC0415 - rich is slow to load

    console = Console(soft_wrap=True, markup=False, emoji=False, highlight=False)
    for style, text in rows:
        for row in _wrap_row(_strip_controls(expand_commands(text))):
            console.print(row, style=style)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout; columns of which every cell is a number stand to the right.

    In a pipe no line is cut or wrapped, however long it is.
    """
    from rich.console import Console  # noqa: PLC0415 - rich is slow to load
    from rich.table import Table  # noqa: PLC0415 - rich is slow to load
    from rich.text import Text  # noqa: PLC0415 - rich is slow to load

    cells = [[_replace_unencodable(_strip_controls(cell)) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, heading in enumerate(headings):
        column_cells = [row[at] for row in cells if row[at]]
        # amounts ("$1.20"), counts and days begin like numbers; a day (2026-04-01) is a text
        is_numeric = bool(column_cells) and all(cell[:1] in "$-0123456789" for cell in column_cells)
        is_dated = is_numeric and all(cell.count("-") > 1 for cell in column_cells)
        table.add_column(heading, justify="right" if is_numeric and not is_dated else "left")
    for row in cells:
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    if not _is_looked_at(sys.stdout):
        # wide enough for all of it: rich puts two blanks between columns
        console.width = max(console.width, sum(len(cell) + 2 for row in cells for cell in row))
    with console.capture() as capture:
        console.print(table)
    for row_text in capture.get().splitlines():
        sys.stdout.write(row_text.rstrip() + "\n")


def width() -> int:
    """Give the columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size().columns


def print_paragraph(text: str, *, first: str = "", indent: int = 0) -> None:
    """Print a text on stdout in lines that fit; `first` stands before it, below it is indented."""
    print_document("\n".join(wrap_text(text, first=first, indent=indent)) + "\n")


def wrap_text(text: str, *, first: str = "", indent: int = 0) -> list[str]:
    """Lay a text out in lines that fit the terminal; a command stays on one."""
    import textwrap  # noqa: PLC0415 - few verbs wrap

    rows = textwrap.wrap(
        _COMMAND.sub(lambda command: command[0].replace(" ", _KEPT_BLANK), _clean_line(text)),
        max(width(), 2 * indent, 40),
        initial_indent=first.ljust(indent),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [row.replace(_KEPT_BLANK, " ") for row in rows] or [first]


def print_prompt(prompt: str) -> None:
    """Print a prompt on stdout, and stay on its line."""
    sys.stdout.write(_clean_line(prompt))
    sys.stdout.flush()


def print_json(value: object) -> None:
    """Print a result as JSON on stdout."""
    sys.stdout.write(format_json(value) + "\n")


def format_json(value: object) -> str:
    """Give a result as JSON that stdout can show."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    # half an emoji, a terminal that knows few characters, or what a terminal would obey
    if text != _replace_unencodable(text) or text != strip_hidden(text):
        text = json.dumps(value, indent=2, default=str)
    return text


def print_line(text: str = "", indent: int = 0) -> None:
    """Print a line of a result on stdout; what goes on below it stands `indent` columns further."""
    print_document(_wrap_lines(_strip_controls(expand_commands(text)), sys.stdout, indent) + "\n")


def print_document(text: str) -> None:
    """Print on stdout what a file or a shell may take up: to the letter, but to no terminal."""
    sys.stdout.write(_replace_unencodable(strip_hidden(text) if sys.stdout.isatty() else text))


# -- From a text to what a stream takes: commands spelled out, codes taken out, wrapped, encoded ---


def _is_looked_at(stream: TextIO) -> bool:
    return stream.isatty() or bool(os.environ.get("COLUMNS"))


def _wrap_lines(text: str, stream: TextIO, indent: int = 0) -> str:
    """Wrap the lines that a person looks at, each below its own beginning."""
    if not _is_looked_at(stream):
        return text
    return "\n".join(row for line in text.split("\n") for row in _wrap_row(line, indent))


def _wrap_row(text: str, extra: int = 0) -> list[str]:
    if len(text) <= width():
        return [text]
    indent = len(text) - len(text.lstrip(" "))
    indent += extra or 2 * text.startswith("- ", indent)
    return wrap_text(text[indent:], first=text[:indent], indent=indent)


def _clean_line(text: str) -> str:
    """Give a line of talk without tabs and without what a terminal obeys."""
    return _strip_controls(expand_commands(text)).expandtabs()


def _strip_controls(text: str) -> str:
    """Leave out codes, control characters and what turns a text's direction around."""
    # a code first: the bell that ends it is a control character, too; and half a character, of a
    # name in another encoding, is shown as "?"
    visible_text = strip_ansi(text).translate(_CURSOR).encode("utf-8", "replace").decode()
    return strip_hidden(visible_text)


def _replace_unencodable(text: str) -> str:
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
