"""Make of a note or a log what is searched: documents, their passages, and the lines to be told.

A document is an article, or an entry of a log; it is found by its text as a whole, which finds more
than windows on it do (bench/RESULTS.md). An entry is found, too, by what was said in its session:
each of its subjects is a passage whose words are never told; what it came to is. What every note
has (headings, labels, links to the sources) is left out, since it would fit "errors" or "sources".
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from memoria.capture.provenance.marks import build_line_key, find_sayable_part, split_marked_parts
from memoria.capture.provenance.origins import fold_words
from memoria.text.markdown import make_inert, strip_code_blocks
from memoria.text.unicode import strip_hidden
from memoria.vault import daily_log
from memoria.vault.article import Article, strip_source_links
from memoria.vault.citations import cite, parse_block_id, parse_citations, strip_mark_and_sources
from memoria.vault.entry import Entry, Extract, Subject
from memoria.vault.schema import GENERATED
from memoria.vault.trust import known_lines

# characters of a passage that is shown, read at a glance; and passages of a document: a page that
# somebody pasted is shown in longer ones
_PASSAGE_CHARS, _MAX_PASSAGES = 400, 256
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
# what every entry of a log has
_LABEL = re.compile(r"\s*\*\*(?:Key Exchanges|Decisions Made|Lessons Learned|Action Items):\*\*\s*")
_CONTEXT_LABEL = "**Context:**"
_ENTRY_COMMENT = "<!-- memoria {"
_LOG_FRAME = re.compile(r"# Daily Log: [\d-]+|## Sessions")  # headings that Memoria writes
# where a long line is parted: best behind a sentence, else behind a word
_BREAKS = (re.compile(r"(?<=[.!?;])\s+"), re.compile(r"\s+"))
# what a draft's lists hold, and what each is worth to a later session
_LISTS = (
    ("decisions", "decision", 3),
    ("lessons", "lesson", 3),
    ("exchanges", "answer", 2),
    ("actions", "action", 1),
)
# sections of articles that hold lines of one kind; those of others are facts
_SECTIONS = {
    "Decisions": ("decision", 3),
    "Gotchas and Causes": ("lesson", 3),
    "Errors and Fixes": ("fix", 3),
    "Questions Answered": ("answer", 2),
    "Open": ("action", 1),
    "Before the Change": ("past", 1),
}
# of a fact's score (capture/extract/session_extract.py): the compiler counts it as solid from here
_SOLID_SCORE = 3.0
_GAP = "\u2026 "
_MIN_WORDS, _ENOUGH_SPACES = 3, 20  # "ok" tells a later session nothing; so many spaces are enough


class IndexedLine(NamedTuple):
    """A line that can be told: `key` is what this machine knows it by, "" for others' words.

    `kind` is decision, lesson, fix, answer, action, conclusion or fact; `weight` is 1 to 3. `link`
    is what it was taken from, "" for the document that it stands in.
    """

    kind: str
    weight: int
    key: str
    text: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class HeardSubject:
    """A subject of a session: the turn of its start, what was said, what it came to."""

    turn: int
    text: str
    lines: tuple[IndexedLine, ...] = ()
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
    lines: tuple[IndexedLine, ...] = ()
    heard: tuple[HeardSubject, ...] = ()


def build_article_document(article: Article, headings: Container[str] = ()) -> Document:
    """Make the document of an article; `headings` are those that every article of its kind has."""
    parts = [article.lead]
    for heading, body in article.sections:
        name = heading.strip()
        if name not in GENERATED:
            parts += [body] if name in headings else [f"## {name}", body]
    scope = article.names("scope") if article.kind == "rule" else ()
    tags = tuple(tag.removeprefix("#") for tag in article.names("tags"))
    dates = (str(article.meta.get(key) or "") for key in ("updated", "created", "filed"))
    return Document(
        path=f"knowledge/{article.path}.md",
        sha=article.sha,
        title=_normalise_title(article.title),
        kind=article.kind,
        date=next((match[0] for match in map(_DAY.match, dates) if match), ""),
        projects=article.names("projects") or scope,
        tags=tags,
        text=_join_lines(map(strip_source_links, "\n".join(parts).splitlines())),
        names=(*article.names("aliases"), *tags),
        link=article.path,
        lines=tuple(list_article_lines(article)),
    )


def list_article_lines(article: Article) -> Iterator[IndexedLine]:
    """Give an article's path, which a link to it says, and the lines of its sections."""
    yield IndexedLine("name", 0, build_line_key(article.path), article.path, article.path)
    for heading, body in article.sections:
        if heading.strip() not in GENERATED:
            kind, weight = _SECTIONS.get(heading.strip(), ("fact", 2))
            for text in filter(str.strip, strip_code_blocks(body)):
                source = next((row.target for row in parse_citations(text)), "")
                yield _build_line(kind, weight, strip_mark_and_sources(text), source)


def _build_line(kind: str, weight: int, text: str, link: str = "") -> IndexedLine:
    part = find_sayable_part(text)
    # what is others' has no key: nothing makes it one that is told
    is_long = part.count(" ") > _ENOUGH_SPACES or len(fold_words(part)) >= _MIN_WORDS
    key = build_line_key(text, part) if is_long else ""
    # what is told is what the key was made of and no more
    sayable = known_lines.strip_line_marks(part) or split_marked_parts(text)[-1][1]
    return IndexedLine(kind, weight, key, sayable, link)


