"""The text of one file of a vault -> Note: all that a check of the whole vault needs to know of it.

A note depends on its file and the schema alone, so notes are kept by the hash of the file and made
anew only where it changed. What can be said of one by itself (its frontmatter, what nobody sees in
it, what it would fetch) is said here and kept with it.
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from memoria.errors import UsageError, VaultError
from memoria.lint.finding import Flaw, Severity
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
# what notes are made by: kept ones of another making are made anew
_MAKING = f"3 {PARSER}"
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
# one word of a script that has spaces, one character of one that has none (as Obsidian counts)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_WIKILINK = re.compile(r"!?\[\[([^\[\]\n|#]{1,300})(?:#([^\[\]\n|]{0,200}))?(?:\|[^\[\]\n]*)?\]\]")
# at the end of a line, or on one of its own: letters, digits and hyphens, as Obsidian has it
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]{1,100})[ \t\r]*$", re.MULTILINE)
_MARKS = ("<" * 7 + " ", ">" * 7 + " ")
_MARK = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
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
    `related` counts the links under Related Concepts. `extracted` says that the Offline engine
    wrote it. `row` is its row of the index, "" for one that cannot be read. `flaws` are (check,
    severity, line, message) of the note by itself.
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
    flaws: tuple[tuple[str, Severity, int, str], ...]

    @property
    def inner(self) -> str:
        """The path as links have it: from knowledge/, without ending."""
        return inner(self.path)

    def found(self) -> Iterator[Flaw]:
        """Give the flaws of the note by itself."""
        for check, severity, line, message in self.flaws:
            yield Flaw(check, severity, self.path, line, message)


def inner(path: str) -> str:
    """Give a path of the vault as links have it."""
    return path.removeprefix(KNOWLEDGE).removesuffix(".md")


def kind_of(path: str, schema: Schema) -> Kind | None:
    """Find the kind of a file of the vault; articles lie right in the folder of their kind."""
    name = path.removeprefix(KNOWLEDGE)
    if name == path or name.count("/") != 1 or "/." in name or not name.endswith(".md"):
        return None
    return schema.kind_of(name)


def making(schema: Schema) -> str:
    """Say what notes are made by: the parser, this module and the kinds of the schema."""
    return f"{_MAKING} {[(kind.name, kind.folder, kind.keys) for kind in schema.kinds]}"


_Own = tuple[str, Severity, int, str]


def note(path: str, text: str, schema: Schema) -> Note:
    """Read a file of the vault; an article that Memoria cannot read is a note with that flaw."""
    kind = kind_of(path, schema)
    flaws: list[_Own] = [*_hidden(text), *_merged(text)]
    article = None
    if kind:
        try:
            article = parse(inner(path), kind.name, text)
        except VaultError as error:
            flaws.append(_unreadable(path, str(error)))
    front = article.opening + article.front + article.closing if article else _front(text)
    read = outline(text[len(front) :], 1 + front.count("\n"))
    flaws += _active(read)
    said, words = _words(read)
    bare = Note(
        path=path,
        kind=kind.name if kind else "",
        title=path.rsplit("/", 1)[-1].removesuffix(".md"),
        aliases=(),
        sources=(),
        named=(),
        links=(*_front_links(front), *_plain(read)),
        headings=read.headings,
        blocks=tuple(match[1].lower() for match in _BLOCK_ID.finditer(text)),
        related=_related(read),
        words=words,
        extracted=False,
        row="",
        sketch=sketch(said) if article else (),
        flaws=tuple(flaws),
    )
    return _full(bare, article, kind.keys) if article and kind else bare


def _full(bare: Note, article: Article, keys: tuple[str, ...]) -> Note:
    front = article.opening + article.front
    named = [name for key in NAMING for name in article.names(key) if "[[" not in name]
    return replace(
        bare,
        title=article.title,
        aliases=article.names("aliases"),
        sources=tuple((name, _line_of(front, name)) for name in article.names("sources")),
        named=tuple((name, _line_of(front, name)) for name in named),
        extracted=bool(article.key),
        row=row(article),
        flaws=(*bare.flaws, *_keys(article, keys)),
    )


def _plain(read: Outline) -> Iterator[Link]:
    """Give each target once, where it comes first, without its bytes: they are for who edits."""
    told: set[tuple[str, str]] = set()
    for one in read.links:
        if (one.target, one.heading) not in told:
            told.add((one.target, one.heading))
            yield Link(one.target, one.heading, one.place, one.wiki)


def _words(read: Outline) -> tuple[list[str], int]:
    """Give the words that a person or an engine wrote, and how many a reader sees in all.

    Headings and generated sections are only counted.
    """
    own: list[str] = []
    rest: list[str] = []
    for block in read.blocks:
        made = block.level or block.section in GENERATED
        (rest if made else own).append(block.text)
    said = _WORD.findall("\n".join(own).lower())
    return said, len(said) + len(_WORD.findall("\n".join(rest)))


def _related(read: Outline) -> int:
    """Count the notes that are linked to under Related Concepts."""
    inside, found = False, set()
    heads = deque(block for block in read.blocks if block.level)
    for link in read.links:
        while heads and heads[0].place <= link.place:
            inside = heads.popleft().text == RELATED
        if inside:
            found.add(link.target)
    return len(found)


def _front(text: str) -> str:
    found = _FRONT.match(text)
    return found[0] if found else ""


def _front_links(front: str) -> Iterator[Link]:
    """Find the links in values: Obsidian follows those that stand in quotes."""
    for found in _WIKILINK.finditer(front):
        place = 1 + front.count("\n", 0, found.start())
        yield Link(found[1].strip(), (found[2] or "").strip(), place)


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
        fault = _misfit(key, value)
        if fault:
            line = 1 + _line_of("\n" + article.front, f"\n{key}")
            yield ("frontmatter", "warning", line, f"{key} {fault}")


def _misfit(key: str, value: Any) -> str:  # noqa: ANN401 - any value of the frontmatter
    if key in _DATES and value not in (None, "") and not _is_date(value):
        return "is no date (YYYY-MM-DD)"
    if key in _LISTS and value is not None and not isinstance(value, list | str):
        return "is no list"
    if key == guard.KEY and value is not None:
        return _faulty(value)
    return ""


def _faulty(value: object) -> str:
    """Say what is wrong with a rule's check, "" for nothing."""
    try:
        why = refused(guard.parsed(value))
    except UsageError as error:
        why = str(error).removeprefix("check: ")
    return f"cannot be used: {why}" if why else ""


