"""Take what is to be forgotten out of an article or a rule.

A line goes with the entries that it names; one that another entry holds up stays, without the links
to those that go. A note that says nothing after that goes, and so does a rule that nobody else
said. A title of their words is replaced by a line that stays. The trap: a person's own lines in a
note name no entry; they go only where they have nothing but words of what goes, and are reported
where they have one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from memoria.rules.model import confidence
from memoria.text.markdown import make_inert, next_fence
from memoria.text.prose import split_sentences
from memoria.vault.article import Article, summary, with_body, with_lead, with_meta, with_title
from memoria.vault.citations import parse_citations, parse_quote, strip_mark_and_sources
from memoria.vault.file_names import slugify

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from memoria.cli.forgetting.selection import LostContent

# what code makes of the other sections
_DERIVED = frozenset({"Related Concepts", "Sources"})
_BULLET = re.compile(r"[-*+] |\d{1,3}[.)] ")
# characters of a title that is made of a line
_TITLE = 60
_GOES_ON = re.compile(r"(?:It|They|This|These|That|Those|He|She)\b")
LINK = re.compile(r"\[\[([^\[\]|#\n]+)(#[^\[\]|\n]*)?(\|[^\[\]\n]*)?\]\]")
_ALONE = re.compile(r"\s*[-*+] \[\[([^\[\]|#\n]+)[^\n]*")


@dataclass(frozen=True, slots=True)
class Remainder:
    """What stays of a note, None for nothing; a person's lines that hold a word are named."""

    article: Article | None
    persons_lines: tuple[str, ...] = ()


def split_items(body: str) -> list[str]:
    """Part a section into its list items and paragraphs; together they are the text."""
    parts: list[str] = []
    fence, blank = "", True
    for line in body.splitlines(keepends=True):
        old_fence, fence = fence, next_fence(fence, line)
        is_start = _BULLET.match(line) or (blank and line.strip() and not line.startswith(" "))
        if not parts or (is_start and not old_fence):
            parts.append(line)
        else:
            parts[-1] += line
        blank = not line.strip()
    return parts


def purge_article(article: Article, lost: LostContent, *, is_owned: bool) -> Remainder:
    """Take out of an article what came from forgotten entries.

    `is_owned` says that nobody but Memoria wrote it.
    """
    logs = set(_list_source_links(article))
    if is_owned and logs and logs <= lost.over:
        return Remainder(None)
    lines: list[str] = []

    def is_kept(item: str) -> bool:
        if parse_citations(item):
            return not lost.drops_line(item)
        if not lost.marks(item):
            return True
        # nothing says who wrote it: in a note that a person edited, only what they repeat is ours
        if is_owned or lost.says(item):
            return False
        lines.append(strip_mark_and_sources(item))
        return True

    lead = _purge_lead(article, is_kept)
    sections = [
        (name, body if name.strip() in _DERIVED else _remove_items(body, is_kept, lost))
        for name, body in article.sections
    ]
    note = replace(article, sections=tuple(pair for pair in sections if pair[1].strip()))
    had_more = bool(_list_own_bodies(article)) and not _list_own_bodies(note)
    if (had_more and (is_owned or not lead)) or not (_list_own_bodies(note) or lead):
        return Remainder(None)
    note = with_lead(note, lead) if lead != article.lead else note
    return Remainder(_purge_sources(_purge_names(note, lost), lost), tuple(lines))


def _list_own_bodies(note: Article) -> list[str]:
    """Give the sections that say something and are not derived from the others."""
    return [body for name, body in note.sections if name.strip() not in _DERIVED and body.strip()]


def _remove_items(body: str, is_kept: Callable[[str], bool], lost: LostContent) -> str:
    """Leave out the items that go, and the links to logs that are gone."""
    text = "".join(part for part in split_items(body) if not part.strip() or is_kept(part))
    for citation in filter(lost.has, parse_citations(text)):
        link = rf" ?\(\[\[{re.escape(citation.target)}(?:\.md)?(?:[#|][^\]]*)?\]\]\)"
        text = re.sub(link, "", text)
    return text