def build_log_documents(
    day: date,
    text: str,
    sha: str,
    extracts: Callable[[str], Extract | None] = lambda _: None,
    recorded: Callable[[Entry], Entry] = lambda entry: entry,
) -> Iterator[Document]:
    """Give the documents of a daily log: its entries, and what a person wrote outside of them.

    `extracts` gives what was found in the session of an entry, by the entry's id; `recorded` the
    entry under the project and day that this machine knows it by.
    """
    path, end, text_outside = f"daily/{day}.md", 0, ""
    for block in daily_log.parse_blocks(text, day):
        text_outside += text[end : block.start]
        end = block.end
        extract, entry = extracts(block.entry.id), recorded(block.entry)
        yield _build_entry_document(entry, text[block.start : block.end], path, sha, extract)
    lines = (text_outside + text[end:]).splitlines()
    notes = _join_lines(line for line in lines if not _LOG_FRAME.fullmatch(line.strip("\ufeff ")))
    if notes:
        about = (path, sha, f"Daily Log: {day}", "entry", str(day))
        yield Document(*about, (), (), notes, link=f"daily/{day}")


def _build_entry_document(
    entry: Entry, text: str, path: str, sha: str, extract: Extract | None
) -> Document:
    return Document(
        path=path,
        sha=sha,
        title=_normalise_title(entry.draft.title) or f"Session of {entry.day}",
        kind="entry",
        date=str(entry.day),
        projects=(entry.project,) if entry.project else (),
        tags=(),
        text=_join_lines(map(_strip_frame, text.splitlines()[1:])),
        link=cite(entry.day, entry.id).target,
        moment=entry.at.isoformat(),
        session=entry.session,
        author=entry.engine,
        lines=tuple(
            _build_line(kind, weight, text)
            for name, kind, weight in _LISTS
            for text in getattr(entry.draft, name)
        ),
        heard=tuple(_list_heard_subjects(extract)) if extract else (),
    )


def _list_heard_subjects(extract: Extract) -> Iterator[HeardSubject]:
    ends = [*(subject.turn for subject in extract.subjects[1:]), None]
    for subject, end in zip(extract.subjects, ends, strict=False):
        lines = tuple(_list_subject_lines(subject, extract, end))
        yield HeardSubject(subject.turn, strip_hidden(subject.words), lines, subject.amends)


def _list_subject_lines(
    subject: Subject, extract: Extract, end: int | None
) -> Iterator[IndexedLine]:
    """Give what a subject came to, then the facts of its turns; it ends before the turn `end`."""
    for conclusion in subject.conclusions:
        line = _build_line("conclusion", conclusion.weight, make_inert(conclusion.text))
        # sentences that do not follow each other are not told as if they did
        yield line._replace(text=f"{_GAP * conclusion.is_apart}{line.text}" if line.text else "")
    for fact in extract.facts:
        is_of_subject = fact.turn >= subject.turn and (end is None or fact.turn < end)
        if is_of_subject and fact.kind != "context":
            weight = 2 if fact.score >= _SOLID_SCORE else 1
            yield _build_line(fact.kind, weight, make_inert(fact.text))


def _strip_frame(line: str) -> str:
    """Give a line of an entry without what every entry has."""
    if line.startswith(_ENTRY_COMMENT) or _LABEL.fullmatch(line) or parse_block_id(line):
        return ""
    return line.removeprefix(_CONTEXT_LABEL).strip() if line.startswith(_CONTEXT_LABEL) else line


def build_page_document(path: str, day: date, text: str, sha: str) -> Document:
    """Make the document of an entry that a person wrote."""
    # not by a pattern: a thousand comments that are never closed would take it a minute
    first, *parts = text.split("<!--")
    lines = "".join([first, *(part.partition("-->")[2] for part in parts)]).splitlines()
    head = next((line for line in lines if line.startswith("# ")), "")
    title = _normalise_title(head.removeprefix("# ")) or path.rsplit("/", 1)[-1].removesuffix(".md")
    link = path.removesuffix(".md")
    return Document(path, sha, title, "entry", str(day), (), (), _join_lines(lines), link=link)


def _join_lines(lines: Iterable[str]) -> str:
    return strip_hidden("\n".join(line.rstrip() for line in lines if line.strip()))


def _normalise_title(title: str) -> str:
    return " ".join(strip_hidden(title).split())


# -- Passages that are shown -----------------------------------------------------------------------


def split_passages(text: str) -> tuple[str, ...]:
    """Part a text into passages: neighbouring lines, together as long as one reads at once."""
    size = max(_PASSAGE_CHARS, len(text) // (_MAX_PASSAGES // 3))  # two of them together exceed it
    parts: list[str] = []
    for line in _split_lines(text, size):
        if parts and len(parts[-1]) + len(line) < size:
            parts[-1] += "\n" + line
        else:
            parts.append(line)
    return tuple(parts)


def _split_lines(text: str, size: int) -> Iterator[str]:
    """Yield the lines, those over twice the size in parts of about it."""
    for line in text.split("\n"):
        remainder = line
        while len(remainder) > 2 * size:
            marks = (end.finditer(remainder, size // 2, 2 * size) for end in _BREAKS)
            ends = next(filter(None, ([mark.start() for mark in row] for row in marks)), [size])
            cut = min(ends, key=lambda end: abs(end - size))
            yield remainder[:cut]
            remainder = remainder[cut:].strip()
        if remainder.strip():
            yield remainder
