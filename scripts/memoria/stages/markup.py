"""Text of any origin -> inert Markdown: it reads the same and does nothing when a vault is opened.

An allow-list by rewriting, because a vault is opened in programs that fetch images, run plugin code
blocks and follow links: HTML becomes text, images and links become their words, embeds become their
names, and only `[[wikilinks]]` to known notes stay links. The trap: inline code is exempt from all
of this except for the prefixes that query plugins execute.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container

_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
# `[words](target)` and `![words](target)`: bounded, so that a run of brackets stays linear
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\(\s*<?([^()\s<>]{0,2000})>?[^()\n]{0,200}\)")
_WIKILINK = re.compile(
    r"(!?)\[\[([^\[\]\n|#]{1,200})(#[^\[\]\n|]{0,200})?(\|[^\[\]\n]{0,200})?\]\]"
)
_TAG_OPENING = re.compile(r"<(?=[A-Za-z/!?%])")
_REFERENCE = re.compile(r"^(\s{0,3})\[([^\]\n]{1,200})\]:(?=\s)")
# a line that begins so would change the structure of the note around it
_STRUCTURE = re.compile(r"^\s*(#{1,6}(?=\s)|>|(?:[-*_]\s*){3,}$|={3,}$|---+$|\||:::|\+\+\+)")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
# Dataview and its like execute inline code that begins with these
_EXECUTED = ("=", "$=")


def wikilinks(text: str) -> tuple[str, ...]:
    """Give the targets of the wikilinks of a text, in order, without heading and alias."""
    bare = _CODE.sub("", text)
    return tuple(match.group(2).strip() for match in _WIKILINK.finditer(bare))


def inert(text: str, known: Container[str] = ()) -> str:
    """Make one line inert; wikilinks survive only where `known` holds their target.

    `known` are note paths without ending, relative to knowledge/ or to the vault. White space is
    folded, so the result is one line.
    """
    line = " ".join(text.split())
    line = _outside_code(line, lambda plain: _plain(plain, known))
    line = _REFERENCE.sub(r"\1\\[\2]:", line)
    if _STRUCTURE.match(line) or _FENCE.match(line):
        line = "\\" + line
    return line


def inert_prose(text: str, known: Container[str] = ()) -> str:
    """Make paragraphs inert: each paragraph one line, lists kept, fences and HTML as plain text."""
    paragraphs = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line for line in block.splitlines() if not _FENCE.match(line)]
        if all(re.match(r"\s*[-*+]\s", line) for line in lines) and lines:
            items = (re.sub(r"^\s*[-*+]\s+(\[[ xX]\]\s+)?", "", line) for line in lines)
            paragraphs.append("\n".join(f"- {inert(item, known)}" for item in items if item))
        elif lines:
            paragraphs.append(inert(" ".join(lines), known))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _outside_code(line: str, change: Callable[[str], str]) -> str:
    parts, at = [], 0
    for match in _CODE.finditer(line):
        parts.append(change(line[at : match.start()]))
        parts.append(_code(match))
        at = match.end()
    parts.append(change(line[at:]))
    return "".join(parts)


def _code(match: re.Match[str]) -> str:
    inner = match.group(2)
    return f"'{inner}'" if inner.lstrip().startswith(_EXECUTED) else match.group(0)


def _plain(text: str, known: Container[str]) -> str:
    text = _LINK.sub(_unlink, text)
    text = _WIKILINK.sub(lambda match: _keep_known(match, known), text)
    text = _TAG_OPENING.sub("&lt;", text)
    return text.replace("%%", "% %").replace("```", "'''").replace("~~~", "'''")


def _unlink(match: re.Match[str]) -> str:
    words, target = match.group(1).strip(), match.group(2)
    if not target.startswith(("https://", "http://")) or match.group(0).startswith("!"):
        return words or "(image)"
    return f"{words} ({target})" if words and words != target else target


def _keep_known(match: re.Match[str], known: Container[str]) -> str:
    embed, target = match.group(1), match.group(2).strip().removesuffix(".md")
    alias = (match.group(4) or "")[1:].strip()
    if target in known and not embed:
        return f"[[{target}|{alias}]]" if alias else f"[[{target}]]"
    return alias or target
