"""Read the Markdown of an entry that a person writes: its title, goal and insights.

What counts is the section Improvements, whatever its level and wherever it stands, and the bullets
under its categories. A Markdown parser says what a bullet is, so code, comments and quoted HTML
hold none; the words are taken from the lines, as the parser's text has lost the backticks. What a
draft of a session proposed is not the person's: its mark tells it by the hashes of its lines.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from memoria.text.markdown import next_fence
from memoria.text.outline import outline
from memoria.text.unicode import strip_hidden
from memoria.vault import frontmatter
from memoria.vault.written.bullets import Bullet, insights, is_placeholder
from memoria.vault.written.categories import is_known, named

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memoria.text.outline import Block

SECTIONS = (
    "The Goal",
    "What We Built",
    "The Journey",
    "Test Results",
    "Code Samples",
    "Improvements",
)
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_LIMIT = 64 * 1024  # characters, as vault/article.py has it
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DRAFTED = re.compile(r"<!-- memoria (\{[^\n]*\}) -->")
_ITEM = re.compile(r"((?:[ ]*>)*\s*)([-*+]|\d{1,9}[.)])(?:\s+(\[[^\[\]]\]\s+)?|$)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_QUOTED = re.compile(r"^\s*(?:>\s?)+")
_LABEL = re.compile(
    r"(?:\*\*|__)(?P<name>[^*_:]{1,60}):?(?:\*\*|__)\s*(?:[:\u2013\u2014-]\s|:?$)?\s*(?P<rest>.*)"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DEEPEST = 6  # levels of nested bullets that are told apart
_CHILD = 2  # spaces by which a bullet is indented at least to belong to the one above it
_GOAL = 160  # characters of the goal that are shown beside a title


@dataclass(frozen=True, slots=True)
class Improvement:
    """An insight as the person wrote it; `category` is "" where no heading names one.

    `drafted`: it is a line that a draft proposed, and nobody has changed it since.
    """

    text: str
    category: str
    drafted: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What a written entry holds.

    `digest` is the same for copies of a file, whatever their names and dates. `session` names the
    session that it was drafted from, "" for none. `own` are the names of categories that are none
    of the four. `lacks` says what keeps the entry from being distilled: "section" (there is no
    Improvements), "bullets" (it has text and none in bullets), "insights" (it is empty), "".
    `fault` says what is wrong with the frontmatter.
    """

    title: str
    goal: str
    project: str
    session: str
    improvements: tuple[Improvement, ...]
    own: tuple[str, ...]
    lacks: str
    digest: str
    fault: str = ""


def written(text: str, placeholders: Container[str] = ()) -> Written:
    """Read a written entry; whatever it looks like, it is read. `placeholders` are no insights."""
    body, meta, fault = _split(strip_hidden(text))
    head, rest = _parted(body)
    opening = outline(head).blocks
    section = _Section(rest.split("\n"), placeholders)
    section.read(outline(rest).blocks if rest != head else opening)
    session, drafted = _drafted(body, meta)
    improvements = tuple(
        Improvement(line, category, drafted=_is_drafted(line, session, drafted))
        for line, category in section.insights()
    )
    lacks = "" if improvements else section.lacks
    return Written(
        title=next((block.text for block in opening if block.level == 1), ""),
        goal=_goal(opening),
        project=_text(meta, "project"),
        session=session,
        improvements=improvements,
        own=tuple(dict.fromkeys(section.own)),
        lacks=lacks,
        # a copy is given the day of its new name
        digest=_sha(_DATE.sub("", head) + body[len(head) :].rstrip(), 16),
        fault=fault,
    )


def bullets(template: str) -> frozenset[str]:
    """Give the insights that a template seems to hold: what is printed there to be replaced."""
    return frozenset(improvement.text for improvement in written(template).improvements)


def fingerprint(line: str) -> str:
    """Hash a line of a draft: what a later edit of it is told by."""
    return _sha(" ".join(line.casefold().split()), 12)


