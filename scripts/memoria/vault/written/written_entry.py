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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memoria.text.json_edit import read_object
from memoria.text.outline import outline
from memoria.text.unicode import strip_hidden
from memoria.vault import frontmatter
from memoria.vault.written.categories import is_known, named

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memoria.text.outline import Block

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
_PLACEHOLDER = re.compile(
    r"""(?:\[(?!\[)[^\[\]]*\]|<[^<>]*>|\{+[^{}]*\}+
    |[.…?_*-]+|n/?a|none(?:\ yet)?|nothing(?:\ yet)?|todo|tbd|tba|xxx+
    |(?:improvement|insight|lesson|learning|item|point)s?(?:\ *\#?\d{1,2})?
    |\(?(?:e\.\ ?g\.|for\ example|example)[,:\ ].*
    )[.:!…\s]*""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT = 300  # characters: what is longer holds the place of nothing
_LONGEST = 1_000  # characters of an insight: what is longer is an essay
_CLOSED = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class Improvement:
    """An insight as the person wrote it, or as a draft proposed it and nobody changed it."""

    text: str
    category: str
    drafted: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What a written entry holds.

    `digest` is the same for copies of a file, whatever their names and dates. `session` names the
    session that it was drafted from. `own` are names of categories that are none of the four.
    `lacks` says what keeps it from being distilled: "section" (no Improvements), "bullets" (text
    and none in bullets), "insights" (it is empty). `fault` is the frontmatter's.
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
    blocks = outline(body).blocks
    lines = body.split("\n")
    section = _Section(lines, placeholders)
    section.read(blocks)
    below = "\n".join(lines[section.start :])
    session, drafted = _drafted(body, meta)
    improvements = tuple(
        # where the hashes are gone, what cannot be told to be the person's is not taken for it
        Improvement(
            line,
            category,
            drafted=bool(session) if drafted is None else _fingerprint(line) in drafted,
        )
        for line, category in section.insights()
    )
    return Written(
        title=next((block.text for block in blocks if block.level == 1), ""),
        goal=_goal(blocks),
        project=_text(meta, "project"),
        session=session,
        improvements=improvements,
        own=tuple(dict.fromkeys(section.own)),
        lacks="" if improvements else section.lacks,
        # a copy is given the day of its new name
        digest=_sha(_DATE.sub("", "\n".join(lines[: section.start])) + below.rstrip(), 16),
        fault=fault,
    )


def bullets(template: str) -> frozenset[str]:
    """Give the insights that a template seems to hold: what is printed there to be replaced."""
    return frozenset(improvement.text for improvement in written(template).improvements)


def draft_mark(session: str, lines: Sequence[str]) -> str:
    """Give the comment that says which lines a draft proposed."""
    meta = {"session": session, "drafted": [_fingerprint(line) for line in lines]}
    return f"<!-- memoria {json.dumps(meta)} -->"


def _fingerprint(line: str) -> str:
    return _sha(" ".join(line.casefold().split()), 12)


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


def _text(meta: Mapping[str, Any], key: str) -> str:
    value = meta.get(key)
    return value.strip() if isinstance(value, str) else ""


def _drafted(body: str, meta: Mapping[str, Any]) -> tuple[str, frozenset[str] | None]:
    """Give the session of a draft and the hashes of its lines; None where those are lost."""
    session = _text(meta, "session")
    for comment in _DRAFTED.findall(body) if "<!-- memoria" in body else ():
        value = read_object(comment)
        if isinstance(value.get("drafted"), list):
            lines = frozenset(map(str, value["drafted"]))
            return session or str(value.get("session", "")), lines
    return session, None


def _goal(blocks: Sequence[Block]) -> str:
    """Give the first text under The Goal."""
    inside = False
    for block in blocks:
        if block.level:
            inside = named(block.text) in {"the_goal", "goal", "goals"}
        elif inside and not _is_placeholder(block.text):
            text = block.text
            return text if len(text) <= _GOAL else f"{text[:_GOAL].rsplit(' ', 1)[0]}…"
    return ""


# -- Bullets ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Bullet:
    """A bullet with those below it, `indent` columns from the left; a `task` has a box."""

    indent: int
    text: str
    task: bool
    category: str
    children: list[_Bullet] = field(default_factory=list)


def _is_placeholder(text: str, known: Container[str] = ()) -> bool:
    """Whether a text only holds the place of one: `known` are those of a template."""
    return not text or text in known or (len(text) <= _SHORT and bool(_PLACEHOLDER.fullmatch(text)))


def _insights(
    bullet: _Bullet, placeholders: Container[str], before: str = ""
) -> Iterator[tuple[str, str]]:
    """Give what a bullet says, with those below it, as (insight, category)."""
    if bullet.task:
        return
    if bullet.children and bullet.text.endswith(":"):
        yield from _announced(bullet, placeholders, before)
    elif _is_placeholder(bullet.text, placeholders):
        for child in bullet.children:
            yield from _insights(child, placeholders, before)
    else:
        text = before + _joined(bullet, placeholders)
        yield text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…", bullet.category


def _announced(
    bullet: _Bullet, placeholders: Container[str], before: str
) -> Iterator[tuple[str, str]]:
    """Give the bullets below one that announces them; it may be the name of their category."""
    name = named(bullet.text)
    lead = before if is_known(name) else f"{before}{bullet.text} "
    for child in bullet.children:
        child.category = name if is_known(name) else child.category
        yield from _insights(child, placeholders, lead)


def _joined(bullet: _Bullet, placeholders: Container[str]) -> str:
    """Join a bullet with what stands below it to one line."""
    below = [
        _joined(child, placeholders)
        for child in bullet.children
        if not child.task and not _is_placeholder(child.text, placeholders)
    ]
    text = bullet.text
    if not below:
        return text
    if text.endswith(_CLOSED):
        sentences = (one if one.endswith(_CLOSED) else f"{one}." for one in below)
        return f"{text} {' '.join(sentences)}"
    return f"{text.rstrip(' ,;:')}: {'; '.join(one.rstrip('.') for one in below)}"


# -- The section Improvements ---------------------------------------------------------------------


class _Section:
    """Reads the blocks of an entry for what stands under Improvements."""

    def __init__(self, lines: Sequence[str], placeholders: Container[str]) -> None:
        self.own: list[str] = []
        self.lacks = "section"
        # the line of the first heading Improvements
        self.start = len(lines)
        self._lines = lines
        self._placeholders = placeholders
        self._items: list[_Bullet] = []
        self._open: list[_Bullet] = []
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
            for text, category in _insights(item, self._placeholders):
                self.own += [category] if category and not is_known(category) else []
                yield text, category

    def _heading(self, block: Block) -> None:
        self._open.clear()
        name = named(block.text)
        if re.match(r"(?:\d+_)*improvements?(?:_|$)", name):
            self._top, self._level, self._category = block.level, 0, ""
            self.lacks = "insights"
            self.start = min(self.start, block.place - 1)
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
            more = _Bullet(_indent(first), text, task=False, category=self._category)
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
        new = _Bullet(indent, text, task=bool(mark[3]), category=category)
        parent = self._parent(indent)
        (parent.children if parent else self._items).append(new)
        self._open.append(new)

    def _parent(self, indent: int) -> _Bullet | None:
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
        elif not _is_placeholder(text):
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
