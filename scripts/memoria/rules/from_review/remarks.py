"""The text of a code review -> its Remarks: the reviewers' sentences, each with its place.

A review reaches us as a copied page, a mail, the output of a program or JSON of an interface, so
lines are told by what they look like: code, quotations, answers of the author and the furniture of
the page are no remarks. The trap: the page of a robot holds a block of orders for other robots; it
stands in a code fence, and code is never read as words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memoria.text.markdown import next_fence
from memoria.text.prose import plain, split

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence of a review as plain text with inline code.

    `place` is the file that it was made at, with the line where the review says it ("src/db.py:88",
    "" for none). `heading` is the nearest one above. `following` is the next sentence of the same
    comment, which often gives the reason.
    """

    text: str
    place: str = ""
    heading: str = ""
    following: str = ""


def remarks(review: str) -> tuple[Remark, ...]:
    """Read the sentences of a review in their order."""
    return tuple(one for comment in _comments(review) for one in _sentences(comment))


def said(review: str) -> str:
    """Give all that the reviewers wrote, as one line: no code, no quotation, no answer."""
    return " ".join(comment.text for comment in _comments(review))


def _comments(review: str) -> list[_Comment]:
    comments = _Comments()
    for place, text in _texts(review):
        comments.begin(place)
        for line in text.splitlines():
            comments.take(line)
        comments.close()
    return comments.found


# -- What interfaces give -------------------------------------------------------------------------

_DEEPEST = 12  # levels of JSON; the answers of GitHub and GitLab have five
_LINE_KEYS = ("line", "original_line", "new_line")


