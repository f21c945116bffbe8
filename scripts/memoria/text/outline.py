"""Read a note's links, headings and blocks of text, with their lines.

A parser in Rust (pulldown-cmark, by pyromark) reads what CommonMark and Obsidian call a link, so
what stands in code, a comment or HTML is none. It counts in bytes; and within a table the bar of an
alias is written with a backslash, which it leaves at the target's end.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyromark

_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:|//")  # "https:", "mailto:"
_PERCENT_ESCAPES = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_OPTIONS = pyromark.Options
_PARSER = pyromark.Markdown(
    options=_OPTIONS.ENABLE_TABLES
    | _OPTIONS.ENABLE_WIKILINKS
    | _OPTIONS.ENABLE_TASKLISTS
    | _OPTIONS.ENABLE_FOOTNOTES
    | _OPTIONS.ENABLE_STRIKETHROUGH
)
PARSER = f"pyromark {pyromark.__version__}"


class Link(NamedTuple):
    """A link to another note, at a line: `target` without heading and alias; "" = this note."""

    target: str
    place: int


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, item or cell as plain text, and the section it is in; `level` is a heading's."""

    text: str
    place: int
    section: str
    level: int = 0
    code: tuple[str, ...] = ()  # what stands in it as inline code


class Outline(NamedTuple):
    """What a note's body holds, in order."""

    links: tuple[Link, ...]
    blocks: tuple[TextBlock, ...]


def parse_outline(body: str, first: int = 1) -> Outline:
    """Read a note's body, which begins at line `first` of its file."""
    reader = _OutlineReader(body.encode("utf-8", "replace"), first)
    reader.read(body)
    return Outline(tuple(reader.links), tuple(reader.blocks))


_BLOCKS = frozenset({"Paragraph", "Item", "TableCell", "Heading", "FootnoteDefinition"})
_BREAKS = frozenset({"SoftBreak", "HardBreak"})


class _OutlineReader:
    """Gathers what the parser tells, event by event."""

    def __init__(self, data: bytes, first: int) -> None:
        self.links: list[Link] = []
        self.blocks: list[TextBlock] = []
        self._data = data
        self._line, self._at = first, 0
        self._words: list[str] = []
        self._code: list[str] = []
        self._place, self._level, self._section = first, 0, ""
        self._in_code = self._in_comment = False

    def read(self, body: str) -> None:
        """Go through the body's events, of which a vault of 10,000 articles has two million."""
        words = self._words
        # its types know a hundred events; what is not looked for here is passed over
        events: Any = _PARSER.events_with_range(body, merge_text=True)
        for event, span in events:
            if event.__class__ is str:
                if event in _BREAKS:
                    words.append(" ")
                continue
            ((kind, value),) = event.items()
            if kind == "Text" or kind == "Code":  # noqa: PLR1714 - a set would be slower
                if not self._in_code:
                    words.append(value)
                    if kind == "Code":
                        self._code.append(value)
                    # Obsidian shows nothing of what stands between two %%
                    if "%%" in value and kind == "Text" and value.count("%%") % 2:
                        self._in_comment = not self._in_comment
            elif kind == "Start":
                self._start_element(value, span)
            elif kind == "End":
                self._end_element(value)
        self.flush()

    def flush(self) -> None:
        """Close the block of text that is open."""
        if not self._words:
            return
        text = " ".join("".join(self._words).split())
        self._words.clear()
        if text:
            section = text if self._level else self._section
            code = tuple(self._code)
            self.blocks.append(TextBlock(text, self._place, section, self._level, code))
            self._section = section
        self._code.clear()
        self._level = 0

    def _start_element(self, value: Any, span: Mapping[str, int]) -> None:  # noqa: ANN401 - a union of dicts
        name = value if value.__class__ is str else next(iter(value))
        if name in _BLOCKS:
            self.flush()
            self._place = self._find_line(span["start"])
            self._level = int(value[name]["level"][1]) if name == "Heading" else 0
        elif name in {"Link", "Image"}:
            self._add_link(value[name], span)
        elif name == "CodeBlock":
            self.flush()
            self._in_code = True

    def _end_element(self, value: Any) -> None:  # noqa: ANN401 - as above
        name = value if value.__class__ is str else next(iter(value))
        if name in _BLOCKS:
            self.flush()
        elif name == "CodeBlock":
            self._in_code = False

    def _add_link(self, value: Mapping[str, Any], span: Mapping[str, int]) -> None:
        target = str(value["dest_url"])
        if self._in_comment or _SCHEME.match(target):
            return
        is_wiki = isinstance(value["link_type"], dict)
        path, _, heading = target.partition("#")
        path = path.removesuffix("\\").strip() if is_wiki else _PERCENT_ESCAPES.sub(_unescape, path)
        # a mention of a file of some project is no link within the vault
        is_note = "\n" not in target if is_wiki else path.endswith(".md")
        if is_note and (path or heading):
            self.links.append(Link(path, self._find_line(span["start"])))

    def _find_line(self, byte: int) -> int:
        """Give the line of a byte; the parser goes forward, so each line end is counted once."""
        if byte < self._at:
            return self._line - self._data.count(b"\n", byte, self._at)
        self._line += self._data.count(b"\n", self._at, byte)
        self._at = byte
        return self._line


def _unescape(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace")
