"""Read the Markdown that a model wrote as plain text: units, sentences, short forms.

A log line may hold text and inline code and nothing else, so links, emphasis, HTML, pictograms,
absolute paths and line numbers are taken out here. A full Markdown parser was nine times slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

Form = Literal["heading", "paragraph", "item", "row"]
_MAX_LABEL_WORDS = 7


@dataclass(frozen=True, slots=True)
class Unit:
    """A block of Markdown as one line of plain text; of a table's row the first cell alone."""

    text: str
    form: Form
    heading: str = ""  # the nearest one above
    lead: str = ""  # the line ending in ":" that introduces an item


def parse_units(markdown: str) -> tuple[Unit, ...]:
    """Part Markdown into blocks; fenced code and rules are left out, tables are lists of rows."""
    units: list[Unit] = []
    heading = lead = ""
    for form, lines in _group_lines(markdown):
        text = strip_markdown(" ".join(lines))
        # "**What it tests in this case:**" is a heading by another name
        is_label = text.endswith(":") and len(text.split()) <= _MAX_LABEL_WORDS and "`" not in text
        if text and (form == "heading" or (form == "paragraph" and is_label)):
            heading, lead = text.rstrip(":"), ""
            units.append(Unit(heading, "heading"))
        elif text and form == "paragraph":
            units.append(Unit(text, form, heading))
            lead = text if text.endswith(":") else ""
        elif text:
            units.append(Unit(text, form, heading, lead))
    return tuple(units)


def _group_lines(markdown: str) -> Iterator[tuple[Form, list[str]]]:
    """Gather the lines of each block; a line that opens a block closes the one before it."""
    form: Form = "paragraph"
    lines: list[str] = []
    for kind, text in _classify_lines(markdown):
        if kind != "more" or (form == "heading" and lines):
            yield form, lines
            form, lines = _FORMS.get(kind, "paragraph"), []
        if text:
            lines.append(text)
    yield form, lines


_Kind = Literal["heading", "item", "row", "more", "blank"]
_FORMS: dict[_Kind, Form] = {"heading": "heading", "item": "item", "row": "row"}
_LINE = lazy_pattern(r"""(?x)
    [ ]{0,3}(?P<heading>\#{1,6}\s+)
    |(?P<bold>\s*\*\*[^*]{2,120}\*\*:?\s*$)
    |\s*(?P<item>(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)
    |\s*(?P<rule>\|[\s:|-]+$|[-*_=]{3,}\s*$|<!--.*|</?\w+[^<>]*>\s*$)
    |\s*(?P<row>\|)
    |\s*(?P<quote>(?:>\s?)+)""")
_FENCE = lazy_pattern(r"\s*(?:>\s?)*(`{3,}(?=[^`]*$)|~{3,})")  # inline code has more behind


def _classify_lines(markdown: str) -> Iterator[tuple[_Kind, str]]:
    """Yield each line with what it opens; a fence and a rule end the block before them."""
    fence = ""
    is_header = True
    for line in markdown.splitlines():
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
            yield "blank", ""
        elif not fence:
            kind, text = _classify_line(line)
            # A table's first row names its columns.
            yield ("blank", "") if kind == "row" and is_header else (kind, text)
            is_header = is_header and kind != "row" if line.lstrip().startswith("|") else True


def _classify_line(line: str) -> tuple[_Kind, str]:
    match = _LINE.match(line)
    if not match:
        return ("more" if line.strip() else "blank"), line.strip()
    tail = line[match.end() :].strip()
    texts: dict[str, tuple[_Kind, str]] = {
        "heading": ("heading", tail.rstrip("#")),
        "bold": ("heading", line.strip()),  # as by another name
        "item": ("item", tail),
        "rule": ("blank", ""),
        "row": ("row", tail.split("|")[0].strip()),
        "quote": ("more", tail),
    }
    return texts[match.lastgroup or "rule"]


# -- Inline Markdown -> plain text ----------------------------------------------------------------

_CODE = lazy_pattern(r"(`{1,3}[^`\n]{1,400}`{1,3})")
_LINK = lazy_pattern(  # "[words](target "title")"
    r"!?\[([^\[\]]{0,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,500}(?:\s\"[^\"]{0,200}\")?\)"
)
_WIKILINK = lazy_pattern(r"!?\[\[([^\[\]|]{1,200})(?:\|([^\[\]]{1,200}))?\]\]")
_HTML = lazy_pattern(
    r"(?i)<!--[^>]{0,2000}-->|</?(?:b|i|em|strong|br|p|div|span|details|summary|sub|sup|kbd|code|a"
    r"|img|h[1-6]|ul|ol|li|u|s)\b[^<>]{0,300}>"
)
# behind an opening mark stands a word, and no quote that closes: '***' is a mask
_EMPHASIS = lazy_pattern(
    r"(\*{1,3}|(?<![\w_])_(?=[^\s_]))(?=\S)(?!['\"][,.;:)\s])([^*\n]{1,400}?)(?<=\S)\1(?![\w_])"
)
_STRAY_BOLD = lazy_pattern(r"(?<!\*)\*\*(?!\*)")  # three and more are a mask: "***1234"
_RAW_URL = lazy_pattern(r"https?://(?:www\.)?([^\s<>()\[\]`\"']{1,2000})")
_ISSUE = lazy_pattern(  # "github.com/a/b/pull/12"
    r"(?:github|gitlab)\.[a-z]+/[^\s/]+/[^\s/]+/(?:-/)?(?:pull|issues|merge_requests)/(\d+)\S*"
)
_EMOJI = lazy_pattern("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+ ?")
_MARKUP_TOKEN = lazy_pattern(  # "__init__", "List<str>", "a*b": would be taken for markup
    r"(?<![\w`])(?=[^\s`]{0,80}(?:\w__|__\w|\*|<[\w/!]|\w>|%%|\[\["
    r"|\$[A-Za-z_{]))([^\s`,;:()\"']{1,80}[^\s`,;:.()\"'!?])"
)
_MAX_URL_CHARS = 45  # that a line can bear; of longer ones the host is kept


