"""A note or a log -> documents -> passages, each found by a window on it and its neighbours.

A passage alone often lacks the word that it is looked for by, which stands one line further up:
with some of its neighbours around it BM25 finds a sixth more (LoCoMo, recall@10: 0.61 and 0.71).
The traps: what every note has (headings of the schema, labels, links to the sources) would make all
of them fit "errors" or "sources", so it is left out; and what stands outside of a log's session
blocks was written by a person and has to be found as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.search.query_words import spread
from memoria.text.unicode import strip_hidden
from memoria.vault import daily
from memoria.vault.article import unsourced
from memoria.vault.citations import block_id
from memoria.vault.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from datetime import date

    from memoria.vault.article import Article

# characters of a passage: a paragraph or a few lines of a list, what one reads at a glance
_PASSAGE = 400
# characters of each neighbour: what LoCoMo was measured with
_AROUND = 200
# passages of a document: their numbers share a rowid with the document's (search/store.py)
MOST = 256
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LABEL = re.compile(r"\s*\*\*(?:Key Exchanges|Decisions Made|Lessons Learned|Action Items):\*\*\s*")
_CONTEXT = "**Context:**"
_COMMENT = "<!-- memoria {"
# headings that Memoria writes into a log
_FRAME = re.compile(r"# Daily Log: [\d-]+|## Sessions")
# where a long line is parted: best behind a sentence, else behind a word
_ENDS = (re.compile(r"(?<=[.!?;])\s+"), re.compile(r"\s+"))

# what a template says of its sections
_HINT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """What a hit names: an article, or an entry of a log (several documents then share `path`).

    `path` is relative to the vault, with ending; `sha` is the hash of that file. `kind` is the
    article's kind, or "entry". `date` is ISO: the entry's day, the article's last update, or "".
    `names` are other words that it goes by: aliases and tags.
    """

    path: str
    sha: str
    title: str
    kind: str
    date: str
    projects: tuple[str, ...]
    tags: tuple[str, ...]
    text: str
    names: tuple[str, ...] = ()


def of_article(article: Article, headings: Container[str] = ()) -> Document:
    """Make the document of an article; `headings` are those that every article of its kind has."""
    parts = [article.lead]
    for heading, body in article.sections:
        name = heading.strip()
        if name not in GENERATED:
            parts += [body] if name in headings else [f"## {name}", body]
    lines = (unsourced(line) for line in "\n".join(parts).splitlines())
    scope = article.names("scope") if article.kind == "rule" else ()
    tags = tuple(tag.removeprefix("#") for tag in article.names("tags"))
    return Document(
        f"knowledge/{article.path}.md",
        article.sha,
        _plain(article.title),
        article.kind,
        _date(article),
        article.names("projects") or scope,
        tags,
        _text(lines),
        (*article.names("aliases"), *tags),
    )


def _date(article: Article) -> str:
    dates = (str(article.meta.get(key) or "") for key in ("updated", "created", "filed"))
    return next((found[0] for found in map(_DAY.match, dates) if found), "")


def of_log(day: date, text: str, sha: str) -> Iterator[Document]:
    """Give the documents of a daily log: its entries, and what a person wrote outside of them."""
    path = f"daily/{day}.md"
    at, rest = 0, ""
    for block in daily.blocks(text, day):
        rest += text[at : block.start]
        at = block.end
        title = _plain(block.entry.draft.title) or f"Session of {day}"
        projects = (block.entry.project,) if block.entry.project else ()
        body = _text(map(_line, text[block.start : block.end].splitlines()[1:]))
        yield Document(path, sha, title, "entry", str(day), projects, (), body)
    notes = _text(
        line
        for line in (rest + text[at:]).splitlines()
        if not _FRAME.fullmatch(line.strip("\ufeff "))
    )
    if notes:
        yield Document(path, sha, f"Daily Log: {day}", "entry", str(day), (), (), notes)


def _line(line: str) -> str:
    """Give a line of an entry without what every entry has."""
    if line.startswith(_COMMENT) or _LABEL.fullmatch(line) or block_id(line):
        return ""
    return line.removeprefix(_CONTEXT).strip() if line.startswith(_CONTEXT) else line


def of_page(path: str, day: date, text: str, sha: str) -> Document:
    """Make the document of an entry that a person wrote."""
    lines = _HINT.sub("", text).splitlines()
    head = next((line for line in lines if line.startswith("# ")), "")
    title = _plain(head.removeprefix("# ")) or path.rsplit("/", 1)[-1].removesuffix(".md")
    return Document(path, sha, title, "entry", str(day), (), (), _text(lines))


def _text(lines: Iterable[str]) -> str:
    return strip_hidden("\n".join(line.rstrip() for line in lines if line.strip()))


def _plain(title: str) -> str:
    return " ".join(strip_hidden(title).split())


def passages(text: str) -> tuple[str, ...]:
    """Part a text into passages: neighbouring lines, together as long as one reads at once."""
    size = max(_PASSAGE, len(text) // (MOST // 3))  # two of them together exceed it
    found: list[str] = []
    for line in _lines(text, size):
        if found and len(found[-1]) + len(line) < size:
            found[-1] += "\n" + line
        else:
            found.append(line)
    return tuple(found)


def _lines(text: str, size: int) -> Iterator[str]:
    """Yield the lines, long ones in parts."""
    for line in text.split("\n"):
        while len(line) > 2 * size:
            at = _end(line, size)
            yield line[:at]
            line = line[at:].strip()  # noqa: PLW2901 - the rest of the line
        if line.strip():
            yield line


def _end(line: str, size: int) -> int:
    """Say where a line is best parted, near `size`."""
    for pattern in _ENDS:
        ends = [match.start() for match in pattern.finditer(line, size // 2, 2 * size)]
        if ends:
            return min(ends, key=lambda end: abs(end - size))
    return size


def windows(found: tuple[str, ...]) -> Iterator[str]:
    """Give what each passage is found by: it, the ends of its neighbours, the parts of names."""
    for at, passage in enumerate(found):
        before = found[at - 1][-_AROUND:] if at else ""
        after = found[at + 1][:_AROUND] if at + 1 < len(found) else ""
        if len(before) == _AROUND:  # not half a word
            before = before.partition(" ")[2]
        if len(after) == _AROUND:
            after = after.rpartition(" ")[0]
        yield spread(f"{before}\n{passage}\n{after}")