def _texts(review: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a review with their places: one text, or the bodies of JSON."""
    value: object = None
    if review.lstrip()[:1] in {"[", "{"}:
        try:
            value = json.loads(review)
        except (ValueError, RecursionError):
            value = None
    if isinstance(value, dict | list):
        yield from _bodies(value, 0)
    else:
        yield "", review


def _bodies(value: Any, depth: int) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from _bodies(item, depth + 1)
    elif isinstance(value, dict):
        body = value.get("body", value.get("note"))
        if isinstance(body, str):
            yield _place_of(value), body
        for name, item in value.items():
            if isinstance(item, dict | list) and name not in {"user", "author"}:
                yield from _bodies(item, depth + 1)


def _place_of(value: dict[str, Any]) -> str:
    path = value.get("path", value.get("new_path"))
    line = next((value[key] for key in _LINE_KEYS if isinstance(value.get(key), int)), None)
    if not isinstance(path, str):
        return ""
    return path if line is None else f"{path}:{line}"


# -- Lines -> comments ----------------------------------------------------------------------------

# a file: a name with an ending, perhaps in folders; "e.g." and a sentence's end are none
_FILE = r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}|(?:[\w.@+-]+/)+[\w.@+-]+"
_AT = (
    r"(?:\s?[:#(@]\s?L?\d+(?:\s?[-\u2013:]\s?L?\d+)*\)?"
    r"|,?\s+(?:on\s+)?lines?\s+\d+(?:\s?[-\u2013]\s?\d+)?)"
)
_PLACE_ALONE = re.compile(rf"[\s`*#]*(?P<file>{_FILE})[`*]*(?P<at>{_AT})?[\s`*:]*")
_PLACE_FIRST = re.compile(
    rf"\s*(?:[-*+\u2022]\s+|\d{{1,3}}[.)]\s+)?[`*(\[]*(?P<file>{_FILE})"
    rf"(?:(?P<at>{_AT})[`*)\]]*\s*(?:[:\u2014\u2013-]+\s*)?|[`*)\]]*\s+[-\u2014\u2013]\s+)(?=\S)"
)
_LINE_FIRST = re.compile(
    r"\s*(?:[-*+\u2022]\s+)?(?:lines?|L)\s?(?P<line>\d+)(?:\s?[-\u2013]\s?L?\d+)?\s?:\s+(?=\S)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<text>.+?)[\s#]*")
_HEADING_READ = 300  # characters, in which a file is looked for
_BOLD = re.compile(r"\s*\*\*(?P<text>[^*]{2,120})\*\*:?\s*")
_SPEAKER = re.compile(r"\s*\*\*@?[\w.\[\]-]{1,40}\*\*\s*(?P<author>\(author\))?\s*:\s*")
_RULE = re.compile(r"\s*(?:[-*_=]{2,}|</?\w[^<>]*>.*|<!--.*|\|.*)\s*")
# lines of the pages and programs that reviews are copied from
_FURNITURE = re.compile(
    r"""\s*(?:
      (?:author|association|edited|status|title|state|reviewers|labels|url|number):\t.*
    | (?:On|Am|Le)\ .{3,120}\ (?:wrote|schrieb|\S{0,3}crit)\s?:
    | [\w.\[\]-]{1,40}\ (?:commented|left\ a\ comment|requested\ changes|approved\ these|reviewed
      |replied|marked\ this|started\ a|added\ a|resolved|suggested)\b.{0,80}
    | [\w.\[\]-]{1,40}\ (?:\d{1,3}|an?|last|yesterday|now)\b.{0,20}\b
      (?:ago|week|month|year|yesterday)
    | (?:Comment\ on\ (?:lines?|file)|Suggested\ change|(?:Show|Hide|View|Resolve|Reply|Outdated
      |Copy|Commit\ suggestion)\b.{0,40}|Reviewed\ \d+\ of\b.{0,60}|Confidence:.{0,40})\b.{0,80}
    | (?:diff\ --git|index\ [0-9a-f]{6,}|---\ a/|\+\+\+\ b/).*
    | (?:Signed-off-by|Reviewed-by|Acked-by|Co-authored-by|From|To|Cc|Subject|Date):\s.*
    )""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(slots=True)
class _Comment:
    """A paragraph or item, and where it stands."""

    text: str
    place: str
    heading: str


@dataclass(slots=True)
class _Comments:
    """The paragraphs found so far, and the one whose lines are being gathered."""

    found: list[_Comment] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    place: str = ""
    heading: str = ""
    fence: str = ""
    in_diff: bool = False
    by_author: bool = False
    at: str = ""

    def begin(self, place: str) -> None:
        """Begin another text of the review."""
        self.close()
        self.place, self.heading, self.fence = place, "", ""
        self.in_diff = self.by_author = False

    def take(self, line: str) -> None:
        """Take the next line of a text."""
        before, self.fence = self.fence, next_fence(self.fence, line.strip())
        if before or self.fence:
            self.close()
        elif not line.strip():
            self.in_diff = False
            self.close()
        elif not self._is_code(line) and not self._is_mark(line):
            self._words(line)

    def close(self) -> None:
        """End the paragraph."""
        text = plain(" ".join(self.lines))
        if text and not self.by_author:
            self.found.append(_Comment(text, self.at or self.place, self.heading))
        self.lines, self.at = [], ""

    def _is_code(self, line: str) -> bool:
        """Whether a line is code or what somebody else has said."""
        if line.startswith("@@ "):
            self.in_diff = True
        quoted = line.lstrip().startswith((">", "&gt;"))
        code = quoted or (self.in_diff and line[:1] in {"+", "-", " ", "@"})
        if code:
            self.close()
        return code

    def _is_mark(self, line: str) -> bool:
        """Whether a line only says where or by whom what follows was said."""
        place = _PLACE_ALONE.fullmatch(line)
        heading = _HEADING.fullmatch(line) or (not place and _BOLD.fullmatch(line))
        speaker = _SPEAKER.fullmatch(line)
        if not (place or heading or speaker or _RULE.fullmatch(line) or _FURNITURE.fullmatch(line)):
            return False
        self.close()
        if speaker:
            self.by_author = bool(speaker["author"])
        elif place:
            self.place = _joined(place)
            self.by_author = False
        elif heading:
            named = re.search(rf"(?P<file>{_FILE})(?P<at>{_AT})", heading["text"][:_HEADING_READ])
            self.heading = plain(heading["text"]).rstrip(":")
            self.place = _joined(named) if named else ""
        return True

    def _words(self, line: str) -> None:
        """Take a line of words; one that begins with a place or a list's mark begins a comment."""
        first, numbered = _PLACE_FIRST.match(line), _LINE_FIRST.match(line)
        mark = first or numbered or _ITEM.match(line)
        if mark:
            self.close()
        if first:
            self.at = _joined(first)
        elif numbered and self.place:
            self.at = f"{self.place.partition(':')[0]}:{numbered['line']}"
        self.lines.append(line[mark.end() if mark else 0 :].strip())


def _joined(match: re.Match[str]) -> str:
    """Give a place as "file:line"; of several lines the first."""
    line = re.search(r"\d+", match["at"] or "")
    return f"{match['file']}:{line[0]}" if line else match["file"]


# -- Comments -> sentences ------------------------------------------------------------------------

# labels of what a comment is (conventionalcomments.org, and what people write without knowing it)
_LABEL = re.compile(
    r"""[\[(*_\s]{0,4}(?P<label>praise|nit(?:pick)?|suggestion|issue|todo|question|thought|chore|note|typo|polish
    |minor|major|blocking|blocker|important|optional|style|non-?blocking|request|required|critical
    |security|perf(?:ormance)?|bug|warning|fyi|general|convention)\b\s?(?:\([^()]{0,40}\))?[*_\]\s]{0,4}:[*_\s]{0,4}
    """,
    re.VERBOSE | re.IGNORECASE,
)
# they ask for nothing
_IDLE = frozenset({"praise", "question", "thought", "typo", "fyi"})


def _sentences(comment: _Comment) -> Iterator[Remark]:
    text = comment.text
    label = _LABEL.match(text)
    if label:
        if label["label"].lower() in _IDLE:
            return
        text = text[label.end() :]
    found = split(text)
    for sentence, following in zip(found, [*found[1:], ""], strict=True):
        yield Remark(sentence, comment.place, comment.heading, following)