def strip_markdown(text: str) -> str:
    """Make inline Markdown one line of plain text; inline code stays, nothing else is markup."""
    parts = _CODE.split(text)
    for index, part in enumerate(parts):
        parts[index] = f"`{part.strip('`').strip()}`" if index % 2 else _strip_inline_markup(part)
    text = " ".join("".join(parts).split())
    # folders of one machine and line numbers of files are soon untrue; `~/.config/x/config.json`,
    # /etc/x and /api/v1/orders mean what they say
    if "/" in text or "\\" in text:
        text = _ABSOLUTE_PATH.sub(r"\1", text)
    return _FILE_LINE.sub(r"\1", text) if ":" in text else text


def _strip_inline_markup(text: str) -> str:
    if "[" in text:
        text = _WIKILINK.sub(lambda match: match[2] or match[1], _LINK.sub(r"\1", text))
    if "<" in text:
        text = _HTML.sub("", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(r"\2", text)
        text = _STRAY_BOLD.sub("", text)
    if "://" in text:
        text = _RAW_URL.sub(_shorten_url, text)
    text = _EMOJI.sub("", text).replace("`", "")
    return _MARKUP_TOKEN.sub(r"`\1`", text)


def _shorten_url(match: re.Match[str]) -> str:
    address = match[1].rstrip(".,;:/")
    if issue := _ISSUE.match(address):
        return f"#{issue[1]}"
    return address if len(address) <= _MAX_URL_CHARS else address.split("/")[0]


_ABSOLUTE_PATH = lazy_pattern(  # "/home/me/app/x.py" is "x.py"
    r"@?(?:(?<![\w./~:-])(?:/(?=(?:home|Users|root|workspaces?|private|tmp|mnt|Volumes)/)"
    r"|[A-Za-z]:[\\/])(?:[\w.@+-]+[\\/]){2,20})([\w.@+-]+)"
)
_FILE_LINE = lazy_pattern(r"(\b[\w/.-]{1,120}\.[A-Za-z]{1,5}):\d+(?:[-:,]\d+){0,3}")  # "x.py:3-7"


# -- Sentences ------------------------------------------------------------------------------------

_SENTENCE_BORDER = lazy_pattern(  # behind a full stop, where a capital or the like follows
    r"(?<=[.!?])[\"')\]”]*\s+(?=[A-Z0-9#\"'(`“\[]|[^\x00-\x7f])|(?<=[。\uff01\uff1f])\s*"
)
_ABBREVIATION = lazy_pattern(
    r"(?i)(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|incl|no|fig|dr|mr|ms|st)|^\d{1,3}|\b[A-Z])\.$"
)


def split_sentences(text: str) -> list[str]:
    """Split plain text into sentences; inline code and abbreviations do not end one."""
    masked = _CODE.sub(lambda match: "x" * len(match[0]), text) if "`" in text else text
    pieces, start = [], 0
    for border in _SENTENCE_BORDER.finditer(masked):
        if _ABBREVIATION.search(masked[start : border.start()][-12:]):
            continue
        pieces.append(text[start : border.start()].strip())
        start = border.end()
    return [piece for piece in [*pieces, text[start:].strip()] if piece]


# -- Shortening -----------------------------------------------------------------------------------

_CLAUSE_BORDER = lazy_pattern(  # ", ", " - ", " because", " ("
    r"[,;:](?=\s)|\s[\u2013—-](?=\s)|\s(?=(?:because|since|which|so that|but|and then|when|where"
    r"|while|although|in the same way)\b)|(?<=[.!?])(?=\s)|\s(?=\()"
)
_DANGLING_END = lazy_pattern(  # "... and the", "... ,"
    r"(?i)[\s,;:(\u2013—-]+(?:(?:the|a|an|of|to|in|on|for|with|and|or|by|from|that|this|is|are|was"
    r"|be|as|at|if|into|we|it|can|also|then|not|my|our|your)[\s,;:(\u2013—-]*)*$"
    r"|[\s,;:(\u2013—-]+$"
)


def clip_text(text: str, length: int) -> str:
    """Shorten at a clause's border if one lies in the second half, else at a word."""
    if len(text) <= length:
        return text
    borders = [
        match.start()
        for match in _CLAUSE_BORDER.finditer(text[:length])
        if match.start() > length // 2
    ]
    end = next((border for border in reversed(borders) if _is_balanced(text[:border])), 0)
    if not end:
        end = text.rfind(" ", 0, length - 1)
        end = end if end > length // 2 else length - 1
    clipped = _DANGLING_END.sub("", text[:end])
    if clipped.count("`") % 2:
        clipped = clipped.rpartition("`")[0].rstrip(" (")
    return f"{clipped} …" if not clipped.endswith((".", "!", "?")) else clipped


def _is_balanced(text: str) -> bool:
    return not text.count("`") % 2 and text.count("(") <= text.count(")")


def capitalise(text: str) -> str:
    """Start with a capital, unless an identifier stands there."""
    is_name = not text[:1].islower() or _IDENTIFIER.match(text.split(" ", 1)[0])
    return text if is_name else text[:1].upper() + text[1:]


_IDENTIFIER = lazy_pattern(r"[a-z]+(?:[A-Z_./:()\\-]|\d)")  # "readConfig", "pre-commit", "x2"
