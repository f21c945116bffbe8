"""Markdown that the assistant wrote -> the same told inertly: paragraphs, lists, tables, code.

A session's answers are the tutorial's best prose, and their shape is half of what they say, so it
is kept where a log's line would be flattened. Each piece is rewritten by what makes it inert, code
is fenced anew. Headings become bold lines: the note around has headings of its own, and who reads
its sections must not find more. The trap: a fence that is never closed takes the rest of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from textwrap import dedent
from typing import TYPE_CHECKING

from memoria.stages.fence import cut, fenced, language
from memoria.stages.markup import inert, next_fence
from memoria.stages.prose import clipped, split

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)[\s#]*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|(\d{1,3})[.)])\s+(\S.*)")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULER = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_QUOTE = re.compile(r" {0,3}>\s?(.*)")
_RULE = re.compile(r" {0,3}(?:[-*_]\s*){3,}$")
_NUMBERED = re.compile(r"^(\d{1,9})\\([.)])")
_CELL = re.compile(r"(?<!\\)\|")
_CODE_LINES = 24  # of a fenced block: more is a file and belongs into the repository
_DEEPEST = 2  # levels of a list below the first that a reader can still follow
_SHORT = 80  # characters: less than that of a long paragraph would be half a clause
_CLOSED = ("`", ".", "!", "?")


@dataclass(slots=True)
class _Teller:
    """The blocks told so far, and the lines of the one that is being read."""

    told: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    kind: str = ""

    def add(self, kind: str, line: str) -> None:
        """Take a line: it goes on with the block of its kind, or begins the next."""
        if kind != self.kind:
            self.close()
            self.kind = kind
        self.lines.append(line)

    def close(self) -> None:
        """Tell the block that was read."""
        if self.lines:
            text = _TOLD[self.kind](self.lines)
            self.told += [text] if text else []
        self.lines, self.kind = [], ""


def blocks(markdown: str) -> list[str]:
    """Tell a text block by block, each inert Markdown without surrounding blank lines."""
    teller = _Teller()
    fence = ""
    for line in markdown.expandtabs(4).splitlines():
        # a fence may stand indented in a list
        before, fence = fence, next_fence(fence, line.strip())
        if before and fence:
            teller.add("code", line)
        elif fence != before:
            teller.close()
            if fence:
                teller.add("code", line.strip().lstrip("`~"))
        elif not line.strip() or _RULE.match(line):
            if teller.kind != "list":  # which goes on after a blank line
                teller.close()
        else:
            teller.add(*_kind(line, teller.kind))
    teller.close()
    return teller.told


def _kind(line: str, current: str) -> tuple[str, str]:
    """Say which kind of block a line belongs to, and what of it does."""
    if heading := _HEADING.match(line):
        return "heading", heading[1]
    if _ROW.match(line):
        return "table", line
    if quote := _QUOTE.match(line):
        return "quote", quote[1]
    if _ITEM.match(line) or (current == "list" and line.startswith(" ")):
        return "list", line
    return "paragraph", line


def settled(markdown: str) -> str:
    """Take what means nothing to a later reader off a closing text: "Done.", the last offer."""
    text = _OFFER.sub("", markdown.strip())
    first, gap, rest = text.partition("\n\n")
    if _STATUS.match(first) and not first.lstrip().startswith(("#", "|", "`")):
        said = [one for one in split(first) if not _STATUS.match(one)]
        text = f"{' '.join(said)}{gap}{rest}".strip()
    return text


_OFFER = re.compile(
    r"(?:^|(?<=[.!?])[ \n]+|\n\n)(?:would you like|(?:do you )?want me|shall i|should i"
    r"|let me know|ready for you)[^\n]{0,300}\Z",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?:(?:all )?(?:done|good|set|green|fixed|perfect|great|excellent)[.!:]"
    r"|(?:great|good|excellent|fair) (?:question|catch|point|idea|call)[.!,]"
    r"|all (?:\w+ )?tests (?:and \w+ )?pass|both files have been"
    r"|(?:now )?let me (?:create|update|summari|give|provide|write)"
    r"|here(?:'s|\u2019s| is| are) (?:an? |the )?(?:quick |brief )?(?:summary|overview))",
    re.IGNORECASE,
)


def retold(markdown: str, limit: int, told: set[str] | None = None) -> str:
    """Tell a text in at most about `limit` characters: whole blocks, the last one cut if need be.

    `told` holds what was told before: lines of it are left out, and what is told now is added. A
    label that would end the text ("The changes:") is left out, since what it announces is.
    """
    kept: list[str] = []
    left = limit
    for block in _new(blocks(markdown), set() if told is None else told):
        if len(block) <= left:
            kept.append(block)
            left -= len(block)
            continue
        kept += list(_shortened(block, left))
        break
    while kept and (kept[-1].endswith((":", ":**")) or kept[-1].startswith("**")) and _bare(kept):
        kept.pop()
    return "\n\n".join(kept)


def _new(found: Iterable[str], told: set[str]) -> Iterator[str]:
    """Leave out the lines that were told before, and the headings over nothing else."""
    headings: list[str] = []
    for block in found:
        if block.startswith("**") and _bare([block]):
            headings.append(block)
            continue
        groups = list(_groups(block))
        kept = [lines for lines in groups if not all(_is_told(line, told) for line in lines)]
        told.update(_key(line) for lines in groups for line in lines)
        if len(kept) * 2 > len(groups):
            yield from headings
            yield "\n".join(line for lines in kept for line in lines)
        headings.clear()
    yield from headings


def _groups(block: str) -> Iterator[list[str]]:
    """Part a block into what can be left out: an item with those below it, code as a whole."""
    if block.startswith(("`", "|")):
        yield [block]
        return
    group: list[str] = []
    for line in block.split("\n"):
        if group and not line.startswith(" "):
            yield group
            group = []
        group.append(line)
    yield group


def _is_told(line: str, told: Container[str]) -> bool:
    key = _key(line)
    return key in told or (len(key) < _SAYING and line.startswith(" "))


_SAYING = 20  # characters: what is shorter goes with the item above it


def _key(line: str) -> str:
    return re.sub(r"[\W\d_]+", " ", line.casefold()).strip()


def _bare(kept: list[str]) -> bool:
    """Whether the last block only announces: a label or a heading, no bold sentence."""
    last = kept[-1]
    return last.endswith((":", ":**")) or (last.startswith("**") and last.endswith("**"))


def _shortened(block: str, room: int) -> Iterator[str]:
    """Give the beginning of a block that is too long, if enough of it fits."""
    lines = block.split("\n")
    if len(lines) > 1 and not block.startswith(("`", "|")):
        kept: list[str] = []
        for line in lines:
            room -= len(line)
            if room < 0:
                break
            kept.append(line)
        if kept:
            yield "\n".join(kept)
    elif room >= _SHORT and not block.startswith(("`", "|")):
        yield inert(clipped(block, room))


def _heading(lines: list[str]) -> str:
    # behind the stars a number begins no list
    words = [_NUMBERED.sub(r"\1\2", inert(line.replace("**", "")).strip("*: ")) for line in lines]
    return "\n\n".join(f"**{line}**" for line in words if line)


def _paragraph(lines: list[str]) -> str:
    return inert(" ".join(lines))


def _quote(lines: list[str]) -> str:
    return "\n".join(f"> {inert(line)}".rstrip() for line in lines) if any(lines) else ""


def _code(lines: list[str]) -> str:
    word, *rest = lines
    # within a list it stands indented
    body = dedent("\n".join(cut(rest, _CODE_LINES)))
    # of what stands behind the fence only a known language is believed
    return fenced(body, language(word.split()[0] if word.split() else "")) if body.strip() else ""


def _list(lines: list[str]) -> str:
    """Tell a list: one line an item, levels by how far it is indented against those before."""
    items: list[tuple[int, str, str]] = []
    for line in lines:
        if item := _ITEM.match(line):
            items.append((len(item[1]), f"{item[2]}." if item[2] else "-", item[3]))
        elif items:
            indent, mark, words = items[-1]
            items[-1] = (indent, mark, f"{words} {line.strip()}")
    told: list[str] = []
    open_: list[int] = []
    for indent, mark, words in items:
        while open_ and open_[-1] >= indent:
            open_.pop()
        level = min(len(open_), _DEEPEST)
        open_.append(indent)
        told.append(f"{'   ' * level}{mark} {inert(words)}")
    return "\n".join(told)


def _table(lines: list[str]) -> str:
    """Tell a table: each cell inert, the bars its own."""
    rows = [
        [_cell(cell) for cell in _CELL.split(line.strip().strip("|"))]
        for line in lines
        if not _RULER.match(line)
    ]
    if not rows:
        return ""
    width = len(rows[0])
    rows = [[*row, *[""] * width][:width] for row in rows]
    rows.insert(1, ["---"] * width)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(text: str) -> str:
    # a bar that an escape had hidden must not end the cell now
    return re.sub(r"(?<!\\)\|", r"\\|", inert(text))


_TOLD = {
    "heading": _heading,
    "paragraph": _paragraph,
    "quote": _quote,
    "code": _code,
    "list": _list,
    "table": _table,
}
