"""Read one file of a vault as a Note: all that a check of the whole vault has to know of it.

A note depends on its file and the schema alone, so it is kept by the hash of the file, with what is
wrong with it by itself.
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING

from memoria.errors import UsageError, VaultError
from memoria.lint.finding import Finding, Severity
from memoria.rules.guards import check as guard
from memoria.rules.guards.judge import refused
from memoria.text.near_duplicates import sketch
from memoria.text.outline import PARSER, Block, Link, Outline, outline
from memoria.text.unicode import strip_hidden
from memoria.vault.article import parse
from memoria.vault.index import row
from memoria.vault.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.vault.article import Article
    from memoria.vault.schema import Kind, Schema

KNOWLEDGE = "knowledge/"
RELATED = "Related Concepts"
# what notes are made by: kept ones of another version are made anew
_MAKING = f"4 {PARSER}"
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
# one word of a script that has spaces, one character of one that has none (as Obsidian counts)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_WIKILINK = re.compile(r"!?\[\[([^\[\]\n|#]{1,300})(?:#([^\[\]\n|]{0,200}))?(?:\|[^\[\]\n]*)?\]\]")
# at the end of a line, or on one of its own: letters, digits and hyphens, as Obsidian has it
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]{1,100})[ \t\r]*$", re.MULTILINE)
_MARKS = ("<" * 7 + " ", ">" * 7 + " ")
_MARK = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
_MADE = re.compile(r"^made:", re.MULTILINE)  # the hash of a derived page
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_YAML_LINE = re.compile(r"\bline (\d{1,7})\b")
_DATES = frozenset({"created", "updated", "filed"})
_LISTS = frozenset({"aliases", "tags", "sources", "connects", "consulted", "scope"})
# frontmatter that names articles
NAMING = ("connects", "consulted")
_SHOWN = 3  # kinds of hidden characters that a message names
_ADDRESS = 120  # characters of an address that a message shows


@dataclass(frozen=True, slots=True)
class Note:
    """What a check knows of a file.

    `path` is relative to the vault. `kind` is the kind of article, "" for none (a log, a note in a
    folder of its own). `links` has each target once. `sources` and `named` (the articles that
    frontmatter names) are (name, line). `blocks` are the ids of its blocks, in lower case.
    `related` counts the links under Related Concepts. `extracted` says that it holds lines and no
    prose, as the Offline engine and short pages of a model do. `row` is its row of the index, ""
    for one that cannot be read. `own_findings` are (check, severity, line, message) of the note by
    itself.
    """

    path: str
    kind: str
    title: str
    aliases: tuple[str, ...]
    sources: tuple[tuple[str, int], ...]
    named: tuple[tuple[str, int], ...]
    links: tuple[Link, ...]
    headings: tuple[str, ...]
    blocks: tuple[str, ...]
    related: int
    words: int
    extracted: bool
    row: str
    sketch: tuple[int, ...]
    own_findings: tuple[tuple[str, Severity, int, str], ...]

    @property
    def inner(self) -> str:
        """The path as links have it: from knowledge/, without ending."""
        return inner(self.path)

    def findings(self) -> Iterator[Finding]:
        """Give what is wrong with the note by itself."""
        for check, severity, line, message in self.own_findings:
            yield Finding(check, severity, self.path, line, message)


def inner(path: str) -> str:
    """Give a path of the vault as links have it."""
    return path.removeprefix(KNOWLEDGE).removesuffix(".md")


def kind_of(path: str, schema: Schema) -> Kind | None:
    """Find the kind of a file of the vault; articles lie right in the folder of their kind."""
    name = path.removeprefix(KNOWLEDGE)
    if name == path or name.count("/") != 1 or "/." in name or not name.endswith(".md"):
        return None
    return schema.kind_of(name)


def cache_version(schema: Schema) -> str:
    """Say what notes are made by: the parser, this module and the kinds of the schema."""
    return f"{_MAKING} {[(kind.name, kind.folder, kind.keys) for kind in schema.kinds]}"


_Own = tuple[str, Severity, int, str]


def read_note(path: str, text: str, schema: Schema) -> Note:
    """Read a file of the vault; an article that Memoria cannot read is a note with that finding."""
    kind = kind_of(path, schema)
    findings: list[_Own] = [*_hidden(text), *_merged(text)]
    article = None
    if kind:
        try:
            article = parse(inner(path), kind.name, text)
        except VaultError as error:
            findings.append(_unreadable(path, str(error)))
    front = article.opening + article.front + article.closing if article else _front(text)
    read = outline(text[len(front) :], 1 + front.count("\n"))
    findings += _active(read)
    said, words = _words(read)
    bare = Note(
        path=path,
        kind=kind.name if kind else "",
        title=path.rsplit("/", 1)[-1].removesuffix(".md"),
        aliases=(),
        sources=(),
        named=(),
        links=(*_front_links(front), *_unique_links(read)),
        headings=read.headings,
        blocks=tuple(match[1].lower() for match in _BLOCK_ID.finditer(text)),
        related=_related(read),
        words=words,
        extracted=False,
        row="",
        sketch=sketch(said) if article else (),
        own_findings=tuple(findings),
    )
    return _with_article(bare, article, kind.keys) if article and kind else bare


def _with_article(bare: Note, article: Article, keys: tuple[str, ...]) -> Note:
    front = article.opening + article.front
    named = [name for key in NAMING for name in article.names(key) if "[[" not in name]
    own = [body for name, body in article.sections if name.strip() not in GENERATED]
    lines = [line for body in own for line in body.splitlines() if line.strip()]
    is_list = all(line.startswith(("- ", "* ", "+ ", " ", "#")) for line in lines)
    return replace(
        bare,
        title=article.title,
        aliases=article.names("aliases"),
        sources=tuple((name, _line_of(front, name)) for name in article.names("sources")),
        named=tuple((name, _line_of(front, name)) for name in named),
        extracted=bool(article.key) or (bool(lines) and is_list),
        row=row(article),
        own_findings=(*bare.own_findings, *_keys(article, keys)),
    )


def _unique_links(read: Outline) -> Iterator[Link]:
    """Give each target once, where it comes first, without its bytes: they are for who edits."""
    first = {(link.target, link.heading): link for link in reversed(read.links)}
    for link in sorted(first.values(), key=lambda link: link.start):
        yield Link(link.target, link.heading, link.place, link.wiki)


def _words(read: Outline) -> tuple[list[str], int]:
    """Give the words that a person or an engine wrote, and how many a reader sees in all.

    Headings and generated sections are only counted.
    """
    texts: tuple[list[str], list[str]] = [], []
    for block in read.blocks:
        texts[bool(block.level or block.section in GENERATED)].append(block.text)
    said = _WORD.findall("\n".join(texts[0]).lower())
    return said, len(said) + len(_WORD.findall("\n".join(texts[1])))


def _related(read: Outline) -> int:
    """Count the notes that are linked to under Related Concepts."""
    inside, targets = False, set()
    heads = deque(block for block in read.blocks if block.level)
    for link in read.links:
        while heads and heads[0].place <= link.place:
            inside = heads.popleft().text == RELATED
        if inside:
            targets.add(link.target)
    return len(targets)


def _front(text: str) -> str:
    match = _FRONT.match(text)
    return match[0] if match else ""


def is_derived(text: str) -> bool:
    """Whether the text of a file is a page that Memoria derives from others."""
    return _MADE.search(_front(text)) is not None


def _front_links(front: str) -> Iterator[Link]:
    """Find the links in values: Obsidian follows those that stand in quotes."""
    for match in _WIKILINK.finditer(front):
        place = 1 + front.count("\n", 0, match.start())
        yield Link(match[1].strip(), (match[2] or "").strip(), place)


def _line_of(front: str, name: str) -> int:
    at = front.find(name)
    return 1 + front.count("\n", 0, at) if at >= 0 else 1


def blocks(text: str) -> tuple[Block, ...]:
    """Give the blocks of text of a whole file, without its frontmatter."""
    front = _front(text)
    return outline(text[len(front) :], 1 + front.count("\n")).blocks


# -- What can be said of a note by itself ---------------------------------------------------------


def _unreadable(path: str, message: str) -> _Own:
    reason = message.removeprefix(path).lstrip(": ")
    where = _YAML_LINE.findall(reason)
    # the reason counts from the line below the opening
    line = int(where[-1]) + 1 if where else 1
    return ("unreadable", "error", line, f"{reason}; index, search and compile pass over it")


def _keys(article: Article, keys: tuple[str, ...]) -> Iterator[_Own]:
    missing = [key for key in keys if article.meta.get(key) in (None, "")]
    if missing:
        lacks = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        yield ("frontmatter", "warning", 1, f"{lacks}: the schema requires it of a {article.kind}")
    for key, value in article.meta.items():
        if value is not None and (fault := _misfit(key, value)):
            line = 1 + _line_of("\n" + article.front, f"\n{key}")
            yield ("frontmatter", "warning", line, f"{key} {fault}")


def _misfit(key: str, value: object) -> str:
    """Say what is wrong with a value of the frontmatter, "" for nothing."""
    if key in _DATES and value != "" and not isinstance(value, date):
        try:
            date.fromisoformat(str(value)[:10])
        except ValueError:
            return "is no date (YYYY-MM-DD)"
    if key in _LISTS and not isinstance(value, list | str):
        return "is no list"
    if key == guard.KEY:
        try:
            why = refused(guard.parsed(value))
        except UsageError as error:
            why = str(error).removeprefix("check: ")
        return f"cannot be used: {why}" if why else ""
    return ""


def _hidden(text: str) -> Iterator[_Own]:
    plain = text.replace("\r\n", "\n").removeprefix("\ufeff")
    if strip_hidden(plain) == plain:
        return
    lines = enumerate(plain.split("\n"), 1)
    odd = [(number, line) for number, line in lines if strip_hidden(line) != line]
    taken = sorted({char for _, line in odd for char in line if strip_hidden(char) != char})
    names = ", ".join(f"U+{ord(char):04X}" for char in taken[:_SHOWN])
    more = "" if len(odd) == 1 else f", and in {len(odd) - 1} more lines"
    yield ("hidden-characters", "warning", odd[0][0], f"{names or 'a terminal code'} here{more}")


def _active(read: Outline) -> Iterator[_Own]:
    if read.images:
        address, place = read.images[0]
        more = "" if len(read.images) == 1 else f" and {len(read.images) - 1} more"
        message = f"opening it fetches {address[:_ADDRESS]}{more}"
        yield ("remote-content", "warning", place, message)


def _merged(text: str) -> Iterator[_Own]:
    # most notes have none, and to search for a pattern takes longer
    if any(mark in text for mark in _MARKS):
        match = _MARK.search(text)
        if match and _MARK.search(_FENCED.sub("", text)):
            line = 1 + text.count("\n", 0, match.start())
            yield ("sync-conflicts", "warning", line, "marks of a merge that was not finished")


# -- Keeping notes --------------------------------------------------------------------------------


def encode_note(note: Note) -> str:
    """Give a note as the line that is kept of it."""
    # dataclasses.astuple copies each value deeply, which takes longer than all the parsing
    values = [getattr(note, name) for name in Note.__slots__]
    fields = attrgetter("target", "heading", "place", "wiki")
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=fields)


def decode_note(text: str) -> Note | None:
    """Read a kept note, None for what is none."""
    try:
        values = dict(zip(Note.__slots__, json.loads(text), strict=True))
        for name in ("aliases", "headings", "blocks", "sketch"):
            values[name] = tuple(values[name])
        for name in ("sources", "named", "own_findings"):
            values[name] = tuple(map(tuple, values[name]))
        values["links"] = tuple(Link(*link) for link in values["links"])
        return Note(**values)
    except (ValueError, TypeError, RecursionError):
        return None
