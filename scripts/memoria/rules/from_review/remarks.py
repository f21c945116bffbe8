"""Read the text of a code review as remarks: sentences of its reviewers, with their place.

A review reaches us as a copied page, a mail, the output of a program or JSON of an interface, so
lines are told by what they look like: code, quotations, what a robot wrote and the furniture of the
page are no remarks. The page of a robot holds a block of orders for other robots; it stands in a
code fence, and code is never read as words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.text.markdown import next_fence
from memoria.text.prose import plain, split

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence of a review as plain text with inline code.

    `place` is the file that it was made at, with the line where the review says it ("src/db.py:88",
    "" for none).
    """

    text: str
    place: str = ""


def remarks(review: str) -> tuple[Remark, ...]:
    """Read the sentences of a review in their order."""
    return tuple(
        replace(comment, text=sentence)
        for comment in _comments(review)
        for sentence in split(_unlabelled(comment.text))
    )


def said(review: str) -> str:
    """Give all that the reviewers wrote, as one line: no code, no quotation, no robot."""
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


# -- What interfaces give -------------------------------------------------------------------------

_DEEPEST = 12  # levels of JSON; the answers of GitHub and GitLab have five
# programs that review, by the names of their accounts; a name that a person can have is not here
_ROBOT = re.compile(
    r"""(?:.*\[bot\]|(?:.*[-_])?bot|coderabbit(?:ai)?|copilot(?:-.*)?|dependabot|renovate
    |github-actions|gemini-code-assist|chatgpt-codex-connector|sonar(?:qube)?cloud|codecov
    |greptile-apps|qodo-merge-pro)""",
    re.VERBOSE | re.IGNORECASE,
)


def _texts(review: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a review, each after its place: one, or the bodies of JSON."""
    value: object = None
    if review.lstrip()[:1] in {"[", "{"}:
        try:
            value = json.loads(review)
        except (ValueError, RecursionError):
            value = None
    yield from _bodies(value, 0) if isinstance(value, dict | list) else [("", review)]


def _bodies(value: Any, depth: int) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON
    if depth > _DEEPEST or not isinstance(value, list | dict):
        return
    if isinstance(value, list):
        for item in value:
            yield from _bodies(item, depth + 1)
        return
    author = value.get("user", value.get("author"))
    body = value.get("body", value.get("note"))
    if isinstance(body, str) and not _is_robot(author):
        path = value.get("path", value.get("new_path"))
        lines = (value.get(key) for key in ("line", "original_line", "new_line"))
        line = next((f":{line}" for line in lines if isinstance(line, int)), "")
        yield f"{path}{line}" if isinstance(path, str) else "", body
    for name, item in value.items():
        yield from _bodies(item, depth + 1) if name not in {"user", "author"} else ()


def _is_robot(author: object) -> bool:
    if not isinstance(author, dict):
        return bool(_ROBOT.fullmatch(str(author)))
    name = str(author.get("login") or author.get("username") or author.get("name") or "")
    is_one = author.get("type") == "Bot" or author.get("is_bot") is True
    return is_one or bool(_ROBOT.fullmatch(name))


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
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<text>.+?)[\s#]*")
_BOLD = re.compile(r"\s*\*\*[^*]{2,120}\*\*:?\s*")
_NAME = r"[\w.\[\]-]{1,40}"
# what stands on a page between a name and what its owner did
_BADGE = r"(?P<badge>\ (?:\[?bot\]?|AI)\b)?"
_DID = (
    r"(?:commented|left\ a\ comment|requested\ changes|approved\ these|reviewed|replied"
    r"|started\ a|added\ a)\b"
)
_AGO = r"(?:\d{1,3}|an?|last|yesterday|now)\b.{0,20}\b(?:ago|week|month|year|yesterday)"
# of a line of a page: who speaks from there on
_WHO = re.compile(
    rf"\s*(?:\*\*@?(?P<bold>{_NAME})\*\*\s*(?:\(author\))?\s*:\s*$|author:\t\s*(?P<field>\S{{1,40}})"
    rf"|(?P<name>{_NAME}){_BADGE}\ (?:{_DID}|{_AGO}))",
    re.IGNORECASE,
)
# lines of the pages and programs that reviews are copied from
_FURNITURE = re.compile(
    r"""\s*(?:[-*_=]{2,}|</?\w[^<>]*>.*|<!--.*|\|.*
    |(?:association|edited|status|title|state|reviewers|labels|url|number):\t.*
    |(?:On|Am|Le)\ .{3,120}\ (?:wrote|schrieb|\S{0,3}crit)\s?:
    |(?:Comment\ on\ (?:lines?|file)|Suggested\ change|Reviewed\ \d+\ of|Confidence:
      |(?:Show|Hide|View|Resolve|Reply|Outdated|Copy|Commit\ suggestion)\b.{0,40})\b.{0,80}
    |(?:diff\ --git|index\ [0-9a-f]{6,}|---\ a/|\+\+\+\ b/).*
    |(?:Signed-off-by|Reviewed-by|Acked-by|Co-authored-by|From|To|Cc|Subject|Date):\s.*)\s*""",
    re.VERBOSE | re.IGNORECASE,
)


def _comments(review: str) -> list[Remark]:
    """Give the paragraphs and items of a review."""
    found: list[Remark] = []
    for start, text in _texts(review):
        fence, in_diff, robot, lines = "", False, False, list[str]()
        place = at = start
        for line in [*text.splitlines(), ""]:
            before, fence = fence, next_fence(fence, line.strip())
            in_diff = bool(line.strip()) and (in_diff or line.startswith("@@ "))
            quoted = line.lstrip().startswith((">", "&gt;"))
            who, alone = _WHO.match(line), _PLACE_ALONE.fullmatch(line)
            first = _PLACE_FIRST.match(line)
            mark = first or _ITEM.match(line)
            heads = _HEADING.fullmatch(line) or _BOLD.fullmatch(line) or _FURNITURE.fullmatch(line)
            is_code = before or fence or quoted or (in_diff and line[0] in "+- @")
            skipped = is_code or not line.strip() or who or alone or heads
            if (skipped or mark) and (words := plain(" ".join(lines))):
                found += [] if robot else [Remark(words, at)]
            if skipped or mark:
                lines = []
                at = _joined(first) if first and not skipped else place
            if not is_code and who:
                robot = bool(who["badge"] or _ROBOT.fullmatch(next(filter(None, who.groups()))))
            elif not is_code and alone:
                place = at = _joined(alone)
            if not skipped:
                lines.append(line[mark.end() if mark else 0 :].strip())
    return found


def _joined(match: re.Match[str]) -> str:
    """Give a place as "file:line"; of several lines the first."""
    line = re.search(r"\d+", match["at"] or "")
    return f"{match['file']}:{line[0]}" if line else match["file"]
