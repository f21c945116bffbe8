"""Read and write the Markdown of an article: frontmatter, title, lead, sections.

Reading keeps every byte, and a change touches only the keys and sections that it names.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from memoria.errors import VaultError
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.markdown import LINE, find_headings, find_wikilinks, make_inert
from memoria.vault import frontmatter

# in the frontmatter of a page that Memoria writes anew from the logs: the hash of its text
MADE = "made"
# "---", the keys, "---": as opening, frontmatter and closing
_FRONT = lazy_pattern(
    r"(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE
)
_TITLE = lazy_pattern(r"\s*# ([^\n]*)(?:\n|\Z)")
_BULLET = lazy_pattern(r"^[-*+] ")
# between two sentences: "They expire. Ask again"; not within "v1.2" or before "e.g. a day"
_SENTENCE_BREAK = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z`\"'(\[])")
# what code writes behind a line and no session is told, under no other words than its day:
# "([[daily/2026-04-01#^e-0f3a12bc34de]])"; and the longest one, so that no line takes long
_SOURCE = lazy_pattern(
    r"\(\[\[daily/([0-9]{4}-[0-9]{2}-[0-9]{2})(?:#\^e-[0-9a-f]{12})?(?:\|\1)?\]\]\)\Z"
)
_MAX_SOURCE_CHARS = len("([[daily/2026-01-01#^e-0f3a12bc34de|2026-01-01]])")
# the blank end of a section, which stays where it is
_BLANK_END = lazy_pattern(r"(?:\r?\n[ \t]*)*\Z")


@dataclass(frozen=True, slots=True)
class Article:
    """A note under knowledge/."""

    path: str  # relative to knowledge/, without ending ("concepts/x")
    kind: str
    meta: Mapping[str, Any]  # the frontmatter's values
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]  # (heading, body as it stands)
    front: str = ""  # the frontmatter as it stands between `opening` and `closing`
    preamble: str = ""  # everything up to the first section: the title, then the `lead`
    opening: str = "---\n"
    closing: str = "---\n"
    sha: str = ""  # the hash of its file, "" for a new one

    @property
    def key(self) -> str:
        """What the engine recognises the topic by, "" where it has none."""
        return str(self.meta.get("key") or "")

    @property
    def slug(self) -> str:
        """The file's name without ending."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def line_end(self) -> str:
        """How lines end in this file."""
        return "\r\n" if self.opening.endswith("\r\n") else "\n"

    def section(self, heading: str) -> str:
        """Give the body of a section, "" where there is none."""
        return next((body for name, body in self.sections if name.strip() == heading), "")

    def names(self, key: str) -> tuple[str, ...]:
        """Give a frontmatter list as text (a text alone is a list of one), () for anything else."""
        value = self.meta.get(key)
        if isinstance(value, str):
            return (value,) if value.strip() else ()
        # as it stands in the file: `tags: [true]`
        return tuple(
            str(item).lower() if isinstance(item, bool) or item is None else str(item)
            for item in (value if isinstance(value, list) else ())
        )


def parse_article(path: str, kind: str, text: str) -> Article:
    """Read an article; VaultError names the file and what is wrong with its frontmatter."""
    match = _match_front(path, text)
    opening, front, closing = match.groups()
    try:
        meta = frontmatter.parse(front)
    except ValueError as error:
        raise VaultError(f"knowledge/{path}.md: bad frontmatter: {error}") from error
    body = text[match.end() :]
    lines = ((line.start(), line[0]) for line in LINE.finditer(body))
    # a last line without its line end is no heading
    headings = [row for row in find_headings(lines, ("## ",)) if row[1].endswith("\n")]
    starts = [*(start for start, _ in headings), len(body)]
    preamble = body[: starts[0]]
    sections = tuple(
        (line[len("## ") : -1], body[start + len(line) : next_start])
        for (start, line), next_start in zip(headings, starts[1:], strict=True)
    )
    heading = _TITLE.match(preamble)
    title = (heading[1].strip() if heading else "") or str(meta.get("title") or path)
    lead = (preamble[heading.end() :] if heading else preamble).strip()
    return Article(path, kind, meta, title, lead, sections, front, preamble, opening, closing)


def _match_front(path: str, text: str) -> re.Match[str]:
    match = _FRONT.match(text)
    if match and len(match[2]) <= frontmatter.MAX_CHARS:
        return match
    fault = " has no frontmatter"
    if match:
        fault = f": the frontmatter is over {frontmatter.MAX_CHARS // 1024} KB"
    elif re.match(r"\ufeff?---[ \t]*\r?\n", text):
        fault = ": the frontmatter is not closed by a line ---"
    raise VaultError(f"knowledge/{path}.md{fault}")


def render_article(article: Article) -> str:
    """Give the file's text."""
    sections = "".join(f"## {heading}\n{body}" for heading, body in article.sections)
    return f"{article.opening}{article.front}{article.closing}{article.preamble}{sections}"


def compose_article(
    path: str, kind: str, meta: Mapping[str, Any], title: str, lead: str
) -> Article:
    """Make a new article without sections."""
    front = "".join(frontmatter.emit(key, value) for key, value in meta.items())
    preamble = f"\n# {title}\n\n" + (f"{lead}\n\n" if lead else "")
    return Article(path, kind, dict(meta), title, lead, (), front, preamble)