def _purge_lead(article: Article, is_kept: Callable[[str], bool]) -> str:
    """Take sentences out of a lead, with those after them that only go on ("It left ...")."""
    sentences, kept_sentences, is_gone = split_sentences(article.lead), [], False
    for sentence in sentences:
        is_gone = not is_kept(sentence) or (is_gone and bool(_GOES_ON.match(sentence)))
        kept_sentences += [] if is_gone else [sentence]
    return article.lead if len(kept_sentences) == len(sentences) else " ".join(kept_sentences)


def _purge_names(note: Article, lost: LostContent) -> Article:
    """Take their words out of the names of a note."""
    changes: dict[str, object] = {
        key: [name for name in note.names(key) if not lost.marks(name)]
        for key in ("aliases", "tags")
        if any(map(lost.marks, note.names(key)))
    }
    if lost.marks(note.key):
        changes["key"] = ""
    if lost.marks(f"{note.title} {note.meta.get('title')}"):
        lines = (
            strip_mark_and_sources(item)
            for body in _list_own_bodies(note)
            for item in split_items(body)
            if item.strip()
        )
        title = next(lines, "") or summary(replace(note, title="Notes"))
        title = title if len(title) <= _TITLE else title[:_TITLE].rsplit(" ", 1)[0]
        changes["title"] = title
        note = with_title(note, make_inert(title))
    return with_meta(note, changes)


def _purge_sources(note: Article, lost: LostContent) -> Article:
    """Name only the logs that a note still rests on."""
    linked = "\n".join(body for name, body in note.sections if name.strip() != "Sources")
    note = with_meta(note, {"sources": _list_kept_sources(note, linked, lost)})
    body = note.section("Sources").strip("\n")
    lines = (_purge_source_line(line, note, lost) for line in body.split("\n"))
    text = "\n".join(filter(None, lines))
    return with_body(note, "Sources", text) if text != body else note


def _purge_source_line(line: str, note: Article, lost: LostContent) -> str:
    """Give the line of a source as it may stay: "" for none, else without a title of theirs."""
    if not lost.is_cited_in(line):
        return line
    if all(
        link.note not in _list_source_links(note) or lost.has(link)
        for link in parse_citations(line)
    ):
        return ""
    title = line.partition("]]")[2]
    return line.removesuffix(title) if lost.marks(title) else line


def _list_kept_sources(note: Article, text: str, lost: LostContent) -> list[str]:
    """Give the sources that lose nothing, and those that the text still links to."""
    linked = {citation.note for citation in parse_citations(text)}
    pairs = zip(note.names("sources"), _list_source_links(note), strict=True)
    return [name for name, link in pairs if link not in lost.days or link in linked]


def _list_source_links(note: Article) -> list[str]:
    return [name.removesuffix(".md") for name in note.names("sources")]


def purge_rule(note: Article, lost: LostContent, sessions: Collection[str]) -> Remainder:
    """Take sightings out of a rule's note; None where no other is left.

    `sessions` are the ids of the sessions that go, or how they begin, as notes have them. A
    person's lines in a note that goes are given as left: they are no sightings.
    """
    lines = note.section("Evidence").strip().splitlines()
    evidence = [line for line in lines if not lost.drops_line(line)]
    old_sessions = note.names("sessions")
    other_sessions = [session for session in old_sessions if session not in sessions]
    is_lost = lost.holds if lost.days.isdisjoint(_list_source_links(note)) else lost.marks
    is_named = any(map(is_lost, (note.title, *note.names("aliases"))))
    if len(evidence) == len(lines) and len(other_sessions) == len(old_sessions) and not is_named:
        return Remainder(note)
    sightings = [line for line in evidence if parse_citations(line)]
    if not sightings and (lines or not other_sessions):
        notes = [line for line in note.section("Notes").splitlines() if line.strip()]
        return Remainder(None, tuple(line for line in (*evidence, *notes) if not lost.marks(line)))
    changes: dict[str, object] = {
        "sessions": other_sessions,
        "frequency": max(1, len(other_sessions)),
        "confidence": confidence(len(other_sessions)),
        "sources": _list_kept_sources(note, "\n".join(evidence), lost),
        "aliases": [name for name in note.names("aliases") if not lost.marks(name)],
    }
    note = with_meta(with_body(note, "Evidence", "\n".join(evidence)), changes)
    return Remainder(_reword_rule(note, sightings, lost))


