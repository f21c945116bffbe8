"""Write and take out one marked part of a file; every byte around it stays.

The begin mark remembers a hash of the body, which tells a person's edit, and how many line ends
were put before it: without them taking it out could not give the text again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memoria.text.hashes import hash_text

BOM = "\ufeff"
HINT = "(rewritten by Memoria: write around it)"
# "<!-- memoria:end -->": a mark or what was one, even indented, to be told of and not doubled.
# Claude Code leaves a comment out of what the model sees of a CLAUDE.md.
_MARK = re.compile(
    rf"^{BOM}?(?P<blank>[ \t]*)(?P<mark><!--[ \t]*memoria:(?P<word>begin|end)\b)"
    r"(?P<rest>[^\r\n]*?)[ \t]*-->[ \t]*(?=\r?$)",
    re.MULTILINE,
)
# 48 bits: two bodies of one file share their hash once in 10^14 edits
_DIGEST_LENGTH = 12
# what a begin mark says: "begin 0f3a12bc34de gap=1 from=rules (...)"
_DETAILS = re.compile(
    rf"begin (?P<sha>[0-9a-f]{{{_DIGEST_LENGTH}}}) gap=(?P<gap>[012])"
    r"(?: from=(?P<origin>[a-z0-9-]+))?(?: \([^\r\n]*\))?"
)
_LINE_END = re.compile(r"\r\n|\r|\n")


class DamagedRegion(ValueError):
    """The marks are not one begin with its end; the text says on which line."""


@dataclass(frozen=True, slots=True)
class Region:
    """The marked part of a text: offsets, 1-based lines of its marks, and what the first says."""

    start: int
    end: int
    line: int
    last: int
    body: str
    sha: str
    gap: int
    origin: str
    newline: str

    @property
    def edited(self) -> bool:
        """Whether a person has changed it since it was written."""
        return digest(self.body) != self.sha


def digest(text: str) -> str:
    """Hash a text, blind to line ends, to spaces at their ends and to blank lines around it."""
    lines = [line.rstrip(" \t") for line in _LINE_END.split(text)]
    return hash_text("\n".join(lines).strip("\n"), _DIGEST_LENGTH)


def find_region(text: str) -> Region | None:
    """Find the marked part, None where there is none; raises DamagedRegion."""
    matches = list(_MARK.finditer(text))
    if not matches:
        return None
    lines = [text.count("\n", 0, match.start("mark")) + 1 for match in matches]
    words = [match["word"] for match in matches]
    if words != ["begin", "end"]:
        raise DamagedRegion(_describe_fault(words, lines))
    first, last = matches
    details = _DETAILS.fullmatch(first["word"] + first["rest"])
    if not details or first["blank"] or last["blank"] or last["rest"]:
        line = lines[0] if not details or first["blank"] else lines[1]
        raise DamagedRegion(f"line {line}: the mark of Memoria's part was changed")
    enclosed = text[first.end() : last.start("mark")]
    newline = "\r\n" if enclosed.startswith("\r\n") else "\n"
    return Region(
        start=first.start("mark"),
        end=last.end(),
        line=lines[0],
        last=lines[1],
        body="\n".join(_LINE_END.split(enclosed)).strip("\n"),
        sha=details["sha"],
        gap=int(details["gap"]),
        origin=details["origin"] or "",
        newline=newline,
    )


def put_region(text: str, body: str, *, origin: str = "") -> str:
    """Write, rewrite or (for an empty body) take out the marked part; nothing else changes.

    Raises DamagedRegion, and ValueError for a body that holds a mark itself.
    """
    if _MARK.search(body):
        raise ValueError("the body holds a mark")
    region = find_region(text)
    lines = "\n".join(_LINE_END.split(body)).strip("\n")
    if not lines.strip():
        return _remove_region(text, region) if region else text
    if region:
        block = _format_region(lines, region.gap, region.origin, region.newline)
        return text[: region.start] + block + text[region.end :]
    # behind a lone CR an LF would look like one of the text's own
    newline = "\r\n" if "\r\n" in text or text.endswith("\r") else "\n"
    gap = _choose_gap(text.removeprefix(BOM))
    tail = "" if gap > 1 else newline
    return text + newline * gap + _format_region(lines, gap, origin, newline) + tail


def remove_lines(text: str, is_unwanted: Callable[[str], bool]) -> str:
    """Take single lines out of the marked part and leave all others, a person's own too."""
    region = find_region(text)
    if not region:
        return text
    rows = text[region.start : region.end].split("\n")
    kept_rows = [row for row in rows[1:-1] if not is_unwanted(row.removesuffix("\r"))]
    return text[: region.start] + "\n".join([rows[0], *kept_rows, rows[-1]]) + text[region.end :]


def _describe_fault(words: list[str], lines: list[int]) -> str:
    """Say what is wrong with marks that are not a begin and its end."""
    if len(words) > 1:
        places = ", ".join(map(str, lines))
        return f"lines {places}: Memoria's part has one begin and one end, and these are not those"
    fault = "begins here and never ends" if words == ["begin"] else "ends here and begins nowhere"
    return f"line {lines[0]}: Memoria's part {fault}"


def _format_region(body: str, gap: int, origin: str, newline: str) -> str:
    """Give the part with its marks; blank lines inside them are what formatters would put there."""
    source = f" from={origin}" if origin else ""
    begin = f"<!-- memoria:begin {digest(body)} gap={gap}{source} {HINT} -->"
    end = "<!-- memoria:end -->"
    return newline.join([begin, "", *body.split("\n"), "", end])


def _choose_gap(text: str) -> int:
    """Say how many line ends stand between a text and a part of its own."""
    if not text or text in {"\n", "\r\n"} or text.endswith(("\n\n", "\n\r\n")):
        return 0
    return 1 if text.endswith("\n") else 2


def _remove_region(text: str, region: Region) -> str:
    """Take the part out; lines around it are never joined, whatever a person did to them."""
    before, after = text[: region.start], text[region.end :]
    if region.gap > 1:
        return _strip_line_end(_strip_line_end(before)) + after
    stripped = _strip_line_end(before)
    if region.gap and (stripped in {"", BOM} or stripped.endswith("\n")):
        before = stripped
    return before + re.sub(r"\A\r?\n", "", after)


def _strip_line_end(text: str) -> str:
    """Take one line end from the end of a text."""
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")
