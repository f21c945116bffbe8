"""Name the lines of an article by ids, and take out those that a newer entry overrules.

An id is a hash of the line's words, so it means the same after any other change of the article and
nothing once the line is gone. What is taken out moves below what was before, with the day and what
replaced it. New prose has to account for each old sentence; what it does not say again stays. A
person's line may look like ours, so in a file that a person has edited only lines are touched that
this machine wrote and that cite a log.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.shelf import UNTIL, replaces
from memoria.rules.model import Refusal
from memoria.text.markdown import make_inert, next_fence, normalise_words
from memoria.text.word_overlap import stems
from memoria.vault.article import (
    Article,
    normalise_line,
    strip_source_links,
    with_body,
    with_lead,
    with_lines,
)
from memoria.vault.citations import Citation, cite, parse_citations, with_days
from memoria.vault.schema import BEFORE, GENERATED

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from memoria.compile.patch import ArticleChange, PatchContext, PatchLine, RetiredLine
    from memoria.vault.entry import Entry

# 20 bits: of 80 lines two share an id once in 300 articles, and then neither can be named
_ID_DIGITS = 5
# of an old sentence's content words: a new text with fewer of them does not say it
_SAID_AGAIN = 0.6
# characters of a new line that are said again beside the old one: a short clause
_MAX_REPEATED_CLAUSE = 100
_ITEM_OPENING = re.compile(r"[-*+] ")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
# "# Title", "> quote", "| cell", "```", "1. step": no line of prose begins so
_MARKUP = re.compile(r"\s|#|>|\||`{3}|~{3}|\d+[.)] ")
# to the letter: "`code`", "3.11", "src/app", "max_age", "Redis" within a sentence; and a denial
_LITERAL = re.compile(r"`[^`]+`|\d+(?:[.:]\d+)*|\w*[_/]\w[\w/]*|(?<=[\w,;] )[A-Z]\w+")
# "was kept in Redis; now in Postgres", "all but one": it repeats a line that holds no more
_ENDS = re.compile(
    r"(?i)\b(?:alone|but|except|gone|instead|now|only|stopped|until|was|were|wrong)\b"
)
_DENIAL = re.compile(
    r"\b(?:not?|never|none|without|unless|cannot|neither)\b|n['\u2019]t\b", re.IGNORECASE
)


class ArticleStatement(NamedTuple):
    """A line or sentence of an article; `heading` is "" in its lead, `item` says it is listed."""

    heading: str
    text: str
    item: bool


def line_id(text: str) -> str:
    """Give the id of a line or sentence, whatever its bullet, case, source and last full stop."""
    words = normalise_line(text).rstrip(".!?")
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:_ID_DIGITS]


def format_with_ids(text: str) -> str:
    """Show an article's text with an id before each line and sentence that a patch may name.

    Its path comes first. Left out is what code writes: frontmatter, links and lists of sources;
    each line has the day on which it was said. What was so before names no successor.
    """
    path, _, page = text.partition("\n")
    if page.startswith("---"):  # its frontmatter stands between its first two rules
        page = page.partition("\n---")[2].partition("\n")[2]
    lines, heading, fence = [path], "", ""
    for line in page.splitlines():
        last_fence, fence = fence, next_fence(fence, line)
        heading = line[3:].strip() if line.startswith("## ") and not fence else heading
        is_code = bool(fence or last_fence)
        if heading in GENERATED or not (line.strip() or is_code):
            continue
        if is_code or line.startswith("#"):
            lines.append(line)
        elif heading != BEFORE:
            lines += [f"{line_id(part)}| {with_days(part)}" for part in split_line_sentences(line)]
        elif until := UNTIL.search(strip_source_links(line)):
            lines.append(f"{line[: until.start()]} (until {until[1]})")
        else:
            lines.append(with_days(line))
    return "\n".join(lines)


def find_statements(article: Article) -> dict[str, ArticleStatement]:
    """Give what an article states by id; what shares its id with other words is left out."""
    texts = [("", article.lead)]
    texts += [(name.strip(), body) for name, body in article.sections]
    items = [
        item
        for name, text in texts
        if name not in {*GENERATED, BEFORE}
        for item in _find_text_statements(name, text)
    ]
    words = {normalise_line(item.text).rstrip(".!?") for item in items}
    counts = Counter(map(line_id, words))
    # of a line that stands in the lead, too, the listed one
    return {line_id(item.text): item for item in items if counts[line_id(item.text)] == 1}


def _find_text_statements(heading: str, text: str) -> Iterator[ArticleStatement]:
    lines = text.replace("\r\n", "\n").split("\n")
    fence, in_list = "", False
    for line, next_line in zip(lines, [*lines[1:], ""], strict=True):
        last_fence, fence = fence, next_fence(fence, line)
        is_item = bool(_ITEM_OPENING.match(line))
        in_list = in_list or is_item
        # prose below a list, and an item that goes on, are a person's
        is_own = not next_line.startswith((" ", "\t")) if is_item else not in_list
        if line.strip() and is_own and not (fence or last_fence) and not _MARKUP.match(line):
            for part in split_line_sentences(line):
                yield ArticleStatement(heading, part, is_item)


def split_line_sentences(line: str) -> list[str]:
    """Part a line of prose into its sentences; an item of a list is one."""
    return [line] if _ITEM_OPENING.match(line) else _SENTENCE_END.split(line.strip())


# -- What a patch may take out --------------------------------------------------------------------


def list_removals(change: ArticleChange) -> Iterator[RetiredLine]:
    """Give all that a change takes out, with what replaces it."""
    from memoria.compile.patch import RetiredLine  # noqa: PLC0415 - that module checks with this one

    yield from change.retired
    for section in change.sections:
        for line in section.lines:
            if line.replaces:
                yield RetiredLine(line.replaces, line.entry, line.text, section.heading)


def refuse_removals(
    change: ArticleChange, path: str, context: PatchContext
) -> tuple[ArticleChange, list[Refusal]]:
    """Leave out what a change takes out without the right to; its new lines are added all the same.

    Only a newer entry takes out a line, and never one that the same change writes.
    """
    removals = list(list_removals(change))
    article = context.articles.get(path)
    old_lines = find_statements(article) if article and removals else {}
    new_ids = set(_list_ids(change))
    reasons: dict[str, str] = {}
    for removal in removals:
        statement = old_lines.get(removal.line)
        if article is None or statement is None or removal.line in new_ids:
            reasons[removal.line] = "no such line, or one that is written here"
        elif not is_ours(statement, path, context):
            reasons[removal.line] = "a person wrote it"
        elif not is_newer(context.entries[removal.entry], statement, article, context):
            reasons[removal.line] = "only a newer entry takes out a line"
        elif not (statement.heading or change.lead) and line_id(
            " ".join(article.lead.split())
        ) == line_id(statement.text):
            reasons[removal.line] = "it is all of the lead"
    # the Offline engine says what replaces a line, and names lines that may have gone already
    named = {removal.line for removal in removals} - {cut.line for cut in change.retired if cut.by}
    told = (name for name in reasons if name in named)
    refused = [Refusal(f"line {name}"[:120], reasons[name]) for name in told]
    sections = (
        replace(section, lines=tuple(_keep_line(line, reasons) for line in section.lines))
        for section in change.sections
    )
    retired = tuple(cut for cut in change.retired if cut.line not in reasons)
    return replace(change, sections=tuple(sections), retired=retired), refused


def _keep_line(line: PatchLine, refused: Container[str]) -> PatchLine:
    return replace(line, replaces="") if line.replaces in refused else line


def _list_ids(change: ArticleChange) -> Iterator[str]:
    """Give the ids of all that a change writes: of its lines, and of the sentences of its prose."""
    for text in (change.lead, *(section.prose for section in change.sections)):
        for line in map(make_inert, text.splitlines()):
            yield from map(line_id, _SENTENCE_END.split(line))
    for section in change.sections:
        yield from (line_id(make_inert(line.text)) for line in section.lines)


def is_ours(statement: ArticleStatement, path: str, context: PatchContext) -> bool:
    """Whether Memoria wrote a statement: all of a file that nobody edited, else what it knows."""
    is_cited = statement.item and bool(parse_citations(statement.text))
    return context.owned(path) or (is_cited and context.known(statement.text))


def is_newer(
    entry: Entry, statement: ArticleStatement, article: Article, context: PatchContext
) -> bool:
    """Whether an entry came after those that a statement rests on; prose rests on all sources."""

    def is_after(citation: Citation) -> bool:
        if citation.entry == entry.id:
            # what a person has corrected in an entry is newer than what was made of it
            return entry.id in context.revised
        source = context.entries.get(citation.entry)
        if source:
            return (entry.day, entry.at) >= (source.day, source.at)
        return citation.day is None or entry.day >= citation.day

    citations = parse_citations(statement.text) or parse_citations(article.section("Sources"))
    return all(map(is_after, citations))


def retire_line(
    article: Article, removal: RetiredLine, context: PatchContext, order: tuple[str, ...]
) -> Article:
    """Move a line below what was before, wherever it stands, with the day and what replaced it.

    One that its successor says with more goes.
    """
    statement = find_statements(article).get(removal.line)
    if statement is None or not is_ours(statement, article.path, context):
        return article
    entry = context.entries[removal.entry]
    text = strip_source_links(statement.text[2:] if statement.item else statement.text)
    source = statement.text[2 + len(text) :] if statement.item else ""
    moved = _remove_statement(article, statement, order)
    is_whole = stems(text) <= stems(removal.by) and says(removal.by, text)
    is_over = replaces(removal.by, text) or {*_ENDS.findall(removal.by)} - {*_ENDS.findall(text)}
    if is_whole and not is_over:
        return moved  # the new line says all of it, and more: it holds
    successor = _format_successor(removal)
    # that a thing is over, with nothing in its place, is said by the entry that the line cites
    if not (successor and source):
        source += f" ([[{cite(entry.day, entry.id).target}]])"
    headings = dict.fromkeys([*(name for name in order if name not in GENERATED), BEFORE, *order])
    line = f"{text} (until {entry.day}{successor}){source}"
    moved = with_lines(moved, BEFORE, [line], tuple(headings))
    again = find_statements(moved).get(removal.line)
    if again is None or not is_newer(entry, again, moved, context):
        return moved
    is_all = not again.heading and len(split_line_sentences(moved.lead)) == 1
    return moved if is_all else retire_line(moved, removal, context, order)


def _format_successor(removal: RetiredLine) -> str:
    """Say what replaced a line: a long one stands in full in its own section."""
    words = make_inert(removal.by).rstrip(".")
    if removal.place and len(words) > _MAX_REPEATED_CLAUSE:
        return f", see {removal.place}"
    return f", then: {words}" if words else ""


def _remove_statement(
    article: Article, statement: ArticleStatement, order: tuple[str, ...]
) -> Article:
    text = article.section(statement.heading) if statement.heading else article.lead
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        parts = split_line_sentences(line)
        if statement.text not in parts:
            lines.append(line)
        elif others := [part for part in parts if part != statement.text]:
            lines.append(" ".join(others))
    body = "\n".join(lines)
    if not statement.item:
        body = re.sub(r"\n{3,}", "\n\n", body).strip("\n")
    if not statement.heading:
        return with_lead(article, body)
    if body.strip() or statement.heading not in order:  # a person's own heading stays
        return with_body(article, statement.heading, body, order)
    sections = (section for section in article.sections if section[0].strip() != statement.heading)
    return replace(article, sections=tuple(sections))


# -- What a new text says of an old one -----------------------------------------------------------


def keep_unsaid_sentences(old: str, new: str, lines: Iterable[str] = ()) -> str:
    """Give new prose behind the sentences of the old that neither it nor one of `lines` says."""
    texts = (new, *lines)
    paragraphs = []
    for line in old.split("\n"):
        sentences = split_line_sentences(line)
        unsaid = [part for part in sentences if not any(says(text, part) for text in texts)]
        paragraphs += [" ".join(unsaid)] if any(map(str.strip, unsaid)) else []
    return "\n\n".join([*paragraphs, new])


def says(text: str, sentence: str) -> bool:
    """Whether a text has what a sentence says: its content words, and all names, numbers, code."""
    words = normalise_words(sentence)
    if not words or f" {words} " in f" {normalise_words(text)} ":
        return True
    literals = (literal.strip("`").casefold() for literal in _LITERAL.findall(sentence))
    if not all(literal in text.casefold() for literal in literals):
        return False
    if bool(_DENIAL.search(sentence)) != bool(_DENIAL.search(text)):
        return False
    content = stems(sentence)
    return bool(content) and len(content & stems(text)) >= _SAID_AGAIN * len(content)


def is_overruled(article: Article, text: str, entry: Entry) -> bool:
    """Whether a line of an entry stood in the article and was overruled since."""
    citation = cite(entry.day, entry.id)
    for line in article.section(BEFORE).splitlines():
        words = strip_source_links(line.removeprefix("- "))
        until = UNTIL.search(words)
        if until and line_id(UNTIL.sub("", words)) == line_id(text):
            is_own = bool(citation.entry) and citation in parse_citations(line)
            if is_own or until[1] > entry.day.isoformat():
                return True
    return False


def without_overruled(article: Article, prose: str, last: Entry) -> str:
    """Leave out sentences that were overruled after the last entry that the prose is made of."""
    if not article.section(BEFORE).strip():
        return prose
    lines = []
    for line in prose.split("\n"):
        sentences = split_line_sentences(line)
        parts = [part for part in sentences if not is_overruled(article, part, last)]
        lines += [line if parts == sentences else " ".join(parts)] if parts else []
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def without_repeats(change: ArticleChange, path: str, context: PatchContext) -> ArticleChange:
    """Leave out what a model says again, in other words, of entries that the article cites.

    Without this a second compile of an entry would add each of its facts a second time.
    """
    article = context.articles.get(path)
    sources = set(parse_citations(article.section("Sources"))) if article else set()
    if article is None or not sources:
        return change
    bodies = [body for name, body in article.sections if name.strip() not in GENERATED]
    items = [line for body in bodies for line in body.splitlines() if _ITEM_OPENING.match(line)]
    # a line of its page need not name what the page is about
    names = " ".join((article.title, *article.names("aliases")))

    def is_new(line: PatchLine) -> bool:
        entry = context.entries.get(line.entry)
        citation = cite(entry.day, entry.id) if entry else None
        return bool(line.replaces) or not any(
            citation in sources
            and citation in parse_citations(item)
            and says(f"{names} {UNTIL.sub('', strip_source_links(item))}", line.text)
            for item in items
        )

    sections = (replace(part, lines=tuple(filter(is_new, part.lines))) for part in change.sections)
    return replace(change, sections=tuple(sections))