def _reword_rule(note: Article, evidence: Collection[str], lost: LostContent) -> Article | None:
    """Give a rule other words where its own go; they were never approved, so it waits."""
    notes = note.section("Notes").strip("\n").split("\n")
    lines = [line for line in notes if not lost.marks(line)]
    if lines != notes:
        note = with_body(note, "Notes", "\n".join(lines))
    if lost.marks(str(note.meta.get("check") or "")):
        note = with_meta(note, {"check": None})
    if not lost.marks(f"{note.title} {note.meta.get('title')}"):
        return note
    text = next(iter([*note.names("aliases"), *(parse_quote(line).words for line in evidence)]), "")
    if not text:
        return None
    aliases = [name for name in note.names("aliases") if name != text]
    changes: dict[str, object] = {"title": text, "aliases": aliases, "status": "waiting"}
    return with_title(with_meta(note, changes), make_inert(text))


# -- Links -----------------------------------------------------------------------------------------


def choose_path(article: Article, lost: LostContent, taken: Collection[str]) -> str:
    """Give the path that a note is to have: another one where its name holds their words."""
    if not lost.marks(article.slug):
        return article.path
    folder, name = article.path.rsplit("/", 1)[0], slugify(article.title)
    if not name or lost.marks(name):
        name = str(article.meta.get("id") or "note")
    paths = (f"{folder}/{name}" + f"-{number}" * (number > 1) for number in count(1))
    return next(path for path in paths if path not in taken)


def relink_article(article: Article, moves: Mapping[str, str]) -> Article:
    """Point links to moved notes at their new places; those to notes that are gone ("") go."""
    changes: dict[str, object] = {}
    for key in ("connects", "consulted"):
        if not moves.keys().isdisjoint(article.names(key)):
            new_names = (moves.get(name, name) for name in article.names(key))
            changes[key] = [name for name in new_names if name]
    sections = tuple((name, relink_text(body, moves)) for name, body in article.sections)
    preamble = relink_text(article.preamble, moves)
    return with_meta(replace(article, sections=sections, preamble=preamble), changes)


def relink_text(text: str, moves: Mapping[str, str]) -> str:
    """Do the same in a text, where a list's item that is but such a link goes as a whole."""

    def link(match: re.Match[str]) -> str:
        path = match[1].strip()
        if path not in moves:
            return match[0]
        return f"[[{moves[path]}{match[2] or ''}]]" if moves[path] else "\u2026"

    return "".join(
        LINK.sub(link, line)
        for line in text.splitlines(keepends=True)
        if not (item := _ALONE.match(line)) or moves.get(item[1].strip(), "there")
    )


def purge_log(text: str, lost: LostContent, moves: Mapping[str, str]) -> str:
    """Take out of log.md the links to notes that are gone, and questions and refusals of theirs."""
    kept_text = ""
    for entry in re.split(r"(?m)^(?=## \[)", text):
        head = entry.partition("\n")[0]
        if lost.holds(head) or (" query | " in head and lost.marks(head)):
            continue
        for line in entry.splitlines(keepends=True):
            is_refusal = line.startswith("- Refused:") and lost.marks(line)
            kept_text += "" if lost.holds(line) or is_refusal else relink_text(line, moves)
    return kept_text