def _is_date(value: Any) -> bool:  # noqa: ANN401 - as above
    try:
        return isinstance(value, date) or bool(date.fromisoformat(str(value)[:10]))
    except ValueError:
        return False


def _hidden(text: str) -> Iterator[_Own]:
    plain = text.replace("\r\n", "\n").removeprefix("\ufeff")
    if strip_hidden(plain) == plain:
        return
    odd = [
        (number, line)
        for number, line in enumerate(plain.split("\n"), 1)
        if strip_hidden(line) != line
    ]
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
    if _MARKS[0] not in text and _MARKS[1] not in text:
        return
    found = _MARK.search(text)
    if found and _MARK.search(_FENCED.sub("", text)):
        line = 1 + text.count("\n", 0, found.start())
        yield ("sync-conflicts", "warning", line, "marks of a merge that was not finished")


# -- Keeping notes --------------------------------------------------------------------------------


def encoded(one: Note) -> str:
    """Give a note as the line that is kept of it."""
    # dataclasses.astuple copies each value deeply, which takes longer than all the parsing
    links = [(link.target, link.heading, link.place, link.wiki) for link in one.links]
    head = (one.path, one.kind, one.title, one.aliases, one.sources, one.named, links)
    counted = (one.headings, one.blocks, one.related, one.words)
    rest = (*counted, one.extracted, one.row, one.sketch, one.flaws)
    return json.dumps((*head, *rest), ensure_ascii=False, separators=(",", ":"))


def decoded(text: str) -> Note | None:
    """Read a kept note, None for what is none."""
    try:
        path, kind, title, aliases, sources, named, links, *rest = json.loads(text)
        headings, marked, related, words, extracted, line, drawn, flaws = rest
        return Note(
            path=path,
            kind=kind,
            title=title,
            aliases=tuple(aliases),
            sources=tuple((name, place) for name, place in sources),
            named=tuple((name, place) for name, place in named),
            links=tuple(Link(*one) for one in links),
            headings=tuple(headings),
            blocks=tuple(marked),
            related=related,
            words=words,
            extracted=extracted,
            row=line,
            sketch=tuple(drawn),
            flaws=tuple((check, severity, at, said) for check, severity, at, said in flaws),
        )
    except (ValueError, TypeError, RecursionError):
        return None
