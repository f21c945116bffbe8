"""Read the Markdown of an entry that a person writes: its title, goal and insights.

What counts is the section Improvements and the bullets under its categories. What a draft of a
session proposed is not the person's: its mark tells it by the hashes of its lines.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.text.hashes import hash_text
from memoria.text.json_text import read_object, text_at
from memoria.text.unicode import strip_hidden
from memoria.vault import frontmatter
from memoria.vault.written.categories import find_category, normalise_category

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

# "---", the keys, "---" or "..."
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
# fenced blocks and comments, which hold no words; "`<!--`" in inline code is no comment and stays
_HIDDEN = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^`\n]*(?:\n.*?^[ \t]*(?P=fence)[^\n]*$|.*\Z)"
    r"|(?P<code>`[^`\n]+`)|<!--.*?(?:-->|\Z)",
    re.DOTALL | re.MULTILINE,
)
# '<!-- memoria {"session": "...", "drafted": [...]} -->'
_DRAFT_MARK = re.compile(r"<!-- memoria (\{[^\n]*\}) -->")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")  # "## Improvements ##"
# "- words", "2) [x] words": its box and its words
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(\[[ xX]\][ \t]+)?(.*)|$)")
# of a heading as `normalise_category` names it: "6. Improvements (draft)" is 6_improvements_draft
_IMPROVEMENTS = re.compile(r"(?:\d+_)*improvements?(?:_|$)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CHILD_INDENT = 2  # columns by which a bullet is indented at least to belong to the one above it
_CODE_INDENT = 4  # columns by which a line without a bullet above it is code
_MAX_GOAL = 160  # characters of the goal that are shown beside a title
# holds the place of an insight: "[your insight]", "...", "none yet", "Insight 1", "e.g. use uv"
_PLACEHOLDER = re.compile(
    r"""(?:\[(?!\[)[^\[\]]*\]|<[^<>]*>|\{+[^{}]*\}+
    |[.…?_*-]+|n/?a|none(?:\ yet)?|nothing(?:\ yet)?|todo|tbd|tba|xxx+
    |(?:improvement|insight|lesson|learning|item|point)s?(?:\ *\#?\d{1,2})?
    |\(?(?:e\.\ ?g\.|for\ example|example)[,:\ ].*
    )[.:!…\s]*""",
    re.IGNORECASE | re.VERBOSE,
)
_MAX_PLACEHOLDER = 300  # characters: what is longer holds the place of nothing
_MAX_INSIGHT = 1_000  # characters: what is longer is an essay
_SENTENCE_ENDS = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class Improvement:
    """An insight as the person wrote it, or as a draft proposed it and nobody changed it."""

    text: str
    category: str
    drafted: bool = False


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """What a written entry holds."""

    title: str
    goal: str
    project: str
    session: str  # that it was drafted from
    origin: str  # whose words it holds where they are not the user's
    improvements: tuple[Improvement, ...]
    # what keeps it from being distilled: "section" (no Improvements), "bullets" (text and none in
    # bullets), "insights" (it is empty)
    lacks: str
    digest: str  # the same for copies of a file, whatever their names and dates
    fault: str = ""  # the frontmatter's


class Heading(NamedTuple):
    """A heading at a line, counted from 0."""

    line: int
    level: int
    text: str


def parse_written_entry(text: str, placeholders: Container[str] = ()) -> WrittenEntry:
    """Read a written entry; whatever it looks like, it is read. `placeholders` are no insights."""
    body, meta, fault = _split_frontmatter(strip_hidden(text))
    lines = strip_code_and_comments(body)
    headings = find_headings(lines)
    reader = _ImprovementsReader(placeholders)
    reader.read(lines, headings)
    body_lines, start = body.split("\n"), reader.start
    session, hashes = _parse_draft_mark(body, meta)
    insights = tuple(reader.insights())
    head, tail = "\n".join(body_lines[:start]), "\n".join(body_lines[start:])
    return WrittenEntry(
        title=next((re.sub(r"[`*]", "", row.text) for row in headings if row.level == 1), ""),
        goal=_find_goal(lines, headings),
        project=text_at(meta, "project").strip(),
        session=session,
        origin=text_at(meta, "origin").strip(),
        improvements=tuple(
            # where the hashes are gone, what cannot be told to be the person's is not theirs
            Improvement(
                line, category, bool(session) if hashes is None else _hash_line(line) in hashes
            )
            for line, category in insights
        ),
        lacks="" if insights else reader.lacks,
        # a copy is given the day of its new name
        digest=hash_text(_DATE.sub("", head) + tail.rstrip(), 16),
        fault=fault,
    )


def find_template_insights(template: str) -> frozenset[str]:
    """Give the insights that a template seems to hold: what is printed there to be replaced."""
    return frozenset(improvement.text for improvement in parse_written_entry(template).improvements)


def format_draft_mark(session: str, lines: Sequence[str]) -> str:
    """Give the comment that says which lines a draft proposed."""
    meta = {"session": session, "drafted": [_hash_line(line) for line in lines]}
    return f"<!-- memoria {json.dumps(meta)} -->"


def strip_code_and_comments(body: str) -> list[str]:
    """Give the lines of a text without blocks of code and comments, as many as it has."""
    return _HIDDEN.sub(lambda match: match["code"] or "\n" * match[0].count("\n"), body).split("\n")


def find_headings(lines: Sequence[str]) -> list[Heading]:
    """Find the headings among lines."""
    matches = ((number, _HEADING.fullmatch(line)) for number, line in enumerate(lines))
    return [Heading(number, len(match[1]), match[2]) for number, match in matches if match]


def _hash_line(line: str) -> str:
    return hash_text(" ".join(line.casefold().split()))


def _split_frontmatter(text: str) -> tuple[str, Mapping[str, Any], str]:
    """Part off the frontmatter, with what is wrong with it."""
    match = _FRONT.match(text)
    if not match or match.end() > frontmatter.MAX_CHARS:
        return text, {}, ""
    try:
        return text[match.end() :], frontmatter.parse(match[1] or ""), ""
    except ValueError as error:
        return text[match.end() :], {}, str(error)


def _parse_draft_mark(body: str, meta: Mapping[str, Any]) -> tuple[str, frozenset[str] | None]:
    """Give the session of a draft and the hashes of its lines; None where those are lost."""
    session = text_at(meta, "session").strip()
    for value in map(read_object, _DRAFT_MARK.findall(body)):
        if isinstance(value.get("drafted"), list):
            lines = frozenset(map(str, value["drafted"]))
            return session or str(value.get("session", "")), lines
    return session, None


def _find_goal(lines: Sequence[str], headings: Sequence[Heading]) -> str:
    """Give the first paragraph under The Goal."""
    ends = [*(head.line for head in headings[1:]), len(lines)]
    for head, end in zip(headings, ends, strict=False):
        if normalise_category(head.text) in {"the_goal", "goal", "goals"}:
            for paragraph in "\n".join(lines[head.line + 1 : end]).split("\n\n"):
                text = " ".join(paragraph.split())
                if not _is_placeholder(text):
                    goal = text[:_MAX_GOAL].rsplit(" ", 1)[0]
                    return text if len(text) <= _MAX_GOAL else f"{goal}…"
    return ""


def _is_placeholder(text: str, examples: Container[str] = ()) -> bool:
    """Whether a text only holds the place of one: `examples` are those of a template."""
    if not text or text in examples:
        return True
    return len(text) <= _MAX_PLACEHOLDER and bool(_PLACEHOLDER.fullmatch(text))


# -- The section Improvements ---------------------------------------------------------------------


@dataclass(slots=True)
class _Bullet:
    """A bullet, `indent` columns from the left, with those below it; a `task` has a box."""

    indent: int
    text: str
    task: bool
    category: str
    parts: list[_Bullet] = field(default_factory=list)

    def insights(self, placeholders: Container[str]) -> Iterator[tuple[str, str]]:
        """Give what it says as (insight, category); what ends in ":" announces those below it."""
        parts = [
            text
            for part in self.parts
            if not part.task and not _is_placeholder(text := part.join_parts(), placeholders)
        ]
        name = normalise_category(self.text)
        if parts and self.text.endswith(":"):
            lead = "" if find_category(name) else f"{self.text} "
            category = name if find_category(name) else self.category
            yield from ((_clip_insight(lead + part), category) for part in parts)
        elif _is_placeholder(self.text, placeholders):
            yield from ((_clip_insight(part), self.category) for part in parts)
        else:
            yield _clip_insight(self.join_parts(parts)), self.category

    def join_parts(self, parts: Sequence[str] | None = None) -> str:
        """Join it with what stands below it to one line."""
        if parts is None:
            parts = [part.text for part in self.parts if not part.task and part.text]
        if not parts:
            return self.text
        if self.text.endswith(_SENTENCE_ENDS):
            sentences = (part if part.endswith(_SENTENCE_ENDS) else f"{part}." for part in parts)
            return f"{self.text} {' '.join(sentences)}"
        return f"{self.text.rstrip(' ,;:')}: {'; '.join(part.rstrip('.') for part in parts)}"


def _clip_insight(text: str) -> str:
    return text if len(text) <= _MAX_INSIGHT else f"{text[: _MAX_INSIGHT - 1]}…"


class _ImprovementsReader:
    """Reads the lines of an entry for what stands under Improvements."""

    def __init__(self, placeholders: Container[str]) -> None:
        self.lacks = "section"
        # the line of the first heading Improvements
        self.start = 0
        self._placeholders = placeholders
        self._items: list[_Bullet] = []
        # the bullet that a line goes on, and those it stands below: no more than two
        self._open: list[_Bullet] = []
        self._top = self._level = 0
        self._category = ""

    def read(self, lines: Sequence[str], headings: Sequence[Heading]) -> None:
        """Go through the lines."""
        self.start = len(lines)
        by_line = {head.line: head for head in headings}
        after_gap = False
        for number, line in enumerate(lines):
            if number in by_line:
                self._open = []
                self._take_heading(by_line[number])
            elif self._top and line.strip():
                self._take_line(line.expandtabs(4), after_gap=after_gap)
            after_gap = not line.strip()

    def insights(self) -> Iterator[tuple[str, str]]:
        """Give the insights with their categories, in order."""
        for item in self._items:
            if not item.task:
                yield from item.insights(self._placeholders)

    def _take_heading(self, head: Heading) -> None:
        name = normalise_category(head.text)
        if _IMPROVEMENTS.match(name):
            self._top, self._level, self._category = head.level, 0, ""
            self.lacks = "insights"
            self.start = min(self.start, head.line)
        elif self._top and (find_category(name) or head.level > self._top):
            # below a category's heading another one only orders its bullets
            if find_category(name) or not self._category or head.level <= self._level:
                self._category, self._level = name, head.level
        else:
            self._top = 0

    def _take_line(self, line: str, *, after_gap: bool) -> None:
        item, indent = _ITEM.fullmatch(line), len(line) - len(line.lstrip())
        if item and (self._open or indent < _CODE_INDENT):
            text = " ".join((item[3] or "").split())
            self._add_bullet(_Bullet(indent, text, bool(item[2]), self._category))
        elif self._open and (not after_gap or indent >= _CHILD_INDENT):
            self._open[-1].text = " ".join([*self._open[-1].text.split(), *line.split()])
        elif indent < _CODE_INDENT:
            self._open = []
            if self.lacks == "insights" and not _is_placeholder(line.strip()):
                self.lacks = "bullets"

    def _add_bullet(self, bullet: _Bullet) -> None:
        """Put a bullet below the one that it belongs to."""
        while self._open and self._open[-1].indent + _CHILD_INDENT > bullet.indent:
            self._open.pop()
        (self._open[-1].parts if self._open else self._items).append(bullet)
        self._open.append(bullet)