def draft_mark(session: str, lines: Sequence[str]) -> str:
    """Give the comment that says which lines a draft proposed."""
    meta = {"session": session, "drafted": [fingerprint(line) for line in lines]}
    return f"<!-- memoria {json.dumps(meta)} -->"


def _sha(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def _split(text: str) -> tuple[str, Mapping[str, Any], str]:
    """Part off the frontmatter, with what is wrong with it."""
    match = _FRONT.match(text)
    if not match or match.end() > _FRONT_LIMIT:
        return text, {}, ""
    try:
        meta = frontmatter.values(match[1] or "")
    except ValueError as error:
        return text[match.end() :], {}, str(error)
    return text[match.end() :], meta, ""


def _parted(body: str) -> tuple[str, str]:
    """Part the beginning, with title and goal, from Improvements; both the whole where in doubt.

    What lies between is most of an entry and says nothing here, so it need not be parsed.
    """
    start = _section(body)
    if start < 0:
        return body, body
    fence = ""
    for line in _FENCES.findall(body, 0, start):
        fence = next_fence(fence, line)
    if fence or body.rfind("<!--", 0, start) > body.rfind("-->", 0, start):
        return body, body
    # the title, The Goal, and where the next section begins
    third = next(islice(_HEADING.finditer(body, 0, start), 2, None), None)
    return body[: third.start() if third else start], body[start:]


def _section(body: str) -> int:
    """Find the first line that looks like the heading Improvements, -1 for none."""
    lowered = body.lower()
    # lower-casing makes some letters two, and then the places differ
    at = lowered.find("improvement") if len(lowered) == len(body) else -1
    while at >= 0:
        start, end = body.rfind("\n", 0, at) + 1, body.find("\n", at)
        end = len(body) if end < 0 else end
        if _HEADING.match(body, start, end) or _UNDERLINE.match(body, end):
            return start
        at = lowered.find("improvement", end)
    return -1


_UNDERLINE = re.compile(r"\n {0,3}(?:=+|-+)[ \t]*(?:\n|\Z)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]", re.MULTILINE)
_FENCES = re.compile(r"^ {0,3}(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)


def _text(meta: Mapping[str, Any], key: str) -> str:
    value = meta.get(key)
    return value.strip() if isinstance(value, str) else ""


def _drafted(body: str, meta: Mapping[str, Any]) -> tuple[str, frozenset[str] | None]:
    """Give the session of a draft and the hashes of its lines; None where those are lost."""
    session = _text(meta, "session")
    for comment in _DRAFTED.findall(body) if "<!-- memoria" in body else ():
        try:
            value = json.loads(comment)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("drafted"), list):
            lines = frozenset(str(one) for one in value["drafted"])
            return session or str(value.get("session", "")), lines
    return session, None


def _is_drafted(line: str, session: str, lines: frozenset[str] | None) -> bool:
    # the hashes are gone: what cannot be told to be the person's is not taken for it
    return fingerprint(line) in lines if lines is not None else bool(session)


def _goal(blocks: Sequence[Block]) -> str:
    """Give the first text under The Goal."""
    inside = False
    for block in blocks:
        if block.level:
            inside = named(block.text) in {"the_goal", "goal", "goals"}
        elif inside and not is_placeholder(block.text):
            text = block.text
            return text if len(text) <= _GOAL else f"{text[:_GOAL].rsplit(' ', 1)[0]}…"
    return ""


# -- The section Improvements ---------------------------------------------------------------------


class _Section:
    """Reads the blocks of an entry for what stands under Improvements."""

    def __init__(self, lines: Sequence[str], placeholders: Container[str]) -> None:
        self.own: list[str] = []
        self.lacks = "section"
        self._lines = lines
        self._placeholders = placeholders
        self._items: list[Bullet] = []
        self._open: list[Bullet] = []
        self._top = self._level = 0
        self._category = ""

    def read(self, blocks: Sequence[Block]) -> None:
        """Go through the blocks, from each to the line where the next begins."""
        for index, block in enumerate(blocks):
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            if block.level:
                self._heading(block)
            elif self._top:
                end = following.place - 1 if following else len(self._lines)
                self._block(block, max(end, block.place))

    def insights(self) -> Iterator[tuple[str, str]]:
        """Give the insights with their categories, in order."""
        for item in self._items:
            for text, category in insights(item, self._placeholders):
                self.own += [category] if category and not is_known(category) else []
                yield text, category

    def _heading(self, block: Block) -> None:
        self._open.clear()
        name = named(block.text)
        if re.match(r"(?:\d+_)*improvements?(?:_|$)", name):
            self._top, self._level, self._category = block.level, 0, ""
            self.lacks = "insights"
        elif self._top and is_known(name):
            self._category, self._level = name, block.level
        elif self._top and block.level > self._top:
            # below a category's heading another one only orders its bullets
            if not self._category or block.level <= self._level:
                self._category, self._level = name, block.level
        else:
            self._top = 0

    def _block(self, block: Block, end: int) -> None:
        """Take a paragraph or an item, whose lines end at `end`."""
        first = self._lines[block.place - 1]
        bare = block.place > 1 and _ITEM.fullmatch(self._lines[block.place - 2].rstrip())
        item = _ITEM.match(first) or (bare if bare and not bare[3] else None)
        text = self._words(block, first, item if item and item.string == first else None, end)
        if item:
            self._item(item, text)
        elif parent := self._parent(_indent(first)):
            # a further paragraph of an item says more of it
            more = Bullet(_indent(first), text, task=False, category=self._category)
            parent.children.append(more)
        else:
            self._paragraph(text)

    def _words(self, block: Block, first: str, item: re.Match[str] | None, end: int) -> str:
        """Give a block's words as they stand in its lines."""
        words = [first[item.end() :] if item else first]
        for line in self._lines[block.place : end]:
            if _ends(line, _indent(first)):
                break
            words.append(_QUOTED.sub("", line))
        text = " ".join(" ".join(words).split())
        while (inner := _ITEM.match(text)) and not block.text.startswith(inner[0].strip()):
            text = text[inner.end() :]  # "- - words": a list that begins in a list
        # the parser shows a comment only where it stands in code
        if "<!--" not in text or "<!--" in block.text:
            return text
        return " ".join(_COMMENT.sub(" ", text).split())

    def _item(self, mark: re.Match[str], text: str) -> None:
        indent = _indent(mark.string)
        category = self._category
        if (label := _LABEL.fullmatch(text)) and is_known(named(label["name"])):
            category, text = named(label["name"]), label["rest"] or f"{label['name']}:"
        new = Bullet(indent, text, task=bool(mark[3]), category=category)
        parent = self._parent(indent)
        (parent.children if parent else self._items).append(new)
        self._open.append(new)

    def _parent(self, indent: int) -> Bullet | None:
        """Close the bullets that one at `indent` does not belong to; give the one it does."""
        while self._open and self._open[-1].indent + _CHILD > indent:
            self._open.pop()
        del self._open[_DEEPEST:]
        return self._open[-1] if self._open else None

    def _paragraph(self, text: str) -> None:
        label = _LABEL.fullmatch(text)
        name = named(label["name"]) if label and not label["rest"] else ""
        if is_known(name):
            self._category, self._level = name, self._top + 1
        elif not is_placeholder(text):
            self.lacks = "bullets" if self.lacks == "insights" else self.lacks


def _ends(line: str, indent: int) -> bool:
    """Whether a line ends the text above it: blank, a fence, a comment, an item that is empty."""
    if not line.strip() or _FENCE.match(line) or line.lstrip().startswith("<!--"):
        return True
    mark = _ITEM.match(line)
    return mark is not None and (mark[2] in "-*+" or _indent(line) <= indent)


def _indent(line: str) -> int:
    plain = _QUOTED.sub("", line) if ">" in line else line
    plain = plain.expandtabs(4) if "\t" in plain else plain
    return len(plain) - len(plain.lstrip())
