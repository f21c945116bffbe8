"""Make of a note or a log what is searched: documents, their passages, and the lines to be told.

A document is an article, or an entry of a log; it is found by its text as a whole, which finds more
than windows on it do (bench/RESULTS.md). An entry is found, too, by what was said in its session:
each of its subjects is a passage of its own, whose words are never told; what it came to is. The
traps: what every note has (headings of the schema, labels, links to the sources) would make all of
them fit "errors" or "sources", so it is left out; and what stands outside of a log's session blocks
was written by a person and has to be found as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.search.index.lines import Line, of_entry, of_note, of_subject
from memoria.text.unicode import strip_hidden
from memoria.vault import daily
from memoria.vault.article import unsourced
from memoria.vault.citations import block_id, cite
from memoria.vault.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from datetime import date

    from memoria.vault.article import Article
    from memoria.vault.daily import Block
    from memoria.vault.entry import Extract

    Extracts = Callable[[str], Extract | None]

# characters of a passage that is shown: a paragraph or a few lines of a list, read at a glance
_PASSAGE = 400
# passages of a document: a page that somebody pasted is shown in longer ones
_MOST = 256
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
class Heard:
    """A subject of a session: what was said, the lines that it came to, and the turn of its start.

    `amends` is whether it says of itself that it changes an earlier decision.
    """

    turn: int
    text: str
    lines: tuple[Line, ...] = ()
    amends: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """What a hit names: an article, or an entry of a log (several documents then share `path`).

    `path` is relative to the vault, with ending; `sha` is the hash of that file. `kind` is the
    article's kind, or "entry". `date` is ISO: the entry's day, the article's last update, or "".
    `names` are other words that it goes by: aliases and tags. `link` is what cites it: the block of
    an entry, the path of an article. `author` is who wrote it: the engine, "hand" for a person.
    `moment` orders the entries of a day.
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
    link: str = ""
    moment: str = ""
    session: str = ""
    author: str = ""
    branch: str = ""
    files: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    heard: tuple[Heard, ...] = ()


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
        article.path,
        lines=tuple(of_note(article)),
    )


def _date(article: Article) -> str:
    dates = (str(article.meta.get(key) or "") for key in ("updated", "created", "filed"))
    return next((match[0] for match in map(_DAY.match, dates) if match), "")


def of_log(
    day: date, text: str, sha: str, extracts: Extracts = lambda _: None
) -> Iterator[Document]:
    """Give the documents of a daily log: its entries, and what a person wrote outside of them.

    `extracts` gives what was found in the session of an entry, by the entry's id.
    """
    path = f"daily/{day}.md"
    at, rest = 0, ""
    for block in daily.blocks(text, day):
        rest += text[at : block.start]
        at = block.end
        yield _of_block(block, text[block.start : block.end], path, sha, extracts)
    notes = _text(
        line
        for line in (rest + text[at:]).splitlines()
        if not _FRAME.fullmatch(line.strip("\ufeff "))
    )
    if notes:
        title = f"Daily Log: {day}"
        yield Document(path, sha, title, "entry", str(day), (), (), notes, link=f"daily/{day}")


def _of_block(block: Block, text: str, path: str, sha: str, extracts: Extracts) -> Document:
    entry = block.entry
    extract = extracts(entry.id)
    subjects = extract.subjects if extract else ()
    ends = [subject.turn for subject in subjects[1:]]
    return Document(
        path,
        sha,
        _plain(entry.draft.title) or f"Session of {entry.day}",
        "entry",
        str(entry.day),
        (entry.project,) if entry.project else (),
        (),
        _text(map(_line, text.splitlines()[1:])),
        link=cite(entry.day, entry.id).target,
        moment=entry.at.isoformat(),
        session=entry.session,
        author=entry.engine,
        branch=extract.branch if extract else "",
        files=extract.files if extract else (),
        lines=tuple(of_entry(entry.draft)),
        heard=tuple(
            Heard(
                subject.turn,
                strip_hidden(subject.words),
                tuple(of_subject(subject, extract.facts if extract else (), end)),
                subject.amends,
            )
            for subject, end in zip(subjects, [*ends, None], strict=False)
        ),
    )


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
    link = path.removesuffix(".md")
    return Document(path, sha, title, "entry", str(day), (), (), _text(lines), link=link)


def _text(lines: Iterable[str]) -> str:
    return strip_hidden("\n".join(line.rstrip() for line in lines if line.strip()))


def _plain(title: str) -> str:
    return " ".join(strip_hidden(title).split())


def passages(text: str) -> tuple[str, ...]:
    """Part a text into passages: neighbouring lines, together as long as one reads at once."""
    size = max(_PASSAGE, len(text) // (_MOST // 3))  # two of them together exceed it
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
