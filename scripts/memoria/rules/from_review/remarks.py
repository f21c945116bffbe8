"""Read the text of a code review as remarks: sentences of its reviewers, with place and speaker.

A review reaches us as a copied page, a mail, the output of a program or JSON of an interface, so
lines are told by what they look like: code, quotations, answers of the author and the furniture of
the page are no remarks. The page of a robot holds a block of orders for other robots; it stands in
a code fence, and code is never read as words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memoria.text.markdown import next_fence
from memoria.text.prose import plain, split

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence of a review as plain text with inline code.

    `place` is the file that it was made at, with the line where the review says it ("src/db.py:88",
    "" for none). `heading` is the nearest one above. `speaker` is the name of who wrote it, ""
    where the review does not say.
    """

    text: str
    place: str = ""
    heading: str = ""
    speaker: str = ""


def remarks(review: str) -> tuple[Remark, ...]:
    """Read the sentences of a review in their order."""
    return tuple(
        replace(comment, text=sentence)
        for comment in _comments(review)
        for sentence in split(_unlabelled(comment.text))
    )


def said(review: str) -> str:
    """Give all that the reviewers wrote, as one line: no code, no quotation, answer or robot."""
    return " ".join(comment.text for comment in _comments(review))


# labels of what a comment is (conventionalcomments.org, and what people write without knowing it)
_LABEL = re.compile(
    r"""[\[(*_\s]{0,4}(?:(?P<idle>praise|question|thought|typo|fyi)|nit(?:pick)?|suggestion|issue
    |todo|chore|note|polish|minor|major|blocking|blocker|important|optional|style|non-?blocking
    |request|required|critical|security|perf(?:ormance)?|bug|warning|general|convention)\b\s?
    (?:\([^()]{0,40}\))?[*_\]\s]{0,4}:[*_\s]{0,4}""",
    re.VERBOSE | re.IGNORECASE,
)


def _unlabelled(text: str) -> str:
    """Take off the label of a comment; "" of one that asks for nothing."""
    label = _LABEL.match(text)
    return "" if label and label["idle"] else text[label.end() if label else 0 :]


def _comments(review: str) -> list[Remark]:
    """Give the paragraphs and items of a review."""
    comments = _Comments()
    for speaker, place, text in _texts(review):
        comments.begin(speaker, place)
        for line in text.splitlines():
            comments.take(line)
        comments.close()
    return comments.closed


# -- What interfaces give -------------------------------------------------------------------------

_DEEPEST = 12  # levels of JSON; the answers of GitHub and GitLab have five


def _texts(review: str) -> Iterator[tuple[str, str, str]]:
    """Yield the texts of a review, each after its speaker and place: one, or the bodies of JSON."""
    value: object = None
    if review.lstrip()[:1] in {"[", "{"}:
        try:
            value = json.loads(review)
        except (ValueError, RecursionError):
            value = None
    if isinstance(value, dict | list):
        yield from _bodies(value, 0)
    else:
        yield "", "", review


def _bodies(value: Any, depth: int) -> Iterator[tuple[str, str, str]]:  # noqa: ANN401 - any JSON
    if depth > _DEEPEST or not isinstance(value, list | dict):
        return
    if isinstance(value, list):
        for item in value:
            yield from _bodies(item, depth + 1)
        return
    body = value.get("body", value.get("note"))
    if isinstance(body, str):
        path = value.get("path", value.get("new_path"))
        lines = (value.get(key) for key in ("line", "original_line", "new_line"))
        line = next((f":{line}" for line in lines if isinstance(line, int)), "")
        yield _speaker_of(value), f"{path}{line}" if isinstance(path, str) else "", body
    for name, item in value.items():
        yield from _bodies(item, depth + 1) if name not in {"user", "author"} else ()


def _speaker_of(value: dict[str, Any]) -> str:
    """Give the name of a comment's author; one of the type Bot is called so."""
    author = value.get("user", value.get("author"))
    if not isinstance(author, dict):
        return author if isinstance(author, str) else ""
    name = str(author.get("login") or author.get("username") or author.get("name") or "")
    return _robot(name) if author.get("type") == "Bot" or author.get("is_bot") is True else name


# programs that review, by the names of their accounts; a name that a person can have is not here
_ROBOT = re.compile(
    r"""(?:.*\[bot\]|(?:.*[-_])?bot|coderabbit(?:ai)?|copilot(?:-.*)?|dependabot|renovate
    |github-actions|gemini-code-assist|chatgpt-codex-connector|sonar(?:qube)?cloud|codecov
    |greptile-apps|qodo-merge-pro)""",
    re.VERBOSE | re.IGNORECASE,
)


def _robot(name: str) -> str:
    """Give the name of a program so that it is known for one."""
    return name if _ROBOT.fullmatch(name) else f"{name}[bot]"


