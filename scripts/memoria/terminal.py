"""Print for a person at a terminal: talk on stderr, data on stdout.

Without a terminal (a pipe, CI, a detached flush) progress is silent and lines are plain; NO_COLOR
and the width are rich's to honour.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Terminal:
    """Where a command talks to the person."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._talk = Console(stderr=True, highlight=False, soft_wrap=True)

    def say(self, text: str = "") -> None:
        """Say a line about the work on stderr; nothing with --quiet."""
        if not self._quiet:
            self._talk.print(text, markup=False)

    def warn(self, text: str) -> None:
        """Say a line that a person has to see, also with --quiet."""
        self._talk.print(text, markup=False, style="yellow")

    @contextmanager
    def progress(self, what: str, total: int) -> Iterator[Callable[[str], None]]:
        """Show progress over `total` steps; call the given function after each with its name."""
        shown = self._talk.is_terminal and not self._quiet
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[step]}"),
        )
        with Progress(*columns, console=self._talk, disable=not shown, transient=True) as bar:
            task = bar.add_task(what, total=total, step="")
            yield lambda step: bar.update(task, advance=1, step=step)


def page(rows: Iterable[tuple[str, str]]) -> None:
    """Print lines on stdout for a person at a terminal, each with its style ("bold", "" for none).

    Long lines are wrapped; codes and invisible characters in them cannot reach the terminal.
    """
    console = Console(highlight=False)
    for style, text in rows:
        plain = strip_hidden(text)
        indent = len(plain) - len(plain.lstrip(" "))
        # what goes on in a further line stands below its beginning
        room = max(1, console.width - indent)
        for part in Text(plain.lstrip(" "), style=style).wrap(console, room) or [Text()]:
            part.rstrip()
            console.print(Text(" " * indent) + part, soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout; columns of which every cell is a number stand to the right.

    In a pipe no line is cut or wrapped, however long it is.
    """
    cells = [[_printable(strip_hidden(cell)) for cell in row] for row in rows]
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for at, heading in enumerate(headings):
        column = [row[at] for row in cells if row[at]]
        numeric = bool(column) and all(cell[:1] in "$-0123456789" for cell in column)
        dated = numeric and all(cell.count("-") > 1 for cell in column)
        shown.add_column(heading, justify="right" if numeric and not dated else "left")
    for row in cells:
        shown.add_row(*map(Text, row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, sum(len(cell) + 2 for row in cells for cell in row))
    with console.capture() as printed:
        console.print(shown)
    for row_text in printed.get().splitlines():
        sys.stdout.write(row_text.rstrip() + "\n")


def ask(prompt: str) -> None:
    """Print a prompt on stdout, and stay on its line."""
    sys.stdout.write(prompt)
    sys.stdout.flush()


def data(value: object) -> None:
    """Print a result as JSON on stdout."""
    sys.stdout.write(encoded(value) + "\n")


def encoded(value: object) -> str:
    """Give a result as JSON that stdout can show."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    if text != _printable(text):  # half an emoji, or a terminal that knows few characters
        text = json.dumps(value, indent=2, default=str)
    return text


def line(text: str = "") -> None:
    """Print a line of a result on stdout, with "?" for what the terminal cannot show."""
    sys.stdout.write(_printable(text) + "\n")


def _printable(text: str) -> str:
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