def with_meta(article: Article, changes: Mapping[str, Any]) -> Article:
    """Set frontmatter keys; lines of other keys stay as they are, new keys come last."""
    updates = {key: value for key, value in changes.items() if article.meta.get(key) != value}
    if not updates:
        return article
    front = frontmatter.with_values(article.front, updates)
    return replace(article, meta={**article.meta, **updates}, front=front)


def with_title(article: Article, title: str) -> Article:
    """Replace the heading above the text."""
    if match := _TITLE.match(article.preamble):
        start, stop = match.span(1)
        preamble = article.preamble[:start] + title + article.preamble[stop:].lstrip(" \t")
    else:
        preamble = f"{article.line_end}# {title}{article.line_end}{article.preamble}"
    return replace(article, title=title, preamble=preamble)


def with_lead(article: Article, lead: str) -> Article:
    """Replace the text between the title and the first section."""
    end = article.line_end
    match = _TITLE.match(article.preamble)
    head = match[0].rstrip("\r\n") + end if match else ""
    lead = lead.replace("\n", end)
    body = lead + end * 2 if lead else ""
    return replace(article, lead=lead, preamble=f"{head}{end}{body}")


def with_body(article: Article, heading: str, body: str, order: Iterable[str] = ()) -> Article:
    """Set a section's body (text without surrounding blank lines); `order` places a new section."""
    article = _close_last_line(article)
    end, sections = article.line_end, list(article.sections)
    names = [name.strip() for name, _ in sections]
    is_known = heading in names
    # before the first of those that come later in the order, else last
    places = [heading] if is_known else [*dropwhile(lambda name: name != heading, order)][1:]
    index = next((names.index(name) for name in places if name in names), len(names))
    is_last = index >= len(names) - is_known
    text = body.replace("\r\n", "\n").strip("\n").replace("\n", end)
    section_body = end + text + (end if is_last else end * 2)
    if is_known:
        sections[index] = (sections[index][0], section_body)
    else:
        if is_last and sections:
            sections[-1] = (sections[-1][0], _end_with_blank_line(sections[-1][1], end))
        sections.insert(index, (heading + end[:-1], section_body))
    preamble = article.preamble if article.sections else _end_with_blank_line(article.preamble, end)
    return replace(article, sections=tuple(sections), preamble=preamble)


def _close_last_line(article: Article) -> Article:
    """Close a last line that has no line end; it may be the heading of an empty section."""
    last = article.sections[-1][1] if article.sections else article.preamble or article.closing
    if last.endswith("\n") or not last:
        return article
    parsed = parse_article(article.path, article.kind, render_article(article) + article.line_end)
    return replace(parsed, sha=article.sha)


def _end_with_blank_line(text: str, end: str) -> str:
    return text.rstrip("\r\n") + end * 2


def with_lines(
    article: Article, heading: str, lines: Iterable[str], order: Iterable[str] = ()
) -> Article:
    """Add bullet lines to a section, after what is there; a line that is there already is left."""
    present_lines = {normalise_line(line) for line in article.section(heading).split("\n")}
    bullets: list[str] = []
    for line in lines:
        if normalise_line(line) not in present_lines:
            present_lines.add(normalise_line(line))
            bullets.append(f"- {line}")
    if not bullets:
        return article
    article = _close_last_line(article)
    body = article.section(heading)
    if not body.strip():
        return with_body(article, heading, "\n".join(bullets), order)
    end = article.line_end
    blank = _BLANK_END.search(body)
    at = blank.start() if blank else len(body)
    # a list goes on without a blank line, prose does not
    separator = end if _is_listed(body[:at]) else end * 2
    text = body[:at] + separator + end.join(bullets) + body[at:]
    sections = list(article.sections)
    index = [name.strip() for name, _ in sections].index(heading)
    sections[index] = (sections[index][0], text)
    return replace(article, sections=tuple(sections))


def _is_listed(text: str) -> bool:
    """Whether a text ends in an item of a list, or in a line that is indented below one."""
    for line in reversed(text.split("\n")):
        if not line.startswith((" ", "\t")) or not line.strip():
            return bool(_BULLET.match(line))
    return False


def normalise_line(line: str) -> str:
    """Reduce a line to its words (no bullet, source link or case), to see that two are the same."""
    text = strip_source_links(_BULLET.sub("", line.strip(), count=1))
    return " ".join(text.casefold().split())


def strip_source_links(line: str) -> str:
    """Take the links to logs off a line's end, as code writes them; others are words of the line.

    A line is known by what is left (vault/trust/known_lines.py), so nothing else may go.
    """
    if "[[daily/" not in line:
        return line
    text, length = line.rstrip(), len(line.rstrip())
    while match := _SOURCE.search(text, max(0, len(text) - _MAX_SOURCE_CHARS)):
        text = text[: match.start()].rstrip()
    return text if len(text) < length else line


def summary(article: Article, limit: int = 160) -> str:
    """Give the first sentence of an article, inert, of about `limit` characters."""
    # a connection written by hand has its text in its first section
    sections = article.sections if "connects" in article.meta else ()
    prose = article.lead or next((body for _, body in sections if body.strip()), "")
    text = " ".join(prose.split()) or article.title
    ends = (match.start() for match in _SENTENCE_BREAK.finditer(text))
    # not within inline code, where a full stop ends nothing
    end = next((at for at in ends if text.count("`", 0, at) % 2 == 0), len(text))
    sentence = text[:end]
    if len(sentence) > limit:
        sentence = sentence[:limit].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return make_inert(sentence, find_wikilinks(sentence))