# -- Lines ----------------------------------------------------------------------------------------

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
_NAMED = re.compile(rf"(?P<file>{_FILE})(?P<at>{_AT})")
_HEADING_READ = 300  # characters, in which a file is looked for
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<text>.+?)[\s#]*")
_BOLD = re.compile(r"\s*\*\*(?P<text>[^*]{2,120})\*\*:?\s*")
_NAME = r"[\w.\[\]-]{1,40}"
# what stands between a name and what its owner did, on a page
_BADGE = r"(?:\ (?:\[?bot\]?|AI)\b)?"
_DID = (
    r"(?:commented|left\ a\ comment|requested\ changes|approved\ these|reviewed|replied"
    r"|started\ a|added\ a)\b"
)
_AGO = r"(?:\d{1,3}|an?|last|yesterday|now)\b.{0,20}\b(?:ago|week|month|year|yesterday)"
_SPEAKER = re.compile(rf"\s*\*\*@?(?P<name>{_NAME})\*\*\s*(?P<author>\(author\))?\s*:\s*")
# of a line of a page: who speaks from there on
_WHO = re.compile(
    rf"\s*(?:author:\t\s*(?P<field>\S{{1,40}})"
    rf"|(?P<name>{_NAME})(?P<badge>{_BADGE})\ (?:{_DID}|{_AGO}))",
    re.IGNORECASE,
)
# lines of the pages and programs that reviews are copied from
_FURNITURE = re.compile(
    rf"""\s*(?:[-*_=]{{2,}}|</?\w[^<>]*>.*|<!--.*|\|.*
    |(?:author|association|edited|status|title|state|reviewers|labels|url|number):\t.*
    |(?:On|Am|Le)\ .{{3,120}}\ (?:wrote|schrieb|\S{{0,3}}crit)\s?:
    |{_NAME}{_BADGE}\ (?:{_DID}|(?:marked\ this|resolved|suggested)\b).{{0,80}}
    |{_NAME}{_BADGE}\ {_AGO}
    |(?:Comment\ on\ (?:lines?|file)|Suggested\ change|Reviewed\ \d+\ of|Confidence:
      |(?:Show|Hide|View|Resolve|Reply|Outdated|Copy|Commit\ suggestion)\b.{{0,40}})\b.{{0,80}}
    |(?:diff\ --git|index\ [0-9a-f]{{6,}}|---\ a/|\+\+\+\ b/).*
    |(?:Signed-off-by|Reviewed-by|Acked-by|Co-authored-by|From|To|Cc|Subject|Date):\s.*)\s*""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(slots=True)
class _Comments:
    """The paragraphs that were closed, and the one whose lines are being gathered."""

    closed: list[Remark] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    place: str = ""
    heading: str = ""
    fence: str = ""
    in_diff: bool = False
    by_author: bool = False
    at: str = ""
    speaker: str = ""

    def begin(self, speaker: str, place: str) -> None:
        """Begin another text of the review."""
        self.speaker, self.place, self.heading, self.fence = speaker, place, "", ""
        self.in_diff = self.by_author = False

    def take(self, line: str) -> None:
        """Take the next line of a text."""
        before, self.fence = self.fence, next_fence(self.fence, line.strip())
        self.in_diff = bool(line.strip()) and (self.in_diff or line.startswith("@@ "))
        quoted = line.lstrip().startswith((">", "&gt;"))
        is_code = before or self.fence or quoted or (self.in_diff and line[0] in "+- @")
        if is_code or not line.strip():
            self.close()
        elif not self._is_mark(line):
            self._words(line)

    def close(self) -> None:
        """End the paragraph."""
        text = plain(" ".join(self.lines))
        if text and not self.by_author and not _ROBOT.fullmatch(self.speaker):
            self.closed.append(Remark(text, self.at or self.place, self.heading, self.speaker))
        self.lines, self.at = [], ""

    def _is_mark(self, line: str) -> bool:
        """Whether a line only says where or by whom what follows was said."""
        place = _PLACE_ALONE.fullmatch(line)
        heading = _HEADING.fullmatch(line) or (not place and _BOLD.fullmatch(line))
        speaker = _SPEAKER.fullmatch(line)
        if not (place or heading or speaker or _FURNITURE.fullmatch(line)):
            return False
        self.close()
        if speaker:
            self.speaker, self.by_author = speaker["name"], bool(speaker["author"])
        elif who := _WHO.match(line):
            name = who["field"] or who["name"]
            self.speaker, self.by_author = _robot(name) if who["badge"] else name, False
        elif place:
            # a thread at another line: whose answers stood before it is no longer known
            self.speaker = "" if self.by_author else self.speaker
            self.place, self.by_author = _joined(place), False
        elif heading:
            named = _NAMED.search(heading["text"][:_HEADING_READ])
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
