"""Read one file of a vault as a Note: all that a check of the whole vault has to know of it.

It depends on its file and the schema alone, so it is kept by the hash of the file.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memoria.errors import UsageError, VaultError
from memoria.lint.contradictions import ArticleClaim, find_claims
from memoria.lint.finding import KNOWLEDGE, Finding, Severity
from memoria.lint.names import find_names
from memoria.rules.guards import check as guard
from memoria.rules.guards.judge import find_refusal
from memoria.text.outline import PARSER, TextBlock, parse_outline
from memoria.vault.article import Article, parse_article
from memoria.vault.index import format_row
from memoria.vault.schema import GENERATED, Kind, Schema

RELATED = "Related Concepts"
# what notes are made by: kept ones of another version are made anew
_VERSION = f"7 {PARSER}"
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
# one word of a script that has spaces, one character of one that has none (as Obsidian counts)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
# "[[concepts/auth#^e-1|login]]": what it leads to
_WIKILINK = re.compile(r"!?\[\[([^\[\]\n|#]{1,300})(?:#[^\[\]\n|]{0,200})?(?:\|[^\[\]\n]*)?\]\]")
_MERGE_MARK = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)  # "<<<<<<< HEAD"
_DERIVED_KEY = re.compile(r"^made:", re.MULTILINE)  # the hash of a derived page
_CODE_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_YAML_LINE = re.compile(r"\bline (\d{1,7})\b")  # of a fault: "in line 3, column 5"
_NAMING_KEYS = ("connects", "consulted")  # frontmatter that names articles
_Fault = tuple[str, Severity, int, str]


@dataclass(frozen=True, slots=True)
class Note:
    """What a check knows of a file.

    `path` is relative to the vault. `kind` is the kind of article, "" for none (a log, a note in a
    folder of its own). `sources` and `links` are (name, line), each once; links are those of the
    text and what frontmatter names. `extracted`: it holds lines and no prose, as the Offline engine
    and short pages of a model do. `row` is its row of the index, "" for one that cannot be read.
    `faults` are (check, severity, line, message). `names` are the names of code, with the line,
    that it tells of as there, and `projects` whose code that is.
    """

    path: str
    kind: str
    sources: tuple[tuple[str, int], ...]
    links: tuple[tuple[str, int], ...]
    words: int
    extracted: bool
    row: str
    faults: tuple[_Fault, ...]
    names: tuple[tuple[str, int], ...] = ()
    projects: tuple[str, ...] = ()

    @property
    def inner(self) -> str:
        """The path as links have it: from knowledge/, without ending."""
        return inner_path(self.path)

    def findings(self) -> Iterator[Finding]:
        """Give what is wrong with the note by itself."""
        for check, severity, line, message in self.faults:
            yield Finding(check, severity, self.path, line, message)


def inner_path(path: str) -> str:
    """Give a path of the vault as links have it."""
    return path.removeprefix(KNOWLEDGE).removesuffix(".md")


def find_kind(path: str, schema: Schema) -> Kind | None:
    """Find the kind of a file of the vault; articles lie right in the folder of their kind."""
    name = path.removeprefix(KNOWLEDGE)
    if name == path or name.count("/") != 1 or "/." in name or not name.endswith(".md"):
        return None
    return schema.kind_of(name)


def read_note(path: str, text: str, schema: Schema) -> Note:
    """Read a file of the vault; an article that Memoria cannot read is a note with that finding."""
    kind = find_kind(path, schema)
    faults: list[_Fault] = [*_check_merge_marks(text)]
    article, sources, named_articles, extracted = None, [], [], False
    claims: Iterable[ArticleClaim] = ()
    if kind:
        try:
            article = parse_article(inner_path(path), kind.name, text)
        except VaultError as error:
            faults.append(_build_unreadable_fault(path, str(error)))
    front = _find_frontmatter(text)
    if article:
        front = article.opening + article.front + article.closing
    outline = parse_outline(text[len(front) :], 1 + front.count("\n"))
    if article and kind:
        faults += _check_keys(article, kind.keys)
        sources = [(name, _find_line_number(front, name)) for name in article.names("sources")]
        names = [name for key in _NAMING_KEYS for name in article.names(key) if "[[" not in name]
        named_articles = [(name, _find_line_number(front, name)) for name in names]
        extracted = bool(article.key) or _is_list(article)
        # a derived page repeats others, and a rule says what is to be
        if kind.name != "rule" and not is_derived(text):
            claims = find_claims(article, outline.blocks)
    matches = _WIKILINK.finditer(front)
    links = [(match[1].strip(), _line_number_at(front, match)) for match in matches]
    links += [(link.target, link.place) for link in outline.links]
    first_lines: dict[str, int] = {}
    for target, line in (*links, *named_articles):
        first_lines.setdefault(target, line)
    return Note(
        path=path,
        kind=kind.name if kind else "",
        sources=tuple(sources),
        links=tuple(first_lines.items()),
        words=sum(len(_WORD.findall(block.text)) for block in outline.blocks),
        extracted=extracted,
        row=format_row(article) if article else "",
        faults=tuple(faults),
        names=tuple(find_names(claims)),
        projects=article.names("projects") if article else (),
    )


def is_derived(text: str) -> bool:
    """Whether the text of a file is a page that Memoria derives from others."""
    return _DERIVED_KEY.search(_find_frontmatter(text)) is not None


def parse_blocks(text: str) -> tuple[TextBlock, ...]:
    """Give the blocks of text of a whole file, without its frontmatter."""
    front = _find_frontmatter(text)
    return parse_outline(text[len(front) :], 1 + front.count("\n")).blocks


def _is_list(article: Article) -> bool:
    bodies = [body for name, body in article.sections if name.strip() not in GENERATED]
    lines = [line for body in bodies for line in body.splitlines() if line.strip()]
    return bool(lines) and all(line.startswith(("- ", "* ", "+ ", " ", "#")) for line in lines)


def _find_frontmatter(text: str) -> str:
    match = _FRONT.match(text)
    return match[0] if match else ""


def _line_number_at(text: str, match: re.Match[str]) -> int:
    return 1 + text.count("\n", 0, match.start())


def _find_line_number(front: str, name: str) -> int:
    start = front.find(name)
    return 1 + front.count("\n", 0, start) if start >= 0 else 1


def _build_unreadable_fault(path: str, message: str) -> _Fault:
    reason = message.removeprefix(path).lstrip(": ")
    numbers = _YAML_LINE.findall(reason)
    line = int(numbers[-1]) if numbers else 1
    return ("unreadable", "error", line, f"{reason}; index, search and compile pass over it")


def _check_keys(article: Article, keys: tuple[str, ...]) -> Iterator[_Fault]:
    missing = [key for key in keys if article.meta.get(key) in (None, "")]
    if missing:
        lacks = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        yield ("frontmatter", "warning", 1, f"{lacks}: the schema requires it of a {article.kind}")
    value: Any = article.meta.get(guard.NOTE_KEY)
    if value is not None:
        try:
            refusal = find_refusal(guard.parse_check(value))
        except UsageError as error:
            refusal = str(error).removeprefix("check: ")
        if refusal:
            line = 1 + _find_line_number("\n" + article.front, f"\n{guard.NOTE_KEY}")
            yield ("frontmatter", "warning", line, f"{guard.NOTE_KEY} cannot be used: {refusal}")


def _check_merge_marks(text: str) -> Iterator[_Fault]:
    # most notes have none, and to search for a pattern takes longer
    match = _MERGE_MARK.search(text) if "<<<<<<< " in text or ">>>>>>> " in text else None
    if match and _MERGE_MARK.search(_CODE_BLOCK.sub("", text)):
        message = "marks of a merge that was not finished"
        yield ("sync-conflicts", "warning", _line_number_at(text, match), message)


def cache_version(schema: Schema) -> str:
    """Say what notes are made by: the parser, this module and the kinds of the schema."""
    return f"{_VERSION} {[(kind.name, kind.folder, kind.keys) for kind in schema.kinds]}"


def dump_note(note: Note) -> list[Any]:
    """Give a note as values for JSON; dataclasses.astuple would copy each of them deeply."""
    return [getattr(note, name) for name in Note.__slots__]


def restore_note(values: Any) -> Note | None:  # noqa: ANN401 - from JSON
    """Read a kept note, None for what is none."""
    try:
        fields = dict(zip(Note.__slots__, values, strict=True))
        for name in ("sources", "links", "faults", "names"):
            fields[name] = tuple(map(tuple, fields[name]))
        fields["projects"] = tuple(fields["projects"])
        return Note(**fields)
    except (ValueError, TypeError):
        return None
